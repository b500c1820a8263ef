#include "ui/bridge/background_task.h"

#include <atomic>

#include <QThreadPool>

namespace loquor::ui::detail {

namespace {

std::atomic<unsigned>& handOvers()
{
    static std::atomic<unsigned> count{0};
    return count;
}

} // namespace

void handOver()
{
    handOvers().fetch_add(1, std::memory_order_release);
}

void takeOver()
{
    (void)handOvers().load(std::memory_order_acquire);
}

void startInPool(std::function<void()> task)
{
    handOver();
    QThreadPool::globalInstance()->start(std::move(task));
}

} // namespace loquor::ui::detail
