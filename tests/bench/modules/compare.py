"""Ratios of processor time, ours against Python, on the same weights, inputs and threads in one run.

compare.py BENCH_MODULES [--only NAME ...] [--width 480 --height 272] [--repeats 2]

Needs torch, diffusers and transformers. Every case is measured in turn, Python and ours, `repeats` times each; the best
counts. Ratios above 1: ours is quicker."""
import argparse
import json
import pathlib
import resource
import subprocess
import tempfile
import time

import torch
from safetensors.torch import save_file

torch.set_num_threads(1)
torch.set_grad_enabled(False)


def write(folder, config, weights, io):
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(config))
    clean = lambda tensors: {k: v.detach().contiguous() for k, v in tensors.items()}
    save_file(clean(weights), folder / "weights.safetensors")
    save_file(clean(io), folder / "io.safetensors")


def resident_mb():
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1e6


def python_side(work, repeats):
    pathlib.Path("/proc/self/clear_refs").write_text("5")
    before, best = resident_mb(), None
    for _ in range(repeats):
        started = time.process_time()
        work()
        took = time.process_time() - started
        best = took if best is None else min(best, took)
    peak = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM")) / 1024
    return best, peak * 1.048576 - before


def dit(folder, layers, tokens_side=32, frames=4):
    from diffusers import WanTransformer3DModel

    model = WanTransformer3DModel(num_attention_heads=12, attention_head_dim=128, in_channels=16, out_channels=16, text_dim=4096,
                                  freq_dim=256, ffn_dim=8960, num_layers=layers).eval()
    x, text, t = torch.randn(1, 16, frames, 2 * tokens_side, 2 * tokens_side), torch.randn(1, 512, 4096), torch.tensor([700.0])
    write(folder, {"kind": "wan-dit", "dim": 1536, "num_heads": 12, "num_layers": layers, "ffn_dim": 8960, "in_dim": 16, "out_dim": 16,
                   "text_dim": 4096, "text_len": 512, "freq_dim": 256}, model.state_dict(), {"x": x, "text": text, "timestep": t})
    tokens, d, f = frames * tokens_side**2, 1536, 8960
    flops = layers * (2 * tokens * (6 * d * d + 2 * d * f) + 4 * tokens * tokens * d + 4 * tokens * 512 * d)
    return lambda: model(hidden_states=x, timestep=t, encoder_hidden_states=text, return_dict=False), flops


