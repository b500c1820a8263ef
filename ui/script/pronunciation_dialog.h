// How words are said: the dictionaries of the project and of the user.
#pragma once

#include <vector>

#include <QDialog>

#include "core/session/session.h"
#include "core/speech/pronunciations.h"

class QButtonGroup;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSortFilterProxyModel;
class QTableView;

namespace loquor::ui {

class ProjectModel;
class PronunciationTable;
class UserDictionary;
class WordSpeaker;

// Stays beside the window, so that the script is seen and undo works. Entries of the project are undo steps; those of the
// user are in a file. The form below the list shows the entry that is selected and is what is heard and stored.
class PronunciationDialog : public QDialog
{
    Q_OBJECT

public:
    PronunciationDialog(ProjectModel& model, UserDictionary& user, WordSpeaker& speaker,
                        const std::vector<session::VoiceInfo>& voices, QWidget* parent = nullptr);

    // Looks for the entry of this word, else begins one.
    void showWord(const QString& word);
    void setOfProject(bool ofProject);
    bool isOfProject() const { return m_ofProject; }

    QTableView& table() { return *m_view; }
    QLineEdit& search() { return *m_search; }
    QLineEdit& word() { return *m_word; }
    QLineEdit& said() { return *m_said; }
    QComboBox& kind() { return *m_kind; }
    QComboBox& language() { return *m_language; }
    QPushButton& hear() { return *m_hear; }
    QPushButton& store() { return *m_store; }
    QPushButton& remove() { return *m_remove; }
    QString problemText() const;

private:
    QWidget* makeList();
    QWidget* makeForm(const std::vector<session::VoiceInfo>& voices);
    void connectForm();
    const speech::Pronunciations& list() const;
    Result<speech::Pronunciation> entry() const;
    std::string languageTag() const;
    void change(const QString& name, std::function<Result<void>(speech::Pronunciations&)> change);
    void refreshList();
    void refreshForm();
    void showCurrent();
    void storeEntry();
    void removeEntry();
    void sayEntry();

    ProjectModel& m_model;
    UserDictionary& m_user;
    WordSpeaker& m_speaker;
    std::vector<session::VoiceInfo> m_voices;
    PronunciationTable* m_table;
    QSortFilterProxyModel* m_shown;
    QTableView* m_view;
    QPushButton *m_project, *m_all, *m_hear, *m_store, *m_remove;
    QLineEdit *m_search, *m_word, *m_said;
    QComboBox *m_kind, *m_language;
    QLabel *m_problem, *m_empty;
    bool m_ofProject = true;
    QString m_failure; // of the last try to say or store
};

} // namespace loquor::ui
