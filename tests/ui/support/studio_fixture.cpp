#include "tests/ui/support/studio_fixture.h"

#include <QApplication>
#include <QDropEvent>
#include <QMessageBox>
#include <QMimeData>
#include <QSettings>
#include <QTest>
#include <QThreadPool>
#include <QUrl>

#include "core/base/check.h"
#include "core/project/script_text.h"
#include "ui/models/project_model.h"

namespace loquor::test {

StudioFixture::StudioFixture(bool soundDevice) : sound(device)
{
    QSettings().clear();
    device.exists = soundDevice;
    window = std::make_unique<ui::MainWindow>(
        ui::StudioContext{session, sound, *silence, folder.filePath(QStringLiteral("data")),
                          folder.filePath(QStringLiteral("config"))},
        theme);
    window->show();
    window->activateWindow();
    settle();
}

std::filesystem::path StudioFixture::path(const char* name) const
{
    return std::filesystem::path(folder.path().toStdString()) / name;
}

QString StudioFixture::qpath(const char* name) const
{
    return folder.filePath(QString::fromUtf8(name));
}

void setScript(project::Scene& scene, const std::string& text)
{
    const auto set = project::setScriptText(scene, text, project::randomIds());
    LOQUOR_CHECK(set.has_value());
}

std::string scriptOf(ui::MainWindow& window)
{
    return project::scriptText(window.model().scene());
}

void StudioFixture::settle()
{
    for (int round = 0; round < 3; ++round) {
        QThreadPool::globalInstance()->waitForDone(5000);
        QCoreApplication::processEvents();
        QCoreApplication::sendPostedEvents();
    }
}

void StudioFixture::makeReady()
{
    drop({qpath("face.jpg")});
    window->model().edit(ui::EditKind::Text, QStringLiteral("test"),
                         [](project::Document& document) {
                             setScript(document.scenes.front(), "Hello there.");
                             document.scenes.front().reference.consentAt = "2026-11-30T10:00:00Z";
                         });
    window->model().breakMerge();
    settle();
}

void StudioFixture::drop(const QStringList& files)
{
    QMimeData data;
    QList<QUrl> urls;
    for (const QString& file : files)
        urls += QUrl::fromLocalFile(file);
    data.setUrls(urls);
    dropData(data);
}

void StudioFixture::dropData(QMimeData& data)
{
    QDragEnterEvent enter(QPoint(400, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(window.get(), &enter);
    if (enter.isAccepted()) {
        QDropEvent event(QPointF(400, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(window.get(), &event);
    }
    settle();
}

QMessageBox* StudioFixture::question()
{
    for (QWidget* widget : QApplication::topLevelWidgets()) {
        auto* box = qobject_cast<QMessageBox*>(widget);
        if (box && box->isVisible())
            return box;
    }
    return nullptr;
}

} // namespace loquor::test
