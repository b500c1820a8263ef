// The entries of a dictionary as rows: word, how it is said, language.
#pragma once

#include <QAbstractTableModel>

#include "core/speech/pronunciations.h"

namespace loquor::ui {

// "sequel" or "/ˈsiːkwəl/".
QString spokenFormOf(const speech::Pronunciation& entry);
// "English", "every language"
QString languageNameOf(const std::string& language);

class PronunciationTable : public QAbstractTableModel
{
    Q_OBJECT

public:
    using QAbstractTableModel::QAbstractTableModel;

    void setList(speech::Pronunciations list);
    const speech::Pronunciations& list() const { return m_list; }
    // -1 = there is none of these words and this language.
    int rowOf(const std::string& words, const std::string& language) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    speech::Pronunciations m_list;
};

} // namespace loquor::ui
