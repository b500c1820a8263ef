#include "core/media/caption_painter.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include <ass/ass.h>

#include "core/base/log.h"
#include "core/media/caption_layer.h"
#include "core/media/label_font.h"

namespace loquor::media {

namespace {

constexpr const char* kFont = "DejaVu Sans"; // others where it has no letters
constexpr double kSide = .06;                // free at the left and the right, of the width
constexpr double kOutline = .07, kShadow = .05; // of the size
constexpr double kAfterglow = .2;            // seconds that a word stays lit behind its end
constexpr double kColumn = .53;              // of the size: an average letter
constexpr double kTallest = .4;              // of the height that a caption may take
constexpr int kBroken = 2, kEven = 0;        // libass: lines are broken already; broken so that they are about equal
constexpr double kTall = 1.25;               // height to width from where programs lay their buttons over the lower end

struct LibraryDone
{
    void operator()(ASS_Library* library) const { ass_library_done(library); }
};
struct RendererDone
{
    void operator()(ASS_Renderer* renderer) const { ass_renderer_done(renderer); }
};
struct TrackFree
{
    void operator()(ASS_Track* track) const { ass_free_track(track); }
};

void toLog(int level, const char* format, va_list arguments, void*)
{
    constexpr int kWarning = 2;
    char text[256];
    std::vsnprintf(text, sizeof text, format, arguments);
    log(level <= kWarning ? LogLevel::Info : LogLevel::Debug, "media", std::string("libass: ") + text);
}

char* copied(const std::string& text)
{
    char* out = ::strdup(text.c_str()); // libass frees it
    if (out == nullptr)
        throw std::bad_alloc();
    return out;
}

// Free at the edge where the captions are, of the height: players and programs lay theirs over the rest.
double marginOf(CaptionPlace place, int width, int height)
{
    const bool isTall = height > kTall * width;
    if (place == CaptionPlace::Top)
        return isTall ? .12 : .06;
    return isTall ? .17 : .07;
}

// Nothing in a caption is syntax: braces are escaped, a backslash is kept from its letter by a word joiner.
std::string escaped(std::string_view text)
{
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '\n')
            out += "\\N";
        else if (c == '{' || c == '}')
            out += std::string("\\") + c;
        else if (c == '\\')
            out += "\\\xE2\x81\xA0";
        else if (byte >= 0x20 && byte != 0x7F)
            out += c;
    }
    return out;
}

std::string colourTag(std::uint32_t rgb)
{
    char text[24];
    std::snprintf(text, sizeof text, "{\\1c&H%02X%02X%02X&}", rgb & 0xFF, rgb >> 8 & 0xFF, rgb >> 16 & 0xFF);
    return text;
}

} // namespace

CaptionRoom captionRoom(const CaptionStyle& style, int width, int height)
{
    const double column = kColumn * style.size * std::min(width, height);
    const int columns = static_cast<int>((1 - 2 * kSide) * width / std::max(column, 1.0));
    return {std::clamp(columns, 8, 42), 2};
}

struct CaptionPainter::Impl
{
    CaptionStyle style;
    int width = 0, height = 0;
    double size = 0; // of the letters, in pixels
    std::unique_ptr<ASS_Library, LibraryDone> library;
    std::unique_ptr<ASS_Renderer, RendererDone> renderer;
    std::unique_ptr<ASS_Track, TrackFree> track;
    std::vector<BurntCaption> captions;

    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
    struct Shown // what the layer shows
    {
        std::size_t caption = kNone, word = kNone;
        bool operator==(const Shown&) const = default;
    };
    Shown shown;
    CaptionLayer layer;
    double shrink = 1; // of the caption that is shown, when it is too wide
    int widest = 0, tallest = 0; // of what was drawn last
    int styleNumber = 0;

