// Keys of the preview: Space, J K L, arrows, Home, End, Page keys. They get only what the focused
// widget did not want, so letters never fire while somebody writes.
#pragma once

#include <Qt>

class QKeyEvent;

namespace loquor::ui {

class PlaybackController;

class TransportKeys
{
public:
    explicit TransportKeys(PlaybackController& controller) : m_controller(controller) {}

    // True if the key was one of ours.
    bool press(const QKeyEvent& event);
    void release(const QKeyEvent& event);

private:
    bool stepSeconds(int direction, Qt::KeyboardModifiers modifiers);

    PlaybackController& m_controller;
    bool m_holdsK = false; // K held: J and L move one frame
};

} // namespace loquor::ui
