<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de_DE" sourcelanguage="en">
<context>
    <name>LineCommands</name>
    <message>
        <source>Move line</source>
        <translation>Zeile verschieben</translation>
    </message>
    <message>
        <source>Remove line</source>
        <translation>Zeile entfernen</translation>
    </message>
    <message>
        <source>Another take</source>
        <translation>Weitere Fassung</translation>
    </message>
    <message>
        <source>Choose take</source>
        <translation>Fassung wählen</translation>
    </message>
</context>
<context>
    <name>Look</name>
    <message>
        <source>not made yet</source>
        <translation>noch nicht erzeugt</translation>
    </message>
    <message>
        <source>changed, not made yet</source>
        <translation>geändert, noch nicht erzeugt</translation>
    </message>
    <message>
        <source>partly made</source>
        <translation>teilweise erzeugt</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>wartet</translation>
    </message>
    <message>
        <source>being made</source>
        <translation>wird erzeugt</translation>
    </message>
    <message>
        <source>ready</source>
        <translation>fertig</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>fehlgeschlagen</translation>
    </message>
</context>
<context>
    <name>MediaDialogs</name>
    <message>
        <source>All files</source>
        <translation>Alle Dateien</translation>
    </message>
    <message>
        <source>Pictures and videos</source>
        <translation>Bilder und Videos</translation>
    </message>
    <message>
        <source>Choose a photo or a clip of a person</source>
        <translation>Foto oder Clip einer Person wählen</translation>
    </message>
    <message>
        <source>Sound</source>
        <translation>Ton</translation>
    </message>
    <message>
        <source>Open a recording</source>
        <translation>Aufnahme öffnen</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>Open a text</source>
        <translation>Text öffnen</translation>
    </message>
    <message>
        <source>Pictures</source>
        <translation>Bilder</translation>
    </message>
    <message>
        <source>Choose a background picture</source>
        <translation>Hintergrundbild wählen</translation>
    </message>
    <message>
        <source>Export video</source>
        <translation>Video exportieren</translation>
    </message>
    <message>
        <source>MP4 video</source>
        <translation>MP4-Video</translation>
    </message>
</context>
<context>
    <name>PastedText</name>
    <message numerus="yes">
        <source>And %n more.</source>
        <translation>
            <numerusform>Und %n weitere Stelle.</numerusform>
            <numerusform>Und %n weitere Stellen.</numerusform>
        </translation>
    </message>
    <message>
        <source>The SSML cannot be read and stays as it is: %1</source>
        <translation>Das SSML kann nicht gelesen werden und bleibt, wie es ist: %1</translation>
    </message>
    <message>
        <source>The SSML has become text with tags.</source>
        <translation>Aus dem SSML wurde Text mit Tags.</translation>
    </message>
    <message>
        <source>The SSML has become text with tags. Not all of it was understood:</source>
        <translation>Aus dem SSML wurde Text mit Tags. Nicht alles davon wurde verstanden:</translation>
    </message>
</context>
<context>
    <name>Readiness</name>
    <message>
        <source>Add a photo or a clip of a person.</source>
        <translation>Foto oder Clip einer Person hinzufügen.</translation>
    </message>
    <message>
        <source>Wait until the picture has been checked.</source>
        <translation>Warten, bis das Bild geprüft ist.</translation>
    </message>
    <message>
        <source>The picture cannot be used. Choose another one.</source>
        <translation>Das Bild ist nicht verwendbar. Bitte ein anderes wählen.</translation>
    </message>
    <message>
        <source>Choose which face should speak.</source>
        <translation>Wählen, welches Gesicht sprechen soll.</translation>
    </message>
    <message>
        <source>Confirm that you may use this likeness.</source>
        <translation>Bestätigen, dass dieses Abbild verwendet werden darf.</translation>
    </message>
    <message>
        <source>Write what the person should say.</source>
        <translation>Schreiben, was die Person sagen soll.</translation>
    </message>
    <message>
        <source>Record the speech or open a sound file.</source>
        <translation>Die Sprache aufnehmen oder eine Tondatei öffnen.</translation>
    </message>
    <message>
        <source>Wait until the recording has been checked.</source>
        <translation>Warten, bis die Aufnahme geprüft ist.</translation>
    </message>
    <message>
        <source>The recording cannot be used. Choose another one.</source>
        <translation>Die Aufnahme ist nicht verwendbar. Bitte eine andere wählen.</translation>
    </message>
    <message>
        <source>Looking at %1…</source>
        <translation>%1 wird geprüft …</translation>
    </message>
    <message>
        <source>This takes a moment.</source>
        <translation>Das dauert einen Augenblick.</translation>
    </message>
    <message>
        <source>No picture yet</source>
        <translation>Noch kein Bild</translation>
    </message>
    <message>
        <source>The panel on the left says why.</source>
        <translation>Warum, steht links beim Bild.</translation>
    </message>
    <message>
        <source>Drop a photo of a person here</source>
        <translation>Foto einer Person hierher ziehen</translation>
    </message>
    <message>
        <source>Then write what the person should say, and press Generate. Everything is made on this computer.</source>
        <translation>Dann schreiben, was die Person sagen soll, und auf „Erzeugen“ drücken. Alles entsteht auf diesem Rechner.</translation>
    </message>
    <message>
        <source>Then press Generate. Everything is made on this computer.</source>
        <translation>Dann auf „Erzeugen“ drücken. Alles entsteht auf diesem Rechner.</translation>
    </message>
</context>
<context>
    <name>loquor::ui::AboutDialog</name>
    <message>
        <source>user interface</source>
        <translation>Oberfläche</translation>
    </message>
    <message>
        <source>reading and writing of media</source>
        <translation>Lesen und Schreiben von Medien</translation>
    </message>
    <message>
        <source>H.264 encoder, through FFmpeg</source>
        <translation>H.264-Encoder, über FFmpeg</translation>
    </message>
    <message>
        <source>phonemes; runs as a program of its own</source>
        <translation>Laute; läuft als eigenes Programm</translation>
    </message>
    <message>
        <source>neural networks</source>
        <translation>neuronale Netze</translation>
    </message>
    <message>
        <source>face detection, face mesh, segmentation</source>
        <translation>Gesichtserkennung, Gesichtsnetz, Freistellung</translation>
    </message>
    <message>
        <source>voices</source>
        <translation>Stimmen</translation>
    </message>
    <message>
        <source>alignment of recordings</source>
        <translation>Zuordnung von Aufnahmen</translation>
    </message>
    <message>
        <source>sound devices</source>
        <translation>Tongeräte</translation>
    </message>
    <message>
        <source>image arithmetic</source>
        <translation>Bildberechnung</translation>
    </message>
    <message>
        <source>linear algebra</source>
        <translation>lineare Algebra</translation>
    </message>
    <message>
        <source>colour profiles</source>
        <translation>Farbprofile</translation>
    </message>
    <message>
        <source>text of all languages</source>
        <translation>Text aller Sprachen</translation>
    </message>
    <message>
        <source>small helpers</source>
        <translation>kleine Helfer</translation>
    </message>
    <message>
        <source>About Loquor</source>
        <translation>Über Loquor</translation>
    </message>
    <message>
        <source>&lt;h2&gt;Loquor %1&lt;/h2&gt;&lt;p&gt;A studio for talking-avatar video. Everything is made on this computer.&lt;/p&gt;</source>
        <translation>&lt;h2&gt;Loquor %1&lt;/h2&gt;&lt;p&gt;Ein Studio für Videos mit sprechenden Avataren. Alles entsteht auf diesem Rechner.&lt;/p&gt;</translation>
    </message>
    <message>
        <source>Licences</source>
        <translation>Lizenzen</translation>
    </message>
    <message>
        <source>&lt;p&gt;Loquor is free software under the Apache License 2.0. The programs that Debian&apos;s FFmpeg is linked into are, as a whole, under the GNU GPL; espeak-ng (GPL 3) runs as a separate helper program. No NVIDIA library is shipped.&lt;/p&gt;</source>
        <translation>&lt;p&gt;Loquor ist freie Software unter der Apache-Lizenz 2.0. Die Programme, in die Debians FFmpeg eingebunden ist, stehen als Ganzes unter der GNU GPL; espeak-ng (GPL 3) läuft als eigenes Hilfsprogramm. Es wird keine NVIDIA-Bibliothek mitgeliefert.&lt;/p&gt;</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
