// The engine panel: Generate and Export, why not, what it costs; progress and Cancel while it runs.
#pragma once

#include <QWidget>

#include "core/session/shown_progress.h"
#include "ui/models/readiness.h"

class QLabel;
class QProgressBar;
class QPushButton;

namespace loquor::ui {

class JobController;

class JobPanel : public QWidget
{
    Q_OBJECT

public:
    explicit JobPanel(JobController& jobs, QWidget* parent = nullptr);

    // `missing`: why it cannot start; empty = it can.
    void setReadiness(const QStringList& missing, const CostEstimate& cost, qint64 freeBytes);

    QPushButton& generate() { return *m_generate; }
    QPushButton& exportVideo() { return *m_export; }
    QPushButton& cancel() { return *m_cancel; }
    QString hintText() const;
    QString progressText() const;

Q_SIGNALS:
    void generateRequested();
    void exportRequested();
    void cancelRequested();

private:
    void refresh();
    void refreshProgress();
    void refreshHint();
    QString activityText() const;

    JobController& m_jobs;
    session::ShownProgress m_shown;
    QStringList m_missing;
    CostEstimate m_cost;
    qint64 m_freeBytes = -1;
    QPushButton *m_generate, *m_export, *m_cancel;
    QProgressBar* m_progress;
    QLabel *m_hint, *m_activity, *m_left;
    QWidget* m_running;
};

} // namespace loquor::ui
