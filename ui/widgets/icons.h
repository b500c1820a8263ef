// Icons drawn from SVG in the colour of the current theme, sharp at every scale.
#pragma once

#include <QIcon>
#include <QString>

namespace loquor::ui {

enum class IconColour {
    Text = 1, // follows the palette, also when the theme changes
    OnAccent, // for buttons in the accent colour
};

// `name` is a file of resources/icons without its suffix.
QIcon icon(const QString& name, IconColour colour = IconColour::Text);

} // namespace loquor::ui
