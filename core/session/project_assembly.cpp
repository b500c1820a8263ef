#include "core/session/project_assembly.h"

#include "core/project/caption_edits.h"
#include "core/speech/timing_json.h"

namespace loquor::session {

namespace {

// "line 3", "lines 3, 5 and 9 more"
std::string listOf(const std::vector<int>& numbers)
{
    constexpr std::size_t kShown = 8;
    std::string out = numbers.size() == 1 ? "line " : "lines ";
    for (std::size_t i = 0; i < std::min(kShown, numbers.size()); ++i)
        out += (i > 0 ? ", " : "") + std::to_string(numbers[i]);
    if (numbers.size() > kShown)
        out += " and " + std::to_string(numbers.size() - kShown) + " more";
    return out;
}

class Assembler
{
public:
    Assembler(const project::Document& document, cache::ChunkStore& store)
        : m_document(document), m_store(store)
    {
    }

    Result<void> addScene(std::size_t index, LineLookup& lookup, const CancelToken& cancel)
    {
        std::string left;
        LQ_TRY(std::vector<LineItem> items, lineItems(m_document, index, m_lines + 1));
        for (LineItem& item : items) {
            if (cancel.isCancelled())
                return cancelled();
            ++m_lines;
            LQ_TRY(const bool known, lookup.findSound(item));
            std::optional<cache::Take> take;
            if (known) {
                LQ_TRY(take, lookup.findTake(item));
            }
            if (!take) {
                m_missing.push_back(item.number);
                left.clear();
                continue;
            }
            LQ_CHECKED(addLine(item, *take, left, lookup));
            left = take->chunks.back();
        }
        m_out.scenes.push_back(lookup.facts());
        return {};
    }

    Result<Assembly> finish()
    {
        if (!m_missing.empty())
            return fail(ErrorCode::InvalidArgument,
                        "Not everything is rendered: " + listOf(m_missing) +
                            (m_missing.size() == 1 ? " is" : " are") +
                            " new, changed or incomplete. Render the project first.");
        if (m_endsEarly) // the end of a recording is the end of the sound; it may lie inside the last frame
            m_out.sound.back().samples = std::min(m_out.sound.back().samples, m_out.sound.back().available);
        return std::move(m_out);
    }

private:
    Result<void> addLine(const LineItem& item, const cache::Take& take, const std::string& left,
                         LineLookup& lookup)
    {
        int replaced = 0;
        const std::string join = left.empty() ? std::string() : lookup.joinBetween(left, take.chunks.front(), item);
        if (!join.empty()) {
            const auto file = m_store.part(join, kVideoPart);
            if (!file) {
                m_missing.push_back(item.number);
                return {};
            }
            replaced = pipeline::joinLength(item.grid.front(), lookup.facts().pack.joins());
            m_out.picture.push_back({*file, 0, replaced, {"I", nextChunk(), item.number}});
            note("I", item.number, replaced, join);
        }
        for (std::size_t i = 0; i < take.chunks.size(); ++i) {
            auto file = m_store.part(take.chunks[i], kVideoPart);
            if (!file) { // it was damaged
                m_missing.push_back(item.number);
                return {};
            }
            const int skip = i == 0 ? replaced : 0;
            if (item.grid[i].frames > skip)
                m_out.picture.push_back({std::move(*file), skip, item.grid[i].frames - skip, {"N", nextChunk(), item.number}});
            note("N", item.number, item.grid[i].frames, take.chunks[i]);
        }
        return addSound(item, lookup);
    }

    Result<void> addSound(const LineItem& item, LineLookup& lookup)
    {
        const Rational fps = lookup.facts().settings.fps;
        LQ_TRY(std::filesystem::path file, m_store.part(item.soundKey, kSoundPart));
        LQ_TRY(SaidText said, saidText(item, m_store));
        const SampleIndex from = firstSampleOf(m_out.frames, kProjectRate, fps);
        const SampleIndex to = firstSampleOf(m_out.frames + item.frames, kProjectRate, fps);
        HeardSound heard{std::move(file), to - from};
        if (item.wish.recording) {
            const auto cut = lookup.findCut(item);
            if (!cut) { // it was damaged
                m_missing.push_back(item.number);
                return {};
            }
            heard.skip = cut->before;
            heard.available = heardSamples(*cut, item.wish.pauseAfter);
            m_endsEarly = item.wish.pauseAfter <= 0 && cut->after == 0;
        } else {
            m_endsEarly = false;
        }
        m_out.sound.push_back(std::move(heard));
        said.start = secondsOf(m_out.frames, fps);
        m_out.texts.push_back(std::move(said));
        if (!project::captionsFit(item.line))
            m_out.warnings.push_back("The captions written for line " + std::to_string(item.number) +
                                     " no longer fit its text, so those of its text are shown.");
        m_out.keys.insert({item.speechKey, item.soundKey});
        m_out.frames += item.frames;
        return {};
    }

    int nextChunk() const { return static_cast<int>(m_out.chunks.size()); }

    void note(const char* kind, int line, int frames, const std::string& key)
    {
        m_out.chunks.push_back({kind, nextChunk(), line, frames, true, 0});
        m_out.keys.insert(key);
    }

    const project::Document& m_document;
    cache::ChunkStore& m_store;
    Assembly m_out;
    std::vector<int> m_missing;
    int m_lines = 0;
    bool m_endsEarly = false; // the last line is the end of a recording
};

} // namespace

Result<SaidText> saidText(const LineItem& item, cache::ChunkStore& store)
{
    LQ_TRY(const std::filesystem::path file, store.part(item.speechKey, kTimingPart));
    LQ_TRY(speech::TimingDocument timing, speech::readTimingFile(file));
    SaidText out{0, secondsOf(item.frames, item.wish.fps), std::move(timing.text), std::move(timing.timing), {}};
    out.timing.phonemes = {};
    if (item.line.captions && project::captionsFit(item.line)) {
        for (const project::CaptionText& caption : item.line.captions->list)
            out.written.push_back({caption.text, caption.firstWord});
    }
    return out;
}

Result<Assembly> assemble(const project::Document& document, cache::ChunkStore& store, const VoiceShelf& voices,
                          const std::filesystem::path& dataFolder, const CancelToken& cancel)
{
    Assembler assembler(document, store);
    const auto list = voices.list();
    bool any = false;
    for (std::size_t i = 0; i < document.scenes.size(); ++i) {
        if (document.scenes[i].lines.empty())
            continue;
        any = true;
        LQ_TRY(SceneFacts facts, sceneFacts(document, document.scenes[i], dataFolder, cancel));
        LineLookup lookup(store, std::move(facts), document.scenes[i], document.id, list);
        LQ_CHECKED(assembler.addScene(i, lookup, cancel));
    }
    if (!any)
        return fail(ErrorCode::EmptyInput, "The project has no line to export yet.");
    return assembler.finish();
}

} // namespace loquor::session
