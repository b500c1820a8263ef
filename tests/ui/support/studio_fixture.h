// A whole window over a fake engine, in a folder of its own.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include <QStringList>
#include <QTemporaryDir>

#include "core/audio/audio_backend.h"
#include "core/project/document.h"
#include "tests/core/audio/fake_backend.h"
#include "tests/ui/support/fake_session.h"
#include "ui/main/main_window.h"
#include "ui/widgets/theme.h"

class QMessageBox;
class QMimeData;

namespace loquor::test {

// The script of a scene as one text.
void setScript(project::Scene& scene, const std::string& text);
std::string scriptOf(ui::MainWindow& window);

class StudioFixture
{
public:
    explicit StudioFixture(bool soundDevice = false);

    // Person, confirmation and text, so that Generate is possible.
    void makeReady();
    void drop(const QStringList& files);
    void dropData(QMimeData& data);
    std::filesystem::path path(const char* name) const;
    QString qpath(const char* name) const;
    // Lets events and background work pass.
    static void settle();
    static QMessageBox* question();

    QTemporaryDir folder;
    FakeSession session;
    FakeDevice device;
    FakeBackend sound;
    std::unique_ptr<audio::AudioBackend> silence = audio::createClockBackend();
    ui::Theme theme;
    std::unique_ptr<ui::MainWindow> window;
};

} // namespace loquor::test
