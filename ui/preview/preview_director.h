// What the preview plays: connects the project, its runs, the player, the picture and the timeline.
#pragma once

#include <memory>

#include <QObject>
#include <QTimer>

#include "ui/models/timeline_layout.h"
#include "ui/preview/preview_source.h"

namespace loquor::ui {

class JobController;
class MediaChecks;
class PlaybackController;
class PreviewPanel;
class ProjectModel;
class RenderState;
class TimelineView;

class PreviewDirector : public QObject
{
    Q_OBJECT

public:
    struct Parts
    {
        session::Session& session;
        ProjectModel& model;
        MediaChecks& checks;
        RenderState& state;
        JobController& jobs;
        PlaybackController& playback;
        PreviewPanel& preview;
        TimelineView& timeline;
    };
    explicit PreviewDirector(const Parts& parts, QObject* parent = nullptr);

    // Another project is open: nothing of the old one is shown any more.
    void reset();
    // Shows the beginning of this word (of a line; bytes of its text), if it is known when it is said.
    void showWord(std::uint64_t line, std::int32_t byte);
    void showLine(std::uint64_t line);

private:
    bool isProject() const;
    void useSource();
    void followProject();
    void followRun();
    void onStarted();
    void onJobState();
    void onInspected();
    void addWords(const speech::Timing& timing);
    void updateStill();
    void updateNote();

    Parts m;
    std::shared_ptr<ProjectSource> m_project;
    std::shared_ptr<RunSource> m_run;
    bool m_usesProject = false;
    bool m_ends = false;        // the run is over; its last frames are being looked for
    LayoutLine m_runLine;       // a run is one line
    std::shared_ptr<const TimelineLayout> m_runLayout;
    std::vector<speech::Word> m_runWords;
};

} // namespace loquor::ui