</context>
<context>
    <name>loquor::ui::Actions</name>
    <message>
        <source>&amp;File</source>
        <translation>&amp;Datei</translation>
    </message>
    <message>
        <source>&amp;New project</source>
        <translation>&amp;Neues Projekt</translation>
    </message>
    <message>
        <source>&amp;Open project…</source>
        <translation>Projekt ö&amp;ffnen …</translation>
    </message>
    <message>
        <source>Open &amp;recent</source>
        <translation>&amp;Zuletzt verwendet</translation>
    </message>
    <message>
        <source>&amp;Save</source>
        <translation>&amp;Speichern</translation>
    </message>
    <message>
        <source>Save &amp;as…</source>
        <translation>Speichern &amp;unter …</translation>
    </message>
    <message>
        <source>Choose &amp;photo or clip…</source>
        <translation>F&amp;oto oder Clip wählen …</translation>
    </message>
    <message>
        <source>Open so&amp;und…</source>
        <translation>&amp;Ton öffnen …</translation>
    </message>
    <message>
        <source>Open &amp;text…</source>
        <translation>Te&amp;xt öffnen …</translation>
    </message>
    <message>
        <source>&amp;Export video…</source>
        <translation>Video &amp;exportieren …</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>&amp;Beenden</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>&amp;Bearbeiten</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>&amp;Rückgängig</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>&amp;Wiederholen</translation>
    </message>
    <message>
        <source>&amp;Settings…</source>
        <translation>&amp;Einstellungen …</translation>
    </message>
    <message>
        <source>&amp;Video</source>
        <translation>&amp;Video</translation>
    </message>
    <message>
        <source>&amp;Generate</source>
        <translation>&amp;Erzeugen</translation>
    </message>
    <message>
        <source>&amp;Cancel</source>
        <translation>&amp;Abbrechen</translation>
    </message>
    <message>
        <source>Esc</source>
        <translation>Esc</translation>
    </message>
    <message>
        <source>&amp;Record voice</source>
        <translation>Stimme auf&amp;nehmen</translation>
    </message>
    <message>
        <source>R</source>
        <translation>R</translation>
    </message>
    <message>
        <source>&amp;Play or pause</source>
        <translation>A&amp;bspielen oder anhalten</translation>
    </message>
    <message>
        <source>Space</source>
        <translation>Leertaste</translation>
    </message>
    <message>
        <source>To the &amp;start</source>
        <translation>Zum An&amp;fang</translation>
    </message>
    <message>
        <source>Home</source>
        <translation>Pos1</translation>
    </message>
    <message>
        <source>One frame &amp;back</source>
        <translation>Ein Bild &amp;zurück</translation>
    </message>
    <message>
        <source>Left</source>
        <translation>Links</translation>
    </message>
    <message>
        <source>One frame &amp;forward</source>
        <translation>Ein Bild &amp;vor</translation>
    </message>
    <message>
        <source>Right</source>
        <translation>Rechts</translation>
    </message>
    <message>
        <source>To the &amp;end</source>
        <translation>Zum E&amp;nde</translation>
    </message>
    <message>
        <source>End</source>
        <translation>Ende</translation>
    </message>
    <message>
        <source>Vie&amp;w</source>
        <translation>&amp;Ansicht</translation>
    </message>
    <message>
        <source>&amp;Full screen</source>
        <translation>&amp;Vollbild</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>&amp;Hilfe</translation>
    </message>
    <message>
        <source>&amp;Keys</source>
        <translation>&amp;Tasten</translation>
    </message>
    <message>
        <source>&amp;About Loquor</source>
        <translation>Ü&amp;ber Loquor</translation>
    </message>
    <message>
        <source>Clear this list</source>
        <translation>Liste leeren</translation>
    </message>
    <message>
        <source>&amp;Next section</source>
        <translation>&amp;Nächster Bereich</translation>
    </message>
    <message>
        <source>&amp;Previous section</source>
        <translation>&amp;Voriger Bereich</translation>
    </message>
    <message>
        <source>&amp;Reset layout</source>
        <translation>Anordnung &amp;zurücksetzen</translation>
    </message>
    <message>
        <source>&amp;Commands…</source>
        <translation>&amp;Befehle …</translation>
    </message>
    <message>
        <source>&amp;Pronunciation…</source>
        <translation>Auss&amp;prache …</translation>
    </message>
    <message>
        <source>Part and so&amp;und of the recording…</source>
        <translation>Teil und &amp;Klang der Aufnahme …</translation>
    </message>
    <message>
        <source>Say a part of the &amp;line again…</source>
        <translation>Einen Teil der Zei&amp;le neu sprechen …</translation>
    </message>
</context>
<context>
    <name>loquor::ui::CommandPalette</name>
    <message>
        <source>Commands</source>
        <translation>Befehle</translation>
    </message>
    <message>
        <source>Type what you want to do</source>
        <translation>Schreiben Sie, was Sie tun möchten</translation>
    </message>
    <message>
        <source>Search commands</source>
        <translation>Befehle suchen</translation>
    </message>
    <message>
        <source>Commands found</source>
        <translation>Gefundene Befehle</translation>
    </message>
    <message>
        <source>%1   (%2)</source>
        <translation>%1   (%2)</translation>
    </message>
</context>
<context>
    <name>loquor::ui::ExportDialog</name>
    <message>
        <source>Show on the picture:</source>
        <translation>Im Bild zeigen:</translation>
    </message>
    <message>
        <source>Export video</source>
        <translation>Video exportieren</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Captions</source>
        <translation>Untertitel</translation>
    </message>
    <message>
        <source>Text on the picture</source>
        <translation>Text im Bild</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Keine</translation>
    </message>
    <message>
        <source>In the file, to be switched on</source>
        <translation>In der Datei, zuschaltbar</translation>
    </message>
    <message>
        <source>Drawn into the picture</source>
        <translation>In das Bild gezeichnet</translation>
    </message>
    <message>
        <source>As an SRT file beside it</source>
        <translation>Als SRT-Datei daneben</translation>
    </message>
    <message>
        <source>As a WebVTT file beside it</source>
        <translation>Als WebVTT-Datei daneben</translation>
    </message>
    <message>
        <source>As a WebVTT file with every word</source>
        <translation>Als WebVTT-Datei mit jedem Wort</translation>
    </message>
    <message>
        <source>&amp;Size</source>
        <translation>&amp;Größe</translation>
    </message>
    <message>
        <source>&amp;Captions</source>
        <translation>&amp;Untertitel</translation>
    </message>
    <message>
        <source>Label</source>
        <translation>Hinweis</translation>
    </message>
    <message>
        <source>Choose file…</source>
        <translation>Datei wählen …</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>As made: %1 × %2</source>
        <translation>Wie erzeugt: %1 × %2</translation>
    </message>
    <message>
        <source>%1 × %2</source>
        <translation>%1 × %2</translation>
    </message>
    <message>
        <source>AI generated</source>
        <translation>Mit KI erzeugt</translation>
    </message>
    <message>
        <source>MP4 with H.264 and AAC, %1, about %2.</source>
        <translation>MP4 mit H.264 und AAC, %1, etwa %2.</translation>
    </message>
    <message>
        <source>A recording as a whole is made in one piece, in its own size and without captions.</source>
        <translation>Eine Aufnahme als Ganzes entsteht in einem Stück, in ihrer Größe und ohne Untertitel.</translation>
    </message>
    <message>
        <source>The pictures are encoded once more for this.</source>
        <translation>Die Bilder werden dafür noch einmal kodiert.</translation>
    </message>
    <message>
        <source>What is made already is copied as it is.</source>
        <translation>Was schon erzeugt ist, wird unverändert kopiert.</translation>
    </message>