    void addStyle(int reserved)
    {
        styleNumber = ass_alloc_style(track.get());
        ASS_Style& s = track->styles[styleNumber];
        s.Name = copied("Caption");
        s.FontName = copied(kFont);
        s.FontSize = size;
        s.PrimaryColour = 0xFFFFFF00;
        s.SecondaryColour = 0xFFFFFF00;
        s.OutlineColour = 0x00000000;
        s.BackColour = 0x00000070;
        s.Bold = 1;
        s.ScaleX = s.ScaleY = 1;
        s.BorderStyle = 1;
        s.Outline = std::max(1.0, kOutline * size);
        s.Shadow = std::max(.5, kShadow * size);
        s.Alignment = HALIGN_CENTER | (style.place == CaptionPlace::Top ? VALIGN_TOP : VALIGN_SUB);
        const int margin = static_cast<int>(std::lround(marginOf(style.place, width, height) * height));
        const int edge = static_cast<int>(std::ceil(s.Outline + s.Shadow));
        s.MarginV = reserved > 0 ? std::max(margin, reserved + edge) : margin;
        s.MarginL = s.MarginR = static_cast<int>(std::lround(kSide * width / 2));
        s.Encoding = -1; // the direction of the text decides
    }

    std::string textOf(Shown what) const
    {
        const BurntCaption& caption = captions[what.caption];
        std::string out;
        if (shrink < 1)
            out = "{\\fs" + std::to_string(std::max(4, static_cast<int>(size * shrink))) + "}";
        if (what.word == kNone)
            return out + escaped(caption.text);
        const BurntWord& word = caption.words[what.word];
        const std::string_view all = caption.text;
        return out + escaped(all.substr(0, word.begin)) + colourTag(*style.highlight) +
               escaped(all.substr(word.begin, word.stop - word.begin)) + "{\\1c}" + escaped(all.substr(word.stop));
    }

    CaptionLayer drawn(Shown what)
    {
        ass_flush_events(track.get());
        const int number = ass_alloc_event(track.get()); // moves the list
        ASS_Event& event = track->events[number];
        event.Style = styleNumber;
        event.Start = 0;
        event.Duration = 1000;
        event.Text = copied(textOf(what));
        std::vector<CaptionLayer::Mask> masks;
        int changed = 0;
        for (const ASS_Image* image = ass_render_frame(renderer.get(), track.get(), 0, &changed); image != nullptr; image = image->next) {
            if (image->w > 0 && image->h > 0)
                masks.push_back({image->dst_x, image->dst_y, image->w, image->h, image->stride, image->bitmap, image->color});
        }
        int left = 0, right = 0, top = height, bottom = 0;
        for (const CaptionLayer::Mask& mask : masks) {
            top = std::min(top, mask.y);
            bottom = std::max(bottom, mask.y + mask.height);
            left = std::min(left, mask.x - width / 2);
            right = std::max(right, mask.x + mask.width - width / 2);
        }
        widest = right - left;
        tallest = bottom - top;
        return CaptionLayer::of(masks, width, height);
    }

    // A little smaller, or in more lines, or smaller until it has room: what does not fit the picture was cut when its
    // width was taken.
    void fit(Shown what)
    {
        constexpr int kTries = 12;
        constexpr double kLittle = .86, kCut = .7; // of what is as wide as the picture nobody knows how wide it is
        const double room = (1 - kSide) * width;
        const auto shrinkWhile = [&](auto isTooBig, double least) {
            shrink = 1;
            layer = drawn(what);
            for (int k = 0; k < kTries && isTooBig() && shrink >= least; ++k) {
                const double wide = widest >= width ? kCut : room / std::max(1, widest);
                shrink *= std::min({wide, kTallest * height / std::max(1, tallest), 1.0}) * .98;
                layer = drawn(what);
            }
        };
        track->WrapStyle = kBroken;
        shrinkWhile([&] { return widest > room; }, kLittle);
        if (widest <= room && shrink >= kLittle)
            return;
        track->WrapStyle = kEven;
        shrinkWhile([&] { return widest > room || tallest > kTallest * height; }, 0);
    }

