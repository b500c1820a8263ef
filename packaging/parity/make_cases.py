"""Reference numbers of diffusers, transformers and ftfy for loquor-parity: make_cases.py FOLDER SEED"""
import html
import importlib.util
import json
import pathlib
import random
import re
import sys

import torch
from safetensors.torch import save_file

TOLERANCE = {"abs": 2e-5, "rel": 1e-4, "pixel_abs": 5e-6}


class Case:
    def __init__(self, root, name, config):
        self.folder = pathlib.Path(root) / name
        self.folder.mkdir(parents=True)
        self.config = config
        self.io = {}

    def write(self, weights=None):
        (self.folder / "config.json").write_text(json.dumps(self.config | {"tolerance": TOLERANCE}))
        plain = lambda tensors: {k: v.detach().float().contiguous() if v.is_floating_point() else v.contiguous() for k, v in tensors.items()}
        if weights is not None:
            save_file(plain(weights), self.folder / "weights.safetensors")
        save_file(plain(self.io), self.folder / "io.safetensors")


def lively(model):
    """Weights that no default hides: norms and biases differ too."""
    for name, value in model.named_parameters():
        value.data = value.data + 0.05 * torch.randn_like(value)
    return model.eval()


def wan_dit(root, name, heads, layers, width, image):
    from diffusers import WanTransformer3DModel

    head, words = width // heads, 512 if image else 29  # the library takes all but 512 for the picture's
    model = lively(WanTransformer3DModel(
        num_attention_heads=heads, attention_head_dim=head, in_channels=36 if image else 16, out_channels=16, text_dim=40, freq_dim=128,
        ffn_dim=2 * width + 8, num_layers=layers, image_dim=48 if image else None, added_kv_proj_dim=width if image else None))
    case = Case(root, name, {
        "kind": "wan-dit", "dim": width, "num_heads": heads, "num_layers": layers, "ffn_dim": 2 * width + 8, "in_dim": 36 if image else 16,
        "out_dim": 16, "text_dim": 40, "text_len": words, "freq_dim": 128} | ({"image_dim": 48} if image else {}))
    x = torch.randn(1, 36 if image else 16, 3, 10, 14)
    text, t = torch.randn(1, words, 40), torch.tensor([random.uniform(20, 980)])
    tokens = torch.randn(1, 257, 48) if image else None
    with torch.no_grad():
        out = model(hidden_states=x, timestep=t, encoder_hidden_states=text, encoder_hidden_states_image=tokens, return_dict=False)[0]
    case.io = {"x": x, "text": text, "timestep": t, "out_diffusers_f32_sinusoid": out} | ({"image_tokens": tokens} if image else {})
    case.write(model.state_dict())


