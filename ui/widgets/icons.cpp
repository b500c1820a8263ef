#include "ui/widgets/icons.h"

#include <memory>

#include <QApplication>
#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QPalette>
#include <QPixmapCache>
#include <QSvgRenderer>

namespace loquor::ui {

namespace {

// The colour is looked up when painting: a theme change needs no new icons.
class SvgIconEngine : public QIconEngine
{
public:
    SvgIconEngine(QString name, IconColour colour) : m_name(std::move(name)), m_colour(colour)
    {
        QFile file(QStringLiteral(":/icons/%1.svg").arg(m_name));
        if (file.open(QIODevice::ReadOnly))
            m_svg = file.readAll();
    }

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override
    {
        QByteArray svg = m_svg;
        svg.replace("currentColor", colourFor(mode).name(QColor::HexRgb).toLatin1());
        QSvgRenderer renderer(svg);
        renderer.setAspectRatioMode(Qt::KeepAspectRatio);
        renderer.render(painter, rect);
    }

    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override
    {
        const QString key = QStringLiteral("loquor-%1-%2-%3x%4")
                                .arg(m_name, colourFor(mode).name())
                                .arg(size.width())
                                .arg(size.height());
        QPixmap pixmap;
        if (!QPixmapCache::find(key, &pixmap)) {
            pixmap = QPixmap(size);
            pixmap.fill(Qt::transparent);
            QPainter painter(&pixmap);
            paint(&painter, QRect(QPoint(), size), mode, state);
            painter.end();
            QPixmapCache::insert(key, pixmap);
        }
        return pixmap;
    }

    QIconEngine* clone() const override { return new SvgIconEngine(*this); }

private:
    QColor colourFor(QIcon::Mode mode) const
    {
        const QPalette palette = QApplication::palette();
        const auto group = mode == QIcon::Disabled ? QPalette::Disabled : QPalette::Active;
        const bool onAccent = m_colour == IconColour::OnAccent && mode != QIcon::Disabled;
        return palette.color(group, onAccent ? QPalette::HighlightedText : QPalette::ButtonText);
    }

    QString m_name;
    IconColour m_colour;
    QByteArray m_svg;
};

} // namespace

QIcon icon(const QString& name, IconColour colour)
{
    return QIcon(new SvgIconEngine(name, colour));
}

} // namespace loquor::ui
