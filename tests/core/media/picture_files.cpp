#include "tests/core/media/picture_files.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include <jpeglib.h>
#include <lcms2.h>
#include <png.h>
#include <tiffio.h>
#include <webp/encode.h>

namespace loquor::test {

Bytes exifBlock(int orientation, bool isBigEndian)
{
    Bytes out;
    const auto put = [&](unsigned value, int bytes) {
        for (int i = 0; i < bytes; ++i)
            out.push_back(
                static_cast<std::uint8_t>(value >> (8 * (isBigEndian ? bytes - 1 - i : i))));
    };
    const std::uint8_t mark = isBigEndian ? 'M' : 'I';
    out = {mark, mark};
    put(42, 2);
    put(8, 4);
    put(2, 2); // two entries: one to be passed over
    put(0x010F, 2);
    put(2, 2);
    put(4, 4);
    put(0, 4);
    put(0x0112, 2);
    put(3, 2);
    put(1, 4);
    put(static_cast<unsigned>(orientation), 2);
    put(0, 2);
    put(0, 4);
    return out;
}

Bytes makeJpeg(const Image& samples, const JpegOptions& options)
{
    jpeg_compress_struct encoder{};
    jpeg_error_mgr errors{};
    encoder.err = jpeg_std_error(&errors); // ends the test program on a mistake of the test
    jpeg_create_compress(&encoder);
    unsigned char* data = nullptr;
    unsigned long size = 0;
    jpeg_mem_dest(&encoder, &data, &size);
    encoder.image_width = static_cast<JDIMENSION>(samples.width);
    encoder.image_height = static_cast<JDIMENSION>(samples.height);
    encoder.input_components = samples.channels;
    encoder.in_color_space = samples.channels == 1   ? JCS_GRAYSCALE
                             : samples.channels == 3 ? JCS_RGB
                                                     : JCS_CMYK;
    jpeg_set_defaults(&encoder);
    if (options.kind == JpegKind::AdobeYcck)
        jpeg_set_colorspace(&encoder, JCS_YCCK);
    if (options.kind == JpegKind::Cmyk)
        encoder.write_Adobe_marker = FALSE;
    for (int i = 0; i < encoder.num_components; ++i) // no chroma subsampling: flat tests stay exact
        encoder.comp_info[i].h_samp_factor = encoder.comp_info[i].v_samp_factor = 1;
    jpeg_set_quality(&encoder, options.quality, TRUE);
    if (options.isProgressive)
        jpeg_simple_progression(&encoder);
    jpeg_start_compress(&encoder, TRUE);
    if (options.orientation > 0) {
        Bytes app{'E', 'x', 'i', 'f', 0, 0};
        const Bytes exif = exifBlock(options.orientation, options.isBigEndianExif);
        app.insert(app.end(), exif.begin(), exif.end());
        jpeg_write_marker(&encoder, JPEG_APP0 + 1, app.data(), static_cast<unsigned>(app.size()));
    }
    if (!options.profile.empty())
        jpeg_write_icc_profile(&encoder, options.profile.data(),
                               static_cast<unsigned>(options.profile.size()));
    const bool isInverted =
        options.kind == JpegKind::AdobeCmyk || options.kind == JpegKind::AdobeYcck;
    std::vector<JSAMPLE> row(samples.stride());
    for (int y = 0; y < samples.height; ++y) {
        for (std::size_t i = 0; i < row.size(); ++i)
            row[i] = static_cast<JSAMPLE>(isInverted ? 255 - samples.row(y)[i] : samples.row(y)[i]);
        JSAMPLE* at = row.data();
        jpeg_write_scanlines(&encoder, &at, 1);
    }
    jpeg_finish_compress(&encoder);
    jpeg_destroy_compress(&encoder);
    Bytes out(data, data + size);
    std::free(data);
    return out;
}

Bytes makePng(int width, int height, const Bytes& rows, const PngOptions& options)
{
    Bytes out;
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
    png_infop info = png_create_info_struct(png);
    png_set_write_fn(
        png, &out,
        [](png_structp p, png_bytep data, png_size_t length) {
            auto* to = static_cast<Bytes*>(png_get_io_ptr(p));
            to->insert(to->end(), data, data + length);
        },
        [](png_structp) {});
    png_set_IHDR(png, info, static_cast<png_uint_32>(width), static_cast<png_uint_32>(height),
                 options.bitDepth, options.colourType,
                 options.isInterlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    std::vector<png_color> palette;
    for (std::size_t i = 0; i + 2 < options.palette.size(); i += 3)
        palette.push_back({options.palette[i], options.palette[i + 1], options.palette[i + 2]});
    if (!palette.empty())
        png_set_PLTE(png, info, palette.data(), static_cast<int>(palette.size()));
    if (!options.paletteAlpha.empty())
        png_set_tRNS(png, info, options.paletteAlpha.data(),
                     static_cast<int>(options.paletteAlpha.size()), nullptr);
    if (!options.profile.empty())
        png_set_iCCP(png, info, "test", PNG_COMPRESSION_TYPE_DEFAULT, options.profile.data(),
                     static_cast<png_uint_32>(options.profile.size()));
    if (options.gamma > 0)
        png_set_gAMA(png, info, options.gamma);
    Bytes exif;
    if (options.orientation > 0) {
        exif = exifBlock(options.orientation, true);
        png_set_eXIf_1(png, info, static_cast<png_uint_32>(exif.size()), exif.data());
    }
    png_write_info(png, info);
    const std::size_t stride = rows.size() / static_cast<std::size_t>(height);
    std::vector<png_bytep> pointers;
    Bytes copy = rows;
    for (int y = 0; y < height; ++y)
        pointers.push_back(copy.data() + stride * static_cast<std::size_t>(y));
    png_write_image(png, pointers.data());
    png_write_end(png, nullptr);
    png_destroy_write_struct(&png, &info);
    return out;
}

Bytes makeTiff(const std::filesystem::path& file, int width, int height, const Bytes& samples,
               const TiffOptions& options)
{
    TIFF* tiff = TIFFOpen(file.c_str(), "w");
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(width));
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(height));
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, options.bits);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, options.samples);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, options.photometric);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, options.compression);
    if (options.isFloat)
        TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_IEEEFP);
    if (options.orientation > 0)
        TIFFSetField(tiff, TIFFTAG_ORIENTATION, options.orientation);
    if (options.extraSample >= 0) {
        const auto kind = static_cast<std::uint16_t>(options.extraSample);
        TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &kind);
    }
    const auto pixel = static_cast<std::size_t>(options.samples * options.bits / 8);
    const std::size_t stride = pixel * static_cast<std::size_t>(width);
    Bytes copy = samples;
    if (options.tile == 0) {
        TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 5);
        for (int y = 0; y < height; ++y)
            TIFFWriteScanline(tiff, copy.data() + stride * static_cast<std::size_t>(y),
                              static_cast<std::uint32_t>(y), 0);
    } else {
        const int edge = options.tile;
        TIFFSetField(tiff, TIFFTAG_TILEWIDTH, edge);
        TIFFSetField(tiff, TIFFTAG_TILELENGTH, edge);
        Bytes tile(pixel * static_cast<std::size_t>(edge * edge));
        for (int y = 0; y < height; y += edge)
            for (int x = 0; x < width; x += edge) {
                for (int r = 0; r < std::min(edge, height - y); ++r)
                    std::copy_n(copy.data() + stride * static_cast<std::size_t>(y + r) +
                                    pixel * static_cast<std::size_t>(x),
                                pixel * static_cast<std::size_t>(std::min(edge, width - x)),
                                tile.data() + pixel * static_cast<std::size_t>(r * edge));
                TIFFWriteTile(tiff, tile.data(), static_cast<std::uint32_t>(x),
                              static_cast<std::uint32_t>(y), 0, 0);
            }
    }
    TIFFClose(tiff);
    std::ifstream in(file, std::ios::binary);
    return Bytes(std::istreambuf_iterator<char>(in), {});
}

