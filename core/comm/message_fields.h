// How the values inside messages look in JSON. Private to this folder.
#pragma once

#include "core/base/json.h"
#include "core/comm/messages.h"

namespace loquor {

void to_json(nlohmann::json& j, const Rational& v);
void from_json(const nlohmann::json& j, Rational& v);

namespace pipeline {
void to_json(nlohmann::json& j, const RenderSettings& v);
void from_json(const nlohmann::json& j, RenderSettings& v);
void to_json(nlohmann::json& j, const StageCost& v);
void from_json(const nlohmann::json& j, StageCost& v);
void to_json(nlohmann::json& j, const ChunkReport& v);
void from_json(const nlohmann::json& j, ChunkReport& v);
void to_json(nlohmann::json& j, const FaceInfo& v);
void from_json(const nlohmann::json& j, FaceInfo& v);
void to_json(nlohmann::json& j, const CheckReport& v);
void from_json(const nlohmann::json& j, CheckReport& v);
} // namespace pipeline

namespace speech {
void to_json(nlohmann::json& j, const Phoneme& v);
void from_json(const nlohmann::json& j, Phoneme& v);
void to_json(nlohmann::json& j, const Word& v);
void from_json(const nlohmann::json& j, Word& v);
void to_json(nlohmann::json& j, const Timing& v);
void from_json(const nlohmann::json& j, Timing& v);
} // namespace speech

namespace comm {
nlohmann::json errorToJson(const Error& error);
Error errorFromJson(const nlohmann::json& j);
// Paths are bytes, JSON strings are UTF-8: a path travels as a list of byte values.
nlohmann::json pathToJson(const std::filesystem::path& path);
std::filesystem::path pathFromJson(const nlohmann::json& j);
} // namespace comm

} // namespace loquor
