#include "core/session/project_lines.h"

#include <algorithm>

#include "core/media/audio_reader.h"
#include "core/media/audio_writer.h"
#include "core/platform/atomic_file.h"
#include "core/platform/paths.h"
#include "core/project/line_facts.h"
#include "core/speech/script.h"

namespace loquor::session {

namespace {

constexpr double kLongestLine = 3600; // seconds; a line's sound is read as a whole

// Of a line without one of its own. It must not depend on the lines around it: they may change without
// this line being made again.
double pauseBehind(const project::Line& line)
{
    if (line.recording) // it has its own
        return line.pauseAfter.value_or(0);
    const bool paragraphEnds = std::count(line.after.begin(), line.after.end(), '\n') > 1;
    return line.pauseAfter.value_or(paragraphEnds ? speech::kParagraphPauseSeconds
                                                  : speech::kSentencePauseSeconds);
}

} // namespace

Result<std::vector<LineItem>> lineItems(const project::Document& document, std::size_t sceneIndex, int firstNumber)
{
    const project::Scene& scene = document.scenes[sceneIndex];
    LQ_TRY(const speech::Pronunciations user, speech::readPronunciations(speech::userPronunciationsFile(platform::configFolder())));
    const auto pronunciations = std::make_shared<const speech::Pronunciations>(speech::mergedPronunciations(document.pronunciations, user));
    std::vector<LineItem> out;
    for (const project::Line& line : scene.lines) {
        LineItem item;
        item.scene = sceneIndex;
        item.number = firstNumber + static_cast<int>(out.size());
        item.line = line;
        item.wish.text = line.text;
        item.wish.voice = project::voiceOf(scene, line);
        item.wish.language = scene.speech.language;
        item.wish.pauseAfter = pauseBehind(line);
        item.wish.fps = document.output.fps;
        item.wish.pronunciations = pronunciations;
        item.wish.recording = line.recording;
        out.push_back(std::move(item));
    }
    return out;
}

LineLookup::LineLookup(cache::ChunkStore& store, SceneFacts facts, const project::Scene& scene,
                       std::uint64_t project, std::vector<speech::VoiceDescription> voices)
    : m_store(store), m_facts(std::move(facts)), m_scene(scene), m_project(project), m_voices(std::move(voices))
{
}

void LineLookup::nameLine(LineItem& item) const
{
    item.lineKey = lineKey(m_facts, item.speechKey, project::promptOf(m_scene, item.line), lineSeed(m_facts, item.line));
}

Result<void> LineLookup::fill(LineItem& item, FrameIndex frames, std::vector<comm::LineCue> cues)
{
    item.frames = frames;
    item.cues = std::move(cues);
    nameLine(item);
    LQ_TRY(item.grid, lineGrid(m_facts, item.line.id, item.number, frames, kProjectRate));
    return {};
}

Result<void> LineLookup::nameSound(LineItem& item) const
{
    if (!item.speechKey.empty())
        return {};
    if (item.wish.recording) {
        item.speechKey = recordedKey(item.wish);
        item.soundKey = cutKey(*item.wish.recording);
        return {};
    }
    LQ_TRY(const speech::VoiceChoice voice,
           speech::chooseVoice(m_voices, item.wish.voice, item.wish.language, item.wish.text));
    item.speechKey = item.soundKey = speechKey(item.wish, voice);
    return {};
}

Result<bool> LineLookup::findSound(LineItem& item)
{
    LQ_CHECKED(nameSound(item));
    const auto entry = m_store.find(item.speechKey);
    if (!entry)
        return false;
    auto facts = readLineFacts(entry->facts);
    // Opening a part verifies the entry; a damaged one is gone afterwards.
    if (!facts || !m_store.part(item.speechKey, kTimingPart) ||
        !m_store.part(item.soundKey, kSoundPart))
        return false;
    LQ_CHECKED(fill(item, facts->frames, std::move(facts->cues)));
    return true;
}

Result<cache::EntryInfo> LineLookup::store(const std::string& key, const std::string& facts, const AudioBlock* sound,
                                           const speech::TimingDocument* timing)
{
    LQ_TRY(const std::filesystem::path staging, m_store.stage());
    std::vector<std::string> parts;
    auto written = [&]() -> Result<void> {
        if (sound != nullptr) {
            parts.emplace_back(kSoundPart);
            LQ_CHECKED(media::writeWav(staging / kSoundPart, *sound, media::WavFormat::Float32));
        }
        if (timing != nullptr) {
            parts.emplace_back(kTimingPart);
            LQ_CHECKED(speech::writeTimingFile(staging / kTimingPart, *timing));
        }
        return {};
    }();
    if (!written) {
        m_store.discard(staging);
        return fail(std::move(written).error());
    }
    return m_store.commit(staging, {key, cache::EntryKind::Speech, facts, parts});
}

Result<void> LineLookup::storeSound(LineItem& item, const LineSound& sound)
{
    const speech::TimingDocument timing{sound.timing, item.wish.text};
    LQ_TRY(const cache::EntryInfo entry,
           store(item.speechKey, lineFacts(sound), item.wish.recording ? nullptr : &sound.audio, &timing));
    // Another process may have been quicker: its sound is the one that counts.
    LQ_TRY(LineSound stored, readLineFacts(entry.facts));
    return fill(item, stored.frames, std::move(stored.cues));
}

Result<void> LineLookup::storeCut(const LineItem& item, const RecordingCut& cut)
{
    LQ_CHECKED(store(item.soundKey, cutFacts(cut.shape()), &cut.audio, nullptr));
    return {};
}

std::optional<CutShape> LineLookup::findCut(const LineItem& item)
{
    const auto entry = m_store.find(item.soundKey);
    if (!entry || !m_store.part(item.soundKey, kSoundPart))
        return std::nullopt;
    const auto shape = readCutFacts(entry->facts);
    return shape ? std::optional(*shape) : std::nullopt;
}

Result<RecordingCut> LineLookup::loadCut(const LineItem& item)
{
    const auto shape = findCut(item);
    if (!shape)
        return fail(ErrorCode::NotFound, "The sound of line " + std::to_string(item.number) + " is not stored any more.");
    LQ_TRY(const std::filesystem::path file, m_store.part(item.soundKey, kSoundPart));
    RecordingCut out;
    LQ_TRY(out.audio, media::readAudio(file, {}, kLongestLine));
    out.before = shape->before;
    out.after = shape->after;
    if (out.audio.frames() != shape->before + shape->samples + shape->after)
        return fail(ErrorCode::Corrupt, "The stored sound of line " + std::to_string(item.number) + " is damaged.");
    return out;
}

Result<LineSound> LineLookup::loadSound(const LineItem& item)
{
    LQ_TRY(const std::filesystem::path timingFile, m_store.part(item.speechKey, kTimingPart));
    LineSound out;
    if (item.wish.recording) {
        LQ_TRY(const RecordingCut cut, loadCut(item));
        out = soundOfCut(cut, item.wish.pauseAfter, item.wish.fps);
    } else {
        LQ_TRY(const std::filesystem::path soundFile, m_store.part(item.speechKey, kSoundPart));
        LQ_TRY(out.audio, media::readAudio(soundFile, {}, kLongestLine));
    }
    LQ_TRY(speech::TimingDocument timing, speech::readTimingFile(timingFile));
    out.timing = std::move(timing.timing);
    out.frames = item.frames;
    out.cues = item.cues;
    return out;
}

bool LineLookup::fits(const LineItem& item, const cache::Take& take) const
{
    return !item.speechKey.empty() &&
           take.lineKey == lineKey(m_facts, item.speechKey, project::promptOf(m_scene, item.line), take.seed);
}

Result<std::optional<cache::Take>> LineLookup::findTake(const LineItem& item)
{
    LQ_TRY(std::vector<cache::Take> takes, m_store.ledger().list(m_project, item.line.id));
    std::reverse(takes.begin(), takes.end());
    std::stable_partition(takes.begin(), takes.end(),
                          [&](const cache::Take& take) { return take.id == item.line.chosenTake; });
    for (cache::Take& take : takes) {
        const bool isMeant =
            take.id == item.line.chosenTake ? fits(item, take) : take.lineKey == item.lineKey;
        if (!take.complete || !isMeant)
            continue;
        // Opening a part verifies its entry: a damaged one is gone afterwards.
        const bool whole = std::all_of(take.chunks.begin(), take.chunks.end(), [&](const std::string& key) {
            return m_store.part(key, kVideoPart).has_value();
        });
        if (whole)
            return std::optional(std::move(take));
    }
    return std::optional<cache::Take>();
}

LineLookup::Chain LineLookup::findChain(const LineItem& item, const std::string& boundary)
{
    Chain out{{}, boundary};
    for (std::size_t i = 0; i < item.grid.size(); ++i) {
        const std::string key = chunkKey(item.lineKey, static_cast<int>(i), out.boundary);
        const std::string behind = boundaryBehind(key);
        if (behind.empty())
            break;
        out.keys.push_back(key);
        out.boundary = behind;
    }
    return out;
}

std::string LineLookup::boundaryBehind(const std::string& chunkKey)
{
    const auto entry = m_store.find(chunkKey);
    if (!entry || !m_store.part(chunkKey, kBoundaryPart)) // verifies it
        return {};
    for (const cache::PartInfo& part : entry->parts) {
        if (part.name == kBoundaryPart)
            return part.sha256;
    }
    return {};
}

Result<std::vector<std::byte>> LineLookup::boundaryBytes(const std::string& chunkKey)
{
    LQ_TRY(const std::filesystem::path file, m_store.part(chunkKey, kBoundaryPart));
    LQ_TRY(const std::vector<std::uint8_t> bytes, platform::readFile(file));
    const auto* data = reinterpret_cast<const std::byte*>(bytes.data());
    return std::vector<std::byte>(data, data + bytes.size());
}

std::string LineLookup::joinBetween(const std::string& left, const std::string& right,
                                    const LineItem& rightLine) const
{
    const pipeline::JoinNumbers joins = m_facts.pack.joins();
    if (joins.isNone() || rightLine.grid.empty() || pipeline::joinLength(rightLine.grid.front(), joins) == 0)
        return {};
    return joinKey(left, right, joins);
}

std::string joinFault(const std::string& joinKey, const std::string& reason)
{
    return "join " + joinKey + ": " + reason;
}

std::string readJoinFault(const std::string& noted, const std::string& joinKey)
{
    const std::string start = joinFault(joinKey, {});
    return !joinKey.empty() && noted.starts_with(start) ? noted.substr(start.size()) : std::string();
}

} // namespace loquor::session
