// The picture: shape and size, frame rate, framing, background, motion prompt, seed.
#pragma once

#include <QWidget>

class QCheckBox;
class QComboBox;
class QLineEdit;
class QSpinBox;

namespace loquor::ui {

class ProjectModel;

class OutputPanel : public QWidget
{
    Q_OBJECT

public:
    explicit OutputPanel(ProjectModel& model, QWidget* parent = nullptr);

    QComboBox& size() { return *m_size; }
    QComboBox& rate() { return *m_rate; }
    QLineEdit& prompt() { return *m_prompt; }
    QLineEdit& seed() { return *m_seed; }
    QComboBox& background() { return *m_background; }
    QSpinBox& customWidth() { return *m_width; }

Q_SIGNALS:
    void colourRequested();
    void pictureRequested();

private:
    void makeWidgets();
    void connectWidgets();
    void setSize(int width, int height);
    void chooseBackground(int row);
    void setSeed(const QString& text);
    void refresh();
    void refreshBackground();

    ProjectModel& m_model;
    QComboBox *m_size, *m_rate, *m_framing, *m_background;
    QWidget* m_custom;
    QSpinBox *m_width, *m_height;
    QLineEdit *m_prompt, *m_seed;
    bool m_showCustom = false;
};

} // namespace loquor::ui
