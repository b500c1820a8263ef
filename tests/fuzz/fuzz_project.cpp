// Project files: what loads can be written and loads again with the same content, its script can be edited
// as a text without losing a byte, and the settings of an export lead back to the same lines.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string_view>

#include "core/base/random.h"
#include "core/project/exported_settings.h"
#include "core/project/line_edits.h"
#include "core/project/project_file.h"
#include "core/project/script_text.h"

namespace {

using namespace loquor::project;

void demand(bool condition)
{
    if (!condition)
        std::abort();
}

void checkRoundTrip(const Document& document)
{
    const auto written = toJson(document, "/projects");
    if (!written)
        return; // paths or texts that cannot be stored are refused, not mangled
    const auto again = fromJson(*written, "/projects");
    demand(again.has_value());
    const auto twice = toJson(*again, "/projects");
    demand(twice && *twice == *written);
}

void checkLines(const Document& document)
{
    std::set<std::uint64_t> ids;
    for (const Scene& scene : document.scenes) {
        for (const Line& line : scene.lines)
            demand(line.id != 0 && ids.insert(line.id).second);
    }
}

void checkScript(Document document, std::string_view bytes)
{
    std::uint64_t next = 0;
    const IdSource ids = [&] { return loquor::mixSeed(++next, std::string_view("fuzz")) | 1U; };
    for (Scene& scene : document.scenes) {
        std::string text = scriptText(scene);
        const std::size_t middle = text.size() / 2;
        text.insert(middle, bytes.substr(0, 16));
        const bool set = setScriptText(scene, text, ids).has_value();
        demand(!set || scriptText(scene) == (text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text));
    }
    checkLines(document);
    if (lineCount(document) > 1)
        demand(withLineMoved(document, 1, lineCount(document)).has_value());
}

void checkExport(const Document& document)
{
    const auto settings = exportedSettings(document, {});
    if (!settings)
        return;
    const auto back = projectFromSettings(*settings, "/projects");
    demand(back && lineCount(back->document) == lineCount(document));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (const auto settings = projectFromSettings(text, "/projects"))
        checkRoundTrip(settings->document);
    const auto document = fromJson(text, "/projects");
    if (!document)
        return 0;
    checkRoundTrip(*document);
    checkLines(*document);
    checkScript(*document, text);
    checkExport(*document);
    return 0;
}
