// What the studio says before there is a window, so that it needs no display.
#pragma once

class QCommandLineParser;

namespace loquor::studio {

// --help, --version and the like: then the program answers without a display.
bool asksOnlyForWords(int argc, char** argv);

// From now on a display that is missing or does not answer ends the program with a sentence and exit code 1, not with
// an abort. Until keepQtMessages().
void explainMissingDisplay();
void keepQtMessages();

// The options of the program, the same with and without a display.
void addOptions(QCommandLineParser& options);

} // namespace loquor::studio
