#include "ui/widgets/theme.h"

#include <QApplication>
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QFile>
#include <QPalette>
#include <QPixmapCache>
#include <QStyleFactory>

// The resources lie in a static library: a linker would leave them out unasked.
static void registerResources()
{
    Q_INIT_RESOURCE(resources);
}

namespace loquor::ui {

namespace {

constexpr const char* kPortal = "org.freedesktop.portal.Desktop";
constexpr const char* kPortalPath = "/org/freedesktop/portal/desktop";
constexpr const char* kPortalSettings = "org.freedesktop.portal.Settings";
constexpr const char* kAppearance = "org.freedesktop.appearance";
constexpr const char* kColorScheme = "color-scheme"; // 1 = dark

struct Colours
{
    QColor window, panel, field, text, muted, border, button, accent, onAccent, disabled, link;
};

// Text on its ground keeps a contrast of at least 4.5:1 in both.
Colours lightColours()
{
    return {"#eef0f3", "#ffffff", "#ffffff", "#1b1f26", "#5a6270", "#cfd4dc",
            "#f7f8fa", "#2f5fd0", "#ffffff", "#8d95a3", "#2453bd"};
}
Colours darkColours()
{
    return {"#1b1d22", "#24272e", "#1e2127", "#e8eaee", "#a3abb8", "#3b404b",
            "#30343d", "#7aa2ff", "#0f1726", "#6d7583", "#8fb1ff"};
}

QPalette paletteOf(const Colours& c)
{
    QPalette p;
    p.setColor(QPalette::Window, c.window);
    p.setColor(QPalette::WindowText, c.text);
    p.setColor(QPalette::Base, c.field);
    p.setColor(QPalette::AlternateBase, c.panel);
    p.setColor(QPalette::Text, c.text);
    p.setColor(QPalette::PlaceholderText, c.muted);
    p.setColor(QPalette::Button, c.button);
    p.setColor(QPalette::ButtonText, c.text);
    p.setColor(QPalette::BrightText, c.onAccent);
    p.setColor(QPalette::ToolTipBase, c.panel);
    p.setColor(QPalette::ToolTipText, c.text);
    p.setColor(QPalette::Highlight, c.accent);
    p.setColor(QPalette::HighlightedText, c.onAccent);
    p.setColor(QPalette::Link, c.link);
    p.setColor(QPalette::LinkVisited, c.link);
    p.setColor(QPalette::Light, c.panel);
    p.setColor(QPalette::Midlight, c.button);
    p.setColor(QPalette::Mid, c.border);
    p.setColor(QPalette::Dark, c.muted);
    p.setColor(QPalette::Shadow, c.window.darker(140));
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        p.setColor(QPalette::Disabled, role, c.disabled);
    p.setColor(QPalette::Disabled, QPalette::Highlight, c.border);
    p.setColor(QPalette::Disabled, QPalette::HighlightedText, c.disabled);
    return p;
}

QString styleSheetOf(const Colours& c, bool dark)
{
    QFile file(QStringLiteral(":/themes/studio.qss"));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    QString sheet = QString::fromUtf8(file.readAll());
    const std::pair<const char*, QColor> names[] = {
        {"@window", c.window},
        {"@panel", c.panel},
        {"@field", c.field},
        {"@text", c.text},
        {"@muted", c.muted},
        {"@border", c.border},
        {"@button", c.button},
        {"@accent", c.accent},
        {"@onAccent", c.onAccent},
        {"@disabled", c.disabled},
        {"@accentHover", dark ? c.accent.lighter(112) : c.accent.darker(112)},
        {"@hover", dark ? c.button.lighter(125) : c.button.darker(106)},
        {"@warnGround", QColor(dark ? "#4a3a14" : "#fff3d6")},
        {"@warnText", QColor(dark ? "#ffd98a" : "#6b4700")},
        {"@errorGround", QColor(dark ? "#4d2226" : "#fde4e4")},
        {"@errorText", QColor(dark ? "#ffb3b3" : "#8c1d1d")},
        {"@goodGround", QColor(dark ? "#1d3d2a" : "#def3e4")},
        {"@goodText", QColor(dark ? "#9fe0b4" : "#14532a")},
    };
    for (const auto& [name, colour] : names)
        sheet.replace(QString::fromLatin1(name) + QLatin1Char(';'),
                      colour.name() + QLatin1Char(';'));
    sheet.replace(QStringLiteral("@check;"), QStringLiteral("url(:/icons/check-%1.svg);")
                                                 .arg(QLatin1String(dark ? "dark" : "light")));
    return sheet;
}

} // namespace

QString toKey(ThemeMode mode)
{
    switch (mode) {
    case ThemeMode::System:
        return QStringLiteral("system");
    case ThemeMode::Light:
        return QStringLiteral("light");
    case ThemeMode::Dark:
        return QStringLiteral("dark");
    }
    return QStringLiteral("system");
}

ThemeMode themeFromKey(const QString& key)
{
    for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark}) {
        if (key == toKey(mode))
            return mode;
    }
    return ThemeMode::System;
}

Theme::Theme(QObject* parent) : QObject(parent)
{
    registerResources();
    // What the platform's own palette says, until the portal answers.
    const QPalette platform = QApplication::palette();
    m_systemDark = platform.color(QPalette::Window).lightness() <
                   platform.color(QPalette::WindowText).lightness();
    QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    watchDesktop();
    apply();
}

void Theme::setMode(ThemeMode mode)
{
    m_mode = mode;
    apply();
}

void Theme::watchDesktop()
{
    QDBusConnection bus = QDBusConnection::sessionBus();
    if (!bus.isConnected())
        return;
    bus.connect(kPortal, kPortalPath, kPortalSettings, QStringLiteral("SettingChanged"), this,
                SLOT(portalSettingChanged(QString, QString, QDBusVariant)));
    QDBusMessage ask = QDBusMessage::createMethodCall(kPortal, kPortalPath, kPortalSettings,
                                                      QStringLiteral("Read"));
    ask << QString::fromLatin1(kAppearance) << QString::fromLatin1(kColorScheme);
    auto* watcher = new QDBusPendingCallWatcher(bus.asyncCall(ask), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this, [this, watcher] {
        const QDBusPendingReply<QDBusVariant> reply = *watcher;
        watcher->deleteLater();
        if (reply.isError())
            return;
        QVariant value = reply.value().variant();
        if (value.canConvert<QDBusVariant>()) // "Read" wraps twice
            value = value.value<QDBusVariant>().variant();
        setSystemScheme(value.toUInt());
    });
}

void Theme::portalSettingChanged(const QString& space, const QString& key,
                                 const QDBusVariant& value)
{
    if (space == QLatin1String(kAppearance) && key == QLatin1String(kColorScheme))
        setSystemScheme(value.variant().toUInt());
}

void Theme::setSystemScheme(uint scheme)
{
    m_systemDark = scheme == 1;
    apply();
}

void Theme::apply()
{
    m_dark = m_mode == ThemeMode::Dark || (m_mode == ThemeMode::System && m_systemDark);
    const Colours colours = m_dark ? darkColours() : lightColours();
    QPixmapCache::clear();
    QApplication::setPalette(paletteOf(colours));
    qApp->setStyleSheet(styleSheetOf(colours, m_dark));
    Q_EMIT changed();
}

} // namespace loquor::ui
