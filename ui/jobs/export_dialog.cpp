#include "ui/jobs/export_dialog.h"

#include <algorithm>
#include <cmath>

#include <QBoxLayout>
#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>

#include "ui/bridge/strings.h"
#include "ui/settings/store_settings.h"

namespace loquor::ui {

namespace {

constexpr int kShorterSides[] = {360, 540, 720, 1080};
constexpr auto kCaptionsKey = "export/captions", kLabelledKey = "export/labelled", kLabelKey = "export/label";

int even(double value)
{
    return 2 * static_cast<int>(std::lround(value / 2));
}

} // namespace

ExportDialog::ExportDialog(const project::Document& document, double seconds, qint64 bytes, QWidget* parent)
    : QDialog(parent), m_output(document.output),
      m_isProject(document.scenes.front().speech.mode == project::SpeechMode::Text), m_seconds(seconds), m_bytes(bytes),
      m_size(new QComboBox(this)), m_captions(new QComboBox(this)), m_labelled(new QCheckBox(tr("Show on the picture:"), this)),
      m_label(new QLineEdit(this)), m_cost(new QLabel(this)), m_note(new QLabel(this)),
      m_buttons(new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this))
{
    setWindowTitle(tr("Export video"));
    m_size->setAccessibleName(tr("Size"));
    m_captions->setAccessibleName(tr("Captions"));
    m_label->setAccessibleName(tr("Text on the picture"));
    fillSizes();
    const std::pair<session::Captions, QString> kinds[] = {
        {session::Captions::None, tr("None")},
        {session::Captions::Track, tr("In the file, to be switched on")},
        {session::Captions::Burn, tr("Drawn into the picture")},
        {session::Captions::Srt, tr("As an SRT file beside it")},
        {session::Captions::Vtt, tr("As a WebVTT file beside it")},
        {session::Captions::VttWords, tr("As a WebVTT file with every word")},
    };
    for (const auto& [kind, name] : kinds)
        m_captions->addItem(name, static_cast<int>(kind));
    auto* label = new QHBoxLayout;
    label->addWidget(m_labelled);
    label->addWidget(m_label, 1);
    auto* form = new QFormLayout;
    form->setHorizontalSpacing(16);
    form->setVerticalSpacing(10);
    form->addRow(tr("&Size"), m_size);
    form->addRow(tr("&Captions"), m_captions);
    form->addRow(tr("Label"), label);
    for (QLabel* text : {m_cost, m_note}) {
        text->setWordWrap(true);
        text->setProperty("muted", true);
    }
    m_buttons->button(QDialogButtonBox::Ok)->setText(tr("Choose file…"));
    m_buttons->button(QDialogButtonBox::Cancel)->setText(tr("Cancel"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(20, 20, 20, 16);
    layout->setSpacing(14);
    layout->addLayout(form);
    layout->addWidget(m_cost);
    layout->addWidget(m_note);
    layout->addStretch();
    layout->addWidget(m_buttons);
    setMinimumWidth(fontMetrics().averageCharWidth() * 64);

    m_size->setEnabled(m_isProject);
    m_captions->setEnabled(m_isProject);
    restore();
    connect(m_size, &QComboBox::currentIndexChanged, this, &ExportDialog::refresh);
    connect(m_captions, &QComboBox::currentIndexChanged, this, &ExportDialog::refresh);
    connect(m_labelled, &QCheckBox::toggled, this, &ExportDialog::refresh);
    connect(m_label, &QLineEdit::textChanged, this, &ExportDialog::refresh);
    connect(m_buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_buttons, &QDialogButtonBox::accepted, this, [this] {
        store();
        accept();
        Q_EMIT chosen(choice());
    });
    refresh();
}

// Of the same shape; the shorter side as people name sizes.
void ExportDialog::fillSizes()
{
    m_size->addItem(tr("As made: %1 × %2").arg(m_output.width).arg(m_output.height), QSize());
    const int shorter = std::max(2, std::min(m_output.width, m_output.height));
    for (const int side : kShorterSides) {
        const double scale = static_cast<double>(side) / shorter;
        const QSize size(even(m_output.width * scale), even(m_output.height * scale));
        if (side != shorter)
            m_size->addItem(tr("%1 × %2").arg(size.width()).arg(size.height()), size);
    }
}

void ExportDialog::restore()
{
    const QSettings settings;
    const int row = m_captions->findData(settings.value(kCaptionsKey, static_cast<int>(session::Captions::None)).toInt());
    m_captions->setCurrentIndex(m_isProject ? std::max(0, row) : 0);
    m_labelled->setChecked(settings.value(kLabelledKey, false).toBool());
    m_label->setText(settings.value(kLabelKey, tr("AI generated")).toString());
}

void ExportDialog::store() const
{
    storeSettings([this](QSettings& settings) {
        if (m_isProject)
            settings.setValue(kCaptionsKey, m_captions->currentData());
        settings.setValue(kLabelledKey, m_labelled->isChecked());
        settings.setValue(kLabelKey, m_label->text());
    });
}

ExportChoice ExportDialog::choice() const
{
    ExportChoice out;
    const QSize size = m_size->currentData().toSize();
    out.width = size.isValid() && !size.isEmpty() ? size.width() : 0;
    out.height = out.width > 0 ? size.height() : 0;
    out.captions = static_cast<session::Captions>(m_captions->currentData().toInt());
    if (m_labelled->isChecked())
        out.label.text = m_label->text().simplified().toStdString();
    return out;
}

QString ExportDialog::costText() const
{
    return m_cost->text();
}

void ExportDialog::refresh()
{
    const ExportChoice now = choice();
    const double pixels = static_cast<double>(m_output.width) * m_output.height;
    const double part = now.width > 0 && pixels > 0 ? static_cast<double>(now.width) * now.height / pixels : 1;
    m_cost->setText(tr("MP4 with H.264 and AAC, %1, about %2.")
                        .arg(timeText(m_seconds), locale().formattedDataSize(static_cast<qint64>(static_cast<double>(m_bytes) * part), 1,
                                                                             QLocale::DataSizeSIFormat)));
    const bool again = now.width > 0 || now.label.isShown() || now.captions == session::Captions::Burn;
    m_note->setText(!m_isProject ? tr("A recording as a whole is made in one piece, in its own size and without captions.")
                    : again      ? tr("The pictures are encoded once more for this.")
                                 : tr("What is made already is copied as it is."));
    m_label->setEnabled(m_labelled->isChecked());
    m_buttons->button(QDialogButtonBox::Ok)->setEnabled(!m_labelled->isChecked() || now.label.isShown());
}

} // namespace loquor::ui
