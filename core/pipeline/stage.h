// The typed unit of execution. A stage owns no thread and no queue: an executor calls it.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/queue.h"
#include "core/pipeline/chunk_spec.h"

namespace loquor::pipeline {

// Hands a result on. Blocks while the next queue is full; false once the run ends early: the stage
// then returns cancelled().
template<class Out>
using Emit = std::function<bool(Out)>;

// One instance serves one run at a time and is called from one thread at a time, chunk by chunk in
// order; it may keep state (boundary data) from chunk to chunk.
template<class In, class Out>
class Stage
{
public:
    virtual ~Stage() = default;
    // Also the name in reports and logs; a literal.
    virtual const char* name() const = 0;
    // Bytes in use at most while a chunk is being made, beyond its input and output.
    virtual std::size_t memoryEstimate() const = 0;
    // Makes one or more results of a chunk, in playback order. Must look at `cancel` at least every
    // 100 ms of work and return cancelled(). May throw: the executor turns exceptions into errors.
    virtual Result<void> run(const ChunkSpec& chunk, In in, const Emit<Out>& emit,
                             const CancelToken& cancel) = 0;
};

// Where chunks come from. next() may block until a line is there; nothing = the run is over.
class ChunkSource
{
public:
    virtual ~ChunkSource() = default;
    virtual Result<std::optional<ChunkSpec>> next(const CancelToken& cancel) = 0;
};

// Where results go: a writer, a preview. Same calling rules as a stage.
template<class In>
class Sink
{
public:
    virtual ~Sink() = default;
    virtual const char* name() const = 0;
    virtual std::size_t memoryEstimate() const = 0;
    virtual Result<void> consume(const ChunkSpec& chunk, In in, const CancelToken& cancel) = 0;
    // After the last result of a chunk / of the run. Not called after a failure or cancel.
    virtual Result<void> endChunk(const ChunkSpec& chunk) = 0;
    virtual Result<void> endRun() = 0;
};

// Runs `body`, which gives a Result, and turns whatever it throws into an Error of `where`.
template<class Body>
auto guarded(const std::string& where, Body&& body) -> decltype(body())
{
    try {
        return std::forward<Body>(body)();
    } catch (const std::bad_alloc&) {
        return fail(ErrorCode::OutOfMemory,
                    "Not enough memory in the stage '" + where +
                        "'. Close other programs or choose a smaller picture size.");
    } catch (const std::exception& exception) {
        return fail(ErrorCode::Internal,
                    "The stage '" + where + "' failed unexpectedly: " + exception.what());
    } catch (...) {
        return fail(ErrorCode::Internal, "The stage '" + where + "' failed unexpectedly.");
    }
}

// Runs a stage that is not part of the chunk loop (the reference stage) and gives its one result.
template<class In, class Out>
Result<Out> runOnce(Stage<In, Out>& stage, In in, const CancelToken& cancel)
{
    std::optional<Out> result;
    const Emit<Out> keep = [&result](Out out) {
        result.emplace(std::move(out));
        return true;
    };
    LQ_CHECKED(guarded(stage.name(), [&] { return stage.run({}, std::move(in), keep, cancel); }));
    if (!result)
        return fail(ErrorCode::Internal,
                    std::string("The stage '") + stage.name() + "' gave no result.");
    return std::move(*result);
}

} // namespace loquor::pipeline
