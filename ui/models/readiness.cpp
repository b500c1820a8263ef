#include "ui/models/readiness.h"

#include <algorithm>
#include <cmath>

#include <QRegularExpression>

#include "core/project/script_text.h"
#include "ui/bridge/strings.h"
#include "ui/models/media_checks.h"
#include "ui/models/timeline_layout.h"

namespace loquor::ui {

namespace {

constexpr double kWordsPerSecond = 2.5;        // of read English
constexpr double kIdeographsPerSecond = 4.5;   // of read Mandarin
constexpr double kBitsPerPixelAndFrame = 0.06; // H.264 of a talking head
constexpr double kSoundBitsPerSecond = 128e3;
constexpr double kStartSeconds = 2;

QString withoutTags(const QString& text)
{
    static const QRegularExpression tag(QStringLiteral("\\[[^\\]\\n]*\\]"));
    QString plain = text;
    return plain.replace(tag, QStringLiteral(" "));
}

bool isIdeograph(QChar c)
{
    return c.script() == QChar::Script_Han || c.script() == QChar::Script_Hiragana ||
           c.script() == QChar::Script_Katakana;
}

struct SpokenUnits
{
    int words = 0, ideographs = 0;
};

SpokenUnits countUnits(const QString& text)
{
    SpokenUnits units;
    bool inWord = false;
    for (const QChar c : withoutTags(text)) {
        const bool ideograph = isIdeograph(c);
        const bool letter =
            !ideograph && (c.isLetterOrNumber() || c.isMark() || c.isSurrogate() ||
                           (inWord && (c == QLatin1Char('\'') || c == QChar(0x2019))));
        units.ideographs += ideograph;
        units.words += letter && !inWord;
        inWord = letter;
    }
    return units;
}

} // namespace

bool hasWords(const QString& text)
{
    const SpokenUnits units = countUnits(text);
    return units.words + units.ideographs > 0;
}

int countWords(const QString& text)
{
    const SpokenUnits units = countUnits(text);
    return units.words + units.ideographs;
}

QStringList Readiness::missing(const project::Scene& scene, const MediaCheck& reference,
                               const MediaCheck& recording, const QString& importing)
{
    QStringList missing = missingForPerson(scene, reference) + missingForSpeech(scene, recording);
    if (!missing.isEmpty() && !importing.isEmpty())
        missing.prepend(tr("Looking at %1…").arg(importing));
    return missing;
}

StageText Readiness::stage(const project::Scene& scene, const MediaCheck& reference, const QString& importing)
{
    const bool empty = scene.reference.file.empty();
    const QString looking = !importing.isEmpty() ? importing : reference.pending ? shownName(scene.reference.file)
                                                                                 : QString();
    if (!looking.isEmpty())
        return {tr("Looking at %1…").arg(looking), tr("This takes a moment.")};
    if (!empty)
        return {tr("No picture yet"), tr("The panel on the left says why.")};
    if (missingForSpeech(scene, {}).isEmpty() || !scene.speech.audioFile.empty())
        return {tr("Drop a photo of a person here"), tr("Then press Generate. Everything is made on this computer.")};
    return {tr("Drop a photo of a person here"), tr("Then write what the person should say, and press Generate. "
                                                    "Everything is made on this computer.")};
}

QStringList Readiness::missingForPerson(const project::Scene& scene, const MediaCheck& reference)
{
    if (scene.reference.file.empty())
        return {tr("Add a photo or a clip of a person.")};
    if (reference.pending || !reference.report)
        return {tr("Wait until the picture has been checked.")};
    if (!reference.usable()) {
        return {reference.report->problems.empty()
                    ? tr("The picture cannot be used. Choose another one.")
                    : QString::fromStdString(reference.report->problems.front())};
    }
    QStringList missing;
    if (reference.report->faces.size() > 1 && scene.reference.faceIndex == 0)
        missing += tr("Choose which face should speak.");
    if (scene.reference.consentAt.empty())
        missing += tr("Confirm that you may use this likeness.");
    return missing;
}

QStringList Readiness::missingForSpeech(const project::Scene& scene, const MediaCheck& recording)
{
    if (scene.speech.mode == project::SpeechMode::Text) {
        const bool recorded = std::any_of(scene.lines.begin(), scene.lines.end(), [](const project::Line& line) { return line.recording.has_value(); });
        if (recorded || hasWords(QString::fromStdString(project::scriptText(scene))))
            return {};
        return {tr("Write what the person should say.")};
    }
    if (scene.speech.audioFile.empty())
        return {tr("Record the speech or open a sound file.")};
    if (recording.pending || !recording.report)
        return {tr("Wait until the recording has been checked.")};
    if (!recording.usable()) {
        return {recording.report->problems.empty()
                    ? tr("The recording cannot be used. Choose another one.")
                    : QString::fromStdString(recording.report->problems.front())};
    }
    return {};
}

CostEstimate estimateCost(const project::Document& document, const MediaCheck& recording,
                          double realtimeFactor, const TimelineLayout* layout)
{
    const project::Scene& scene = document.scenes.front();
    CostEstimate cost;
    if (scene.speech.mode == project::SpeechMode::Text) {
        const SpokenUnits units = countUnits(QString::fromStdString(project::scriptText(scene)));
        cost.videoSeconds = units.words / kWordsPerSecond + units.ideographs / kIdeographsPerSecond;
    } else if (recording.report) {
        const auto seconds = [](std::chrono::microseconds time) { return std::chrono::duration<double>(time).count(); };
        const media::SoundImport& part = scene.speech.import;
        const double all = recording.report->durationSeconds;
        cost.videoSeconds = (part.to.count() > 0 ? std::min(all, seconds(part.to)) : all) - seconds(part.from);
    }
    double made = 0;
    if (layout && layout->total() > 0) {
        cost.videoSeconds = secondsOf(layout->total(), layout->fps());
        made = layout->isAllReady() ? cost.videoSeconds : secondsOf(layout->readyFrames(), layout->fps());
    }
    if (cost.videoSeconds <= 0)
        return cost;
    const double pixels = static_cast<double>(document.output.width) * document.output.height;
    // The factor was measured at whatever size the last run had; cost grows with the picture.
    if (made < cost.videoSeconds)
        cost.makingSeconds = kStartSeconds + (cost.videoSeconds - made) / std::max(0.05, realtimeFactor);
    const double bitRate =
        pixels * document.output.fps.toDouble() * kBitsPerPixelAndFrame + kSoundBitsPerSecond;
    cost.fileBytes = static_cast<qint64>(cost.videoSeconds * bitRate / 8);
    return cost;
}

} // namespace loquor::ui