</context>
<context>
    <name>loquor::ui::FacePicture</name>
    <message>
        <source>Picture of the person</source>
        <translation>Bild der Person</translation>
    </message>
    <message numerus="yes">
        <source>%n face(s) found</source>
        <translation>
            <numerusform>%n Gesicht gefunden</numerusform>
            <numerusform>%n Gesichter gefunden</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>loquor::ui::JobController</name>
    <message>
        <source>%1 of video in %2</source>
        <translation>%1 Video in %2</translation>
    </message>
    <message>
        <source>%1 of video in %2, %3 times real time</source>
        <translation>%1 Video in %2, %3-fache Echtzeit</translation>
    </message>
    <message numerus="yes">
        <source>%n line(s) could not be made, so there is no video yet. Export tries again.</source>
        <translation>
            <numerusform>%n Zeile konnte nicht erzeugt werden, deshalb gibt es noch kein Video. Exportieren versucht es erneut.</numerusform>
            <numerusform>%n Zeilen konnten nicht erzeugt werden, deshalb gibt es noch kein Video. Exportieren versucht es erneut.</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 of video, %2 of it made in %3</source>
        <translation>%1 Video, davon %2 erzeugt in %3</translation>
    </message>
</context>
<context>
    <name>loquor::ui::JobPanel</name>
    <message>
        <source>Generate</source>
        <translation>Erzeugen</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>Export …</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Make the video and watch it here (%1)</source>
        <translation>Das Video erzeugen und hier ansehen (%1)</translation>
    </message>
    <message>
        <source>Ctrl+Return</source>
        <translation>Strg+Eingabe</translation>
    </message>
    <message>
        <source>Make the video as an MP4 file (%1)</source>
        <translation>Das Video als MP4-Datei erzeugen (%1)</translation>
    </message>
    <message>
        <source>Ctrl+E</source>
        <translation>Strg+E</translation>
    </message>
    <message>
        <source>Stop (%1)</source>
        <translation>Anhalten (%1)</translation>
    </message>
    <message>
        <source>Esc</source>
        <translation>Esc</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>Fortschritt</translation>
    </message>
    <message>
        <source>About %1 of video, made in about %2, %3.</source>
        <translation>Etwa %1 Video, fertig in etwa %2, %3.</translation>
    </message>
    <message>
        <source>Only %1 are free on the disk.</source>
        <translation>Auf der Platte sind nur %1 frei.</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>Wird angehalten …</translation>
    </message>
    <message>
        <source>Reading the picture…</source>
        <translation>Das Bild wird gelesen …</translation>
    </message>
    <message>
        <source>Speaking…</source>
        <translation>Es wird gesprochen …</translation>
    </message>
    <message>
        <source>Listening to the recording…</source>
        <translation>Die Aufnahme wird angehört …</translation>
    </message>
    <message>
        <source>Finishing the file…</source>
        <translation>Die Datei wird fertiggestellt …</translation>
    </message>
    <message>
        <source>Making pictures, %1 a second</source>
        <translation>Bilder entstehen, %1 je Sekunde</translation>
    </message>
    <message>
        <source>Making pictures…</source>
        <translation>Bilder entstehen …</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>Es geht los …</translation>
    </message>
    <message numerus="yes">
        <source>%n second(s) left</source>
        <translation>
            <numerusform>noch %n Sekunde</numerusform>
            <numerusform>noch %n Sekunden</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n minute(s) left</source>
        <translation>
            <numerusform>noch %n Minute</numerusform>
            <numerusform>noch %n Minuten</numerusform>
        </translation>
    </message>
    <message>
        <source>Writing the file…</source>
        <translation>Datei wird geschrieben …</translation>
    </message>
    <message>
        <source>All is made: %1 of video, about %2.</source>
        <translation>Alles ist erzeugt: %1 Video, etwa %2.</translation>
    </message>
</context>
<context>
    <name>loquor::ui::KeysDialog</name>
    <message>
        <source>Keys</source>
        <translation>Tasten</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>Befehl</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>Taste</translation>
    </message>
    <message>
        <source>Play faster</source>
        <translation>Schneller abspielen</translation>
    </message>
    <message>
        <source>L</source>
        <translation>L</translation>
    </message>
    <message>
        <source>Play backwards</source>
        <translation>Rückwärts abspielen</translation>
    </message>
    <message>
        <source>J</source>
        <translation>J</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>K</source>
        <translation>K</translation>
    </message>
    <message>
        <source>One frame</source>
        <translation>Ein Bild</translation>
    </message>
    <message>
        <source>hold K and press J or L</source>
        <translation>K halten und J oder L drücken</translation>
    </message>
    <message>
        <source>One, two, five, ten seconds</source>
        <translation>Eine, zwei, fünf, zehn Sekunden</translation>
    </message>
    <message>
        <source>Page Up, Page Down; with Shift, Ctrl, both</source>
        <translation>Bild auf, Bild ab; mit Umschalt, Strg, beiden</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
</context>
<context>
    <name>loquor::ui::LevelMeter</name>
    <message>
        <source>Recording level</source>
        <translation>Aufnahmepegel</translation>
    </message>
    <message>
        <source>Too loud</source>
        <translation>Zu laut</translation>
    </message>
    <message numerus="yes">
        <source>%n percent</source>
        <translation>
            <numerusform>%n Prozent</numerusform>
            <numerusform>%n Prozent</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>loquor::ui::LineMargin</name>
    <message>
        <source>States of the lines</source>
        <translation>Zustände der Zeilen</translation>
    </message>
</context>
<context>
    <name>loquor::ui::LinePanel</name>
    <message>
        <source>Line</source>
        <translation>Zeile</translation>
    </message>
    <message>
        <source>Another take</source>
        <translation>Weitere Fassung</translation>
    </message>
    <message>
        <source>Move line up</source>
        <translation>Zeile nach oben</translation>
    </message>
    <message>
        <source>Move line down</source>
        <translation>Zeile nach unten</translation>
    </message>
    <message>
        <source>Remove line</source>
        <translation>Zeile entfernen</translation>
    </message>
    <message>
        <source>Voice of the line</source>
        <translation>Stimme der Zeile</translation>
    </message>
    <message>
        <source>Motion of the line</source>
        <translation>Bewegung der Zeile</translation>
    </message>
    <message>
        <source>How the person moves in this line, in a few words</source>
        <translation>Wie sich die Person in dieser Zeile bewegt, in wenigen Worten</translation>
    </message>
    <message>
        <source>Pause behind the line</source>
        <translation>Pause nach der Zeile</translation>
    </message>
    <message>
        <source>by punctuation</source>
        <translation>nach Satzzeichen</translation>
    </message>
    <message>
        <source> s</source>
        <translation> s</translation>
    </message>
    <message>
        <source>Makes this line again with other movements; the take before stays</source>
        <translation>Erzeugt die Zeile erneut mit anderen Bewegungen; die bisherige Fassung bleibt</translation>
    </message>
    <message>
        <source>Voice</source>
        <translation>Stimme</translation>
    </message>
    <message>
        <source>Motion</source>
        <translation>Bewegung</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>Choose voice of a line</source>
        <translation>Stimme einer Zeile wählen</translation>
    </message>
    <message>
        <source>Change motion of a line</source>
        <translation>Bewegung einer Zeile ändern</translation>
    </message>
    <message>
        <source>Change pause</source>
        <translation>Pause ändern</translation>
    </message>
    <message>
        <source>As the script</source>
        <translation>Wie das Skript</translation>
    </message>
    <message>
        <source>Line %1</source>
        <translation>Zeile %1</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>about %1 · %2</source>
        <translation>etwa %1 · %2</translation>
    </message>
    <message>
        <source>as the video</source>
        <translation>wie das Video</translation>
    </message>
    <message>
        <source>%1 (not installed)</source>
        <translation>%1 (nicht installiert)</translation>
    </message>
