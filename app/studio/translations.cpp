#include "app/studio/translations.h"

#include <QCoreApplication>
#include <QLibraryInfo>
#include <QLocale>
#include <QTranslator>

namespace loquor::studio {

void installTranslations(QCoreApplication& application, const QString& language)
{
    const QLocale locale = language.isEmpty() ? QLocale::system() : QLocale(language);
    if (!language.isEmpty())
        QLocale::setDefault(locale); // numbers and dates go with the words
    const std::pair<QString, QString> sources[] = {
        {QStringLiteral("qtbase"), QLibraryInfo::path(QLibraryInfo::TranslationsPath)},
        {QStringLiteral("loquor"), QStringLiteral(":/translations")},
    };
    for (const auto& [name, folder] : sources) {
        auto* translator = new QTranslator(&application);
        bool found = translator->load(locale, name, QStringLiteral("_"), folder);
        // Plural forms of the source language are a translation, too.
        if (!found && name == QStringLiteral("loquor"))
            found = translator->load(QStringLiteral("loquor_en"), folder);
        if (found)
            QCoreApplication::installTranslator(translator);
    }
}

} // namespace loquor::studio
