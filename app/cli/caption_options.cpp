#include "app/cli/caption_options.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/option_values.h"

namespace loquor::cli {

namespace {

using session::Captions;
using session::CaptionStyle;

const std::map<std::string, Captions>& kinds()
{
    static const std::map<std::string, Captions> names{{"none", Captions::None}, {"track", Captions::Track}, {"srt", Captions::Srt}, {"vtt", Captions::Vtt}, {"vtt-words", Captions::VttWords}, {"burn", Captions::Burn}};
    return names;
}

// Of the name of a file for captions; nothing for other words.
std::optional<Captions> fileKind(const std::string& name)
{
    const std::string ending = std::filesystem::path(name).extension().string();
    if (ending == ".srt")
        return Captions::Srt;
    return ending == ".vtt" ? std::optional(Captions::Vtt) : std::nullopt;
}

// "#rrggbb"; "none" gives nothing. False: neither.
bool readColour(const std::string& text, std::optional<std::uint32_t>& colour)
{
    colour.reset();
    if (text == "none")
        return true;
    std::uint32_t value = 0;
    const char* end = text.data() + text.size();
    if (text.size() != 7 || text[0] != '#')
        return false;
    const auto [stop, error] = std::from_chars(text.data() + 1, end, value, 16);
    if (error != std::errc() || stop != end)
        return false;
    colour = value;
    return true;
}

} // namespace

std::shared_ptr<CaptionOptions> addCaptionOptions(CLI::App& app)
{
    const std::vector<std::string> words{"none", "track", "srt", "vtt", "vtt-words", "burn", "FILE.srt", "FILE.vtt"};
    const auto known = [words](std::string& text) {
        const bool isKnown = fileKind(text) || (std::find(words.begin(), words.end(), text) != words.end() && !text.starts_with("FILE"));
        return isKnown ? std::string() : "'" + text + "' is none of its values; choose " + listed(words) + ".";
    };
    static const std::map<std::string, media::CaptionPlace> places{{"bottom", media::CaptionPlace::Bottom},
                                                                   {"top", media::CaptionPlace::Top}};
    auto out = std::make_shared<CaptionOptions>();
    app.add_option_function<std::string>(
           "--captions",
           [out](const std::string& name) {
               const auto kind = fileKind(name);
               out->kind = kind ? *kind : kinds().at(name);
               out->file = kind ? name : "";
           },
           "none, track (in the video), srt, vtt or vtt-words (beside it), burn (into the pictures), or a FILE.srt or FILE.vtt")
        ->check(CLI::Validator(known, ""))
        ->default_str("none");
    app.add_option_function<std::string>(
           "--caption-place",
           [out](const std::string& name) {
               out->style.place = places.at(name);
               out->isStyled = true;
           },
           "Where captions that are burnt in lie: bottom or top")
        ->check(oneOf({"bottom", "top"}))
        ->default_str("bottom");
    app.add_option_function<double>(
           "--caption-size",
           [out](double percent) {
               out->style.size = percent / 100;
               out->isStyled = true;
           },
           "Height of their lines in percent of the picture's shorter side, 2 to 15")
        ->check(CLI::Range(100 * CaptionStyle::kSmallest, 100 * CaptionStyle::kBiggest))
        ->default_str("6");
    app.add_option_function<std::string>(
           "--caption-highlight",
           [out](const std::string& text) {
               readColour(text, out->style.highlight);
               out->isStyled = true;
           },
           "Colour of the word that is being said: #rrggbb or none")
        ->check(CLI::Validator(
            [](std::string& text) {
                std::optional<std::uint32_t> ignored;
                return readColour(text, ignored) ? std::string() : "#rrggbb or none expected, not '" + text + "'";
            },
            ""))
        ->default_str("#ffd84d");
    return out;
}

Result<void> checkCaptions(const CaptionOptions& options)
{
    if (options.isStyled && options.kind != Captions::Burn)
        return fail(ErrorCode::InvalidArgument,
                    "--caption-place, --caption-size and --caption-highlight are for captions in the pictures: --captions burn.");
    return {};
}

} // namespace loquor::cli
