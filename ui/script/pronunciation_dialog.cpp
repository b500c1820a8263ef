#include "ui/script/pronunciation_dialog.h"

#include <algorithm>
#include <map>

#include <QBoxLayout>
#include <QButtonGroup>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSortFilterProxyModel>
#include <QStyle>
#include <QTableView>

#include "ui/bridge/strings.h"
#include "ui/models/project_model.h"
#include "ui/models/user_dictionary.h"
#include "ui/models/word_speaker.h"
#include "ui/script/pronunciation_table.h"
#include "ui/widgets/icons.h"

namespace loquor::ui {

namespace {

enum Kind { AsText = 0,
            AsSounds };

std::string baseOf(const std::string& language)
{
    return language.substr(0, language.find_first_of("-_"));
}

} // namespace

PronunciationDialog::PronunciationDialog(ProjectModel& model, UserDictionary& user, WordSpeaker& speaker,
                                         const std::vector<session::VoiceInfo>& voices, QWidget* parent)
    : QDialog(parent), m_model(model), m_user(user), m_speaker(speaker), m_voices(voices), m_table(new PronunciationTable(this)),
      m_shown(new QSortFilterProxyModel(this)), m_view(new QTableView(this)), m_project(new QPushButton(tr("This project"), this)),
      m_all(new QPushButton(tr("All projects"), this)), m_hear(new QPushButton(icon(QStringLiteral("play")), tr("Hear"), this)),
      m_store(new QPushButton(this)), m_remove(new QPushButton(icon(QStringLiteral("trash")), tr("Remove"), this)),
      m_search(new QLineEdit(this)), m_word(new QLineEdit(this)), m_said(new QLineEdit(this)), m_kind(new QComboBox(this)),
      m_language(new QComboBox(this)), m_problem(new QLabel(this)), m_empty(new QLabel(this))
{
    setWindowTitle(tr("Pronunciation"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(20, 20, 20, 16);
    layout->setSpacing(12);
    layout->addWidget(makeList(), 1);
    layout->addWidget(makeForm(voices));
    resize(fontMetrics().averageCharWidth() * 78, fontMetrics().height() * 30);
    connectForm();
    m_user.read();
    refreshList();
    refreshForm();
    m_word->setFocus();
}

QWidget* PronunciationDialog::makeList()
{
    auto* page = new QWidget(this);
    auto* scope = new QButtonGroup(this);
    auto* top = new QHBoxLayout;
    top->setSpacing(6);
    for (QPushButton* button : {m_project, m_all}) {
        button->setCheckable(true);
        button->setAutoDefault(false);
        button->setProperty("segment", true);
        scope->addButton(button);
        top->addWidget(button);
    }
    m_project->setToolTip(tr("The dictionary of this project: it goes before the other"));
    m_all->setToolTip(tr("Your own dictionary"));
    m_search->setPlaceholderText(tr("Search"));
    m_search->setAccessibleName(tr("Search the dictionary"));
    m_search->setClearButtonEnabled(true);
    top->addStretch();
    top->addWidget(m_search);
    m_shown->setSourceModel(m_table);
    m_shown->setFilterKeyColumn(-1);
    m_shown->setFilterCaseSensitivity(Qt::CaseInsensitive);
    m_shown->setSortCaseSensitivity(Qt::CaseInsensitive);
    m_shown->setSortLocaleAware(true);
    m_view->setModel(m_shown);
    m_view->setAccessibleName(tr("Words"));
    m_view->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_view->setSelectionMode(QAbstractItemView::SingleSelection);
    m_view->setSortingEnabled(true);
    m_view->sortByColumn(0, Qt::AscendingOrder);
    m_view->verticalHeader()->hide();
    m_view->setTabKeyNavigation(false);
    m_view->setShowGrid(false);
    m_view->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    m_view->horizontalHeader()->setHighlightSections(false);
    m_empty->setProperty("muted", true);
    m_empty->setWordWrap(true);
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    layout->addLayout(top);
    layout->addWidget(m_view, 1);
    layout->addWidget(m_empty);
    return page;
}

QWidget* PronunciationDialog::makeForm(const std::vector<session::VoiceInfo>& voices)
{
    auto* page = new QWidget(this);
    m_word->setPlaceholderText(tr("A word or a phrase"));
    m_kind->addItem(tr("this text"), AsText);
    m_kind->addItem(tr("these sounds (IPA)"), AsSounds);
    m_kind->setAccessibleName(tr("Kind of pronunciation"));
    m_said->setAccessibleName(tr("How it is said"));
    std::map<QString, std::string> languages;
    for (const session::VoiceInfo& voice : voices)
        languages.emplace(languageNameOf(baseOf(voice.language)), baseOf(voice.language));
    m_language->addItem(languageNameOf({}), QString());
    for (const auto& [name, tag] : languages)
        m_language->addItem(name, QString::fromStdString(tag));
    auto* said = new QHBoxLayout;
    said->addWidget(m_kind);
    said->addWidget(m_said, 1);
    auto* form = new QFormLayout;
    form->setContentsMargins(0, 0, 0, 0);
    form->setHorizontalSpacing(16);
    form->setVerticalSpacing(8);
    form->addRow(tr("&Written"), m_word);
    auto* saidName = new QLabel(tr("&Said as"), page);
    saidName->setBuddy(m_said);
    form->addRow(saidName, said);
    form->addRow(tr("&Language"), m_language);
    m_problem->setWordWrap(true);
    m_problem->setTextFormat(Qt::PlainText);
    m_problem->setMinimumHeight(fontMetrics().height() * 2 + 4); // texts that come and go move nothing
    m_problem->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    buttons->button(QDialogButtonBox::Close)->setText(tr("Close"));
    buttons->button(QDialogButtonBox::Close)->setAutoDefault(false);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    for (QPushButton* button : {m_remove, m_hear, m_store})
        button->setAutoDefault(false);
    m_store->setDefault(true);
    auto* row = new QHBoxLayout;
    row->addWidget(m_store);
    row->addWidget(m_hear);
    row->addWidget(m_remove);
    row->addStretch();
    row->addWidget(buttons);
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    layout->addLayout(form);
    layout->addWidget(m_problem);
    layout->addLayout(row);
    return page;
}

void PronunciationDialog::connectForm()
{
    connect(m_project, &QPushButton::clicked, this, [this] { setOfProject(true); });
    connect(m_all, &QPushButton::clicked, this, [this] { setOfProject(false); });
    connect(m_search, &QLineEdit::textChanged, m_shown, &QSortFilterProxyModel::setFilterFixedString);
    connect(m_view->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &PronunciationDialog::showCurrent);
    const auto edited = [this] {
        m_failure.clear();
        refreshForm();
    };
    for (QLineEdit* field : {m_word, m_said})
        connect(field, &QLineEdit::textEdited, this, edited);
    for (QComboBox* box : {m_kind, m_language})
        connect(box, &QComboBox::activated, this, edited);
    connect(m_hear, &QPushButton::clicked, this, &PronunciationDialog::sayEntry);
    connect(m_store, &QPushButton::clicked, this, &PronunciationDialog::storeEntry);
    connect(m_remove, &QPushButton::clicked, this, &PronunciationDialog::removeEntry);
    connect(&m_model, &ProjectModel::changed, this, &PronunciationDialog::refreshList);
    connect(&m_user, &UserDictionary::changed, this, &PronunciationDialog::refreshList);
    connect(&m_speaker, &WordSpeaker::changed, this, &PronunciationDialog::refreshForm);
    const auto tell = [this](const QString& message) {
        m_failure = message;
        refreshForm();
    };
    connect(&m_user, &UserDictionary::failed, this, tell);
    connect(&m_speaker, &WordSpeaker::failed, this, tell);
    connect(this, &QDialog::finished, &m_speaker, &WordSpeaker::stop);
}

const speech::Pronunciations& PronunciationDialog::list() const
{
    return m_ofProject ? m_model.document().pronunciations : m_user.list();
}

std::string PronunciationDialog::languageTag() const
{
    return m_language->currentData().toString().toStdString();
}

Result<speech::Pronunciation> PronunciationDialog::entry() const
{
    const std::string said = m_said->text().trimmed().toStdString();
    const bool sounds = m_kind->currentData().toInt() == AsSounds;
    return speech::makePronunciation(m_word->text().toStdString(), languageTag(), sounds ? std::string() : said,
                                     sounds ? said : std::string());
}

void PronunciationDialog::setOfProject(bool ofProject)
{
    m_ofProject = ofProject;
    m_failure.clear();
    refreshList();
}

void PronunciationDialog::showWord(const QString& word)
{
    const auto find = [&](const speech::Pronunciations& list) {
        return std::find_if(list.begin(), list.end(), [&](const speech::Pronunciation& one) {
            const QString words = QString::fromStdString(one.words);
            return words.compare(word, words.toLower() == words ? Qt::CaseInsensitive : Qt::CaseSensitive) == 0;
        });
    };
    m_search->clear();
    const auto inProject = find(m_model.document().pronunciations), inUser = find(m_user.list());
    const bool isThere = inProject != m_model.document().pronunciations.end();
    setOfProject(isThere || inUser == m_user.list().end());
    if (isThere || inUser != m_user.list().end()) {
        const speech::Pronunciation& known = isThere ? *inProject : *inUser;
        m_view->setCurrentIndex(m_shown->mapFromSource(m_table->index(m_table->rowOf(known.words, known.language), 0)));
        m_said->setFocus();
        return;
    }
    m_view->clearSelection();
    m_view->setCurrentIndex({});
    m_word->setText(word);
    m_said->clear();
    m_language->setCurrentIndex(0);
    m_said->setFocus();
    refreshForm();
}

// The entry that is selected stays so, when it is still there.
void PronunciationDialog::refreshList()
{
    m_project->setChecked(m_ofProject);
    m_all->setChecked(!m_ofProject);
    const QModelIndex current = m_shown->mapToSource(m_view->currentIndex());
    const bool any = current.isValid() && static_cast<std::size_t>(current.row()) < m_table->list().size();
    const speech::Pronunciation before = any ? m_table->list()[static_cast<std::size_t>(current.row())] : speech::Pronunciation();
    if (m_table->list() != list()) {
        const QSignalBlocker blocker(m_view->selectionModel()); // the form keeps what is being written
        m_table->setList(list());
        const int row = any ? m_table->rowOf(before.words, before.language) : -1;
        if (row >= 0)
            m_view->setCurrentIndex(m_shown->mapFromSource(m_table->index(row, 0)));
    }
    m_empty->setText(m_ofProject ? tr("Words of this project that the voice says in another way than they are written.")
                                 : tr("Words that are said in this way in all your projects, where a project does not say otherwise."));
    refreshForm();
}

void PronunciationDialog::showCurrent()
{
    const QModelIndex current = m_shown->mapToSource(m_view->currentIndex());
    if (!current.isValid())
        return refreshForm();
    const speech::Pronunciation& entry = m_table->list()[static_cast<std::size_t>(current.row())];
    m_word->setText(QString::fromStdString(entry.words));
    m_kind->setCurrentIndex(m_kind->findData(entry.ipa.empty() ? AsText : AsSounds));
    m_said->setText(QString::fromStdString(entry.ipa.empty() ? entry.alias : entry.ipa));
    const QString tag = QString::fromStdString(entry.language);
    if (m_language->findData(tag) < 0)
        m_language->addItem(languageNameOf(entry.language), tag);
    m_language->setCurrentIndex(m_language->findData(tag));
    m_failure.clear();
    refreshForm();
}

void PronunciationDialog::refreshForm()
{
    const auto made = entry();
    const int row = made ? m_table->rowOf(made->words, made->language)
                         : m_table->rowOf(m_word->text().simplified().toStdString(), languageTag());
    const bool isThere = row >= 0;
    m_store->setText(isThere ? tr("Change") : tr("Add"));
    const auto same = [&](const speech::Pronunciation& known) { return known.alias == made->alias && known.ipa == made->ipa; };
    m_store->setEnabled(made && !(isThere && same(m_table->list()[static_cast<std::size_t>(row)])));
    m_remove->setEnabled(isThere);
    m_said->setPlaceholderText(m_kind->currentData().toInt() == AsSounds ? QStringLiteral("ˈsiːkwəl") : tr("As it would be written"));
    m_hear->setEnabled(!m_word->text().trimmed().isEmpty());
    m_hear->setText(m_speaker.isWaiting() ? tr("Speaking…") : tr("Hear"));
    const bool begun = !m_word->text().trimmed().isEmpty() && !m_said->text().trimmed().isEmpty();
    const QString problem = !m_failure.isEmpty() ? m_failure
                            : begun && !made     ? QString::fromStdString(made.error().message())
                                                 : QString();
    m_problem->setText(wrappable(problem));
    m_problem->setProperty("level", problem.isEmpty() ? QVariant() : QVariant(QStringLiteral("error")));
    m_problem->style()->unpolish(m_problem); // the property counts from now on
    m_problem->style()->polish(m_problem);
}

QString PronunciationDialog::problemText() const
{
    return m_problem->text().remove(QChar(0x200b));
}

void PronunciationDialog::change(const QString& name, std::function<Result<void>(speech::Pronunciations&)> change)
{
    m_failure.clear();
    if (!m_ofProject)
        return m_user.change(std::move(change));
    m_model.breakMerge();
    m_model.edit(EditKind::Pronunciation, name, [&](project::Document& document) {
        if (const auto done = change(document.pronunciations); !done)
            m_failure = QString::fromStdString(done.error().message());
    });
    m_model.breakMerge();
    refreshForm();
}

void PronunciationDialog::storeEntry()
{
    auto made = entry();
    if (!made)
        return;
    const QString name = tr("Say “%1”").arg(QString::fromStdString(made->words));
    change(name, [entry = *made](speech::Pronunciations& list) { return speech::setPronunciation(list, entry); });
}

void PronunciationDialog::removeEntry()
{
    const auto made = entry();
    const std::string words = made ? made->words : m_word->text().simplified().toStdString();
    const std::string language = made ? made->language : languageTag();
    change(tr("Forget “%1”").arg(QString::fromStdString(words)),
           [words, language](speech::Pronunciations& list) -> Result<void> {
               speech::removePronunciation(list, words, language); // gone already: as wished
               return {};
           });
}

// With the voice of the project where it speaks the language of the entry.
void PronunciationDialog::sayEntry()
{
    session::SayRequest request;
    request.text = m_word->text().simplified().toStdString();
    const project::Speech& speech = m_model.scene().speech;
    const auto voice = std::find_if(m_voices.begin(), m_voices.end(), [&](const auto& one) { return one.id == speech.voice; });
    const std::string wanted = languageTag();
    const bool fits = wanted.empty() || (voice != m_voices.end() && baseOf(voice->language) == baseOf(wanted));
    request.voice = fits ? speech.voice : std::string();
    request.language = fits ? speech.language : wanted;
    if (const auto made = entry())
        request.pronunciations.push_back(*made);
    m_failure.clear();
    m_speaker.say(std::move(request));
}

} // namespace loquor::ui
