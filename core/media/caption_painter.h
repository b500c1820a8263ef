// Draws captions into pictures.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/media/burnt_caption.h"
#include "core/media/yuv.h"

namespace loquor::media {

// Takes out the letters that no installed font has (they would be empty boxes), and captions that hold nothing else. Gives
// a sentence that names them; "" when there are none. InvalidArgument: not UTF-8. Unsupported: no font is installed.
Result<std::string> leaveOutLetters(std::vector<BurntCaption>& captions);

// Shaping, writing from right to left, and the choice of a font for each letter are libass's. What is drawn is kept as
// one multiplication and one addition for each pixel until another word is said. A line that is too wide becomes up to a
// seventh smaller, else it is broken. One thread at a time.
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
