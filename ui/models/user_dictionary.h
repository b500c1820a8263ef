// How words are said in all projects of the user: a file that other programs change, too.
#pragma once

#include <filesystem>
#include <functional>

#include <QObject>
#include <QString>

#include "core/speech/pronunciations.h"

namespace loquor::ui {

// UI thread; the file is read and written in the background. Every change is made to what the file holds at that
// moment, so nothing of another program is lost.
class UserDictionary : public QObject
{
    Q_OBJECT

public:
    explicit UserDictionary(std::filesystem::path file, QObject* parent = nullptr);

    // As far as it is known; empty before the first read.
    const speech::Pronunciations& list() const { return m_list; }
    void read();
    using Change = std::function<Result<void>(speech::Pronunciations&)>;
    void change(Change change);

Q_SIGNALS:
    void changed();
    void failed(const QString& message);

private:
    void take(Result<speech::Pronunciations> list);

    const std::filesystem::path m_file;
    speech::Pronunciations m_list;
};

} // namespace loquor::ui
