#include "ui/settings/output_panel.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QFileInfo>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QRegularExpressionValidator>
#include <QSignalBlocker>
#include <QSpinBox>

#include "ui/bridge/strings.h"
#include "ui/models/project_model.h"
#include "ui/widgets/card.h"

namespace loquor::ui {

namespace {

struct SizePreset
{
    const char* name; // translated
    int width, height;
};
constexpr SizePreset kSizes[] = {
    {QT_TRANSLATE_NOOP("loquor::ui::OutputPanel", "Landscape 16:9"), 1280, 720},
    {QT_TRANSLATE_NOOP("loquor::ui::OutputPanel", "Landscape 16:9"), 1920, 1080},
    {QT_TRANSLATE_NOOP("loquor::ui::OutputPanel", "Portrait 9:16"), 720, 1280},
    {QT_TRANSLATE_NOOP("loquor::ui::OutputPanel", "Portrait 9:16"), 1080, 1920},
    {QT_TRANSLATE_NOOP("loquor::ui::OutputPanel", "Square 1:1"), 720, 720},
    {QT_TRANSLATE_NOOP("loquor::ui::OutputPanel", "Square 1:1"), 1080, 1080},
    {QT_TRANSLATE_NOOP("loquor::ui::OutputPanel", "Classic 4:3"), 960, 720},
};
constexpr Rational kRates[] = {{24, 1}, {25, 1}, {30000, 1001}, {30, 1}, {50, 1}, {60, 1}};
constexpr int kSmallest = 64, kLargest = 4096;
enum BackgroundRow {
    Own = 0,
    Colour,
    Picture,
};

QIcon colourIcon(const QColor& colour)
{
    QPixmap pixmap(32, 32);
    pixmap.fill(colour);
    return QIcon(pixmap);
}

} // namespace

OutputPanel::OutputPanel(ProjectModel& model, QWidget* parent)
    : QWidget(parent), m_model(model), m_size(new QComboBox(this)), m_rate(new QComboBox(this)),
      m_framing(new QComboBox(this)), m_background(new QComboBox(this)),
      m_custom(new QWidget(this)), m_width(new QSpinBox(this)), m_height(new QSpinBox(this)),
      m_prompt(new QLineEdit(this)), m_seed(new QLineEdit(this))
{
    makeWidgets();
    auto* form = new QFormLayout;
    form->setFieldGrowthPolicy(QFormLayout::ExpandingFieldsGrow);
    form->setLabelAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    form->setHorizontalSpacing(12);
    form->setVerticalSpacing(8);
    form->addRow(tr("Size"), m_size);
    form->addRow(QString(), m_custom);
    form->addRow(tr("Frame rate"), m_rate);
    form->addRow(tr("Framing"), m_framing);
    form->addRow(tr("Background"), m_background);
    form->addRow(tr("Motion"), m_prompt);
    form->addRow(tr("Seed"), m_seed);
    auto* card = new Card(QStringLiteral("settings"), tr("Video"), this);
    card->body()->addLayout(form);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(card);
    connectWidgets();
    refresh();
}

void OutputPanel::makeWidgets()
{
    for (const SizePreset& preset : kSizes)
        m_size->addItem(
            tr("%1 · %2 × %3").arg(tr(preset.name)).arg(preset.width).arg(preset.height),
            QSize(preset.width, preset.height));
    m_size->addItem(tr("Custom…"));
    for (const Rational& rate : kRates)
        m_rate->addItem(tr("%1 frames per second").arg(locale().toString(rate.toDouble(), 'g', 4)),
                        QString::fromStdString(rate.toString()));
    m_framing->addItem(tr("Fill the picture"), static_cast<int>(project::Framing::Fill));
    m_framing->addItem(tr("Show all of the photo"), static_cast<int>(project::Framing::Fit));
    m_background->addItem(tr("As in the photo"));
    m_background->addItem(tr("Colour…"));
    m_background->addItem(tr("Picture…"));
    for (QSpinBox* box : {m_width, m_height}) {
        box->setRange(kSmallest, kLargest);
        box->setSingleStep(2);
        box->setKeyboardTracking(false);
    }
    m_width->setAccessibleName(tr("Width in pixels"));
    m_height->setAccessibleName(tr("Height in pixels"));
    auto* custom = new QHBoxLayout(m_custom);
    custom->setContentsMargins(0, 0, 0, 0);
    custom->addWidget(m_width);
    custom->addWidget(new QLabel(QStringLiteral("×"), m_custom));
    custom->addWidget(m_height);
    custom->addStretch();
    m_prompt->setPlaceholderText(tr("calm, smiling"));
    m_prompt->setToolTip(tr("How the person moves, in a few words"));
    m_seed->setPlaceholderText(tr("automatic"));
    m_seed->setToolTip(tr("The same number gives the same movements again"));
    m_seed->setValidator(
        new QRegularExpressionValidator(QRegularExpression(QStringLiteral("[0-9]{0,19}")), m_seed));
    // clang-format off
    const std::pair<QWidget*, QString> names[] = {
        {m_size, tr("Size")},       {m_rate, tr("Frame rate")},
        {m_framing, tr("Framing")}, {m_background, tr("Background")},
        {m_prompt, tr("Motion")},   {m_seed, tr("Seed")}};
    // clang-format on
    for (const auto& [widget, name] : names)
        widget->setAccessibleName(name);
    for (QComboBox* box : {m_size, m_rate, m_framing, m_background}) {
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        box->setMinimumContentsLength(14);
        box->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    }
}

void OutputPanel::connectWidgets()
{
    connect(m_size, &QComboBox::activated, this, [this](int row) {
        const QSize size = m_size->itemData(row).toSize();
        m_showCustom = !size.isValid();
        if (size.isValid())
            setSize(size.width(), size.height());
        refresh();
    });
    const auto custom = [this] { setSize(m_width->value(), m_height->value()); };
    connect(m_width, &QSpinBox::valueChanged, this, custom);
    connect(m_height, &QSpinBox::valueChanged, this, custom);
    connect(m_rate, &QComboBox::activated, this, [this](int row) {
        const auto rate = Rational::parse(m_rate->itemData(row).toString().toStdString());
        m_model.edit(EditKind::Rate, tr("Change frame rate"), [&rate](project::Document& document) {
            document.output.fps = rate.value_or(document.output.fps);
        });
    });
    connect(m_framing, &QComboBox::activated, this, [this](int row) {
        const auto framing = static_cast<project::Framing>(m_framing->itemData(row).toInt());
        m_model.edit(EditKind::Framing, tr("Change framing"),
                     [framing](project::Document& document) { document.output.framing = framing; });
    });
    connect(m_background, &QComboBox::activated, this, &OutputPanel::chooseBackground);
    connect(m_prompt, &QLineEdit::textEdited, this, [this](const QString& text) {
        m_model.edit(EditKind::Prompt, tr("Change motion"), [&text](project::Document& document) {
            document.scenes.front().prompt = text.toStdString();
        });
    });
    connect(m_prompt, &QLineEdit::editingFinished, &m_model, [&model = m_model] { model.breakMerge(); });
    connect(m_seed, &QLineEdit::textEdited, this, &OutputPanel::setSeed);
    connect(m_seed, &QLineEdit::editingFinished, &m_model, [&model = m_model] { model.breakMerge(); });
    connect(&m_model, &ProjectModel::changed, this, &OutputPanel::refresh);
}

void OutputPanel::setSize(int width, int height)
{
    // Video needs even sizes; the field shows what will be used.
    m_model.edit(EditKind::Size, tr("Change size"), [=](project::Document& document) {
        document.output.width = width / 2 * 2;
        document.output.height = height / 2 * 2;
    });
    refresh();
}

void OutputPanel::chooseBackground(int row)
{
    if (row == BackgroundRow::Colour) {
        Q_EMIT colourRequested();
    } else if (row == BackgroundRow::Picture) {
        Q_EMIT pictureRequested();
    } else {
        m_model.edit(
            EditKind::Background, tr("Change background"),
            [](project::Document& document) { document.scenes.front().background.clear(); });
    }
    refreshBackground(); // back to what is set, if the choice is not made after all
}

void OutputPanel::setSeed(const QString& text)
{
    bool ok = false;
    const quint64 value = text.toULongLong(&ok);
    m_model.edit(EditKind::Seed, tr("Change seed"), [&](project::Document& document) {
        document.output.seed = ok ? std::optional<std::uint64_t>(value) : std::nullopt;
    });
}

void OutputPanel::refresh()
{
    const project::Output& output = m_model.document().output;
    const QSignalBlocker blockers[] = {QSignalBlocker(m_size), QSignalBlocker(m_width),
                                       QSignalBlocker(m_height), QSignalBlocker(m_rate),
                                       QSignalBlocker(m_framing)};
    const int preset = m_size->findData(QSize(output.width, output.height));
    const bool custom = preset < 0 || m_showCustom;
    m_size->setCurrentIndex(custom ? m_size->count() - 1 : preset);
    m_custom->setVisible(custom);
    m_width->setValue(output.width);
    m_height->setValue(output.height);

    const QString rate = QString::fromStdString(output.fps.toString());
    int row = m_rate->findData(rate);
    if (row < 0) { // a rate from a project or another program
        m_rate->addItem(tr("%1 frames per second").arg(rate), rate);
        row = m_rate->count() - 1;
    }
    m_rate->setCurrentIndex(row);
    m_framing->setCurrentIndex(m_framing->findData(static_cast<int>(output.framing)));
    const QString prompt = QString::fromStdString(m_model.scene().prompt);
    if (m_prompt->text() != prompt)
        m_prompt->setText(prompt);
    const QString seed = output.seed ? QString::number(*output.seed) : QString();
    if (m_seed->text() != seed)
        m_seed->setText(seed);
    refreshBackground();
}

void OutputPanel::refreshBackground()
{
    const QSignalBlocker blocker(m_background);
    const QString background = QString::fromStdString(m_model.scene().background);
    const bool colour = background.startsWith(QLatin1Char('#'));
    const bool picture = !background.isEmpty() && !colour;
    m_background->setItemText(BackgroundRow::Colour,
                              colour ? tr("Colour %1").arg(background) : tr("Colour…"));
    m_background->setItemIcon(BackgroundRow::Colour,
                              colour ? colourIcon(QColor(background)) : QIcon());
    m_background->setItemText(BackgroundRow::Picture,
                              picture ? shownName(background) : tr("Picture…"));
    m_background->setCurrentIndex(colour    ? BackgroundRow::Colour
                                  : picture ? BackgroundRow::Picture
                                            : BackgroundRow::Own);
}

} // namespace loquor::ui
