// The command line of a bench: what it does not know ends it, before anything is measured.
#pragma once

#include <cstdio>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

namespace loquor::bench {

// "WxH" for two numbers.
inline void addSize(CLI::App& app, int& width, int& height)
{
    const auto read = [&width, &height](const std::string& text) {
        char rest = 0;
        if (std::sscanf(text.c_str(), "%dx%d%c", &width, &height, &rest) != 2 || width <= 0 || height <= 0)
            throw CLI::ValidationError("--size", "'" + text + "' is no size; write 1280x720.");
    };
    app.add_option_function<std::string>("--size", read, "Size of the pictures, WxH");
}

// The exit code of a bench that must not run: 0 after --help, 2 and the usage for wrong options.
inline std::optional<int> parse(CLI::App& app, int argc, char** argv)
{
    try {
        app.parse(argc, argv);
        return std::nullopt;
    } catch (const CLI::Success& asked) {
        return app.exit(asked);
    } catch (const CLI::ParseError& wrong) {
        std::fprintf(stderr, "%s\n%s", wrong.what(), app.help().c_str());
        return 2;
    }
}

} // namespace loquor::bench
