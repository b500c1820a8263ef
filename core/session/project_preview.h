// Frames of a project out of the store, by line or by time: for scrubbing. Decoded on a thread of its own.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "core/cache/chunk_store.h"
#include "core/media/segments.h"
#include "core/session/line_sounds.h"
#include "core/session/project_lines.h"
#include "core/session/session.h"

namespace loquor::session {

// What is stored of a line: its chunks from the first one on, and the join in front of it.
struct ShownLine
{
    struct Piece
    {
        std::string key;
        int frames = 0;
    };
    std::uint64_t id = 0;
    FrameIndex frames = 0;      // of all of it; 0 = not known before it is spoken
    std::vector<Piece> chunks;
    Piece join;                 // replaces its first frames; an empty key = none
    struct Heard                // a stretch of a stored sound; an empty key = it is not there
    {
        std::string key;
        SampleIndex skip = 0;
        SampleIndex available = std::numeric_limits<SampleIndex>::max();
    };
    Heard sound{};
};
// Of a line whose sound was found.
ShownLine::Heard heardOf(const LineItem& item, LineLookup& lookup);

// Holds the layout of one project, the newest request and some decoded frames (96 MB). Any thread.
class ProjectPreview
{
public:
    // `wake` is called on the decoding thread whenever a frame that was asked for is there.
    explicit ProjectPreview(std::function<void()> wake);
    ~ProjectPreview();

    // This project from now on. Without `replace`, what is known of its lines stays known.
    void show(std::uint64_t project, std::shared_ptr<cache::ChunkStore> store, std::vector<ShownLine> lines,
              bool replace);
    // News of a run; nothing for another project or a line it does not have. The join stays if the chunk it
    // belongs to does.
    void setLine(std::uint64_t project, ShownLine line);
    void setJoin(std::uint64_t project, std::uint64_t line, ShownLine::Piece join);
    void close(std::uint64_t project);

    // As Session: projectFrame, projectFrames, placeOf, forgetFrameRequests.
    FramePtr at(ProjectPlace place);
    FrameIndex frames() const;
    std::optional<ProjectPlace> placeOf(FrameIndex index) const;
    void forgetRequests();
    // As Session::readLineSound.
    std::size_t readSound(std::uint64_t line, SampleIndex from, float* out, std::size_t count);

private:
    struct Source // a frame of a stored file
    {
        std::string key;
        int frame = 0;
        auto operator<=>(const Source&) const = default;
    };
    struct Kept
    {
        Source source;
        FramePtr frame;
    };
    ShownLine* find(std::uint64_t line);
    std::optional<Source> sourceOf(const ShownLine& line, FrameIndex frame) const;
    FramePtr kept(const Source& source);
    void keep(Source source, Image image);
    void run();
    // Decodes it and, while nothing else is wanted, those behind it.
    void decode(const Source& first, const std::shared_ptr<cache::ChunkStore>& store);
    bool isNewer(std::uint64_t request) const;

    const std::function<void()> m_wake;
    LineSounds m_sounds; // has a lock of its own; never asked under m_mutex
    mutable std::mutex m_mutex; // guards all but the two of the thread
    std::condition_variable m_changed;
    std::uint64_t m_project = 0;
    std::shared_ptr<cache::ChunkStore> m_store;
    std::vector<ShownLine> m_lines; // in order
    std::list<Kept> m_kept;         // used last first
    std::size_t m_keptBytes = 0;
    std::set<std::string> m_broken; // files that could not be read
    std::optional<Source> m_wanted, m_decoding;
    std::uint64_t m_request = 0;    // counts requests
    bool m_quit = false;
    bool m_letGo = false;           // the file that is open is not needed any more
    std::string m_openKey;          // thread only
    std::optional<media::SegmentReader> m_reader; // thread only
    std::thread m_thread;
};

} // namespace loquor::session
