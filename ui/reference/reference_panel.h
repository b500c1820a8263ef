// The person: which photo or clip, what the engine sees in it, what to expect, the confirmation.
#pragma once

#include <QWidget>

class QCheckBox;
class QLabel;
class QPushButton;

namespace loquor::ui {

class FacePicture;
class MediaChecks;
class ProjectModel;

class ReferencePanel : public QWidget
{
    Q_OBJECT

public:
    ReferencePanel(ProjectModel& model, MediaChecks& checks, QWidget* parent = nullptr);

    FacePicture& picture() { return *m_picture; }
    QCheckBox& consent() { return *m_consent; }
    QString messageText() const; // of the most important message shown

Q_SIGNALS:
    void chooseRequested();

private:
    void refresh();
    void showReport();
    void setConsent(bool confirmed);

    ProjectModel& m_model;
    MediaChecks& m_checks;
    QLabel *m_name, *m_empty, *m_faces, *m_problem, *m_warning;
    FacePicture* m_picture;
    QCheckBox* m_consent;
    QPushButton* m_choose;
    qint64 m_shownPicture = 0; // cache key, so that a picture is set once
};

} // namespace loquor::ui
