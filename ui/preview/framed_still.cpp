#include "ui/preview/framed_still.h"

#include <algorithm>

#include <QPainter>

#include "core/media/face_framing.h"

namespace loquor::ui {

namespace {

constexpr int kLongestSide = 1280;
constexpr int kBlurredSide = 24; // px: a picture this small is nothing but its colours

media::FaceExtent extentOf(const session::FaceInfo& face, const QSize& picture, int fileWidth)
{
    const double eyes = static_cast<double>(face.eyeDistancePx) * picture.width() / std::max(1, fileWidth);
    return media::extentOfOutline(face.outline, static_cast<double>(face.yawDegrees),
                                  static_cast<double>(face.pitchDegrees), static_cast<double>(face.rollDegrees),
                                  eyes, picture.width(), picture.height());
}

} // namespace

QImage framedStill(const QImage& picture, const session::CheckReport& report, int face,
                   const project::Output& output)
{
    const int index = std::max(1, face) - 1;
    if (picture.isNull() || index >= static_cast<int>(report.faces.size()) || output.width <= 0 ||
        output.height <= 0)
        return picture;
    const QSize canvas = QSize(output.width, output.height)
                             .scaled(kLongestSide, kLongestSide, Qt::KeepAspectRatio)
                             .expandedTo(QSize(2, 2));
    const session::FaceInfo& speaker = report.faces[static_cast<std::size_t>(index)];
    const bool whole = output.framing == project::Framing::Fit;
    const media::PhotoCut cut =
        whole ? media::cutWhole(picture.width(), picture.height(), canvas.width(), canvas.height())
              : media::cutAroundFace(extentOf(speaker, picture.size(), report.width), picture.width(),
                                     picture.height(), canvas.width(), canvas.height());
    QImage out(canvas, QImage::Format_RGB32);
    out.fill(Qt::black);
    QPainter painter(&out);
    painter.setRenderHint(QPainter::SmoothPixmapTransform);
    if (!whole && cut.invented > 0)
        painter.drawImage(QRectF(out.rect()), picture.scaled(kBlurredSide, kBlurredSide, Qt::IgnoreAspectRatio,
                                                             Qt::SmoothTransformation));
    const QPoint offset((canvas.width() - cut.width) / 2, (canvas.height() - cut.height) / 2);
    const QRectF target(QPointF(offset) - QPointF(cut.x0, cut.y0) * cut.scale, QSizeF(picture.size()) * cut.scale);
    painter.drawImage(target, picture);
    return out;
}

} // namespace loquor::ui
