#include "ui/reference/reference_panel.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QDateTime>
#include <QLabel>
#include <QPushButton>

#include "core/media/face_framing.h"
#include "ui/bridge/strings.h"
#include "ui/models/media_checks.h"
#include "ui/models/project_model.h"
#include "ui/reference/face_picture.h"
#include "ui/widgets/card.h"
#include "ui/widgets/icons.h"

namespace loquor::ui {

namespace {

QLabel* makeMessage(const char* level, QWidget* parent)
{
    auto* label = new QLabel(parent);
    label->setProperty("level", level);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    label->hide();
    return label;
}

QString joined(const std::vector<std::string>& lines)
{
    QStringList all;
    for (const std::string& line : lines)
        all += QString::fromStdString(line);
    return all.join(QLatin1Char('\n'));
}

void showText(QLabel* label, const QString& text)
{
    label->setText(wrappable(text));
    label->setVisible(!text.isEmpty());
}

} // namespace

ReferencePanel::ReferencePanel(ProjectModel& model, MediaChecks& checks, QWidget* parent)
    : QWidget(parent), m_model(model), m_checks(checks), m_name(new QLabel(this)),
      m_empty(new QLabel(this)), m_faces(new QLabel(this)), m_picture(new FacePicture(this)),
      m_consent(new QCheckBox(tr("I have the right to use this likeness"), this)),
      m_choose(new QPushButton(this))
{
    m_problem = makeMessage("error", this);
    m_warning = makeMessage("warning", this);
    for (QLabel* label : {m_name, m_empty, m_faces}) {
        label->setWordWrap(true);
        label->setProperty("muted", true);
        label->setTextFormat(Qt::PlainText);
    }
    m_empty->setText(tr("Drop a photo or a clip here. Best: one face, looking at the camera, "
                        "mouth closed, %1 pixels or more between the outer eye corners.")
                         .arg(locale().toString(media::kSmallestEyes)));
    m_consent->setToolTip(tr("Kept in the project, for this picture. Asked once."));
    m_choose->setIcon(icon(QStringLiteral("folder")));

    auto* card = new Card(QStringLiteral("photo"), tr("Person"), this);
    card->header()->addWidget(m_choose);
    for (QWidget* widget : {static_cast<QWidget*>(m_empty), static_cast<QWidget*>(m_picture),
                            static_cast<QWidget*>(m_name), static_cast<QWidget*>(m_faces),
                            static_cast<QWidget*>(m_problem), static_cast<QWidget*>(m_warning),
                            static_cast<QWidget*>(m_consent)})
        card->body()->addWidget(widget);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(card);

    connect(m_choose, &QPushButton::clicked, this, &ReferencePanel::chooseRequested);
    connect(m_consent, &QCheckBox::clicked, this, &ReferencePanel::setConsent);
    connect(m_picture, &FacePicture::faceChosen, this, [this](int index) {
        m_model.edit(EditKind::Face, tr("Choose face"), [index](project::Document& document) {
            document.scenes.front().reference.faceIndex = index;
        });
    });
    connect(&m_model, &ProjectModel::changed, this, &ReferencePanel::refresh);
    connect(&m_checks, &MediaChecks::changed, this, &ReferencePanel::refresh);
    refresh();
}

void ReferencePanel::setConsent(bool confirmed)
{
    const std::string when =
        confirmed ? QDateTime::currentDateTimeUtc().toString(Qt::ISODate).toStdString()
                  : std::string();
    m_model.edit(EditKind::Consent, tr("Confirm likeness"), [&when](project::Document& document) {
        document.scenes.front().reference.consentAt = when;
    });
}

QString ReferencePanel::messageText() const
{
    for (const QLabel* label : {m_problem, m_warning, m_faces}) {
        if (!label->isHidden())
            return label->text();
    }
    return {};
}

void ReferencePanel::refresh()
{
    const auto& reference = m_model.scene().reference;
    const bool empty = reference.file.empty();
    const QString importing = m_checks.importing();
    m_empty->setVisible(empty && importing.isEmpty());
    m_consent->setVisible(!empty && m_checks.reference().usable());
    m_consent->setChecked(!reference.consentAt.empty());
    m_choose->setText(empty ? tr("Choose…") : tr("Replace…"));
    m_choose->setAccessibleName(tr("Choose a photo or clip"));
    if (!importing.isEmpty())
        showText(m_name, tr("Looking at %1…").arg(importing));
    else if (m_checks.reference().pending)
        showText(m_name, tr("Looking at %1…").arg(shownName(reference.file)));
    else if (m_checks.reference().report)
        showText(m_name, QString()); // filled below
    else
        showText(m_name, shownName(reference.file));
    showReport();
}

void ReferencePanel::showReport()
{
    const MediaCheck& check = m_checks.reference();
    const auto report = check.report.value_or(session::CheckReport{});
    if (m_shownPicture != check.picture.cacheKey() || check.picture.isNull()) {
        m_shownPicture = check.picture.cacheKey();
        m_picture->setPicture(check.picture, report.faces);
    }
    m_picture->setChosen(m_model.scene().reference.faceIndex);
    showText(m_problem, check.report && !report.usable ? joined(report.problems) : QString());
    showText(m_warning, joined(report.warnings));
    if (!check.report) {
        m_faces->hide();
        return;
    }
    if (m_checks.importing().isEmpty()) {
        QStringList facts{shownName(report.file)};
        if (report.width > 0)
            facts += tr("%1 × %2 pixels")
                         .arg(locale().toString(report.width), locale().toString(report.height));
        if (report.kind == "video")
            facts += tr("best moment at %1").arg(timeText(report.bestFrameSeconds));
        showText(m_name, facts.join(QStringLiteral(" · ")));
        m_name->setToolTip(QString::fromStdString(report.details));
    }
    const int count = static_cast<int>(report.faces.size());
    if (count > 1) {
        const int chosen = m_model.scene().reference.faceIndex;
        showText(m_faces, tr("%n face(s). Face %1 will speak; click another one to choose it.",
                             nullptr, count)
                              .arg(locale().toString(chosen)));
    } else {
        m_faces->hide();
    }
}

} // namespace loquor::ui
