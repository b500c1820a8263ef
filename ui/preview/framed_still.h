// The photo as the video will show it, before anything is rendered.
#pragma once

#include <QImage>

#include "core/project/document.h"
#include "core/session/session.h"

namespace loquor::ui {

// Cuts `picture` (of the report, whose face number `face` will speak; 0 = the only one) to the shape of
// the output by the engine's own rule. What lies beyond the photo's edges is blurred, as in the video.
// The picture itself when no face is known. Pixels: about as many as the picture has.
QImage framedStill(const QImage& picture, const session::CheckReport& report, int face,
                   const project::Output& output);

} // namespace loquor::ui