def wan_vae(root, base, height, width, latents):
    from diffusers import AutoencoderKLWan

    vae = lively(AutoencoderKLWan(base_dim=base))
    mean, std = (torch.tensor(v).view(1, 16, 1, 1, 1) for v in (vae.config.latents_mean, vae.config.latents_std))
    frames = 4 * latents - 3
    case = Case(root, "wan21-vae", {"kind": "wan21-vae", "dim": base, "stream_frames": [1] + [4] * (latents - 1)})
    video, latent = torch.rand(1, 3, frames, height, width) * 2 - 1, torch.randn(1, 16, latents, height // 8, width // 8)
    limited = torch.clamp
    with torch.no_grad():
        posterior = vae.encode(video).latent_dist
        torch.clamp = lambda value, *args, **options: value  # frames as the decoder makes them
        decode = lambda z: vae.decode(z * std + mean, return_dict=False)[0]
        raw, tail = decode(latent), decode(latent[:, :, -2:])
        torch.clamp = limited
    prefix = f"enc{frames}."
    case.io = {"video": video, "dec.latent": latent, "dec.raw": raw, "dec.cleared_tail": tail, prefix + "mu_raw": posterior.mean,
               prefix + "latent": (posterior.mean - mean) / std, prefix + "logvar": posterior.parameters.chunk(2, 1)[1]}
    case.write(vae.state_dict())


def umt5(root, width, heads, layers):
    from transformers import UMT5Config, UMT5EncoderModel

    config = {"vocab_size": 301, "d_model": width, "num_heads": heads, "d_kv": 12, "d_ff": 3 * width, "num_layers": layers}
    model = lively(UMT5EncoderModel(UMT5Config(**config, feed_forward_proj="gated-gelu", dropout_rate=0)))
    case = Case(root, "umt5", {"kind": "umt5-encoder", "lengths": [200, 51]} | config)
    ids, mask = torch.randint(0, 301, (2, 200)), torch.ones(2, 200, dtype=torch.long)
    mask[1, 51:] = 0
    with torch.no_grad():
        case.io = {"ids": ids, "mask": mask, "out_all": model(input_ids=ids, attention_mask=mask).last_hidden_state}
    case.write({k: v.clone() for k, v in model.state_dict().items()})


def clip(root, width, heads, layers):
    from transformers import CLIPVisionConfig, CLIPVisionModel

    sizes = {"image_size": 70, "patch_size": 14, "hidden_size": width, "num_attention_heads": heads, "num_hidden_layers": layers, "intermediate_size": 4 * width}
    model = lively(CLIPVisionModel(CLIPVisionConfig(**sizes, hidden_act="gelu", attn_implementation="eager")))
    case = Case(root, "clip", {"kind": "clip-vit"} | sizes)
    picture = torch.randint(0, 256, (1, 3, 61, 45), dtype=torch.uint8)
    pm1 = picture.float() / 255 * 2 - 1
    mean, std = (torch.tensor(v).view(1, 3, 1, 1) for v in ((.48145466, .4578275, .40821073), (.26862954, .26130258, .27577711)))
    values = (torch.nn.functional.interpolate(pm1, (70, 70), mode="bicubic", align_corners=False) * .5 + .5 - mean) / std
    with torch.no_grad():
        out = model(pixel_values=values, output_hidden_states=True).hidden_states[-2]
    case.io = {"image_u8": picture, "image_pm1": pm1, "pixel_values": values, "out": out}
    case.write(model.state_dict())


def wav2vec2(root, large):
    from transformers import Wav2Vec2Config, Wav2Vec2Model

    sizes = {"conv_dim": [20] * 7, "hidden_size": 60, "num_attention_heads": 5, "num_hidden_layers": 4, "intermediate_size": 110,
             "num_conv_pos_embeddings": 64, "num_conv_pos_embedding_groups": 6, "conv_bias": large,
             "feat_extract_norm": "layer" if large else "group", "do_stable_layer_norm": large}
    model = lively(Wav2Vec2Model(Wav2Vec2Config(**sizes, attn_implementation="eager")))
    wave = torch.randn(21000) * 0.3
    values = (wave - wave.mean()) / torch.sqrt(wave.var(unbiased=False) + 1e-7)
    with torch.no_grad():
        states = model(values[None], output_hidden_states=True).hidden_states
    stack = torch.stack(states[1:], 2)[0]
    if large:  # the last state after the final norm, as the models expect it
        with torch.no_grad():
            stack[:, -1] = model.encoder.layer_norm(states[-1])[0]
    case = Case(root, "wav2vec2-" + ("large" if large else "base"), {"kind": "wav2vec2", "seq_len": stack.shape[0]} | sizes)
    case.io = {"wav": wave, "input_values": values, "stack": stack}
    case.write(model.state_dict())


PROMPTS = ["A person talks.", "  two\t\nlines  ", "\u201cquoted\u201d, it\u2019s", "&amp;amp; &lt;b&gt; &#39;x&#x27; &eacute; &hellip;", "caf\u00c3\u00a9", "\u00e2\u0153\u201d fine",
           "sch\u00f6ne Gr\u00fc\u00dfe aus K\u00f6ln", "\ufb01ne o\ufb03ce", "\uff28\uff25\uff2c\uff2c\uff2f", "cafe\u0301", "\u4e00\u4e2a\u4eba\u5728\u8bf4\u8bdd\uff0c\u5fae\u7b11", "\u0433\u043e\u0432\u043e\u0440\u0438\u0442",
           "a\u001b[31mred\u001b[0m", "zero\ufeffwidth", "a\u00a0b\u2003c", "1 < 2 &amp; 3", "\u4f60\u597d &copy; 2026", "ni\u00f1o \u00bfqu\u00e9?", "\u00fcber\u0301", "tab\u0085next"]


def prompts(root):
    if importlib.util.find_spec("ftfy") is None:
        print("prompts are left out: the package ftfy is not installed", file=sys.stderr)
        return
    import ftfy

    clean = lambda text: re.sub(r"\s+", " ", html.unescape(html.unescape(ftfy.fix_text(text))).strip()).strip()
    Case(root, "prompts", {"kind": "prompts", "prompts": [{"text": p, "clean": clean(p)} for p in PROMPTS]}).write()


def main():
    root, seed = sys.argv[1], int(sys.argv[2])
    torch.manual_seed(seed)
    random.seed(seed)
    torch.set_num_threads(1)
    wan_dit(root, "wan-dit-t2v", heads=3, layers=2, width=84, image=False)
    wan_dit(root, "wan-dit-i2v", heads=5, layers=3, width=120, image=True)
    wan_vae(root, base=8, height=32, width=56, latents=4)
    umt5(root, width=36, heads=3, layers=4)
    clip(root, width=48, heads=3, layers=5)
    wav2vec2(root, large=False)
    wav2vec2(root, large=True)
    prompts(root)


main()