</context>
<context>
    <name>loquor::ui::MainWindow</name>
    <message>
        <source>Ready</source>
        <translation>Bereit</translation>
    </message>
    <message>
        <source>Change background</source>
        <translation>Hintergrund ändern</translation>
    </message>
    <message>
        <source>Saved %1</source>
        <translation>%1 gespeichert</translation>
    </message>
    <message>
        <source>Exporting %1</source>
        <translation>%1 wird exportiert</translation>
    </message>
    <message>
        <source>Generating</source>
        <translation>Wird erzeugt</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>Angehalten</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Fehlgeschlagen</translation>
    </message>
    <message>
        <source>The engine was restarted</source>
        <translation>Die Engine wurde neu gestartet</translation>
    </message>
    <message>
        <source>%1 is used by this project and would be lost. Choose another name.</source>
        <translation>%1 wird in diesem Projekt verwendet und ginge verloren. Bitte einen anderen Namen wählen.</translation>
    </message>
    <message>
        <source>Exported %1</source>
        <translation>%1 exportiert</translation>
    </message>
    <message>
        <source>Show in folder</source>
        <translation>Im Ordner zeigen</translation>
    </message>
    <message>
        <source>%1[*] – Loquor</source>
        <translation>%1[*] – Loquor</translation>
    </message>
    <message>
        <source>Export is running</source>
        <translation>Ein Export läuft</translation>
    </message>
    <message>
        <source>Stop the export and quit?</source>
        <translation>Den Export anhalten und beenden?</translation>
    </message>
    <message>
        <source>This is not a file on this computer. Save it first, then drop it.</source>
        <translation>Das ist keine Datei auf diesem Rechner. Bitte erst speichern, dann hierher ziehen.</translation>
    </message>
    <message>
        <source>Stop and quit</source>
        <translation>Anhalten und beenden</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>Weitermachen</translation>
    </message>
    <message>
        <source>As opened</source>
        <translation>Wie geöffnet</translation>
    </message>
    <message>
        <source>History of edits</source>
        <translation>Verlauf der Änderungen</translation>
    </message>
    <message>
        <source>Script</source>
        <translation>Skript</translation>
    </message>
    <message>
        <source>Inspector</source>
        <translation>Eigenschaften</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>Zeitleiste</translation>
    </message>
    <message>
        <source>History</source>
        <translation>Verlauf</translation>
    </message>
    <message numerus="yes">
        <source>%n line(s) could not be made. Line %1: %2</source>
        <translation>
            <numerusform>%n Zeile konnte nicht erzeugt werden. Zeile %1: %2</numerusform>
            <numerusform>%n Zeilen konnten nicht erzeugt werden. Zeile %1: %2</numerusform>
        </translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Erneut versuchen</translation>
    </message>
    <message>
        <source>Takes</source>
        <translation>Fassungen</translation>
    </message>
</context>
<context>
    <name>loquor::ui::MediaChecks</name>
    <message>
        <source>it is not a picture, video, sound or text</source>
        <translation>weder Bild, Video, Ton noch Text</translation>
    </message>
    <message>
        <source>%1 cannot be used: %2</source>
        <translation>%1 ist nicht verwendbar: %2</translation>
    </message>
    <message>
        <source>Choose person</source>
        <translation>Person wählen</translation>
    </message>
    <message>
        <source>Choose recording</source>
        <translation>Aufnahme wählen</translation>
    </message>
    <message>
        <source>Choose face</source>
        <translation>Gesicht wählen</translation>
    </message>
    <message>
        <source>%1 cannot be read, or is too long for a script</source>
        <translation>%1 ist nicht lesbar oder als Text zu lang</translation>
    </message>
</context>
<context>
    <name>loquor::ui::MessageBar</name>
    <message>
        <source>Close the message</source>
        <translation>Meldung schließen</translation>
    </message>
</context>
<context>
    <name>loquor::ui::OutputPanel</name>
    <message>
        <source>Landscape 16:9</source>
        <translation>Quer 16:9</translation>
    </message>
    <message>
        <source>Portrait 9:16</source>
        <translation>Hoch 9:16</translation>
    </message>
    <message>
        <source>Square 1:1</source>
        <translation>Quadrat 1:1</translation>
    </message>
    <message>
        <source>Classic 4:3</source>
        <translation>Klassisch 4:3</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Frame rate</source>
        <translation>Bildrate</translation>
    </message>
    <message>
        <source>Framing</source>
        <translation>Ausschnitt</translation>
    </message>
    <message>
        <source>Background</source>
        <translation>Hintergrund</translation>
    </message>
    <message>
        <source>Motion</source>
        <translation>Bewegung</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Startwert</translation>
    </message>
    <message>
        <source>Video</source>
        <translation>Video</translation>
    </message>
    <message>
        <source>%1 · %2 × %3</source>
        <translation>%1 · %2 × %3</translation>
    </message>
    <message>
        <source>Custom…</source>
        <translation>Eigene …</translation>
    </message>
    <message>
        <source>%1 frames per second</source>
        <translation>%1 Bilder je Sekunde</translation>
    </message>
    <message>
        <source>Fill the picture</source>
        <translation>Das Bild füllen</translation>
    </message>
    <message>
        <source>Show all of the photo</source>
        <translation>Das ganze Foto zeigen</translation>
    </message>
    <message>
        <source>As in the photo</source>
        <translation>Wie im Foto</translation>
    </message>
    <message>
        <source>Colour…</source>
        <translation>Farbe …</translation>
    </message>
    <message>
        <source>Picture…</source>
        <translation>Bild …</translation>
    </message>
    <message>
        <source>Width in pixels</source>
        <translation>Breite in Pixeln</translation>
    </message>
    <message>
        <source>Height in pixels</source>
        <translation>Höhe in Pixeln</translation>
    </message>
    <message>
        <source>calm, smiling</source>
        <translation>calm, smiling</translation>
    </message>
    <message>
        <source>How the person moves, in a few words</source>
        <translation>Wie sich die Person bewegt, in wenigen englischen Wörtern</translation>
    </message>
    <message>
        <source>automatic</source>
        <translation>automatisch</translation>
    </message>
    <message>
        <source>The same number gives the same movements again</source>
        <translation>Dieselbe Zahl ergibt wieder dieselben Bewegungen</translation>
    </message>
    <message>
        <source>Change frame rate</source>
        <translation>Bildrate ändern</translation>
    </message>
    <message>
        <source>Change framing</source>
        <translation>Ausschnitt ändern</translation>
    </message>
    <message>
        <source>Change motion</source>
        <translation>Bewegung ändern</translation>
    </message>
    <message>
        <source>Change size</source>
        <translation>Größe ändern</translation>
    </message>
    <message>
        <source>Change background</source>
        <translation>Hintergrund ändern</translation>
    </message>
    <message>
        <source>Change seed</source>
        <translation>Startwert ändern</translation>
    </message>
    <message>
        <source>Colour %1</source>
        <translation>Farbe %1</translation>
    </message>
