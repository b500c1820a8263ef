#include "core/media/label_art.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

extern "C" {
#include <libavfilter/avfilter.h>
#include <libavfilter/buffersink.h>
#include <libavutil/opt.h>
}

#include "core/media/code_points.h"
#include "core/media/label_check.h"
#include "core/media/label_font.h"

namespace loquor::media {

namespace {

constexpr double kDark = .6;               // of the field: so much of the picture is hidden by black
constexpr int kBlack = 16, kWhite = 235, kGrey = 128; // limited range
constexpr double kMargin = .025;           // between field and edges, of the shorter side

struct GraphFree
{
    void operator()(AVFilterGraph* graph) const { avfilter_graph_free(&graph); }
};
using GraphPtr = std::unique_ptr<AVFilterGraph, GraphFree>;

// How much of each pixel the letters cover.
struct Letters
{
    int width = 0, height = 0;
    std::vector<std::uint8_t> cover;
};

// Each once, for choosing a font that has them.
Result<std::vector<char32_t>> charactersOf(const std::string& text)
{
    const auto all = codePoints(text);
    const auto isControl = [](char32_t c) { return c < 0x20 || c == 0x7F; };
    if (!all || std::any_of(all->begin(), all->end(), isControl))
        return fail(ErrorCode::InvalidArgument, "A label is one line of text (UTF-8), without control characters.");
    std::vector<char32_t> out;
    for (const char32_t c : *all) {
        if (std::find(out.begin(), out.end(), c) == out.end())
            out.push_back(c);
    }
    return out;
}

Error cannotDraw(int code)
{
    return Error(ErrorCode::Unsupported, avError(code, "The label cannot be drawn").message() +
                                             ". A font is needed (package fonts-dejavu-core).");
}

// White letters on black, both of limited range, cut to what they cover.
Letters cut(const AVFrame& grey)
{
    int left = grey.width, right = -1, top = grey.height, bottom = -1;
    const auto at = [&grey](int x, int y) { // the letters' white is 235 on 16
        const int value = grey.data[0][y * grey.linesize[0] + x];
        return static_cast<std::uint8_t>(std::clamp((value - kBlack) * 255 / (kWhite - kBlack), 0, 255));
    };
    for (int y = 0; y < grey.height; ++y)
        for (int x = 0; x < grey.width; ++x)
            if (at(x, y) > 0) {
                left = std::min(left, x);
                right = std::max(right, x);
                top = std::min(top, y);
                bottom = std::max(bottom, y);
            }
    Letters out;
    if (right < 0)
        return out;
    out.width = right - left + 1;
    out.height = bottom - top + 1;
    for (int y = top; y <= bottom; ++y)
        for (int x = left; x <= right; ++x)
            out.cover.push_back(at(x, y));
    return out;
}

// One picture from: black -> drawtext -> grey. Options are set one by one: nothing in the text is syntax.
Result<Letters> drawLetters(const std::string& text, int fontSize, int width)
{
    LQ_TRY(const std::vector<char32_t> characters, charactersOf(text));
    LQ_TRY(const std::filesystem::path file, fontWith(characters));
    routeFfmpegLog();
    const GraphPtr graph(avfilter_graph_alloc());
    if (!graph)
        throw std::bad_alloc();
    AVFilterContext *source = nullptr, *format = nullptr, *sink = nullptr;
    const std::string canvas = "c=black:r=1:d=1:s=" + std::to_string(width) + "x" + std::to_string(4 * fontSize);
    int code = avfilter_graph_create_filter(&source, avfilter_get_by_name("color"), "black", canvas.c_str(), nullptr,
                                            graph.get());
    if (code >= 0)
        code = avfilter_graph_create_filter(&format, avfilter_get_by_name("format"), "grey", "pix_fmts=gray", nullptr,
                                            graph.get());
    const AVFilter* drawing = avfilter_get_by_name("drawtext");
    AVFilterContext* letters = drawing ? avfilter_graph_alloc_filter(graph.get(), drawing, "letters") : nullptr;
    if (code < 0 || letters == nullptr)
        return fail(cannotDraw(code < 0 ? code : AVERROR_FILTER_NOT_FOUND));
    const std::string font = file.string();
    const std::string size = std::to_string(fontSize);
    const std::pair<const char*, std::string> settings[] = {{"text", text}, {"expansion", "none"}, {"fontfile", font}, {"fontsize", size}, {"fontcolor", "white"}, {"x", size}, {"y", size}};
    for (const auto& [name, value] : settings)
        if (code >= 0)
            code = av_opt_set(letters->priv, name, value.c_str(), 0);
    if (code >= 0)
        code = avfilter_init_str(letters, nullptr);
    if (code >= 0)
        code = avfilter_graph_create_filter(&sink, avfilter_get_by_name("buffersink"), "out", nullptr, nullptr,
                                            graph.get());
    if (code >= 0)
        code = avfilter_link(source, 0, format, 0);
    if (code >= 0)
        code = avfilter_link(format, 0, letters, 0);
    if (code >= 0)
        code = avfilter_link(letters, 0, sink, 0);
    if (code >= 0)
        code = avfilter_graph_config(graph.get(), nullptr);
    const AvFramePtr picture = makeFrame();
    if (code >= 0)
        code = av_buffersink_get_frame(sink, picture.get());
    if (code < 0)
        return fail(cannotDraw(code));
    return cut(*picture);
}

std::uint8_t rounded(double value)
{
    return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0, 255.0)));
}

} // namespace

