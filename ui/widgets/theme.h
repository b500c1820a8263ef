// Light and dark, or what the desktop says; changes without a restart.
#pragma once

#include <QDBusVariant>
#include <QObject>
#include <QString>

namespace loquor::ui {

enum class ThemeMode {
    System = 1,
    Light,
    Dark,
};

QString toKey(ThemeMode mode); // as stored in the settings
ThemeMode themeFromKey(const QString& key);

// One per program; sets style, palette and style sheet of the application.
class Theme : public QObject
{
    Q_OBJECT

public:
    explicit Theme(QObject* parent = nullptr);

    void setMode(ThemeMode mode);
    ThemeMode mode() const { return m_mode; }
    bool isDark() const { return m_dark; }

Q_SIGNALS:
    void changed();

private Q_SLOTS:
    // Signal of the desktop portal.
    void portalSettingChanged(const QString& space, const QString& key, const QDBusVariant& value);

private:
    void watchDesktop();
    void setSystemScheme(uint scheme);
    void apply();

    ThemeMode m_mode = ThemeMode::System;
    bool m_systemDark = false;
    bool m_dark = false;
};

} // namespace loquor::ui
