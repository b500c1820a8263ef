"""Protobuf messages, as far as the scripts that prepare models write them. Standard library only."""


def varint(n):
    n &= (1 << 64) - 1
    out = bytearray()
    while True:
        n, low = n >> 7, n & 127
        out.append(low | (128 if n else 0))
        if not n:
            return bytes(out)


def chunk(field, data):
    """A field of bytes, text or another message."""
    return varint(field << 3 | 2) + varint(len(data)) + data


def string(field, text):
    return chunk(field, str(text).encode())
