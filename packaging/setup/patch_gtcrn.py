#!/usr/bin/env python3
"""Makes the noise suppressor GTCRN usable by Loquor.

  patch_gtcrn.py MODEL.onnx OUT.onnx

sherpa-onnx reads the shapes of a model from metadata that this export lacks. Protobuf messages merge when they are joined,
so the metadata is appended. Standard library only.
"""
import sys
from pathlib import Path

from protobuf import chunk, string

METADATA = 14  # of ModelProto
KEYS = {"model_type": "gtcrn", "comment": "gtcrn", "version": 1, "sample_rate": 16000, "n_fft": 512, "hop_length": 256,
        "window_length": 512, "window_type": "hann_sqrt", "conv_cache_shape": "2,1,16,16,33",
        "tra_cache_shape": "2,3,1,1,16", "inter_cache_shape": "2,1,33,16"}


def main():
    if len(sys.argv) != 3:
        print(__doc__)
        return 2
    try:
        model = Path(sys.argv[1]).read_bytes()
        for key, value in KEYS.items():
            model += chunk(METADATA, string(1, key) + string(2, value))
        Path(sys.argv[2]).write_bytes(model)
    except OSError as error:
        print(f"{sys.argv[1]} cannot be prepared: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
