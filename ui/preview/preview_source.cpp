#include "ui/preview/preview_source.h"

#include <algorithm>
#include <utility>

namespace loquor::ui {

namespace {

// Samples [from, from + count) of the project, line by line; silence where a stored sound ends before its line.
std::size_t readProjectSound(session::Session& session, const TimelineLayout& layout, std::int64_t from, float* out,
                             std::size_t count)
{
    constexpr int kRate = session::kLineSoundRate;
    std::size_t done = 0;
    while (done < count) {
        const std::int64_t at = from + static_cast<std::int64_t>(done);
        const LayoutLine* line = layout.lineAt(frameOf(at, kRate, layout.fps()));
        if (line == nullptr)
            break;
        const SampleIndex begin = firstSampleOf(line->start, kRate, layout.fps());
        const SampleIndex end = firstSampleOf(line->end(), kRate, layout.fps());
        const auto wanted = static_cast<std::size_t>(std::min<std::int64_t>(end - at, static_cast<std::int64_t>(count - done)));
        const std::size_t got = session.readLineSound(line->id, at - begin, out + done, wanted);
        std::fill(out + done + got, out + done + wanted, 0.0f);
        done += wanted;
    }
    return done;
}

} // namespace

void RunSource::setProgress(FrameIndex ready, FrameIndex total)
{
    m_ready = ready;
    m_total = total;
}

audio::SampleSource RunSource::sound() const
{
    return [session = &m_session](std::int64_t from, float* out, std::size_t count) {
        return session->readAudio(from, out, count);
    };
}

void ProjectSource::setLayout(std::shared_ptr<const TimelineLayout> layout)
{
    m_layout = std::move(layout);
    const std::lock_guard lock(m_box->mutex);
    m_box->layout = m_layout;
}

FramePtr ProjectSource::frame(FrameIndex index)
{
    const auto place = m_layout->placeOf(index);
    return place && m_layout->isReady(index) ? m_session.projectFrame(*place) : nullptr;
}

audio::SampleSource ProjectSource::sound() const
{
    return [session = &m_session, box = m_box](std::int64_t from, float* out, std::size_t count) -> std::size_t {
        std::shared_ptr<const TimelineLayout> layout;
        {
            const std::lock_guard lock(box->mutex);
            layout = box->layout;
        }
        return layout ? readProjectSound(*session, *layout, from, out, count) : 0;
    };
}

} // namespace loquor::ui
