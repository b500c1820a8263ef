// What a text from elsewhere is in the script: SSML becomes text with our tags.
#pragma once

#include <QString>

namespace loquor::ui {

struct PastedText
{
    QString text;
    QString message;        // for the user; "" = it was plain text
    bool isComplete = true; // all of the SSML was understood
};

// Also parts of SSML without <speak> around them. What cannot be read stays as it is.
PastedText pastedText(const QString& text);

} // namespace loquor::ui
