// Why Generate cannot be pressed, and what pressing it will cost. Pure functions over values.
#pragma once

#include <QCoreApplication>
#include <QString>
#include <QStringList>

#include "core/project/document.h"

namespace loquor::ui {

class TimelineLayout;
struct MediaCheck;

// What stands on the stage while there is no picture on it.
struct StageText
{
    QString title, hint;
};

// True if there is something to say in `text` besides tags such as [smile].
bool hasWords(const QString& text);
int countWords(const QString& text);

class Readiness
{
    Q_DECLARE_TR_FUNCTIONS(Readiness)

public:
    // What is missing, most important first, one sentence each; empty = ready. `importing`: name of a
    // file that is being looked at; it may be just what is missing.
    static QStringList missing(const project::Scene& scene, const MediaCheck& reference,
                               const MediaCheck& recording, const QString& importing = {});
    static StageText stage(const project::Scene& scene, const MediaCheck& reference, const QString& importing);

private:
    static QStringList missingForPerson(const project::Scene& scene, const MediaCheck& reference);
    static QStringList missingForSpeech(const project::Scene& scene, const MediaCheck& recording);
};

struct CostEstimate
{
    double videoSeconds = 0;
    double makingSeconds = 0;
    qint64 fileBytes = 0;
};

// `realtimeFactor`: seconds of video made per second, as measured by the last run. `layout`: of the lines, if it is
// known; what is made already costs nothing (makingSeconds 0: all of it is there).
CostEstimate estimateCost(const project::Document& document, const MediaCheck& recording,
                          double realtimeFactor, const TimelineLayout* layout = nullptr);

} // namespace loquor::ui
