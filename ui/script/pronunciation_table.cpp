#include "ui/script/pronunciation_table.h"

#include <algorithm>
#include <utility>

#include <QLocale>

namespace loquor::ui {

QString spokenFormOf(const speech::Pronunciation& entry)
{
    return entry.ipa.empty() ? QString::fromStdString(entry.alias)
                             : QLatin1Char('/') + QString::fromStdString(entry.ipa) + QLatin1Char('/');
}

QString languageNameOf(const std::string& language)
{
    if (language.empty())
        return PronunciationTable::tr("every language");
    const QString tag = QString::fromStdString(language);
    const QLocale locale(QString(tag).replace(QLatin1Char('-'), QLatin1Char('_')));
    if (locale.language() == QLocale::C)
        return tag;
    const QString name = QLocale::languageToString(locale.language());
    return tag.contains(QLatin1Char('-')) ? PronunciationTable::tr("%1 (%2)").arg(name, tag) : name;
}

void PronunciationTable::setList(speech::Pronunciations list)
{
    if (list == m_list)
        return;
    beginResetModel();
    m_list = std::move(list);
    endResetModel();
}

int PronunciationTable::rowOf(const std::string& words, const std::string& language) const
{
    const auto found = std::find_if(m_list.begin(), m_list.end(), [&](const speech::Pronunciation& entry) {
        return entry.words == words && entry.language == language;
    });
    return found == m_list.end() ? -1 : static_cast<int>(found - m_list.begin());
}

int PronunciationTable::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_list.size());
}

int PronunciationTable::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : 3;
}

QVariant PronunciationTable::data(const QModelIndex& index, int role) const
{
    if (role != Qt::DisplayRole || !index.isValid() || index.row() >= rowCount())
        return {};
    const speech::Pronunciation& entry = m_list[static_cast<std::size_t>(index.row())];
    switch (index.column()) {
    case 0: return QString::fromStdString(entry.words);
    case 1: return spokenFormOf(entry);
    default: return languageNameOf(entry.language);
    }
}

QVariant PronunciationTable::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (role != Qt::DisplayRole || orientation != Qt::Horizontal)
        return {};
    switch (section) {
    case 0: return tr("Written");
    case 1: return tr("Said");
    default: return tr("Language");
    }
}

} // namespace loquor::ui
