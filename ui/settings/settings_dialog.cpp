#include "ui/settings/settings_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>

namespace loquor::ui {

SettingsDialog::SettingsDialog(const Preferences& preferences, QWidget* parent)
    : QDialog(parent), m_before(preferences), m_theme(new QComboBox(this)),
      m_language(new QComboBox(this)), m_preview(new QComboBox(this)), m_countIn(new QSpinBox(this))
{
    setWindowTitle(tr("Settings"));
    m_theme->addItem(tr("As the desktop"), static_cast<int>(ThemeMode::System));
    m_theme->addItem(tr("Light"), static_cast<int>(ThemeMode::Light));
    m_theme->addItem(tr("Dark"), static_cast<int>(ThemeMode::Dark));
    m_theme->setCurrentIndex(m_theme->findData(static_cast<int>(preferences.theme)));
    m_language->addItem(tr("As the desktop"), QString());
    m_language->addItem(QStringLiteral("English"), QStringLiteral("en"));
    m_language->addItem(QStringLiteral("Deutsch"), QStringLiteral("de"));
    m_language->setCurrentIndex(std::max(0, m_language->findData(preferences.language)));
    m_preview->addItem(tr("Sharp"), true);
    m_preview->addItem(tr("Fast, for slow computers"), false);
    m_preview->setCurrentIndex(preferences.smoothPreview ? 0 : 1);
    m_countIn->setRange(0, 10);
    m_countIn->setValue(preferences.countInSeconds);
    m_countIn->setSuffix(tr(" s"));
    m_countIn->setSpecialValueText(tr("none"));

    auto* languageNote = new QLabel(tr("The language changes with the next start."), this);
    languageNote->setProperty("muted", true);
    languageNote->setWordWrap(true);
    auto* form = new QFormLayout;
    form->setHorizontalSpacing(16);
    form->setVerticalSpacing(10);
    form->addRow(tr("&Theme"), m_theme);
    form->addRow(tr("&Language"), m_language);
    form->addRow(QString(), languageNote);
    form->addRow(tr("&Preview"), m_preview);
    form->addRow(tr("&Count-in before recording"), m_countIn);

    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    buttons->button(QDialogButtonBox::Ok)->setText(tr("OK"));
    buttons->button(QDialogButtonBox::Cancel)->setText(tr("Cancel"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(20, 20, 20, 16);
    layout->setSpacing(20);
    layout->addLayout(form);
    layout->addStretch();
    layout->addWidget(buttons);

    const auto show = [this] { Q_EMIT changed(this->preferences()); };
    for (QComboBox* box : {m_theme, m_language, m_preview})
        connect(box, &QComboBox::activated, this, show);
    connect(m_countIn, &QSpinBox::valueChanged, this, show);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(this, &QDialog::rejected, this, [this] { Q_EMIT changed(m_before); });
}

Preferences SettingsDialog::preferences() const
{
    Preferences now = m_before;
    now.theme = static_cast<ThemeMode>(m_theme->currentData().toInt());
    now.language = m_language->currentData().toString();
    now.smoothPreview = m_preview->currentData().toBool();
    now.countInSeconds = m_countIn->value();
    return now;
}

} // namespace loquor::ui
