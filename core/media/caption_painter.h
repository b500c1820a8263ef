// Draws captions into pictures.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/media/burnt_caption.h"
#include "core/media/yuv.h"

namespace loquor::media {

// InvalidArgument names the letters of these texts that no installed font has; Unsupported: no font is installed.
Result<void> checkCaptionLetters(const std::vector<std::string>& texts);

// Shaping, writing from right to left, and the choice of a font for each letter are libass's. What is drawn is kept as
// one multiplication and one addition for each pixel until another word is said. One thread at a time.
class CaptionPainter
{
public:
    // `reserved`: pixels at the edge where the captions are that something else takes. InvalidArgument: size out of
    // range. Unsupported: no font.
    static Result<CaptionPainter> create(const CaptionStyle& style, int width, int height, int reserved = 0);
    ~CaptionPainter();
    CaptionPainter(CaptionPainter&&) noexcept;
    CaptionPainter& operator=(CaptionPainter&&) noexcept;

    // Behind those that were added before.
    void add(std::vector<BurntCaption> captions);
    // Over a picture (yuv420p, BT.709, limited range) that is shown at this time. False: nothing is shown then, and not
    // a byte was touched.
    bool paint(double seconds, const YuvPlanes& picture);
    // Whether paint() would do anything.
    bool shows(double seconds) const;

private:
    struct Impl;
    explicit CaptionPainter(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m;
};

} // namespace loquor::media
