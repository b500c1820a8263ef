#!/usr/bin/env python3
"""Converts the TFLite face networks of the mediapipe wheel to safetensors files with a small operator list.

  convert_tflite.py WHEEL TARGET_FOLDER

Writes face_detector.safetensors, face_mesh.safetensors and person_segmenter.safetensors: float32 weights in
torch layout (OIHW; transposed convolutions IOHW) and the network itself as text in the metadata:

  inputs, outputs   value numbers, separated by commas
  ops               one operator a line: "kind out=7 in=5,6 key=value ..."; values with four dimensions are NCHW
  format            "loquor-graph 1"

Standard library only: the flatbuffer and flexbuffer readers below know just what these files use.
"""
import array
import json
import math
import struct
import sys
import zipfile
from pathlib import Path

NETWORKS = {
    "face_detector": "mediapipe/modules/face_detection/face_detection_short_range.tflite",
    "face_mesh": "mediapipe/modules/face_landmark/face_landmark_with_attention.tflite",
    "person_segmenter": "mediapipe/modules/selfie_segmentation/selfie_segmentation.tflite",
}
FORMATS = {0: "f", 1: "e", 2: "i", 4: "q"}  # TFLite tensor types as struct codes
OPERATORS = {0: "ADD", 1: "AVERAGE_POOL_2D", 2: "CONCATENATION", 3: "CONV_2D", 4: "DEPTHWISE_CONV_2D",
             6: "DEQUANTIZE", 14: "LOGISTIC", 17: "MAX_POOL_2D", 18: "MUL", 19: "RELU", 22: "RESHAPE",
             23: "RESIZE_BILINEAR", 34: "PAD", 40: "MEAN", 45: "STRIDED_SLICE", 54: "PRELU", 117: "HARD_SWISH"}
CUSTOM = 32
ACTIVATIONS = {0: None, 1: "relu", 3: "relu6"}


class Table:
    """A flatbuffer table: fields are found through its vtable, absent ones give the default."""

    def __init__(self, data, position):
        self.data = data
        self.position = position
        self.vtable = position - struct.unpack_from("<i", data, position)[0]
        self.size = struct.unpack_from("<H", data, self.vtable)[0]

    def offset(self, field):
        slot = 4 + 2 * field
        if slot >= self.size:
            return 0
        offset = struct.unpack_from("<H", self.data, self.vtable + slot)[0]
        return self.position + offset if offset else 0

    def scalar(self, field, kind, default=0):
        at = self.offset(field)
        return struct.unpack_from("<" + kind, self.data, at)[0] if at else default

    def indirect(self, field):
        at = self.offset(field)
        return at + struct.unpack_from("<I", self.data, at)[0] if at else 0

    def table(self, field):
        at = self.indirect(field)
        return Table(self.data, at) if at else None

    def tables(self, field):
        at = self.indirect(field)
        if not at:
            return []
        count = struct.unpack_from("<I", self.data, at)[0]
        entries = [at + 4 + 4 * i for i in range(count)]
        return [Table(self.data, e + struct.unpack_from("<I", self.data, e)[0]) for e in entries]

    def numbers(self, field):
        """A vector of 32-bit integers."""
        at = self.indirect(field)
        return list(struct.unpack_from(f"<{struct.unpack_from('<I', self.data, at)[0]}i", self.data, at + 4)) if at else []

    def bytes(self, field):
        at = self.indirect(field)
        return self.data[at + 4:at + 4 + struct.unpack_from("<I", self.data, at)[0]] if at else b""

    def text(self, field):
        return self.bytes(field).decode()


class Constant:
    """A dense tensor of Python numbers in TFLite's order (channels last)."""

    def __init__(self, shape, values):
        self.shape = list(shape)
        self.values = values

    def channels_first(self):
        """O H W I -> O I H W."""
        first, height, width, last = self.shape
        block = height * width * last
        out = array.array("f")
        for o in range(first):
            for i in range(last):
                out.extend(self.values[o * block + i:(o + 1) * block:last])
        return Constant([first, last, height, width], out)

    def last_first(self):
        """O H W I -> I O H W."""
        first, height, width, last = self.shape
        block = height * width * last
        out = array.array("f")
        for i in range(last):
            for o in range(first):
                out.extend(self.values[o * block + i:(o + 1) * block:last])
        return Constant([last, first, height, width], out)

    def flat(self):
        return Constant([len(self.values)], self.values)


