#!/usr/bin/env python3
"""Makes a Piper voice usable by Loquor.

  patch_piper.py MODEL.onnx FOLDER [key=value ...]

Writes into FOLDER: model.onnx (with the metadata that sherpa-onnx wants, and the frames of every phoneme appended
to its samples, so that times are exact), tokens.txt, model.onnx.json (the voice's own configuration, unchanged) and
voice.json (what the program shows and needs). MODEL.onnx.json must lie beside the model. Standard library only: the
model is a protobuf message, which is read field by field.
"""
import hashlib
import json
import shutil
import struct
import sys
from pathlib import Path

from protobuf import chunk, string, varint

INT64, FLOAT, ATTRIBUTE_INT = 7, 1, 2
NOISE_VALUES = 196613  # a prime: no channel repeats itself where the noise starts again
NODE, INITIALIZER, INPUT, OUTPUT, VALUE_INFO = 1, 5, 11, 12, 13  # of GraphProto
GRAPH, METADATA = 7, 14  # of ModelProto


class PatchError(Exception):
    """The model is not a Piper export of the known kind."""


def number(field, value):
    return varint(field << 3) + varint(value)


def node(kind, inputs, output, attributes=b"", suffix=""):
    body = b"".join(string(1, i) for i in inputs) + string(2, output)
    return chunk(NODE, body + string(3, f"/loquor/{kind}{suffix}") + string(4, kind) + attributes)


def integer_attribute(name, value):
    return chunk(5, string(1, name) + number(3, value) + number(20, ATTRIBUTE_INT))


def integers(name, dims, values):
    body = b"".join(number(1, d) for d in dims) + number(2, INT64)
    return chunk(INITIALIZER, body + chunk(7, b"".join(varint(v) for v in values)) + string(8, name))


def noise_table():
    """Values of zero mean and variance one: sums of twelve 16-bit numbers from the splitmix64 generator."""
    mask, state, values = (1 << 64) - 1, 0, []
    for _ in range(NOISE_VALUES):
        total = -393210
        for _ in range(3):
            state = (state + 0x9E3779B97F4A7C15) & mask
            z = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & mask
            z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
            z ^= z >> 31
            total += (z & 65535) + (z >> 16 & 65535) + (z >> 32 & 65535) + (z >> 48)
        values.append(total / 65536)
    body = number(1, NOISE_VALUES) + number(2, FLOAT) + string(8, "/loquor/noise")
    return chunk(INITIALIZER, body + chunk(9, struct.pack(f"<{NOISE_VALUES}f", *values)))


def noise_nodes(like, output, index):
    """The table's first values in the shape of `like`, in place of random ones."""
    name = {what: f"/loquor/{what}_{index}" for what in ("size", "range", "index", "values", "shape")}
    return b"".join((
        node("Size", [like], name["size"], suffix=f"_{index}"),
        node("Range", ["/loquor/zero", name["size"], "/loquor/one"], name["range"], suffix=f"_{index}"),
        node("Mod", [name["range"], "/loquor/count"], name["index"], suffix=f"_{index}"),
        node("Gather", ["/loquor/noise", name["index"]], name["values"], suffix=f"_{index}"),
        node("Shape", [like], name["shape"], suffix=f"_{index}"),
        node("Reshape", [name["values"], name["shape"]], output, suffix=f"_noise_{index}")))


def fields(message):
    """(number, wire type, value, whole field) of each field of a protobuf message."""
    at = 0

    def read():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(message):
        start = at
        key = read()
        kind = key & 7
        if kind == 0:
            value = read()
        elif kind in (1, 5):
            at += 8 if kind == 1 else 4
            value = None
        elif kind == 2:
            size = read()
            value = message[at:at + size]
            at += size
        else:
            raise PatchError("the file is not an ONNX model")
        if at > len(message):
            raise PatchError("the file ends too early")
        yield key >> 3, kind, value, message[start:at]


def named_like(value_info, name):
    """The ValueInfoProto without its shape and with another name, if one is given."""
    out = b""
    for field, _, value, whole in fields(value_info):
        if field == 1 and name:
            out += string(1, name)
        elif field == 2:  # TypeProto{tensor_type{elem_type, shape}}
            kinds = b""
            for kind, _, tensor, _ in fields(value):
                kinds += chunk(kind, b"".join(bytes(w) for n, _, _, w in fields(tensor) if n != 2))
            out += chunk(2, kinds)
        else:
            out += bytes(whole)
    return out


def name_of(message, field):
    return next((bytes(v).decode() for n, _, v, _ in fields(message) if n == field), "")


def patched_graph(graph):
    """The graph with durations in its output, with fixed noise, and without any shape of its tensors.

    Shapes help nothing here, but ONNX Runtime plans the reuse of memory for every tensor that has one, in a time that
    grows with the square of their number: 0.9 of 1.4 CPU seconds of loading. Speed and memory stay as they were.
    Random nodes go on where the last sentence stopped; a table makes the sound a matter of the sentence alone.
    """
    out = bytearray()
    outputs = [name_of(v, 1) for n, _, v, _ in fields(graph) if n == OUTPUT]
    if len(outputs) != 1:
        raise PatchError(f"the model has the outputs {outputs}, one is expected")
    durations, noises = [], 0
    for field, _, value, whole in fields(graph):
        kind = name_of(value, 4) if field == NODE else ""
        if kind == "Ceil":
            durations.append(name_of(value, 2))
        if field == VALUE_INFO:
            continue
        if kind == "RandomNormalLike":
            out += noise_nodes(name_of(value, 1), name_of(value, 2), noises)
            noises += 1
        elif field in (INPUT, OUTPUT):
            out += chunk(field, named_like(value, "outcat" if field == OUTPUT else None))
        else:
            out += whole
    if len(durations) != 1:
        raise PatchError("the model does not show how long its phonemes last")
    out += integers("/loquor/zero", (), (0,)) + integers("/loquor/one", (), (1,))
    out += integers("/loquor/count", (), (NOISE_VALUES,)) + integers("/loquor/flat", (1,), (-1,)) + noise_table()
    out += node("Reshape", [durations[0], "/loquor/flat"], "/loquor/durations", suffix="_durations")
    out += node("Reshape", [outputs[0], "/loquor/flat"], "/loquor/samples", suffix="_samples")
    out += node("Concat", ["/loquor/samples", "/loquor/durations"], "outcat", integer_attribute("axis", 0))
    return out


def with_durations(model, config):
    """The patched model, with the metadata that sherpa-onnx wants."""
    out = bytearray()
    for field, _, value, whole in fields(memoryview(model)):
        out += chunk(GRAPH, patched_graph(value)) if field == GRAPH else whole
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
             "gain_db": 9.0, "lead_seconds": 0.05, "licence": "unknown", "exact_timing": True, "repeatable": True,
             "model_sha256": hashlib.sha256(patched).hexdigest()}
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
    except (PatchError, OSError, KeyError, ValueError, IndexError) as error:
        print(f"{sys.argv[1]} cannot be made into a voice: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
