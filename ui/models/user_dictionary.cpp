#include "ui/models/user_dictionary.h"

#include <mutex>
#include <utility>

#include "ui/bridge/background_task.h"

namespace loquor::ui {

namespace {

// Two changes that are on their way at once take turns.
std::mutex& turns()
{
    static std::mutex mutex;
    return mutex;
}

} // namespace

UserDictionary::UserDictionary(std::filesystem::path file, QObject* parent) : QObject(parent), m_file(std::move(file))
{
}

void UserDictionary::read()
{
    runInBackground(
        this, [file = m_file] { return speech::readPronunciations(file); },
        [this](Result<speech::Pronunciations> list) { take(std::move(list)); });
}

void UserDictionary::change(Change change)
{
    const auto work = [file = m_file, change = std::move(change)]() -> Result<speech::Pronunciations> {
        const std::lock_guard lock(turns());
        LQ_TRY(speech::Pronunciations list, speech::readPronunciations(file));
        LQ_CHECKED(change(list));
        LQ_CHECKED(speech::writePronunciations(file, list));
        return list;
    };
    runInBackground(this, work, [this](Result<speech::Pronunciations> list) { take(std::move(list)); });
}

void UserDictionary::take(Result<speech::Pronunciations> list)
{
    if (!list)
        return Q_EMIT failed(QString::fromStdString(list.error().message()));
    if (*list == m_list)
        return;
    m_list = std::move(*list);
    Q_EMIT changed();
}

} // namespace loquor::ui
