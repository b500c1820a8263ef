// The line in which the caret is: its state, voice, motion, pause, place; another take of it.
#pragma once

#include <vector>

#include <QWidget>

#include "core/session/session.h"

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QToolButton;

namespace loquor::ui {

class Card;
class ProjectModel;
class RenderState;

class LinePanel : public QWidget
{
    Q_OBJECT

public:
    LinePanel(ProjectModel& model, RenderState& state, QWidget* parent = nullptr);

    void setVoices(const std::vector<session::VoiceInfo>& voices);
    void setLine(quint64 line); // 0 = none
    std::uint64_t line() const { return m_line; }
    QString stateText() const;

    QComboBox& voice() { return *m_voice; }
    QLineEdit& prompt() { return *m_prompt; }
    QDoubleSpinBox& pause() { return *m_pause; }
    QToolButton& up() { return *m_up; }
    QToolButton& down() { return *m_down; }
    QToolButton& remove() { return *m_remove; }
    QPushButton& another() { return *m_another; }

Q_SIGNALS:
    void refused(const QString& message);
    void generateRequested();

private:
    void makeWidgets();
    void connectWidgets();
    void refresh();
    void refreshVoice(const std::string& wanted);
    QToolButton* makeButton(const QString& icon, const QString& name);
    void beginEdit();
    void tell(const QString& problem);

    ProjectModel& m_model;
    RenderState& m_state;
    std::uint64_t m_line = 0, m_edited = 0;
    int m_number = 0;
    Card* m_card;
    QLabel *m_stateText, *m_problem;
    QComboBox* m_voice;
    QLineEdit* m_prompt;
    QDoubleSpinBox* m_pause;
    QToolButton *m_up, *m_down, *m_remove;
    QPushButton* m_another;
};

} // namespace loquor::ui