def flexbuffer(data):
    """The root of a flexbuffer as Python values (maps, vectors, numbers, strings)."""
    def number(kind, at, width):
        codes = {"i": {1: "b", 2: "h", 4: "i", 8: "q"}, "u": {1: "B", 2: "H", 4: "I", 8: "Q"}, "f": {4: "f", 8: "d"}}
        return struct.unpack_from("<" + codes[kind][width], data, at)[0]

    def follow(at, width):
        return at - number("u", at, width)

    def value(at, width, packed):
        kind, child = packed >> 2, 1 << (packed & 3)
        if kind in (1, 2, 3):
            return number(" iuf"[kind], at, width)
        if kind == 26:
            return bool(number("u", at, width))
        if kind in (6, 7, 8):
            return number("iuf"[kind - 6], follow(at, width), child)
        target = follow(at, width)
        if kind == 4:
            return data[target:data.index(b"\0", target)].decode()
        if 16 <= kind <= 24:
            return [number("iuf"[(kind - 16) % 3], target + i * child, child) for i in range(2 + (kind - 16) // 3)]
        count = number("u", target - child, child)
        if kind == 5:
            return data[target:target + count].decode()
        if kind in (11, 12, 13):
            return [number("iuf"[kind - 11], target + i * child, child) for i in range(count)]
        if kind in (9, 10):
            items = [value(target + i * child, child, data[target + count * child + i]) for i in range(count)]
            if kind == 10:
                return items
            keys = follow(target - 3 * child, child)
            key_width = number("u", target - 2 * child, child)
            names = [value(keys + i * key_width, key_width, 4 << 2) for i in range(count)]
            return dict(zip(names, items))
        raise ValueError(f"flexbuffer type {kind} is not known to this converter")

    width = data[-1]
    return value(len(data) - 2 - width, width, data[-2])


def same_padding(size, kernel, stride, dilation):
    """TensorFlow's SAME: the odd pixel goes to the end."""
    extent = (kernel - 1) * dilation + 1
    total = max((-(-size // stride) - 1) * stride + extent - size, 0)
    return total // 2, total - total // 2


def numbers(values):
    return ",".join(str(int(v)) for v in values)


class Converter:
    def __init__(self, blob):
        model = Table(blob, struct.unpack_from("<I", blob, 0)[0])
        if blob[4:8] != b"TFL3":
            raise ValueError("not a TFLite file")
        graph = model.tables(2)[0]
        self.codes = model.tables(1)
        self.tensors = graph.tables(0)
        self.shapes = [t.numbers(0) for t in self.tensors]
        self.inputs = graph.numbers(1)
        self.outputs = graph.numbers(2)
        self.operators = graph.tables(3)
        self.constants = self.read_constants(model.tables(4))
        self.weights = {}
        self.lines = []

    def read_constants(self, buffers):
        constants = {}
        for i, tensor in enumerate(self.tensors):
            data = buffers[tensor.scalar(2, "I")].bytes(0)
            if data:
                if tensor.table(6) is not None:
                    raise ValueError(f"tensor {i} is sparse: this converter reads dense networks only")
                code = FORMATS[tensor.scalar(1, "b")]
                count = math.prod(self.shapes[i])
                values = struct.unpack(f"<{count}{code}", data)
                constants[i] = Constant(self.shapes[i], array.array("f", values) if code in "ef" else list(values))
        return constants

    def name_of(self, operator):
        code = self.codes[operator.scalar(0, "I")]
        number = max(code.scalar(0, "b"), code.scalar(3, "i"))
        if number == CUSTOM:
            return code.text(1)
        if number not in OPERATORS:
            raise ValueError(f"TFLite operator {number} is not known to this converter")
        return OPERATORS[number]

    def weight(self, name, constant):
        self.weights[name] = constant
        return name

    def emit(self, kind, out, inputs, **options):
        parts = [kind, f"out={out}", f"in={numbers(inputs)}"]
        self.lines.append(" ".join(parts + [f"{k}={v}" for k, v in options.items() if v is not None]))

    def convert(self):
        for index, operator in enumerate(self.operators):
            name = self.name_of(operator)
            inputs = operator.numbers(1)
            out = operator.numbers(2)[0]
            if name == "DEQUANTIZE" and inputs[0] in self.constants:
                self.constants[out] = self.constants[inputs[0]]
                continue
            options = operator.table(4)
            custom = operator.bytes(5)
            getattr(self, "op_" + name.lower())(f"{index:03d}", inputs, out, options, custom)
        self.fuse()

    def fuse(self):
        """Joins an activation with the operator before it when nothing else reads the value between."""
        text = [dict(p.split("=", 1) for p in line.split()[1:]) | {"kind": line.split()[0]} for line in self.lines]
        readers = {}
        for op in text:
            for value in op["in"].split(","):
                readers[value] = readers.get(value, 0) + 1
        maker = {}
        kept = []
        for op in text:
            before = maker.get(op["in"])
            joins = (before is not None and "act" not in before and readers[op["in"]] == 1 and
                     int(op["in"]) not in self.outputs and
                     (op["kind"] in ("relu", "prelu") and before["kind"] in ("conv", "add") or
                      op["kind"] == "hardswish" and before["kind"] == "conv"))
            if joins:
                before["act"] = op["kind"]
                if op["kind"] == "prelu":
                    before["slope"] = op["slope"]
                before["out"] = op["out"]
                maker[op["out"]] = before
            else:
                kept.append(op)
                maker[op["out"]] = op
        self.lines = [" ".join([op.pop("kind")] + [f"{k}={v}" for k, v in op.items()]) for op in kept]

    # --- one method for each TFLite operator --------------------------------------------------------

    def convolution(self, prefix, inputs, out, weight, groups, fields, options):
        padding, stride_w, stride_h, act, dilation_w, dilation_h = fields
        if dilation_w != 1 or dilation_h != 1:
            raise ValueError("dilated convolutions are not known to this converter")
        _, height, width, _ = self.shapes[inputs[0]]
        top = bottom = left = right = 0
        if padding == 0:
            top, bottom = same_padding(height, weight.shape[2], stride_h, 1)
            left, right = same_padding(width, weight.shape[3], stride_w, 1)
        bias = self.constants[inputs[2]].flat() if len(inputs) > 2 and inputs[2] >= 0 else None
        self.emit("conv", out, inputs[:1], weight=self.weight(prefix + ".conv.weight", weight),
                  bias=None if bias is None else self.weight(prefix + ".conv.bias", bias),
                  stride=numbers((stride_h, stride_w)), pad=numbers((top, left, bottom, right)), groups=groups,
                  act=ACTIVATIONS[act])

    def op_conv_2d(self, prefix, inputs, out, options, _):
        fields = (options.scalar(0, "b"), options.scalar(1, "i"), options.scalar(2, "i"), options.scalar(3, "b"),
                  options.scalar(4, "i", 1), options.scalar(5, "i", 1))
        weight = self.constants[inputs[1]].channels_first()
        self.convolution(prefix, inputs, out, weight, 1, fields, options)

    def op_depthwise_conv_2d(self, prefix, inputs, out, options, _):
        fields = (options.scalar(0, "b"), options.scalar(1, "i"), options.scalar(2, "i"), options.scalar(4, "b"),
                  options.scalar(5, "i", 1), options.scalar(6, "i", 1))
        weight = self.constants[inputs[1]].last_first()
        self.convolution(prefix, inputs, out, weight, self.shapes[inputs[0]][3], fields, options)

    def op_convolution2dtransposebias(self, prefix, inputs, out, _, custom):
        _, stride_w, stride_h = struct.unpack_from("<iii", custom)
        weight = self.constants[inputs[1]].last_first()
        if weight.shape[2:] != [stride_h, stride_w]:
            raise ValueError("overlapping transposed convolutions are not known to this converter")
        self.emit("deconv", out, inputs[:1], weight=self.weight(prefix + ".deconv.weight", weight),
                  bias=self.weight(prefix + ".deconv.bias", self.constants[inputs[2]].flat()),
                  stride=numbers((stride_h, stride_w)))

    def op_prelu(self, prefix, inputs, out, *_):
        self.emit("prelu", out, inputs[:1],
                  slope=self.weight(prefix + ".prelu.slope", self.constants[inputs[1]].flat()))

    def arithmetic(self, kind, prefix, inputs, out, options):
        constant = None
        values = inputs
        if inputs[1] in self.constants:
            value = self.constants[inputs[1]]
            value = value.channels_first() if len(value.shape) == 4 else value
            constant = self.weight(f"{prefix}.{kind}.constant", value)
            values = inputs[:1]
        self.emit(kind, out, values, constant=constant, act=ACTIVATIONS[options.scalar(0, "b") if options else 0])

    def op_add(self, prefix, inputs, out, options, _):
        self.arithmetic("add", prefix, inputs, out, options)

    def op_mul(self, prefix, inputs, out, options, _):
        self.arithmetic("mul", prefix, inputs, out, options)

    def op_relu(self, _, inputs, out, *__):
        self.emit("relu", out, inputs)

    def op_hard_swish(self, _, inputs, out, *__):
        self.emit("hardswish", out, inputs)

    def op_logistic(self, _, inputs, out, *__):
        self.emit("sigmoid", out, inputs)

    def op_pad(self, _, inputs, out, *__):
        flat = self.constants[inputs[1]].values
        rows = [flat[i:i + 2] for i in range(0, 8, 2)]  # N, H, W, C: before, after
        if any(rows[0]):
            raise ValueError("padding over the batch is not known to this converter")
        self.emit("pad", out, inputs[:1], pad=numbers((rows[1][0], rows[2][0], rows[1][1], rows[2][1])),
                  channels=numbers(rows[3]))

    def pool(self, kind, inputs, out, options):
        kernel = options.scalar(4, "i"), options.scalar(3, "i")
        stride = options.scalar(2, "i"), options.scalar(1, "i")
        _, height, width, _ = self.shapes[inputs[0]]
        if options.scalar(0, "b") == 0 and any(sum(same_padding(n, k, s, 1)) for n, k, s in
                                               ((height, kernel[0], stride[0]), (width, kernel[1], stride[1]))):
            raise ValueError("padded pooling is not known to this converter")
        if kind == "avgpool" and kernel == (height, width):
            self.emit("mean", out, inputs)
        else:
            self.emit(kind, out, inputs, kernel=numbers(kernel), stride=numbers(stride))

    def op_max_pool_2d(self, _, inputs, out, options, __):
        self.pool("maxpool", inputs, out, options)

    def op_average_pool_2d(self, _, inputs, out, options, __):
        self.pool("avgpool", inputs, out, options)

    def op_mean(self, _, inputs, out, *__):
        if sorted(self.constants[inputs[1]].values) != [1, 2] or len(self.shapes[out]) != 4:
            raise ValueError("MEAN over other axes than height and width is not known to this converter")
        self.emit("mean", out, inputs[:1])

    def op_reshape(self, _, inputs, out, *__):
        self.emit("reshape", out, inputs[:1], shape=numbers(self.shapes[out]))  # of the NHWC value

    def op_concatenation(self, _, inputs, out, options, __):
        axis = options.scalar(0, "i")
        rank = len(self.shapes[out])
        axis = axis + rank if axis < 0 else axis
        self.emit("concat", out, inputs, axis=(0, 2, 3, 1)[axis] if rank == 4 else axis)

    def op_resize_bilinear(self, _, inputs, out, options, __):
        corners, centres = options.scalar(2, "?", False), options.scalar(3, "?", False)
        self.emit("resize", out, inputs[:1], size=numbers(self.constants[inputs[1]].values),
                  grid="corners" if corners else "centres" if centres else "origin")

    def op_strided_slice(self, _, inputs, out, options, __):
        begin, end, step = (self.constants[i].values for i in inputs[1:4])
        if any(s != 1 for s in step) or any(options.scalar(f, "i") for f in (2, 3, 4)):
            raise ValueError("this form of STRIDED_SLICE is not known to this converter")
        shape = self.shapes[inputs[0]]
        begin = [0 if options.scalar(0, "i") >> i & 1 else b for i, b in enumerate(begin)]
        end = [shape[i] if options.scalar(1, "i") >> i & 1 else e for i, e in enumerate(end)]
        if len(begin) == 4:
            begin, end = ([v[0], v[3], v[1], v[2]] for v in (begin, end))
        self.emit("slice", out, inputs[:1], begin=numbers(begin), end=numbers(end))

    def op_landmarks2transformmatrix(self, _, inputs, out, __, custom):
        o = flexbuffer(custom)
        if o.get("target_rotation_radians", 0) != 0:
            raise ValueError("a target rotation is not known to this converter")
        self.emit("landmarkmatrix", out, inputs[:1], left=o["left_rotation_idx"], right=o["right_rotation_idx"],
                  subset=numbers(o["subset_idxs"]), size=numbers((o["output_width"], o["output_height"])),
                  scale=f"{o['scale_x']},{o['scale_y']}")

    def op_transformtensorbilinear(self, _, inputs, out, __, custom):
        o = flexbuffer(custom)
        self.emit("sample", out, inputs, size=numbers((o["output_height"], o["output_width"])))

    def op_transformlandmarks(self, _, inputs, out, *__):
        self.emit("transformpoints", out, inputs)


def write_safetensors(path, weights, metadata):
    header = {"__metadata__": metadata}
    offset = 0
    for name, constant in weights.items():
        size = 4 * len(constant.values)
        header[name] = {"dtype": "F32", "shape": constant.shape, "data_offsets": [offset, offset + size]}
        offset += size
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-(len(text) + 8) % 64)  # the data starts 64 bytes aligned
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text)
        for constant in weights.values():
            f.write(struct.pack(f"<{len(constant.values)}f", *constant.values))


def convert_wheel(wheel, target):
    target = Path(target)
    target.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(wheel) as archive:
        for name, member in NETWORKS.items():
            converter = Converter(archive.read(member))
            converter.convert()
            metadata = {"format": "loquor-graph 1", "source": member, "inputs": numbers(converter.inputs),
                        "outputs": numbers(converter.outputs), "ops": "\n".join(converter.lines)}
            write_safetensors(target / f"{name}.safetensors", converter.weights, metadata)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        print(__doc__)
        sys.exit(2)
    convert_wheel(sys.argv[1], sys.argv[2])
