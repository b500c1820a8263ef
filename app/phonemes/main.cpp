// SPDX-License-Identifier: GPL-3.0-or-later
// loquor-phonemes: JSON lines on stdin -> JSON lines on stdout. Protocol: README.md in this folder.
#include "app/phonemes/espeak.h"
#include "core/base/json.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using nlohmann::json;

constexpr std::size_t kMaxTextBytes = 1 << 20;

std::string base64(const std::vector<std::int16_t>& pcm)
{
    static const char* const kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bytes;
    bytes.reserve(pcm.size() * 2);
    for (const std::int16_t s : pcm) {
        const auto u = static_cast<std::uint16_t>(s);
        bytes += static_cast<char>(u & 0xFF);
        bytes += static_cast<char>(u >> 8);
    }
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t v = 0;
        for (std::size_t k = 0; k < 3; ++k)
            v = v << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
        for (std::size_t k = 0; k < 4; ++k)
            out += i + k <= bytes.size() ? kDigits[v >> (18 - 6 * k) & 63] : '=';
    }
    return out;
}

json refuse(const std::string& why)
{
    return {{"ok", false}, {"error", why}};
}

json wordsOf(const std::vector<phonemes::SpokenWord>& words, bool withTimes)
{
    json out = json::array();
    for (const auto& w : words) {
        json word{{"begin", w.begin}, {"phonemes", w.phonemes}};
        if (withTimes)
            word["sample"] = w.sample;
        out.push_back(std::move(word));
    }
    return out;
}

phonemes::Writing writingOf(const json& request)
{
    return request.value("mnemonics", false) ? phonemes::Writing::WithMnemonics : phonemes::Writing::Plain;
}

json answerPhonemes(const json& request)
{
    json clauses = json::array();
    for (const auto& text : request.at("texts")) {
        const auto& t = text.get_ref<const std::string&>();
        if (t.size() > kMaxTextBytes)
            return refuse("text longer than 1 MiB");
        clauses.push_back({{"words", wordsOf(phonemes::phonemesOf(t, writingOf(request)), false)}});
    }
    return {{"ok", true}, {"clauses", std::move(clauses)}};
}

json answerSpeak(const json& request, int rate)
{
    const auto& text = request.at("text").get_ref<const std::string&>();
    if (text.size() > kMaxTextBytes)
        return refuse("text longer than 1 MiB");
    const phonemes::Speech speech = phonemes::speak(text, writingOf(request), request.value("speed", 1.0), request.value("pitch", 0.0));
    json sounds = json::array();
    for (const auto& s : speech.sounds)
        sounds.push_back({{"sample", s.sample}, {"word", s.word}, {"symbol", s.symbol}});
    // clang-format off
    return {{"ok", true}, {"rate", rate}, {"pcm", base64(speech.pcm)},
            {"words", wordsOf(speech.words, true)}, {"sounds", std::move(sounds)}};
    // clang-format on
}

json answer(const json& request, int rate)
{
    const std::string op = request.at("op");
    if (op == "hello")
        return {{"ok", true}, {"protocol", 1}, {"engine", phonemes::engineVersion()}, {"rate", rate}};
    if (op == "voices") {
        json list = json::array();
        for (const auto& v : phonemes::voices())
            list.push_back({{"name", v.name}, {"language", v.language}});
        return {{"ok", true}, {"voices", std::move(list)}};
    }
    if (op != "phonemes" && op != "speak")
        return refuse("unknown operation '" + op + "'");
    const std::string voice = request.at("voice");
    if (!phonemes::selectVoice(voice))
        return refuse("espeak-ng has no voice '" + voice + "'");
    return op == "phonemes" ? answerPhonemes(request) : answerSpeak(request, rate);
}

json answerOrRefuse(const std::string& line, int rate)
{
    json reply;
    json id = nullptr;
    try {
        const json request = json::parse(line);
        id = request.value("id", json());
        reply = rate > 0 ? answer(request, rate) : refuse("espeak-ng data is not installed");
    } catch (const std::exception& e) {
        reply = refuse(std::string("bad request: ") + e.what());
    }
    reply["id"] = id;
    return reply;
}

void print(const json& reply)
{
    std::cout << reply.dump(-1, ' ', false, json::error_handler_t::replace) << '\n'
              << std::flush;
}

// Every request is served by a fork of the freshly started engine: espeak-ng carries state from one text to
// the next, so that the same text would get other samples; and what crashes it costs one request only.
int serve()
{
    std::ios::sync_with_stdio(false);
    const int rate = phonemes::start();
    std::string line;
    while (std::getline(std::cin, line)) {
        const pid_t child = fork();
        if (child < 0) {
            print(answerOrRefuse(line, rate));
            continue;
        }
        if (child == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            print(answerOrRefuse(line, rate));
            _exit(std::cout.good() ? 0 : 1);
        }
        int status = 0;
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
        }
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) // no complete answer: give up, and be started again
            return 1;
    }
    return 0;
}

} // namespace

int main()
{
    try {
        return serve();
    } catch (const std::exception& e) {
        std::fprintf(stderr, "loquor-phonemes: %s\n", e.what());
        return 1;
    }
}