    Shown at(double seconds) const
    {
        const auto behind = std::upper_bound(captions.begin(), captions.end(), seconds,
                                             [](double time, const BurntCaption& one) { return time < one.start; });
        if (behind == captions.begin() || std::prev(behind)->end <= seconds)
            return {};
        Shown out{static_cast<std::size_t>(std::prev(behind) - captions.begin()), kNone};
        const std::vector<BurntWord>& words = captions[out.caption].words;
        for (std::size_t k = 0; style.highlight && k < words.size() && words[k].start <= seconds; ++k)
            out.word = seconds < words[k].end + kAfterglow ? k : kNone;
        return out;
    }
};

CaptionPainter::CaptionPainter(std::unique_ptr<Impl> impl) : m(std::move(impl)) {}
CaptionPainter::~CaptionPainter() = default;
CaptionPainter::CaptionPainter(CaptionPainter&&) noexcept = default;
CaptionPainter& CaptionPainter::operator=(CaptionPainter&&) noexcept = default;

Result<CaptionPainter> CaptionPainter::create(const CaptionStyle& style, int width, int height, int reserved)
{
    if (!(style.size >= CaptionStyle::kSmallest && style.size <= CaptionStyle::kBiggest))
        return fail(ErrorCode::InvalidArgument, "The size of captions is .02 to .15 of the picture's shorter side.");
    auto impl = std::make_unique<Impl>();
    impl->style = style;
    impl->width = width;
    impl->height = height;
    impl->size = std::max(8.0, style.size * std::min(width, height));
    impl->library.reset(ass_library_init());
    if (!impl->library)
        return fail(ErrorCode::Internal, "The library that draws captions cannot be started.");
    ass_set_message_cb(impl->library.get(), toLog, nullptr);
    impl->renderer.reset(ass_renderer_init(impl->library.get()));
    impl->track.reset(ass_new_track(impl->library.get()));
    if (!impl->renderer || !impl->track)
        return fail(ErrorCode::Internal, "The library that draws captions cannot be started.");
    ass_set_frame_size(impl->renderer.get(), width, height);
    ass_set_storage_size(impl->renderer.get(), width, height);
    ass_set_fonts(impl->renderer.get(), nullptr, kFont, ASS_FONTPROVIDER_FONTCONFIG, nullptr, 1);
    ASS_Track& track = *impl->track;
    track.track_type = ASS_Track::TRACK_TYPE_ASS;
    track.PlayResX = width;
    track.PlayResY = height;
    track.WrapStyle = kBroken;
    track.ScaledBorderAndShadow = 1;
    ass_track_set_feature(&track, ASS_FEATURE_WHOLE_TEXT_LAYOUT, 1);
    ass_track_set_feature(&track, ASS_FEATURE_BIDI_BRACKETS, 1);
    ass_track_set_feature(&track, ASS_FEATURE_WRAP_UNICODE, 1); // lines without spaces too
    impl->addStyle(reserved);
    return CaptionPainter(std::move(impl));
}

void CaptionPainter::add(std::vector<BurntCaption> captions)
{
    std::move(captions.begin(), captions.end(), std::back_inserter(m->captions));
}

bool CaptionPainter::shows(double seconds) const
{
    return m->at(seconds).caption != Impl::kNone;
}

bool CaptionPainter::paint(double seconds, const YuvPlanes& picture)
{
    const Impl::Shown wanted = m->at(seconds);
    if (wanted.caption == Impl::kNone)
        return false;
    if (!(wanted == m->shown)) {
        if (wanted.caption != m->shown.caption) {
            m->fit(wanted);
        } else {
            m->layer = m->drawn(wanted);
        }
        m->shown = wanted;
    }
    if (m->layer.isEmpty())
        return false;
    m->layer.lay(picture);
    return true;
}

} // namespace loquor::media
