// Where the preview takes its pictures and its sound from: a project in the store, or one run.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "core/audio/playback.h"
#include "core/base/time.h"
#include "core/session/session.h"
#include "ui/models/timeline_layout.h"

namespace loquor::ui {

// UI thread, but for what sound() gives.
class PreviewSource
{
public:
    virtual ~PreviewSource() = default;
    // Null: it is not there, or on its way (then a wakeup follows).
    virtual FramePtr frame(FrameIndex index) = 0;
    // Positions run from 0 to reach() - 1; total: how long it will be, 0 = not known.
    virtual FrameIndex reach() const = 0;
    virtual FrameIndex total() const = 0;
    // End of the ready stretch that begins with `frame`; `frame` when that one is not ready.
    virtual FrameIndex readyUntil(FrameIndex frame) const = 0;
    // The first ready frame from there on; -1 = none.
    virtual FrameIndex nextReady(FrameIndex frame) const = 0;
    virtual int audioRate() const = 0; // 0 = not known yet
    // For the thread of the sound; may outlive this, not the session.
    virtual audio::SampleSource sound() const = 0;
};

// The running or last run.
class RunSource : public PreviewSource
{
public:
    explicit RunSource(session::Session& session) : m_session(session) {}
    // What can be shown by now, from 0 without a gap.
    void setProgress(FrameIndex ready, FrameIndex total);

    FramePtr frame(FrameIndex index) override { return m_session.frameAt(index); }
    FrameIndex reach() const override { return m_ready; }
    FrameIndex total() const override { return m_total; }
    FrameIndex readyUntil(FrameIndex frame) const override { return frame < m_ready ? m_ready : frame; }
    FrameIndex nextReady(FrameIndex frame) const override { return frame < m_ready ? frame : -1; }
    int audioRate() const override { return m_session.audioRate(); }
    audio::SampleSource sound() const override;

private:
    session::Session& m_session;
    FrameIndex m_ready = 0, m_total = 0;
};

// The lines of the open project, as far as they are in the store.
class ProjectSource : public PreviewSource
{
public:
    explicit ProjectSource(session::Session& session) : m_session(session) {}
    void setLayout(std::shared_ptr<const TimelineLayout> layout);

    FramePtr frame(FrameIndex index) override;
    FrameIndex reach() const override { return m_layout->total(); }
    FrameIndex total() const override { return m_layout->total(); }
    FrameIndex readyUntil(FrameIndex frame) const override { return m_layout->readyUntil(frame); }
    FrameIndex nextReady(FrameIndex frame) const override { return m_layout->nextReady(frame); }
    int audioRate() const override { return session::kLineSoundRate; }
    audio::SampleSource sound() const override;

private:
    struct Box // the newest layout, for the thread of the sound
    {
        std::mutex mutex;
        std::shared_ptr<const TimelineLayout> layout; // mutex
    };

    session::Session& m_session;
    std::shared_ptr<const TimelineLayout> m_layout = std::make_shared<const TimelineLayout>();
    std::shared_ptr<Box> m_box = std::make_shared<Box>();
};

} // namespace loquor::ui
