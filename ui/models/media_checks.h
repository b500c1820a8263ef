// Knows what the engine says about the files of the project, and brings new files in.
#pragma once

#include <map>
#include <optional>

#include <QImage>
#include <QObject>

#include "core/session/session.h"
#include "ui/bridge/session_bridge.h"

namespace loquor::ui {

class ProjectModel;

struct MediaCheck
{
    bool pending = false; // the engine is still looking
    std::optional<session::CheckReport> report;
    QImage picture; // of a photo or clip, as the engine sees it

    bool usable() const { return report && report->usable; }
};

// Every file is looked at before it is used: at import, and again when a project is opened. What a
// file is decides where it goes: photo and clip become the person, sound the recording, text the
// script. A photo that will not work still becomes the person, so that the reason is seen with it.
class MediaChecks : public QObject
{
    Q_OBJECT

public:
    MediaChecks(SessionBridge& bridge, ProjectModel& model, QObject* parent = nullptr);

    void importFile(const QString& path);
    const MediaCheck& reference() const { return m_reference; }
    const MediaCheck& recording() const { return m_recording; }
    // Name of a file that is being looked at before it is known what it is; empty if none.
    QString importing() const;

Q_SIGNALS:
    void changed();
    void textImported(const QString& text);
    void refused(const QString& message);
    void taken(); // an import became person, recording or script

private:
    void followDocument();
    void onChecked(CommandId id, const session::CheckReport& report,
                   const std::shared_ptr<const Image>& picture);
    void useReference(const std::filesystem::path& file, const session::CheckReport& report,
                      const QImage& picture);
    void useRecording(const std::filesystem::path& file, const session::CheckReport& report);
    void readText(const QString& path);
    void chooseLargestFace(const session::CheckReport& report);

    SessionBridge& m_bridge;
    ProjectModel& m_model;
    MediaCheck m_reference, m_recording;
    std::filesystem::path m_referenceFile, m_recordingFile; // the checks belong to these
    CommandId m_referenceCheck = 0, m_recordingCheck = 0;
    std::map<CommandId, QString> m_imports;
};

} // namespace loquor::ui
