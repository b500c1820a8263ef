#include "ui/main/studio_context.h"

#include <QStandardPaths>

namespace loquor::ui {

namespace {

QString orDefault(const QString& given, QStandardPaths::StandardLocation place)
{
    return !given.isEmpty() ? given : QStandardPaths::writableLocation(place) + QStringLiteral("/loquor");
}

} // namespace

QString StudioContext::dataFolderOrDefault() const
{
    return orDefault(dataFolder, QStandardPaths::GenericDataLocation);
}

QString StudioContext::configFolderOrDefault() const
{
    return orDefault(configFolder, QStandardPaths::GenericConfigLocation);
}

} // namespace loquor::ui