</context>
<context>
    <name>loquor::ui::PreviewDirector</name>
    <message>
        <source>Could not be made</source>
        <translation>Konnte nicht erzeugt werden</translation>
    </message>
    <message>
        <source>Not made yet</source>
        <translation>Noch nicht erzeugt</translation>
    </message>
    <message>
        <source>Changed since this preview</source>
        <translation>Seit dieser Vorschau geändert</translation>
    </message>
</context>
<context>
    <name>loquor::ui::PreviewPanel</name>
    <message>
        <source>To the start</source>
        <translation>Zum Anfang</translation>
    </message>
    <message>
        <source>Home</source>
        <translation>Pos1</translation>
    </message>
    <message>
        <source>One frame back</source>
        <translation>Ein Bild zurück</translation>
    </message>
    <message>
        <source>Left</source>
        <translation>Links</translation>
    </message>
    <message>
        <source>Play</source>
        <translation>Abspielen</translation>
    </message>
    <message>
        <source>Space</source>
        <translation>Leertaste</translation>
    </message>
    <message>
        <source>One frame forward</source>
        <translation>Ein Bild vor</translation>
    </message>
    <message>
        <source>Right</source>
        <translation>Rechts</translation>
    </message>
    <message>
        <source>To the end</source>
        <translation>Zum Ende</translation>
    </message>
    <message>
        <source>End</source>
        <translation>Ende</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>%1 / %2</source>
        <translation>%1 / %2</translation>
    </message>
</context>
<context>
    <name>loquor::ui::PreviewWidget</name>
    <message>
        <source>Preview</source>
        <translation>Vorschau</translation>
    </message>
    <message>
        <source>Waiting for pictures…</source>
        <translation>Warten auf Bilder …</translation>
    </message>
    <message>
        <source>%1×</source>
        <translation>%1×</translation>
    </message>
</context>
<context>
    <name>loquor::ui::ProjectFiles</name>
    <message>
        <source>The project is open in %1. You can look at it here and save it under another name.</source>
        <translation>Das Projekt ist in %1 geöffnet. Sie können es hier ansehen und unter anderem Namen speichern.</translation>
    </message>
</context>
<context>
    <name>loquor::ui::ProjectFlow</name>
    <message>
        <source>Save as…</source>
        <translation>Speichern unter …</translation>
    </message>
    <message>
        <source>Open project</source>
        <translation>Projekt öffnen</translation>
    </message>
    <message>
        <source>Loquor projects (*.loquor)</source>
        <translation>Loquor-Projekte (*.loquor)</translation>
    </message>
    <message>
        <source>Save project</source>
        <translation>Projekt speichern</translation>
    </message>
    <message>
        <source>Unsaved changes</source>
        <translation>Ungespeicherte Änderungen</translation>
    </message>
    <message>
        <source>Save the changes to “%1”?</source>
        <translation>Die Änderungen an „%1“ speichern?</translation>
    </message>
    <message>
        <source>Without saving they are lost.</source>
        <translation>Sonst gehen sie verloren.</translation>
    </message>
    <message numerus="yes">
        <source>%n file(s) of this project cannot be found: %1</source>
        <translation>
            <numerusform>%n Datei dieses Projekts fehlt: %1</numerusform>
            <numerusform>%n Dateien dieses Projekts fehlen: %1</numerusform>
        </translation>
    </message>
    <message>
        <source>Find…</source>
        <translation>Suchen …</translation>
    </message>
    <message>
        <source>Folder that holds the missing files</source>
        <translation>Ordner mit den fehlenden Dateien</translation>
    </message>
    <message>
        <source>Find missing files</source>
        <translation>Fehlende Dateien suchen</translation>
    </message>
    <message numerus="yes">
        <source>%n file(s) are still missing</source>
        <translation>
            <numerusform>%n Datei fehlt noch</numerusform>
            <numerusform>%n Dateien fehlen noch</numerusform>
        </translation>
    </message>
    <message>
        <source>Unsaved work found</source>
        <translation>Ungespeicherte Arbeit gefunden</translation>
    </message>
    <message>
        <source>Loquor was not closed properly. Open the unsaved work of %1?</source>
        <translation>Loquor wurde nicht richtig beendet. Die ungespeicherte Arbeit vom %1 öffnen?</translation>
    </message>
    <message>
        <source>It begins: “%1”</source>
        <translation>Sie beginnt: „%1“</translation>
    </message>
    <message>
        <source>The file “%1” was saved on %2 and lacks it.</source>
        <translation>Die Datei „%1“ wurde am %2 gespeichert und enthält sie nicht.</translation>
    </message>
    <message>
        <source>The project file has been changed by something else since.</source>
        <translation>Die Projektdatei wurde seither von etwas anderem geändert.</translation>
    </message>
    <message>
        <source>Open as a copy</source>
        <translation>Als Kopie öffnen</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>Verwerfen</translation>
    </message>
    <message>
        <source>Later</source>
        <translation>Später</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>Don&apos;t save</source>
        <translation>Nicht speichern</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
</context>
<context>
    <name>loquor::ui::ProjectModel</name>
    <message>
        <source>Untitled</source>
        <translation>Unbenannt</translation>
    </message>
</context>
<context>
    <name>loquor::ui::PronunciationDialog</name>
    <message>
        <source>This project</source>
        <translation>Dieses Projekt</translation>
    </message>
    <message>
        <source>All projects</source>
        <translation>Alle Projekte</translation>
    </message>
    <message>
        <source>Hear</source>
        <translation>Anhören</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Pronunciation</source>
        <translation>Aussprache</translation>
    </message>
    <message>
        <source>The dictionary of this project: it goes before the other</source>
        <translation>Das Wörterbuch dieses Projekts: es geht dem anderen vor</translation>
    </message>
    <message>
        <source>Your own dictionary</source>
        <translation>Ihr eigenes Wörterbuch</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <source>Search the dictionary</source>
        <translation>Wörterbuch durchsuchen</translation>
    </message>
    <message>
        <source>Words</source>
        <translation>Wörter</translation>
    </message>
    <message>
        <source>A word or a phrase</source>
        <translation>Ein Wort oder eine Wortgruppe</translation>
    </message>
    <message>
        <source>this text</source>
        <translation>diesen Text</translation>
    </message>
    <message>
        <source>these sounds (IPA)</source>
        <translation>diese Laute (IPA)</translation>
    </message>
    <message>
        <source>Kind of pronunciation</source>
        <translation>Art der Aussprache</translation>
    </message>
    <message>
        <source>How it is said</source>
        <translation>Wie es gesprochen wird</translation>
    </message>
    <message>
        <source>&amp;Written</source>
        <translation>&amp;Geschrieben</translation>
    </message>
    <message>
        <source>&amp;Said as</source>
        <translation>Gesprochen &amp;als</translation>
    </message>
    <message>
        <source>&amp;Language</source>
        <translation>&amp;Sprache</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Words of this project that the voice says in another way than they are written.</source>
        <translation>Wörter dieses Projekts, die die Stimme anders spricht, als sie geschrieben sind.</translation>
    </message>
    <message>
        <source>Words that are said in this way in all your projects, where a project does not say otherwise.</source>
        <translation>Wörter, die in allen Ihren Projekten so gesprochen werden, wo ein Projekt nichts anderes sagt.</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>Ändern</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>Hinzufügen</translation>
    </message>
    <message>
        <source>As it would be written</source>
        <translation>So, wie man es schreiben würde</translation>
    </message>
    <message>
        <source>Speaking…</source>
        <translation>Es wird gesprochen …</translation>
    </message>
    <message>
        <source>Say “%1”</source>
        <translation>„%1“ aussprechen</translation>
    </message>
    <message>
        <source>Forget “%1”</source>
        <translation>„%1“ vergessen</translation>
    </message>