def vae(folder, width, height, latents):
    from diffusers import AutoencoderKLWan

    model = AutoencoderKLWan().eval()
    latent = torch.randn(1, 16, latents, height // 8, width // 8)
    write(folder, {"kind": "wan21-vae"}, model.state_dict(), {"latent": latent})
    return lambda: model.decode(latent, return_dict=False), None


class MemBlock(torch.nn.Module):
    def __init__(self, n):
        super().__init__()
        conv = lambda a, b: torch.nn.Conv2d(a, b, 3, padding=1)
        self.conv = torch.nn.Sequential(conv(2 * n, n), torch.nn.ReLU(), conv(n, n), torch.nn.ReLU(), conv(n, n))

    def forward(self, x, past):
        return torch.relu(self.conv(torch.cat([x, past], 1)) + x)


class TGrow(torch.nn.Module):
    def __init__(self, n, stride):
        super().__init__()
        self.stride = stride
        self.conv = torch.nn.Conv2d(n, n * stride, 1, bias=False)

    def forward(self, x):
        n, c, h, w = x.shape
        return self.conv(x).reshape(n * self.stride, c, h, w)


class StreamingDecoder(torch.nn.Module):
    """The published way: picture by picture, each MemBlock keeps its last input."""

    def __init__(self):
        super().__init__()
        widths, grow = (256, 128, 64, 64), (1, 2, 2)
        layers = [torch.nn.Identity(), torch.nn.Conv2d(16, widths[0], 3, padding=1), torch.nn.ReLU()]
        for i in range(3):
            layers += [MemBlock(widths[i]) for _ in range(3)]
            layers += [torch.nn.Upsample(scale_factor=2), TGrow(widths[i], grow[i]), torch.nn.Conv2d(widths[i], widths[i + 1], 3, padding=1, bias=False)]
        self.decoder = torch.nn.Sequential(*layers, torch.nn.ReLU(), torch.nn.Conv2d(widths[3], 3, 3, padding=1))

    def step(self, x, memory, at=0):
        for i in range(at, len(self.decoder)):
            layer = self.decoder[i]
            if isinstance(layer, MemBlock):
                past = memory.get(i, torch.zeros_like(x))
                memory[i] = x
                x = layer(x, past)
            elif isinstance(layer, TGrow):
                out = []
                for frame in layer(x).split(1):
                    out += self.step(frame, memory, i + 1)
                return out
            else:
                x = layer(torch.tanh(x / 3) * 3 if i == 0 else x)
        return [x.clamp(0, 1)]


def taehv(folder, width, height, latents):
    model = StreamingDecoder().eval()
    latent = torch.randn(1, latents, 16, height // 8, width // 8)
    weights = dict(model.state_dict())
    encoder = {"encoder.0": (64, 3), "encoder.17": (16, 64)}
    for name, (out, inputs) in encoder.items():
        weights |= {name + ".weight": torch.zeros(out, inputs, 3, 3), name + ".bias": torch.zeros(out)}
    for i, shrink in enumerate((2, 2, 1)):
        at = 2 + 5 * i
        weights |= {f"encoder.{at}.conv.weight": torch.zeros(64, 64 * shrink, 1, 1), f"encoder.{at + 1}.weight": torch.zeros(64, 64, 3, 3)}
        for k in range(3):
            for index, inputs in (("0", 128), ("2", 64), ("4", 64)):
                name = f"encoder.{at + 2 + k}.conv.{index}"
                weights |= {name + ".weight": torch.zeros(64, inputs, 3, 3), name + ".bias": torch.zeros(64)}
    write(folder, {"kind": "taehv"}, weights, {"latent": latent})

    def work():
        memory = {}
        for i in range(latents):
            model.step(latent[:, i], memory)

    return work, None


def umt5(folder):
    from transformers import UMT5Config, UMT5EncoderModel

    sizes = {"vocab_size": 1000, "d_model": 4096, "num_heads": 64, "d_kv": 64, "d_ff": 10240, "num_layers": 1}
    model = UMT5EncoderModel(UMT5Config(**sizes, feed_forward_proj="gated-gelu", dropout_rate=0)).eval()
    ids = torch.randint(0, 1000, (1, 512))
    write(folder, {"kind": "umt5-encoder"} | sizes, {k: v.clone() for k, v in model.state_dict().items()}, {"ids": ids})
    mask = torch.ones_like(ids)
    return lambda: model(input_ids=ids, attention_mask=mask), None


def product(folder):
    a, b = torch.randn(4096, 1536), torch.randn(1536, 8960)
    write(folder, {"kind": "product"}, {"none": torch.zeros(1)}, {"a": a, "b": b})
    return lambda: torch.mm(a, b), 2 * 4096 * 1536 * 8960


def main():
    options = argparse.ArgumentParser()
    options.add_argument("bench")
    options.add_argument("--only", nargs="*")
    options.add_argument("--width", type=int, default=480)
    options.add_argument("--height", type=int, default=272)
    options.add_argument("--latents", type=int, default=3)
    options.add_argument("--repeats", type=int, default=2)
    given = options.parse_args()
    size = (given.width, given.height, given.latents)
    cases = {"product": product, "dit-block": lambda f: dit(f, 1), "dit-step": lambda f: dit(f, 4), "vae": lambda f: vae(f, *size),
             "taehv": lambda f: taehv(f, *size), "umt5-layer": umt5}
    peak = None
    with tempfile.TemporaryDirectory() as folder:
        for name, make in cases.items():
            if given.only and name not in given.only:
                continue
            case = pathlib.Path(folder) / name
            work, flops = make(case)
            theirs, their_mb = python_side(work, given.repeats)
            ours = json.loads(subprocess.run([given.bench, str(case), "--repeats", str(given.repeats)], check=True, capture_output=True, text=True).stdout)
            line = {"case": name, "python_cpu_seconds": round(theirs, 3), "cpu_seconds": round(ours["cpu_seconds"], 3),
                    "ratio": round(theirs / ours["cpu_seconds"], 3), "python_peak_mb": round(their_mb), "peak_mb": round(ours["peak_mb"])}
            if flops:
                line["gflops"] = round(flops / ours["cpu_seconds"] / 1e9, 1)
                peak = line["gflops"] if name == "product" else peak
                if peak and name != "product":
                    line["share_of_product"] = round(line["gflops"] / peak, 3)
            print(json.dumps(line), flush=True)


main()