Bytes makeWebp(const Image& image, bool isLossless)
{
    std::uint8_t* data = nullptr;
    std::size_t size = 0;
    const int stride = static_cast<int>(image.stride());
    if (image.channels == 4)
        size = isLossless ? WebPEncodeLosslessRGBA(image.data.data(), image.width, image.height,
                                                   stride, &data)
                          : WebPEncodeRGBA(image.data.data(), image.width, image.height, stride, 95,
                                           &data);
    else
        size =
            isLossless
                ? WebPEncodeLosslessRGB(image.data.data(), image.width, image.height, stride, &data)
                : WebPEncodeRGB(image.data.data(), image.width, image.height, stride, 95, &data);
    Bytes out(data, data + size);
    WebPFree(data);
    return out;
}

namespace {

Bytes profileBytes(cmsHPROFILE profile)
{
    cmsUInt32Number size = 0;
    cmsSaveProfileToMem(profile, nullptr, &size);
    Bytes out(size);
    cmsSaveProfileToMem(profile, out.data(), &size);
    cmsCloseProfile(profile);
    return out;
}

} // namespace

Bytes rotatedRgbProfile()
{
    const cmsCIExyY white{0.3127, 0.3290, 1.0};
    const cmsCIExyYTRIPLE primaries{{0.30, 0.60, 1.0}, {0.15, 0.06, 1.0}, {0.64, 0.33, 1.0}};
    const cmsFloat64Number curve[5] = {2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045};
    cmsToneCurve* tone = cmsBuildParametricToneCurve(nullptr, 4, curve);
    cmsToneCurve* curves[3] = {tone, tone, tone};
    cmsHPROFILE profile = cmsCreateRGBProfile(&white, &primaries, curves);
    cmsFreeToneCurve(tone);
    cmsMLU* name = cmsMLUalloc(nullptr, 1);
    cmsMLUsetASCII(name, "en", "US", "Rotated primaries");
    cmsWriteTag(profile, cmsSigProfileDescriptionTag, name);
    cmsMLUfree(name);
    return profileBytes(profile);
}

