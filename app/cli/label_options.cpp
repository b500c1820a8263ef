#include "app/cli/label_options.h"

#include <map>
#include <string>
#include <vector>

#include "app/cli/option_values.h"

namespace loquor::cli {

std::shared_ptr<media::PictureLabel> addLabelOptions(CLI::App& app)
{
    using media::Corner;
    using media::PictureLabel;
    static const std::map<std::string, Corner> corners{{"top-left", Corner::TopLeft},
                                                       {"top-right", Corner::TopRight},
                                                       {"bottom-left", Corner::BottomLeft},
                                                       {"bottom-right", Corner::BottomRight}};
    auto label = std::make_shared<PictureLabel>();
    auto* text = app.add_option("--label", label->text, "A text that stays on the picture (AI generated)")
                     ->expected(0, 1)
                     ->default_str("AI generated")
                     ->type_name("[TEXT]");
    std::vector<std::string> names;
    for (const auto& [name, corner] : corners)
        names.push_back(name);
    app.add_option_function<std::string>(
           "--label-corner", [label](const std::string& name) { label->corner = corners.at(name); }, listed(names))
        ->check(oneOf(names))
        ->default_str("bottom-right")
        ->needs(text);
    app.add_option_function<double>(
           "--label-size", [label](double percent) { label->size = percent / 100; },
           "Height of the letters in percent of the picture's shorter side, 1.5 to 20")
        ->check(CLI::Range(100 * PictureLabel::kSmallest, 100 * PictureLabel::kBiggest))
        ->default_str("3.5")
        ->needs(text);
    app.parse_complete_callback([text, label] {
        if (text->count() > 0 && label->text.find_first_not_of(" \t\n") == std::string::npos)
            throw CLI::ValidationError("--label", kEmptyLabel);
    });
    return label;
}

} // namespace loquor::cli