</context>
<context>
    <name>loquor::ui::PronunciationTable</name>
    <message>
        <source>every language</source>
        <translation>jede Sprache</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>Written</source>
        <translation>Geschrieben</translation>
    </message>
    <message>
        <source>Said</source>
        <translation>Gesprochen</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Sprache</translation>
    </message>
</context>
<context>
    <name>loquor::ui::PunchDialog</name>
    <message>
        <source>&amp;Words</source>
        <translation>&amp;Wörter</translation>
    </message>
    <message>
        <source>Hear</source>
        <translation>Anhören</translation>
    </message>
    <message>
        <source>Say a part of line %1 again</source>
        <translation>Einen Teil von Zeile %1 neu sprechen</translation>
    </message>
    <message>
        <source>Beginning of the part</source>
        <translation>Anfang des Teils</translation>
    </message>
    <message>
        <source>End of the part</source>
        <translation>Ende des Teils</translation>
    </message>
    <message>
        <source>First word</source>
        <translation>Erstes Wort</translation>
    </message>
    <message>
        <source>Last word</source>
        <translation>Letztes Wort</translation>
    </message>
    <message>
        <source>Use it</source>
        <translation>Verwenden</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>The new sound with a second of the line around it</source>
        <translation>Der neue Ton mit je einer Sekunde der Zeile davor und danach</translation>
    </message>
    <message>
        <source>to</source>
        <translation>bis</translation>
    </message>
    <message>
        <source>&amp;Part</source>
        <translation>&amp;Teil</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Opening the microphone…</source>
        <translation>Das Mikrofon wird geöffnet …</translation>
    </message>
    <message numerus="yes">
        <source>Listen: you speak in %n second(s)</source>
        <translation>
            <numerusform>Zuhören: Sie sprechen in %n Sekunde</numerusform>
            <numerusform>Zuhören: Sie sprechen in %n Sekunden</numerusform>
        </translation>
    </message>
    <message>
        <source>Speak now: %1</source>
        <translation>Sprechen Sie jetzt: %1</translation>
    </message>
    <message>
        <source>Putting it together…</source>
        <translation>Es wird zusammengesetzt …</translation>
    </message>
    <message numerus="yes">
        <source>Too loud: %n place(s) are distorted</source>
        <translation>
            <numerusform>Zu laut: %n Stelle ist verzerrt</numerusform>
            <numerusform>Zu laut: %n Stellen sind verzerrt</numerusform>
        </translation>
    </message>
    <message>
        <source>The line was changed meanwhile.</source>
        <translation>Die Zeile wurde inzwischen geändert.</translation>
    </message>
    <message>
        <source>Say a part again</source>
        <translation>Einen Teil neu sprechen</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Record</source>
        <translation>Aufnehmen</translation>
    </message>
    <message>
        <source>Record again</source>
        <translation>Neu aufnehmen</translation>
    </message>
    <message>
        <source>Getting the line out of its recording…</source>
        <translation>Die Zeile wird aus ihrer Aufnahme geholt …</translation>
    </message>
    <message>
        <source>Two seconds of the line are heard first; then speak until the part is over.</source>
        <translation>Zuerst sind zwei Sekunden der Zeile zu hören; sprechen Sie dann, bis der Teil zu Ende ist.</translation>
    </message>
    <message>
        <source>Recorded. Hear it, use it, or record it again.</source>
        <translation>Aufgenommen. Hören Sie es an, verwenden Sie es oder nehmen Sie es neu auf.</translation>
    </message>
</context>
<context>
    <name>loquor::ui::RecordingCutter</name>
    <message>
        <source>Make lines of the recording</source>
        <translation>Zeilen aus der Aufnahme machen</translation>
    </message>
    <message numerus="yes">
        <source>The recording has become %n line(s).</source>
        <translation>
            <numerusform>Die Aufnahme ist nun %n Zeile.</numerusform>
            <numerusform>Die Aufnahme ist nun %n Zeilen.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>loquor::ui::RecordingPanel</name>
    <message>
        <source>Record</source>
        <translation>Aufnehmen</translation>
    </message>
    <message>
        <source>Open sound…</source>
        <translation>Ton öffnen …</translation>
    </message>
    <message>
        <source>Record with the microphone (%1)</source>
        <translation>Mit dem Mikrofon aufnehmen (%1)</translation>
    </message>
    <message>
        <source>R</source>
        <translation>R</translation>
    </message>
    <message>
        <source>What is said in the recording (optional; makes the lips more exact)</source>
        <translation>Was in der Aufnahme gesagt wird (freiwillig; macht die Lippen genauer)</translation>
    </message>
    <message>
        <source>Words of the recording</source>
        <translation>Wortlaut der Aufnahme</translation>
    </message>
    <message>
        <source>Edit words of the recording</source>
        <translation>Wortlaut der Aufnahme ändern</translation>
    </message>
    <message>
        <source>Hear myself</source>
        <translation>Mich selbst hören</translation>
    </message>
    <message>
        <source>Plays what the microphone hears; use headphones</source>
        <translation>Spielt ab, was das Mikrofon hört; mit Kopfhörern benutzen</translation>
    </message>
    <message>
        <source>The microphone went away. What was recorded is kept; the take goes on when it is back.</source>
        <translation>Das Mikrofon ist weg. Was aufgenommen ist, bleibt; die Aufnahme geht weiter, sobald es wieder da ist.</translation>
    </message>
    <message numerus="yes">
        <source>Too loud: %n place(s) are distorted</source>
        <translation>
            <numerusform>Zu laut: %n Stelle ist verzerrt</numerusform>
            <numerusform>Zu laut: %n Stellen sind verzerrt</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The microphone was away %n time(s)</source>
        <translation>
            <numerusform>Das Mikrofon war %n-mal weg</numerusform>
            <numerusform>Das Mikrofon war %n-mal weg</numerusform>
        </translation>
    </message>
    <message>
        <source>There is no sound output: clicks cannot be heard.</source>
        <translation>Es gibt keine Tonausgabe: Die Klicks sind nicht zu hören.</translation>
    </message>
    <message>
        <source>Opening the microphone…</source>
        <translation>Das Mikrofon wird geöffnet …</translation>
    </message>
    <message numerus="yes">
        <source>Recording starts in %n second(s)</source>
        <translation>
            <numerusform>Aufnahme beginnt in %n Sekunde</numerusform>
            <numerusform>Aufnahme beginnt in %n Sekunden</numerusform>
        </translation>
    </message>
    <message>
        <source>Recording %1</source>
        <translation>Aufnahme %1</translation>
    </message>
    <message>
        <source>No sound is coming in. Is the microphone muted?</source>
        <translation>Es kommt kein Ton an. Ist das Mikrofon stumm?</translation>
    </message>
    <message numerus="yes">
        <source>%n interrupted recording(s) were saved, the last one as %1</source>
        <translation>
            <numerusform>%n unterbrochene Aufnahme wurde gesichert: %1</numerusform>
            <numerusform>%n unterbrochene Aufnahmen wurden gesichert, die letzte als %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The computer could not keep up %n time(s)</source>
        <translation>
            <numerusform>Der Rechner kam %n Mal nicht nach</numerusform>
            <numerusform>Der Rechner kam %n Mal nicht nach</numerusform>
        </translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Drop a sound file here, open one, or record your voice.</source>
        <translation>Eine Tondatei hierher ziehen, eine öffnen oder die eigene Stimme aufnehmen.</translation>
    </message>
    <message>
        <source>Looking at %1…</source>
        <translation>%1 wird geprüft …</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>Cuts it at its pauses: then each line is made, and made again, without the others</source>
        <translation>Schneidet sie an ihren Pausen: dann wird jede Zeile für sich erzeugt und erneuert</translation>
    </message>
    <message>
        <source>Listening… Cancel</source>
        <translation>Hört zu … Abbrechen</translation>
    </message>
    <message>
        <source>Make lines of it</source>
        <translation>Zeilen daraus machen</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 bis %2</translation>
    </message>
    <message>
        <source>from %1</source>
        <translation>ab %1</translation>
    </message>
    <message>
        <source>stream %1</source>
        <translation>Tonspur %1</translation>
    </message>
    <message>
        <source>as loud as speech</source>
        <translation>laut wie Sprache</translation>
    </message>
    <message>
        <source>without noise</source>
        <translation>ohne Rauschen</translation>
    </message>
    <message>
        <source>Part and sound…</source>
        <translation>Teil und Klang …</translation>
    </message>
    <message>
        <source>Which part of it is used, which of its sound streams, and what is made better</source>
        <translation>Welcher Teil und welche Tonspur verwendet werden, und was daran verbessert wird</translation>
    </message>
