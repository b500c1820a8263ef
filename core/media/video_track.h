// The pictures of a file in the making: encoder and stream, and how packets get from one to the other. Private
// to core/media.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/media/mp4_encoders.h"

namespace loquor::media {

// All files with pictures of our own encoding have one. The muxer must outlive it.
class VideoTrack
{
public:
    // Sorted by the muxer among the packets of other streams, or as they come.
    enum class Order { Sorted = 1,
                       AsTheyCome };
    static Result<VideoTrack> create(Mp4Muxer& muxer, const VideoCoding& coding, Order order);

    AVStream* stream() const { return m_stream; }
    const H264Encoder& encoder() const { return *m_encoder; }
    void addCaptions(std::vector<BurntCaption> captions) { m_encoder->addCaptions(std::move(captions)); }
    // Called with the number of each picture (as they are coded) before it is written; its error ends the track.
    using BeforeEach = std::function<Result<>(FrameIndex)>;
    void setBeforeEach(BeforeEach before) { m_beforeEach = std::move(before); }

    // InvalidArgument for a picture of another shape.
    Result<> checkFits(const Image& rgb) const;
    Result<> add(const Image& rgb, bool asKey = false);
    // yuv420p of the right size.
    Result<> add(AVFrame& frame);
    // EmptyInput, naming the file, when nothing was added; else what the encoder still holds.
    Result<> finish();

private:
    VideoTrack(Mp4Muxer& muxer, Order order) : m_muxer(&muxer), m_order(order) {}
    PacketSink sink();

    Mp4Muxer* m_muxer;
    Order m_order;
    std::optional<H264Encoder> m_encoder;
    AVStream* m_stream = nullptr;
    BeforeEach m_beforeEach; // may be empty
};

} // namespace loquor::media
