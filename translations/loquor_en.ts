<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>PastedText</name>
    <message numerus="yes">
        <source>And %n more.</source>
        <translation>
            <numerusform>And %n more.</numerusform>
            <numerusform>And %n more.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>loquor::ui::FacePicture</name>
    <message numerus="yes">
        <source>%n face(s) found</source>
        <translation>
            <numerusform>%n face found</numerusform>
            <numerusform>%n faces found</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>loquor::ui::JobController</name>
    <message numerus="yes">
        <source>%n line(s) could not be made, so there is no video yet. Export tries again.</source>
        <translation>
            <numerusform>%n line could not be made, so there is no video yet. Export tries again.</numerusform>
            <numerusform>%n lines could not be made, so there is no video yet. Export tries again.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>loquor::ui::JobPanel</name>
    <message numerus="yes">
        <source>%n second(s) left</source>
        <translation>
            <numerusform>%n second left</numerusform>
            <numerusform>%n seconds left</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n minute(s) left</source>
        <translation>
            <numerusform>%n minute left</numerusform>
            <numerusform>%n minutes left</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>loquor::ui::LevelMeter</name>
    <message numerus="yes">
        <source>%n percent</source>
        <translation>
            <numerusform>%n percent</numerusform>
            <numerusform>%n percent</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>loquor::ui::MainWindow</name>
    <message numerus="yes">
        <source>%n line(s) could not be made. Line %1: %2</source>
        <translation>
            <numerusform>%n line could not be made. Line %1: %2</numerusform>
            <numerusform>%n lines could not be made. Line %1: %2</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>loquor::ui::ProjectFlow</name>
    <message numerus="yes">
        <source>%n file(s) of this project cannot be found: %1</source>
        <translation>
            <numerusform>%n file of this project cannot be found: %1</numerusform>
            <numerusform>%n files of this project cannot be found: %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n file(s) are still missing</source>
        <translation>
            <numerusform>%n file is still missing</numerusform>
            <numerusform>%n files are still missing</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>loquor::ui::PunchDialog</name>
    <message numerus="yes">
        <source>Listen: you speak in %n second(s)</source>
        <translation>
            <numerusform>Listen: you speak in %n second</numerusform>
            <numerusform>Listen: you speak in %n seconds</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Too loud: %n place(s) are distorted</source>
        <translation>
            <numerusform>Too loud: %n place is distorted</numerusform>
            <numerusform>Too loud: %n places are distorted</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>loquor::ui::RecordingCutter</name>
    <message numerus="yes">
        <source>The recording has become %n line(s).</source>
        <translation>
            <numerusform>The recording has become %n line.</numerusform>
            <numerusform>The recording has become %n lines.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>loquor::ui::RecordingPanel</name>
    <message numerus="yes">
        <source>Recording starts in %n second(s)</source>
        <translation>
            <numerusform>Recording starts in %n second</numerusform>
            <numerusform>Recording starts in %n seconds</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Too loud: %n place(s) are distorted</source>
        <translation>
            <numerusform>Too loud: %n place is distorted</numerusform>
            <numerusform>Too loud: %n places are distorted</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The microphone was away %n time(s)</source>
        <translation>
            <numerusform>The microphone was away once</numerusform>
            <numerusform>The microphone was away %n times</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n interrupted recording(s) were saved, the last one as %1</source>
        <translation>
            <numerusform>An interrupted recording was saved as %1</numerusform>
            <numerusform>%n interrupted recordings were saved, the last one as %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The computer could not keep up %n time(s)</source>
        <translation>
            <numerusform>The computer could not keep up %n time</numerusform>
            <numerusform>The computer could not keep up %n times</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>loquor::ui::ReferencePanel</name>
    <message numerus="yes">
        <source>%n face(s). Face %1 will speak; click another one to choose it.</source>
        <translation>
            <numerusform>%n face. Face %1 will speak; click another one to choose it.</numerusform>
            <numerusform>%n faces. Face %1 will speak; click another one to choose it.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>loquor::ui::ScriptPanel</name>
    <message numerus="yes">
        <source>%n word(s)</source>
        <translation>
            <numerusform>%n word</numerusform>
            <numerusform>%n words</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>loquor::ui::SpeechTools</name>
    <message numerus="yes">
        <source>%n line(s) are made of the recording in this way now.</source>
        <translation>
            <numerusform>%n line is made of the recording in this way now.</numerusform>
            <numerusform>%n lines are made of the recording in this way now.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>loquor::ui::TakeInDialog</name>
    <message numerus="yes">
        <source>%1 and %n more</source>
        <translation>
            <numerusform>%1 and %n more</numerusform>
            <numerusform>%1 and %n more</numerusform>
        </translation>
    </message>
</context>
</TS>
