#include "ui/main/about_dialog.h"

#include <QApplication>
#include <QBoxLayout>
#include <QDialogButtonBox>
#include <QLabel>
#include <QPushButton>
#include <QTextBrowser>

#include "ui/widgets/icon_label.h"
#include "ui/widgets/icons.h"

namespace loquor::ui {

namespace {

struct Component
{
    const char* name;
    const char* licence;
    const char* use; // translated
};

constexpr Component kComponents[] = {
    {"Qt 6", "LGPL-3.0", QT_TRANSLATE_NOOP("loquor::ui::AboutDialog", "user interface")},
    {"FFmpeg", "GPL-2.0-or-later (Debian)",
     QT_TRANSLATE_NOOP("loquor::ui::AboutDialog", "reading and writing of media")},
    {"x264", "GPL-2.0-or-later",
     QT_TRANSLATE_NOOP("loquor::ui::AboutDialog", "H.264 encoder, through FFmpeg")},
    {"espeak-ng", "GPL-3.0-or-later",
     QT_TRANSLATE_NOOP("loquor::ui::AboutDialog", "phonemes; runs as a program of its own")},
    {"PyTorch (LibTorch)", "BSD-3-Clause",
     QT_TRANSLATE_NOOP("loquor::ui::AboutDialog", "neural networks")},
    {"MediaPipe models", "Apache-2.0",
     QT_TRANSLATE_NOOP("loquor::ui::AboutDialog", "face detection, face mesh, segmentation")},
    {"sherpa-onnx, ONNX Runtime", "Apache-2.0, MIT",
     QT_TRANSLATE_NOOP("loquor::ui::AboutDialog", "voices")},
    {"Piper voices", "MIT", QT_TRANSLATE_NOOP("loquor::ui::AboutDialog", "voices")},
    {"PocketSphinx", "BSD-2-Clause",
     QT_TRANSLATE_NOOP("loquor::ui::AboutDialog", "alignment of recordings")},
    {"PortAudio", "MIT", QT_TRANSLATE_NOOP("loquor::ui::AboutDialog", "sound devices")},
    {"OpenCV", "Apache-2.0", QT_TRANSLATE_NOOP("loquor::ui::AboutDialog", "image arithmetic")},
    {"Eigen", "MPL-2.0", QT_TRANSLATE_NOOP("loquor::ui::AboutDialog", "linear algebra")},
    {"Little CMS", "MIT", QT_TRANSLATE_NOOP("loquor::ui::AboutDialog", "colour profiles")},
    {"ICU", "Unicode-3.0", QT_TRANSLATE_NOOP("loquor::ui::AboutDialog", "text of all languages")},
    {"nlohmann/json, tl::expected, CLI11", "MIT, CC0-1.0, BSD-3-Clause",
     QT_TRANSLATE_NOOP("loquor::ui::AboutDialog", "small helpers")},
    {"hwloc, libebur128, Qhull", "BSD-3-Clause, MIT, Qhull",
     QT_TRANSLATE_NOOP("loquor::ui::AboutDialog", "small helpers")},
};

} // namespace

AboutDialog::AboutDialog(QWidget* parent) : QDialog(parent)
{
    setWindowTitle(tr("About Loquor"));
    auto* mark = new IconLabel(icon(QStringLiteral("loquor")), this);
    mark->setFixedSize(64, 64);
    auto* title = new QLabel(tr("<h2>Loquor %1</h2><p>A studio for talking-avatar video. "
                                "Everything is made on this computer.</p>")
                                 .arg(QApplication::applicationVersion()),
                             this);
    title->setWordWrap(true);
    auto* head = new QHBoxLayout;
    head->setSpacing(16);
    head->addWidget(mark, 0, Qt::AlignTop);
    head->addWidget(title, 1);

    QString rows;
    for (const Component& part : kComponents)
        rows +=
            QStringLiteral("<tr><td><b>%1</b></td><td>%2</td><td>%3</td></tr>")
                .arg(QString::fromUtf8(part.name), QString::fromUtf8(part.licence), tr(part.use));
    auto* text = new QTextBrowser(this);
    text->setAccessibleName(tr("Licences"));
    text->setHtml(
        tr("<p>Loquor is free software under the Apache License 2.0. The programs that Debian's "
           "FFmpeg is linked into are, as a whole, under the GNU GPL; espeak-ng (GPL 3) runs as a "
           "separate helper program. No NVIDIA library is shipped.</p>") +
        QStringLiteral("<table cellspacing='6'>") + rows + QStringLiteral("</table>"));

    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    buttons->button(QDialogButtonBox::Close)->setText(tr("Close"));
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(20, 20, 20, 16);
    layout->setSpacing(16);
    layout->addLayout(head);
    layout->addWidget(text, 1);
    layout->addWidget(buttons);
    resize(fontMetrics().averageCharWidth() * 90, fontMetrics().height() * 28);
}

} // namespace loquor::ui
