#!/usr/bin/env python3
"""Makes a model file for whisper.cpp (ggml) out of a Whisper model for CTranslate2.

  convert_whisper.py MODEL.bin MEL_FILTERS.npz TOKENS.tiktoken OUT.bin

Both hold the same numbers: names, order and the form of the tensors differ. Weights stay the 16-bit floats they are.
Standard library only.
"""
import base64
import struct
import sys
import zipfile

FLOAT, HALF = 0, 4  # element types of CTranslate2; in ggml 0 and 1
SIZES = {FLOAT: 4, 1: 1, 2: 2, 3: 4, HALF: 2}


class ConversionError(Exception):
    """The file is not a model of the known kind."""


class Tensor:
    def __init__(self, shape, kind, data):
        self.shape, self.kind, self.data = list(shape), kind, data

    def floats(self):
        """The same numbers with 32 bits."""
        if self.kind == FLOAT:
            return self
        count = len(self.data) // 2
        return Tensor(self.shape, FLOAT, struct.pack(f"<{count}f", *struct.unpack(f"<{count}e", self.data)))

    def halves(self):
        if self.kind == HALF:
            return self
        count = len(self.data) // 4
        return Tensor(self.shape, HALF, struct.pack(f"<{count}e", *struct.unpack(f"<{count}f", self.data)))

    def parts(self, count):
        """Cut along the first dimension."""
        size = len(self.data) // count
        shape = [self.shape[0] // count] + self.shape[1:]
        return [Tensor(shape, self.kind, self.data[i * size:(i + 1) * size]) for i in range(count)]


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self, code):
        value = struct.unpack_from("<" + code, self.data, self.at)[0]
        self.at += struct.calcsize("<" + code)
        return value

    def bytes(self, count):
        if self.at + count > len(self.data):
            raise ConversionError("the model ends too early")
        self.at += count
        return self.data[self.at - count:self.at]

    def text(self):
        return bytes(self.bytes(self.number("H"))[:-1]).decode()


def read_model(path):
    with open(path, "rb") as file:
        r = Reader(memoryview(file.read()))
    version, kind = r.number("I"), r.text()
    if version != 6 or kind != "WhisperSpec":
        raise ConversionError(f"a model of kind {kind} {version}, WhisperSpec 6 is expected")
    r.number("I")  # its revision
    tensors = {}
    for _ in range(r.number("I")):
        name = r.text()
        shape = [r.number("I") for _ in range(r.number("B"))]
        element, size = r.number("B"), r.number("I")
        if element not in SIZES:
            raise ConversionError(f"{name} has elements of kind {element}")
        tensors[name] = Tensor(shape, element, r.bytes(size))
    for _ in range(r.number("I")):
        alias = r.text()
        tensors[alias] = tensors[r.text()]
    return tensors


def layers(tensors, side):
    names = {name.split("/")[1] for name in tensors if name.startswith(side + "/layer_")}
    return sum(name[6:].isdigit() for name in names)


def attention(out, name, tensors, source, crossed):
    def pair(part, weight, bias):
        out[f"{name}.{part}.weight"] = weight
        if bias:
            out[f"{name}.{part}.bias"] = bias
    weight, bias = tensors[source + "/linear_0/weight"], tensors[source + "/linear_0/bias"]
    if crossed:
        pair("query", weight, bias)
        keys = tensors[source + "/linear_1/weight"].parts(2)
        pair("key", keys[0], None)
        pair("value", keys[1], tensors[source + "/linear_1/bias"].parts(2)[1])
        last = "/linear_2"
    else:
        (q, k, v), (bq, _, bv) = weight.parts(3), bias.parts(3)
        pair("query", q, bq)
        pair("key", k, None)
        pair("value", v, bv)
        last = "/linear_1"
    pair("out", tensors[source + last + "/weight"], tensors[source + last + "/bias"])


def renamed(tensors):
    """The tensors under whisper.cpp's names, in its order."""
    out = {}

    def norm(name, source):
        out[name + ".weight"], out[name + ".bias"] = tensors[source + "/gamma"], tensors[source + "/beta"]

    def linear(name, source):
        out[name + ".weight"], out[name + ".bias"] = tensors[source + "/weight"], tensors[source + "/bias"]

    for side in ("encoder", "decoder"):
        out[side + ".positional_embedding"] = tensors[side + "/position_encodings/encodings"]
        if side == "encoder":
            linear("encoder.conv1", "encoder/conv1")
            linear("encoder.conv2", "encoder/conv2")
            norm("encoder.ln_post", "encoder/layer_norm")
        else:
            out["decoder.token_embedding.weight"] = tensors["decoder/embeddings/weight"]
            norm("decoder.ln", "decoder/layer_norm")
        for i in range(layers(tensors, side)):
            name, source = f"{side}.blocks.{i}", f"{side}/layer_{i}"
            norm(name + ".attn_ln", source + "/self_attention/layer_norm")
            attention(out, name + ".attn", tensors, source + "/self_attention", False)
            if side == "decoder":
                norm(name + ".cross_attn_ln", source + "/attention/layer_norm")
                attention(out, name + ".cross_attn", tensors, source + "/attention", True)
            norm(name + ".mlp_ln", source + "/ffn/layer_norm")
            linear(name + ".mlp.0", source + "/ffn/linear_0")
            linear(name + ".mlp.2", source + "/ffn/linear_1")
    return out


def mel_filters(path, count):
    """Shape and bytes of one array of the .npz: rows of 32-bit floats."""
    with zipfile.ZipFile(path) as archive:
        data = archive.read(f"mel_{count}.npy")
    start = 10 + struct.unpack_from("<H", data, 8)[0]
    header = data[10:start].decode()
    if "'<f4'" not in header or "'fortran_order': False" not in header:
        raise ConversionError("the mel filters have an unknown form")
    shape = [int(n) for n in header.split("(")[1].split(")")[0].split(",")]
    return shape, data[start:]


def convert(model, mel, tokens, target):
    tensors = read_model(model)
    vocabulary, state = tensors["decoder/embeddings/weight"].shape
    text_context = tensors["decoder/position_encodings/encodings"].shape[0]
    sound_context = tensors["encoder/position_encodings/encodings"].shape[0]
    mels = tensors["encoder/conv1/weight"].shape[1]
    heads = state // 64
    with open(tokens, "rb") as file:
        words = [base64.b64decode(line.split()[0]) for line in file.read().splitlines() if line]
    shape, filters = mel_filters(mel, mels)
    with open(target, "wb") as file:
        def numbers(*values):
            file.write(struct.pack(f"<{len(values)}i", *values))
        numbers(0x67676D6C, vocabulary, sound_context, state, heads, layers(tensors, "encoder"), text_context, state, heads,
                layers(tensors, "decoder"), mels, 1)
        numbers(*shape)
        file.write(filters)
        numbers(len(words))
        for word in words:
            numbers(len(word))
            file.write(word)
        for name, tensor in renamed(tensors).items():
            is_bias = name.startswith("encoder.conv") and name.endswith("bias")
            full = len(tensor.shape) < 2 or name.endswith("positional_embedding")
            tensor = tensor.floats() if full else tensor.halves()
            dims = tensor.shape + [1] if is_bias else tensor.shape
            label = name.encode()
            numbers(len(dims), len(label), 0 if full else 1, *reversed(dims))
            file.write(label)
            file.write(tensor.data)


def main():
    if len(sys.argv) != 5:
        print(__doc__)
        return 2
    try:
        convert(*sys.argv[1:])
    except (ConversionError, OSError, KeyError, ValueError, IndexError, struct.error) as error:
        print(f"{sys.argv[1]} cannot be converted: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
