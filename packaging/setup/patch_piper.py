#!/usr/bin/env python3
"""Makes a Piper voice usable by Loquor.

  patch_piper.py MODEL.onnx FOLDER [key=value ...]

Writes into FOLDER: model.onnx (with the metadata that sherpa-onnx wants, and the frames of every phoneme appended
to its samples, so that times are exact), tokens.txt, model.onnx.json (the voice's own configuration, unchanged) and
voice.json (what the program shows and needs). MODEL.onnx.json must lie beside the model. Standard library only: the
model is a protobuf message, and messages merge when they are concatenated.
"""
import json
import re
import shutil
import sys
from pathlib import Path

DURATIONS = "/Ceil_output_0"  # frames of 256 samples for each phoneme id, in every Piper export
INT64, ATTRIBUTE_INT = 7, 2
NODE, INITIALIZER, GRAPH, METADATA = 1, 5, 7, 14


class PatchError(Exception):
    """The model is not a Piper export of the known kind."""


def varint(n):
    n &= (1 << 64) - 1
    out = bytearray()
    while True:
        n, low = n >> 7, n & 127
        out.append(low | (128 if n else 0))
        if not n:
            return bytes(out)


def chunk(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


def string(field, text):
    return chunk(field, str(text).encode())


def number(field, value):
    return varint(field << 3) + varint(value)


def node(kind, inputs, outputs, attributes=b""):
    body = b"".join(string(1, i) for i in inputs) + b"".join(string(2, o) for o in outputs)
    return chunk(NODE, body + string(3, "/loquor/" + kind) + string(4, kind) + attributes)


def integer_attribute(name, value):
    return chunk(5, string(1, name) + number(3, value) + number(20, ATTRIBUTE_INT))


def shape_constant(name, dims):
    body = number(1, len(dims)) + number(2, INT64) + chunk(7, b"".join(varint(d) for d in dims)) + string(8, name)
    return chunk(INITIALIZER, body)


def with_durations(model, config):
    """The patched model: graph output renamed, samples and durations concatenated into it, metadata added."""
    if model.count(DURATIONS.encode()) == 0:
        raise PatchError(f"the model has no tensor {DURATIONS}; it is not a Piper voice of the known kind")
    # GraphProto.output (field 12) holds ValueInfoProto{name: "output", type: ...}.
    places = [m.start() for m in re.finditer(rb"\x62[\x00-\xff]\x0a\x06output\x12", model)]
    if len(places) != 1:
        raise PatchError(f"the model has {len(places)} outputs named 'output', one is expected")
    out = bytearray(model)
    name = places[0] + 4
    out[name:name + 6] = b"outcat"
    out += chunk(GRAPH, shape_constant("/loquor/shape", (1, 1, 1, -1))
                 + node("Reshape", [DURATIONS, "/loquor/shape"], ["/loquor/durations"])
                 + node("Concat", ["output", "/loquor/durations"], ["outcat"], integer_attribute("axis", 3)))
    for key, value in {"model_type": "vits", "comment": "piper", "language": config["language"]["name_english"],
                       "voice": config["espeak"]["voice"], "has_espeak": 1, "n_speakers": config["num_speakers"],
                       "sample_rate": config["audio"]["sample_rate"], "add_blank": 1}.items():
        out += chunk(METADATA, string(1, key) + string(2, value))
    return bytes(out)


def patch(source, folder, extra):
    source, folder = Path(source), Path(folder)
    config_file = source.with_name(source.name + ".json")
    config = json.loads(config_file.read_text(encoding="utf-8"))
    if config.get("phoneme_type", "espeak") != "espeak":
        raise PatchError(f"the voice wants phonemes of kind '{config['phoneme_type']}', only espeak is supported")
    patched = with_durations(source.read_bytes(), config)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(patched)
    (folder / "tokens.txt").write_text("".join(f"{symbol} {ids[0]}\n" for symbol, ids
                                               in config["phoneme_id_map"].items()), encoding="utf-8")
    shutil.copyfile(config_file, folder / "model.onnx.json")
    voice = {"format": 1, "engine": "piper", "id": folder.name, "name": config.get("dataset", folder.name).title(),
             "language": config["language"]["code"].replace("_", "-").lower(),
             "espeak_voice": config["espeak"]["voice"], "sample_rate": config["audio"]["sample_rate"],
             "noise_scale": config["inference"]["noise_scale"], "length_scale": config["inference"]["length_scale"],
             "gain_db": 9.0, "lead_seconds": 0.05, "licence": "unknown"}
    for item in extra:
        key, value = item.split("=", 1)
        voice[key] = type(voice[key])(value) if key in voice else value
    (folder / "voice.json").write_text(json.dumps(voice, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main():
    if len(sys.argv) < 3:
        print(__doc__)
        return 2
    try:
        patch(sys.argv[1], sys.argv[2], sys.argv[3:])
    except (PatchError, OSError, KeyError, ValueError) as error:
        print(f"{sys.argv[1]} cannot be made into a voice: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
