// Pictures from outside: any bytes give a picture within the size limit or an error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "core/media/image_loader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto loaded = loquor::media::loadImage({data, size}, "fuzz");
    if (loaded) {
        const loquor::Image& image = loaded->image;
        if (image.channels != 3 || image.data.size() != image.stride() * static_cast<std::size_t>(image.height))
            std::abort();
    }
    return 0;
}