</context>
<context>
    <name>loquor::ui::ReferencePanel</name>
    <message>
        <source>I have the right to use this likeness</source>
        <translation>Ich darf dieses Abbild verwenden</translation>
    </message>
    <message>
        <source>Drop a photo or a clip here. Best: one face, looking at the camera, mouth closed, %1 pixels or more between the outer eye corners.</source>
        <translation>Foto oder Clip hierher ziehen. Am besten: ein Gesicht, Blick in die Kamera, Mund geschlossen, mindestens %1 Pixel zwischen den äußeren Augenwinkeln.</translation>
    </message>
    <message>
        <source>Kept in the project, for this picture. Asked once.</source>
        <translation>Wird im Projekt für dieses Bild gemerkt. Einmal gefragt.</translation>
    </message>
    <message>
        <source>Person</source>
        <translation>Person</translation>
    </message>
    <message>
        <source>Choose face</source>
        <translation>Gesicht wählen</translation>
    </message>
    <message>
        <source>Confirm likeness</source>
        <translation>Abbild bestätigen</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>Wählen …</translation>
    </message>
    <message>
        <source>Replace…</source>
        <translation>Ersetzen …</translation>
    </message>
    <message>
        <source>Choose a photo or clip</source>
        <translation>Foto oder Clip wählen</translation>
    </message>
    <message>
        <source>Looking at %1…</source>
        <translation>%1 wird geprüft …</translation>
    </message>
    <message>
        <source>%1 × %2 pixels</source>
        <translation>%1 × %2 Pixel</translation>
    </message>
    <message>
        <source>best moment at %1</source>
        <translation>bester Moment bei %1</translation>
    </message>
    <message numerus="yes">
        <source>%n face(s). Face %1 will speak; click another one to choose it.</source>
        <translation>
            <numerusform>%n Gesicht. Gesicht %1 spricht; ein anderes mit einem Klick wählen.</numerusform>
            <numerusform>%n Gesichter. Gesicht %1 spricht; ein anderes mit einem Klick wählen.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>loquor::ui::ScriptEditor</name>
    <message>
        <source>Line %1: %2</source>
        <translation>Zeile %1: %2</translation>
    </message>
    <message>
        <source>Line %1 of %2: %3</source>
        <translation>Zeile %1 von %2: %3</translation>
    </message>
    <message>
        <source>How “%1” is said…</source>
        <translation>Wie „%1“ gesprochen wird …</translation>
    </message>
</context>
<context>
    <name>loquor::ui::ScriptPanel</name>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>Recording</source>
        <translation>Aufnahme</translation>
    </message>
    <message>
        <source>Speech</source>
        <translation>Sprache</translation>
    </message>
    <message>
        <source>Speech from text</source>
        <translation>Sprache aus Text</translation>
    </message>
    <message>
        <source>Speech from a recording</source>
        <translation>Sprache aus einer Aufnahme</translation>
    </message>
    <message>
        <source>Edit text</source>
        <translation>Text ändern</translation>
    </message>
    <message>
        <source>Choose voice</source>
        <translation>Stimme wählen</translation>
    </message>
    <message>
        <source>Write here what the person says.

Tags such as [smile], [nod] or [pause 0.5s] change how it is said.</source>
        <translation>Hier schreiben, was die Person sagt.

Marken wie [smile], [nod] oder [pause 0.5s] ändern, wie es gesagt wird.</translation>
    </message>
    <message>
        <source>Script</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>Voice</source>
        <translation>Stimme</translation>
    </message>
    <message>
        <source>Change kind of speech</source>
        <translation>Art der Sprache ändern</translation>
    </message>
    <message>
        <source>Default voice</source>
        <translation>Standardstimme</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>Open text</source>
        <translation>Text öffnen</translation>
    </message>
    <message numerus="yes">
        <source>%n word(s)</source>
        <translation>
            <numerusform>%n Wort</numerusform>
            <numerusform>%n Wörter</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 (not installed)</source>
        <translation>%1 (nicht installiert)</translation>
    </message>
    <message>
        <source>Length of the video</source>
        <translation>Länge des Videos</translation>
    </message>
    <message>
        <source>about %1</source>
        <translation>etwa %1</translation>
    </message>
    <message>
        <source>These lines were recorded. Their words follow the sound and are not written here.</source>
        <translation>Diese Zeilen wurden aufgenommen. Ihre Worte folgen dem Ton und werden hier nicht geschrieben.</translation>
    </message>
</context>
<context>
    <name>loquor::ui::SettingsDialog</name>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>As the desktop</source>
        <translation>Wie der Desktop</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Hell</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Dunkel</translation>
    </message>
    <message>
        <source>Sharp</source>
        <translation>Scharf</translation>
    </message>
    <message>
        <source>Fast, for slow computers</source>
        <translation>Schnell, für langsame Rechner</translation>
    </message>
    <message>
        <source> s</source>
        <translation> s</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keiner</translation>
    </message>
    <message>
        <source>The language changes with the next start.</source>
        <translation>Die Sprache ändert sich beim nächsten Start.</translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation>&amp;Aussehen</translation>
    </message>
    <message>
        <source>&amp;Language</source>
        <translation>&amp;Sprache</translation>
    </message>
    <message>
        <source>&amp;Preview</source>
        <translation>&amp;Vorschau</translation>
    </message>
    <message>
        <source>&amp;Count-in before recording</source>
        <translation>Vor&amp;zähler vor der Aufnahme</translation>
    </message>
    <message>
        <source>OK</source>
        <translation>OK</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
</context>
<context>
    <name>loquor::ui::SpeechTools</name>
    <message>
        <source>Put the caret into a recorded line first: a voice says this one.</source>
        <translation>Setzen Sie die Schreibmarke zuerst in eine aufgenommene Zeile: diese spricht eine Stimme.</translation>
    </message>
    <message>
        <source>Use of the recording</source>
        <translation>Verwendung der Aufnahme</translation>
    </message>
    <message numerus="yes">
        <source>%n line(s) are made of the recording in this way now.</source>
        <translation>
            <numerusform>%n Zeile wird jetzt so aus der Aufnahme gemacht.</numerusform>
            <numerusform>%n Zeilen werden jetzt so aus der Aufnahme gemacht.</numerusform>
        </translation>
    </message>
    <message>
        <source>Line %1 is shorter: check its text.</source>
        <translation>Zeile %1 ist kürzer: prüfen Sie ihren Text.</translation>
    </message>
