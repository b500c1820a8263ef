#include "core/modules/wan/letter_model.h"

#include <cstdint>
#include <cstring>

namespace loquor::modules {

namespace {

// The parts of a SentencePiece file (a protocol buffer) that a model of single characters needs.
void putVarint(std::string& out, std::uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        out += static_cast<char>(value | 0x80);
    out += static_cast<char>(value);
}
void putBytes(std::string& out, int field, const std::string& bytes)
{
    putVarint(out, static_cast<std::uint64_t>(field) << 3 | 2);
    putVarint(out, bytes.size());
    out += bytes;
}
void putNumber(std::string& out, int field, std::int64_t value)
{
    putVarint(out, static_cast<std::uint64_t>(field) << 3);
    putVarint(out, static_cast<std::uint64_t>(value));
}

enum PieceType {
    kNormal = 1,
    kUnknown = 2,
    kControl = 3,
};
void putPiece(std::string& out, const std::string& text, float score, PieceType type)
{
    std::string piece;
    putBytes(piece, 1, text);
    char bytes[sizeof score];
    std::memcpy(bytes, &score, sizeof score);
    putVarint(piece, 2 << 3 | 5);
    piece.append(bytes, sizeof score);
    putNumber(piece, 3, type);
    putBytes(out, 1, piece);
}

} // namespace

std::string letterModel()
{
    std::string out;
    putPiece(out, "<pad>", 0, kControl);
    putPiece(out, "</s>", 0, kControl);
    putPiece(out, "<unk>", 0, kUnknown);
    putPiece(out, "\xe2\x96\x81", -1, kNormal);
    for (char c = '!'; c <= '~'; ++c)
        putPiece(out, std::string(1, c), -2, kNormal);
    std::string trainer;
    putNumber(trainer, 40, 2); // unk_id
    putNumber(trainer, 41, -1); // no beginning
    putNumber(trainer, 42, 1); // eos_id
    putNumber(trainer, 43, 0); // pad_id
    putBytes(out, 2, trainer);
    return out;
}

} // namespace loquor::modules