Result<void> checkLabel(const PictureLabel& label, int width, int height)
{
    LQ_CHECKED(LabelArt::draw(label, width, height));
    return {};
}

Result<LabelArt> LabelArt::draw(const PictureLabel& label, int width, int height)
{
    if (!(label.size >= PictureLabel::kSmallest && label.size <= PictureLabel::kBiggest))
        return fail(ErrorCode::InvalidArgument, "The size of a label is .015 to .2 of the picture's shorter side.");
    const int side = std::min(width, height);
    const int fontSize = std::max(8, static_cast<int>(std::lround(label.size * side)));
    // A canvas that is wider than the picture: what is too long is seen, not cut.
    LQ_TRY(const Letters letters, drawLetters(label.text, fontSize, width + 4 * fontSize));
    if (letters.width == 0)
        return fail(ErrorCode::InvalidArgument, "The label '" + label.text + "' has nothing to be seen.");
    const int pad = std::max(2, fontSize * 2 / 5);
    const int margin = static_cast<int>(std::lround(kMargin * side)) & ~1;
    LabelArt out;
    Plane& luma = out.m_luma;
    luma.width = (letters.width + 2 * pad + 1) & ~1;
    luma.height = (letters.height + 2 * pad + 1) & ~1;
    if (luma.width + 2 * margin > width || luma.height + 2 * margin > height)
        return fail(ErrorCode::InvalidArgument, "The label '" + label.text + "' does not fit a picture of " +
                                                    std::to_string(width) + "x" + std::to_string(height) +
                                                    "; make it shorter or smaller.");
    const bool isLeft = label.corner == Corner::TopLeft || label.corner == Corner::BottomLeft;
    const bool isTop = label.corner == Corner::TopLeft || label.corner == Corner::TopRight;
    luma.x = isLeft ? margin : (width - margin - luma.width) & ~1;
    luma.y = isTop ? margin : (height - margin - luma.height) & ~1;
    const auto pixels = static_cast<std::size_t>(luma.width) * static_cast<std::size_t>(luma.height);
    std::vector<double> cover(pixels, 0);
    for (int y = 0; y < letters.height; ++y)
        for (int x = 0; x < letters.width; ++x)
            cover[static_cast<std::size_t>(y + pad) * static_cast<std::size_t>(luma.width) + static_cast<std::size_t>(x + pad)] =
                letters.cover[static_cast<std::size_t>(y) * static_cast<std::size_t>(letters.width) + static_cast<std::size_t>(x)] / 255.0;
    for (const double c : cover) {
        luma.keep.push_back(rounded(255 * (1 - kDark) * (1 - c)));
        luma.add.push_back(rounded(kBlack * kDark * (1 - c) + kWhite * c));
    }
    Plane& chroma = out.m_chroma;
    chroma = {luma.x / 2, luma.y / 2, luma.width / 2, luma.height / 2, {}, {}};
    for (int y = 0; y < chroma.height; ++y)
        for (int x = 0; x < chroma.width; ++x) {
            const auto row = static_cast<std::size_t>(luma.width);
            const std::size_t at = 2 * (static_cast<std::size_t>(y) * row + static_cast<std::size_t>(x)), below = at + row;
            const double c = (cover[at] + cover[at + 1] + cover[below] + cover[below + 1]) / 4;
            const double keep = (1 - kDark) * (1 - c);
            chroma.keep.push_back(rounded(255 * keep));
            chroma.add.push_back(rounded(kGrey * (1 - keep)));
        }
    return out;
}

void LabelArt::layPlane(const Plane& plane, std::uint8_t* data, int stride)
{
    std::size_t at = 0;
    for (int y = 0; y < plane.height; ++y) {
        std::uint8_t* row = data + static_cast<std::ptrdiff_t>(plane.y + y) * stride + plane.x;
        for (int x = 0; x < plane.width; ++x, ++at)
            row[x] = static_cast<std::uint8_t>(std::min((row[x] * plane.keep[at] + 127) / 255 + plane.add[at], 255));
    }
}

void LabelArt::lay(AVFrame& picture) const
{
    layPlane(m_luma, picture.data[0], picture.linesize[0]);
    layPlane(m_chroma, picture.data[1], picture.linesize[1]);
    layPlane(m_chroma, picture.data[2], picture.linesize[2]);
}

} // namespace loquor::media
