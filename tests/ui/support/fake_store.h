// What the fake engine has made of projects: lines with their chunks, words and takes.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "core/project/document.h"
#include "core/session/session.h"

namespace loquor::test {

// Any thread.
class FakeStore
{
public:
    // A run of this document begins. Lines whose length is not known share what is left of `framesTotal`.
    void begin(const project::Document& document, FrameIndex framesTotal);
    // Makes so many frames of what is missing of it, in order; what was made, line by line.
    std::vector<session::ChunkReport> make(const project::Document& document, FrameIndex count);
    // At seconds of the whole document.
    void addWord(const project::Document& document, const std::string& text, double start, double end);
    // What is complete becomes a take.
    void complete(const project::Document& document);
    session::ProjectState inspect(const project::Document& document);
    FrameIndex frames(const project::Document& document);

    bool has(session::ProjectPlace place);
    std::size_t readSound(std::uint64_t line, std::int64_t from, float* out, std::size_t count);
    void pin(std::uint64_t take, bool pinned);
    void remove(std::uint64_t take);

private:
    struct Line
    {
        FrameIndex frames = 0, made = 0;
        std::vector<int> chunks;
        std::vector<speech::Word> words;
    };
    struct Take : session::TakeInfo
    {
        std::string key, words; // of exactly this, and of any seed
    };
    static std::string keyOf(const project::Document& document, const project::Line& line, bool withSeed);
    const Take* shownTake(const project::Document& document, const project::Line& line) const;
    Line& lineOf(const project::Document& document, const project::Line& line);

    std::mutex m_mutex;
    std::map<std::string, Line> m_lines;
    std::vector<Take> m_takes;
    std::map<std::uint64_t, std::string> m_shown; // keys of the document looked at last
    Rational m_fps{25, 1};
    std::uint64_t m_nextTake = 500;
};

} // namespace loquor::test