Bytes oddCmykProfile()
{
    cmsHPROFILE profile = cmsCreateProfilePlaceholder(nullptr);
    cmsSetProfileVersion(profile, 2.4);
    cmsSetDeviceClass(profile, cmsSigOutputClass);
    cmsSetColorSpace(profile, cmsSigCmykData);
    cmsSetPCS(profile, cmsSigLabData);
    cmsStage* table = cmsStageAllocCLut16bit(nullptr, 2, 4, 3, nullptr);
    cmsStageSampleCLut16bit(
        table,
        [](const cmsUInt16Number in[], cmsUInt16Number out[], void*) -> cmsInt32Number {
            // Lab of version 2: L 100 is 0xFF00, a and b have zero at 0x8000.
            const double c = in[0] / 65535.0, k = in[3] / 65535.0;
            const double lightness = (100 - 20 * c) * (1 - k);
            out[0] = static_cast<cmsUInt16Number>(lightness * 652.8);
            out[1] = static_cast<cmsUInt16Number>((128 - 70 * c * (1 - k)) * 256);
            out[2] = static_cast<cmsUInt16Number>((128 + 60 * c * (1 - k)) * 256);
            return 1;
        },
        nullptr, 0);
    cmsPipeline* pipeline = cmsPipelineAlloc(nullptr, 4, 3);
    cmsPipelineInsertStage(pipeline, cmsAT_END, table);
    cmsWriteTag(profile, cmsSigAToB0Tag, pipeline);
    cmsWriteTag(profile, cmsSigAToB1Tag, pipeline);
    cmsPipelineFree(pipeline);
    cmsMLU* name = cmsMLUalloc(nullptr, 1);
    cmsMLUsetASCII(name, "en", "US", "Odd inks");
    cmsWriteTag(profile, cmsSigProfileDescriptionTag, name);
    cmsMLUfree(name);
    return profileBytes(profile);
}

void save(const std::filesystem::path& file, const Bytes& bytes)
{
    std::ofstream(file, std::ios::binary)
        .write(static_cast<const char*>(static_cast<const void*>(bytes.data())),
               static_cast<std::streamsize>(bytes.size()));
}

} // namespace loquor::test
