#include "core/session/project_preview.h"

#include <algorithm>
#include <utility>

#include "core/base/guarded_thread.h"
#include "core/base/log.h"
#include "core/session/recorded_line.h"

namespace loquor::session {

namespace {

constexpr std::size_t kKeptBytes = 96u << 20;
constexpr int kFramesAhead = 12; // decoded behind the one that was asked for

} // namespace

ShownLine::Heard heardOf(const LineItem& item, LineLookup& lookup)
{
    if (!item.wish.recording)
        return {item.soundKey};
    const auto cut = lookup.findCut(item);
    return cut ? ShownLine::Heard{item.soundKey, cut->before, heardSamples(*cut, item.wish.pauseAfter)}
               : ShownLine::Heard{};
}

ProjectPreview::ProjectPreview(std::function<void()> wake) : m_wake(std::move(wake))
{
    m_thread = guardedThread("decoding stored frames", [this] { run(); });
}

ProjectPreview::~ProjectPreview()
{
    {
        std::lock_guard lock(m_mutex);
        m_quit = true;
        ++m_request;
    }
    m_changed.notify_one();
    m_thread.join();
}

void ProjectPreview::show(std::uint64_t project, std::shared_ptr<cache::ChunkStore> store,
                          std::vector<ShownLine> lines, bool replace)
{
    std::lock_guard lock(m_mutex);
    if (!replace && project == m_project) {
        for (ShownLine& line : lines) {
            if (ShownLine* known = find(line.id))
                line = *known;
        }
    }
    m_letGo = m_letGo || project != m_project;
    m_project = project;
    m_store = std::move(store);
    m_lines = std::move(lines);
    m_broken.clear();
    m_changed.notify_one();
}

void ProjectPreview::setLine(std::uint64_t project, ShownLine line)
{
    std::lock_guard lock(m_mutex);
    ShownLine* known = project == m_project ? find(line.id) : nullptr;
    if (known == nullptr)
        return;
    const bool sameStart = !known->chunks.empty() && !line.chunks.empty() &&
                           known->chunks.front().key == line.chunks.front().key;
    if (sameStart && line.join.key.empty())
        line.join = known->join;
    for (const ShownLine::Piece& chunk : line.chunks)
        m_broken.erase(chunk.key);
    *known = std::move(line);
}

void ProjectPreview::setJoin(std::uint64_t project, std::uint64_t line, ShownLine::Piece join)
{
    std::lock_guard lock(m_mutex);
    ShownLine* known = project == m_project ? find(line) : nullptr;
    if (known == nullptr)
        return;
    m_broken.erase(join.key);
    known->join = std::move(join);
}

void ProjectPreview::close(std::uint64_t project)
{
    std::lock_guard lock(m_mutex);
    if (project != m_project)
        return;
    m_project = 0;
    m_store.reset();
    m_lines.clear();
    m_kept.clear();
    m_keptBytes = 0;
    m_wanted.reset();
    m_letGo = true;
    ++m_request;
    m_changed.notify_one();
}

ShownLine* ProjectPreview::find(std::uint64_t line)
{
    const auto found = std::find_if(m_lines.begin(), m_lines.end(), [&](const ShownLine& l) { return l.id == line; });
    return found == m_lines.end() ? nullptr : &*found;
}

std::optional<ProjectPreview::Source> ProjectPreview::sourceOf(const ShownLine& line, FrameIndex frame) const
{
    if (frame < 0)
        return std::nullopt;
    if (!line.join.key.empty() && frame < line.join.frames && !line.chunks.empty())
        return Source{line.join.key, static_cast<int>(frame)};
    for (const ShownLine::Piece& chunk : line.chunks) {
        if (frame < chunk.frames)
            return Source{chunk.key, static_cast<int>(frame)};
        frame -= chunk.frames;
    }
    return std::nullopt;
}

FramePtr ProjectPreview::kept(const Source& source)
{
    const auto found = std::find_if(m_kept.begin(), m_kept.end(), [&](const Kept& one) { return one.source == source; });
    if (found == m_kept.end())
        return nullptr;
    m_kept.splice(m_kept.begin(), m_kept, found);
    return m_kept.front().frame;
}

FramePtr ProjectPreview::at(ProjectPlace place)
{
    {
        std::lock_guard lock(m_mutex);
        const ShownLine* line = find(place.line);
        const auto source = line != nullptr ? sourceOf(*line, place.frame) : std::nullopt;
        if (!source || m_broken.contains(source->key))
            return nullptr;
        if (FramePtr frame = kept(*source))
            return frame;
        if (m_wanted == source || (!m_wanted && m_decoding == source))
            return nullptr;
        m_wanted = source;
        ++m_request;
    }
    m_changed.notify_one();
    return nullptr;
}

FrameIndex ProjectPreview::frames() const
{
    std::lock_guard lock(m_mutex);
    FrameIndex out = 0;
    for (const ShownLine& line : m_lines)
        out += line.frames;
    return out;
}

std::optional<ProjectPlace> ProjectPreview::placeOf(FrameIndex index) const
{
    std::lock_guard lock(m_mutex);
    for (const ShownLine& line : m_lines) {
        if (index >= 0 && index < line.frames)
            return ProjectPlace{line.id, index};
        index -= line.frames;
    }
    return std::nullopt;
}

std::size_t ProjectPreview::readSound(std::uint64_t line, SampleIndex from, float* out, std::size_t count)
{
    ShownLine::Heard sound;
    std::shared_ptr<cache::ChunkStore> store;
    {
        std::lock_guard lock(m_mutex);
        const ShownLine* known = find(line);
        if (known == nullptr || !m_store || known->sound.key.empty())
            return 0;
        sound = known->sound;
        store = m_store;
    }
    if (from < 0 || from >= sound.available)
        return 0;
    const auto there = std::min<SampleIndex>(sound.available - from, static_cast<SampleIndex>(count));
    return m_sounds.read(*store, sound.key, sound.skip + from, out, static_cast<std::size_t>(there));
}

void ProjectPreview::forgetRequests()
{
    std::lock_guard lock(m_mutex);
    m_wanted.reset();
    ++m_request;
}

bool ProjectPreview::isNewer(std::uint64_t request) const
{
    std::lock_guard lock(m_mutex);
    return m_request != request;
}

void ProjectPreview::keep(Source source, Image image)
{
    auto frame = std::make_shared<VideoFrame>();
    frame->index = source.frame;
    frame->image = std::move(image);
    std::lock_guard lock(m_mutex);
    if (!m_store || kept(source)) // closed meanwhile, or there already
        return;
    m_keptBytes += frame->image.data.size();
    m_kept.push_front({std::move(source), std::move(frame)});
    while (m_keptBytes > kKeptBytes && m_kept.size() > 1) {
        m_keptBytes -= m_kept.back().frame->image.data.size();
        m_kept.pop_back();
    }
}

void ProjectPreview::decode(const Source& first, const std::shared_ptr<cache::ChunkStore>& store)
{
    std::uint64_t request = 0;
    {
        std::lock_guard lock(m_mutex);
        request = m_request;
    }
    const auto read = [&](const Source& source) -> Result<void> {
        if (m_openKey != source.key || !m_reader) {
            m_reader.reset();
            m_openKey.clear();
            LQ_TRY(const std::filesystem::path file, store->part(source.key, kVideoPart));
            LQ_TRY(m_reader, media::SegmentReader::open(file));
            m_openKey = source.key;
        }
        LQ_TRY(Image image, m_reader->frame(source.frame));
        keep(source, std::move(image));
        return {};
    };
    if (auto done = read(first); !done) {
        log(LogLevel::Info, "session", done.error().logText());
        std::lock_guard lock(m_mutex);
        m_broken.insert(first.key);
        m_decoding.reset();
        return;
    }
    {
        std::lock_guard lock(m_mutex);
        m_decoding.reset();
    }
    m_wake();
    Source next = first;
    for (int i = 0; i < kFramesAhead && ++next.frame < m_reader->frames() && !isNewer(request); ++i) {
        if (!read(next))
            return;
    }
}

void ProjectPreview::run()
{
    for (;;) {
        Source source;
        std::shared_ptr<cache::ChunkStore> store;
        {
            std::unique_lock lock(m_mutex);
            m_changed.wait(lock, [this] { return m_quit || m_letGo || m_wanted; });
            if (m_quit)
                return;
            if (std::exchange(m_letGo, false)) {
                m_reader.reset();
                m_openKey.clear();
            }
            if (!m_wanted)
                continue;
            source = *std::exchange(m_wanted, std::nullopt);
            m_decoding = source;
            store = m_store;
        }
        if (!store)
            continue;
        if (const auto error = caught("decoding a stored frame", [&] { decode(source, store); })) {
            logCaught(*error);
            std::lock_guard lock(m_mutex);
            m_broken.insert(source.key);
            m_decoding.reset();
        }
    }
}

} // namespace loquor::session
