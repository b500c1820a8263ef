#include "ui/main/transport_keys.h"

#include <cmath>

#include <QKeyEvent>

#include "ui/preview/playback_controller.h"

namespace loquor::ui {

bool TransportKeys::press(const QKeyEvent& event)
{
    const Qt::KeyboardModifiers modifiers = event.modifiers() & ~Qt::KeypadModifier;
    if (event.key() == Qt::Key_PageUp || event.key() == Qt::Key_PageDown)
        return stepSeconds(event.key() == Qt::Key_PageUp ? -1 : 1, modifiers);
    if (modifiers != Qt::NoModifier)
        return false;
    switch (event.key()) {
    case Qt::Key_Space:
        m_controller.toggle();
        return true;
    case Qt::Key_K:
        m_holdsK = true;
        m_controller.pause();
        return true;
    case Qt::Key_J:
        if (m_holdsK)
            m_controller.step(-1);
        else if (!event.isAutoRepeat())
            m_controller.shuttleBackward();
        return true;
    case Qt::Key_L:
        if (m_holdsK)
            m_controller.step(1);
        else if (!event.isAutoRepeat())
            m_controller.shuttleForward();
        return true;
    case Qt::Key_Left:
        m_controller.step(-1);
        return true;
    case Qt::Key_Right:
        m_controller.step(1);
        return true;
    case Qt::Key_Home:
        m_controller.seek(0);
        return true;
    case Qt::Key_End:
        m_controller.seek(m_controller.reach() - 1);
        return true;
    default:
        return false;
    }
}

void TransportKeys::release(const QKeyEvent& event)
{
    if (event.key() == Qt::Key_K && !event.isAutoRepeat())
        m_holdsK = false;
}

// One second; with Shift two, with Ctrl five, with both ten.
bool TransportKeys::stepSeconds(int direction, Qt::KeyboardModifiers modifiers)
{
    const bool shift = modifiers & Qt::ShiftModifier, ctrl = modifiers & Qt::ControlModifier;
    const int seconds = shift && ctrl ? 10 : ctrl ? 5
                                         : shift  ? 2
                                                  : 1;
    const auto frames =
        static_cast<int>(std::lround(m_controller.fps().toDouble() * seconds * direction));
    m_controller.seek(m_controller.position() + frames);
    return true;
}

} // namespace loquor::ui