</context>
<context>
    <name>loquor::ui::StatusLine</name>
    <message>
        <source>Device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>Pictures are made on the %1; the engine uses %2 of memory</source>
        <translation>Bilder entstehen auf: %1; die Engine belegt %2 Speicher</translation>
    </message>
    <message>
        <source>Pictures are made on the %1</source>
        <translation>Bilder entstehen auf: %1</translation>
    </message>
    <message>
        <source>No sound device: playing silently</source>
        <translation>Kein Tongerät: Wiedergabe ohne Ton</translation>
    </message>
    <message>
        <source>%1 free</source>
        <translation>%1 frei</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>Tempo</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Store</source>
        <translation>Ablage</translation>
    </message>
    <message>
        <source>Free space</source>
        <translation>Freier Platz</translation>
    </message>
    <message>
        <source>Sound</source>
        <translation>Ton</translation>
    </message>
    <message>
        <source>Memory of the program and its engine</source>
        <translation>Arbeitsspeicher des Programms und seiner Engine</translation>
    </message>
    <message>
        <source>What the finished pictures of all projects take on the disk</source>
        <translation>Was die fertigen Bilder aller Projekte auf der Platte belegen</translation>
    </message>
    <message>
        <source>%1 × real time</source>
        <translation>%1 × Echtzeit</translation>
    </message>
    <message>
        <source>%1 stored</source>
        <translation>%1 abgelegt</translation>
    </message>
    <message>
        <source>%1 in use</source>
        <translation>%1 belegt</translation>
    </message>
</context>
<context>
    <name>loquor::ui::TakeInDialog</name>
    <message numerus="yes">
        <source>%1 and %n more</source>
        <translation>
            <numerusform>%1 und %n weitere</numerusform>
            <numerusform>%1 und %n weitere</numerusform>
        </translation>
    </message>
    <message>
        <source>S&amp;tream</source>
        <translation>Ton&amp;spur</translation>
    </message>
    <message>
        <source>&amp;Loud as speech usually is (-16 LUFS)</source>
        <translation>&amp;Laut, wie Sprache meist ist (-16 LUFS)</translation>
    </message>
    <message>
        <source>Without steady &amp;noise</source>
        <translation>Ohne gleichmäßiges &amp;Rauschen</translation>
    </message>
    <message>
        <source>Use of the recording</source>
        <translation>Verwendung der Aufnahme</translation>
    </message>
    <message>
        <source>Progress of the copy</source>
        <translation>Fortschritt der Kopie</translation>
    </message>
    <message>
        <source>Beginning of the part</source>
        <translation>Anfang des Teils</translation>
    </message>
    <message>
        <source>End of the part</source>
        <translation>Ende des Teils</translation>
    </message>
    <message>
        <source>Makes a copy; the file itself stays as it is</source>
        <translation>Macht eine Kopie; die Datei selbst bleibt, wie sie ist</translation>
    </message>
    <message>
        <source>The first with sound</source>
        <translation>Die erste mit Ton</translation>
    </message>
    <message>
        <source>to</source>
        <translation>bis</translation>
    </message>
    <message>
        <source>&amp;Part</source>
        <translation>&amp;Teil</translation>
    </message>
    <message>
        <source>Sound</source>
        <translation>Ton</translation>
    </message>
    <message>
        <source>Use so</source>
        <translation>So verwenden</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>%1 Hz</source>
        <translation>%1 Hz</translation>
    </message>
    <message>
        <source>Nobody can be heard in it.</source>
        <translation>Darin ist niemand zu hören.</translation>
    </message>
    <message>
        <source>Silent at %1.</source>
        <translation>Still bei %1.</translation>
    </message>
    <message>
        <source>Too loud, distorted at %1.</source>
        <translation>Zu laut, verzerrt bei %1.</translation>
    </message>
    <message>
        <source>Making the copy that will be heard…</source>
        <translation>Die Kopie, die zu hören sein wird, wird gemacht …</translation>
    </message>
    <message>
        <source>Looking at the sound…</source>
        <translation>Der Ton wird angesehen …</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
</context>
<context>
    <name>loquor::ui::TakesPanel</name>
    <message>
        <source>Show</source>
        <translation>Zeigen</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>Anheften</translation>
    </message>
    <message>
        <source>Another take</source>
        <translation>Weitere Fassung</translation>
    </message>
    <message>
        <source>Delete…</source>
        <translation>Löschen …</translation>
    </message>
    <message>
        <source>Takes of the line</source>
        <translation>Fassungen der Zeile</translation>
    </message>
    <message>
        <source>Shows this take in the video (%1)</source>
        <translation>Zeigt diese Fassung im Video (%1)</translation>
    </message>
    <message>
        <source>Return</source>
        <translation>Eingabe</translation>
    </message>
    <message>
        <source>A pinned take is never removed to make room</source>
        <translation>Eine angeheftete Fassung wird nie entfernt, um Platz zu schaffen</translation>
    </message>
    <message>
        <source>Makes this line again with other movements; the take before stays</source>
        <translation>Erzeugt die Zeile erneut mit anderen Bewegungen; die bisherige Fassung bleibt</translation>
    </message>
    <message>
        <source>pinned</source>
        <translation>angeheftet</translation>
    </message>
    <message>
        <source>incomplete</source>
        <translation>unvollständig</translation>
    </message>
    <message>
        <source>of other words or settings</source>
        <translation>mit anderen Worten oder Einstellungen</translation>
    </message>
    <message>
        <source>its pictures were removed to make room</source>
        <translation>Bilder wurden entfernt, um Platz zu schaffen</translation>
    </message>
    <message>
        <source>Take %1 – shown</source>
        <translation>Fassung %1 – gezeigt</translation>
    </message>
    <message>
        <source>Take %1</source>
        <translation>Fassung %1</translation>
    </message>
    <message>
        <source>Put the caret into a line of the script to see its takes.</source>
        <translation>Setzen Sie die Schreibmarke in eine Zeile des Skripts, um ihre Fassungen zu sehen.</translation>
    </message>
    <message>
        <source>Line %1 has no takes yet. Generate makes the first one.</source>
        <translation>Zeile %1 hat noch keine Fassung. Erzeugen macht die erste.</translation>
    </message>
    <message>
        <source>Line %1</source>
        <translation>Zeile %1</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>Lösen</translation>
    </message>
    <message>
        <source>Delete take</source>
        <translation>Fassung löschen</translation>
    </message>
    <message>
        <source>Delete take %1 of line %2? This cannot be undone.</source>
        <translation>Fassung %1 der Zeile %2 löschen? Das kann nicht rückgängig gemacht werden.</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>Behalten</translation>
    </message>
</context>
<context>
    <name>loquor::ui::TimelinePanel</name>
    <message>
        <source>Zoom out</source>
        <translation>Verkleinern</translation>
    </message>
    <message>
        <source>Zoom in</source>
        <translation>Vergrößern</translation>
    </message>
    <message>
        <source>Show all</source>
        <translation>Alles zeigen</translation>
    </message>
    <message>
        <source>Visible part of the timeline</source>
        <translation>Sichtbarer Teil der Zeitleiste</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
</context>
<context>
    <name>loquor::ui::TimelineView</name>
    <message>
        <source>Timeline</source>
        <translation>Zeitleiste</translation>
    </message>
    <message>
        <source>%1 of %2 lines are ready, %3 of %4</source>
        <translation>%1 von %2 Zeilen sind fertig, %3 von %4</translation>
    </message>
    <message>
        <source>line %1: %2</source>
        <translation>Zeile %1: %2</translation>
    </message>
    <message>
        <source>its length is estimated</source>
        <translation>Länge geschätzt</translation>
    </message>
    <message>
        <source>What is said appears here, line by line.</source>
        <translation>Hier erscheint das Gesagte, Zeile für Zeile.</translation>
    </message>
</context>
<context>
    <name>loquor::ui::WaveformView</name>
    <message>
        <source>Sound</source>
        <translation>Ton</translation>
    </message>
</context>
<context>
    <name>main</name>
    <message>
        <source>Studio for talking-avatar video</source>
        <translation>Studio für Videos mit sprechenden Avataren</translation>
    </message>
    <message>
        <source>Project, photo, clip, sound or text to open</source>
        <translation>Projekt, Foto, Clip, Ton oder Text zum Öffnen</translation>
    </message>
</context>
</TS>
