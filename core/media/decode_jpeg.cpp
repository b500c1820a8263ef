// JPEG through libjpeg-turbo: all colour models, ICC, EXIF, scaled decoding.
#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <jpeglib.h>

#include <jerror.h>

#include "core/media/image_decoders.h"

namespace loquor::media {

namespace {

// libjpeg reports through longjmp: the functions that call setjmp hold no object with a destructor.
struct JpegState
{
    jpeg_decompress_struct decoder{};
    jpeg_error_mgr errors{};
    std::jmp_buf jump{};
    char message[JMSG_LENGTH_MAX] = {};
    bool isCutOff = false;
    bool isDamaged = false;

    JpegState()
    {
        decoder.err = jpeg_std_error(&errors);
        decoder.client_data = this;
        errors.error_exit = [](j_common_ptr common) {
            auto* state = static_cast<JpegState*>(common->client_data);
            common->err->format_message(common, state->message);
            std::longjmp(state->jump, 1);
        };
        errors.emit_message = [](j_common_ptr common, int level) {
            if (level >= 0)
                return;
            auto* state = static_cast<JpegState*>(common->client_data);
            const int code = common->err->msg_code;
            if (code == JWRN_JPEG_EOF)
                state->isCutOff = true;
            else if (code != JWRN_EXTRANEOUS_DATA && code != JWRN_ADOBE_XFORM &&
                     code != JWRN_JFIF_MAJOR)
                state->isDamaged = true;
        };
        jpeg_create_decompress(&decoder);
    }
    ~JpegState() { jpeg_destroy_decompress(&decoder); }
    JpegState(const JpegState&) = delete;
    JpegState& operator=(const JpegState&) = delete;
};

bool readHeader(JpegState& state, std::FILE* file)
{
    if (setjmp(state.jump) != 0)
        return false;
    jpeg_stdio_src(&state.decoder, file);
    jpeg_save_markers(&state.decoder, JPEG_APP0 + 1, 0xFFFF); // EXIF
    jpeg_save_markers(&state.decoder, JPEG_APP0 + 2, 0xFFFF); // ICC
    return jpeg_read_header(&state.decoder, TRUE) == JPEG_HEADER_OK;
}

bool readProfile(JpegState& state, JOCTET** data, unsigned int* length)
{
    if (setjmp(state.jump) != 0)
        return false;
    return jpeg_read_icc_profile(&state.decoder, data, length) != 0;
}

bool startRows(JpegState& state)
{
    if (setjmp(state.jump) != 0)
        return false;
    return jpeg_start_decompress(&state.decoder) != 0;
}

bool readRow(JpegState& state, JSAMPLE* row)
{
    if (setjmp(state.jump) != 0)
        return false;
    return jpeg_read_scanlines(&state.decoder, &row, 1) == 1;
}

int orientationOf(const jpeg_decompress_struct& decoder)
{
    static constexpr char kTag[] = "Exif\0"; // and the literal's own zero: six bytes
    for (auto* marker = decoder.marker_list; marker != nullptr; marker = marker->next)
        if (marker->marker == JPEG_APP0 + 1 && marker->data_length > 6 &&
            std::memcmp(marker->data, kTag, 6) == 0)
            return exifOrientation({marker->data + 6, marker->data_length - 6});
    return 1;
}

// The model libjpeg is asked to deliver, and its name for people.
bool chooseModel(jpeg_decompress_struct& decoder, PixelModel& model, std::string& name)
{
    const J_COLOR_SPACE space = decoder.jpeg_color_space;
    if (space == JCS_GRAYSCALE) {
        model = PixelModel::Grey;
        name = "grey";
        decoder.out_color_space = JCS_GRAYSCALE;
    } else if (space == JCS_YCbCr || space == JCS_RGB) {
        model = PixelModel::Rgb;
        name = "RGB";
        decoder.out_color_space = JCS_RGB;
    } else if (space == JCS_CMYK || space == JCS_YCCK) {
        model = PixelModel::Cmyk;
        name = space == JCS_YCCK ? "YCCK" : "CMYK";
        decoder.out_color_space = JCS_CMYK;
    } else {
        return false;
    }
    return true;
}

// Eighths: the smallest size that is still at least the wanted one.
void chooseScale(jpeg_decompress_struct& decoder, const RowSink& sink)
{
    const Size want = sink.targetSize(static_cast<int>(decoder.image_width),
                                      static_cast<int>(decoder.image_height));
    decoder.scale_denom = 8;
    for (unsigned int eighths = 1; eighths <= 8; ++eighths) {
        decoder.scale_num = eighths;
        jpeg_calc_output_dimensions(&decoder);
        if (static_cast<int>(decoder.output_width) >= want.width &&
            static_cast<int>(decoder.output_height) >= want.height)
            return;
    }
}

} // namespace

Result<> decodeJpeg(ImageSource& source, RowSink& sink)
{
    sink.info().format = "JPEG";
    JpegState state;
    jpeg_decompress_struct& decoder = state.decoder;
    if (!readHeader(state, source.file.get()))
        return imageError(ErrorCode::Unreadable, sink,
                          "is a damaged JPEG file (" + std::string(state.message) + ").");
    if (state.isCutOff)
        return imageError(ErrorCode::Unreadable, sink, "is cut off: the file is incomplete.");
    RowFormat format;
    if (!chooseModel(decoder, format.model, sink.info().colourModel))
        return imageError(ErrorCode::Unsupported, sink, "has an unknown colour model.");
    sink.info().orientation = orientationOf(decoder);
    sink.info().bitDepth = decoder.data_precision;
    JOCTET* profile = nullptr;
    unsigned int length = 0;
    if (readProfile(state, &profile, &length)) {
        format.profile.assign(profile, profile + length);
        std::free(profile);
    }
    chooseScale(decoder, sink);
    if (!startRows(state))
        return imageError(ErrorCode::Unreadable, sink,
                          "cannot be decoded (" + std::string(state.message) + ").");
    format.width = static_cast<int>(decoder.output_width);
    format.height = static_cast<int>(decoder.output_height);
    format.fullWidth = static_cast<int>(decoder.image_width);
    format.fullHeight = static_cast<int>(decoder.image_height);
    // Adobe's programs write ink the wrong way round; their marker says that it was them.
    const bool isInverted = format.model == PixelModel::Cmyk && decoder.saw_Adobe_marker != 0;
    LQ_CHECKED(sink.begin(std::move(format)));

    std::vector<JSAMPLE> row(static_cast<std::size_t>(decoder.output_width) *
                             static_cast<std::size_t>(decoder.output_components));
    for (unsigned int y = 0; y < decoder.output_height; ++y) {
        if (!readRow(state, row.data()))
            return imageError(ErrorCode::Unreadable, sink,
                              "cannot be decoded (" + std::string(state.message) + ").");
        if (state.isCutOff)
            return imageError(ErrorCode::Unreadable, sink,
                              "is cut off: only " +
                                  std::to_string(100 * y / decoder.output_height) +
                                  " % of it are in the file.");
        if (isInverted)
            for (JSAMPLE& sample : row)
                sample = static_cast<JSAMPLE>(255 - sample);
        sink.push(row.data());
    }
    if (state.isDamaged)
        sink.info().warnings.push_back("The JPEG data are damaged; parts may look wrong.");
    return {};
}

} // namespace loquor::media
