#!/usr/bin/env bash
# clang-tidy over the product's sources: tidy.sh [FILE...]   (default: every .cpp of core, app and ui)
# A file that passed is read again only when it, a header of this project that it includes, or the checks change.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. packaging/setup/lib.sh
stamps=build/full/tidy
mkdir -p "$stamps"
tidy=$(data_folder)/deps/clang-tidy/bin/clang-tidy
# A configuration of its own: the precompiled headers of a build are another compiler's.
cmake --preset clang -B build/tidy -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON > "$stamps/configure.log" 2>&1 || { tail -n 20 "$stamps/configure.log" >&2; exit 1; }
if [[ $# -gt 0 ]]; then files=("$@"); else mapfile -t files < <(git ls-files 'core/*.cpp' 'app/*.cpp' 'ui/*.cpp'); fi

# FILE -> STAMP for the files to read.
python3 - "$stamps" "$(data_folder)/deps/clang-tidy/.stamp" "${files[@]}" > "$stamps/work" <<'PY'
import hashlib, json, pathlib, re, sys
stamps, files = pathlib.Path(sys.argv[1]), sys.argv[3:]
include = re.compile(rb'^\s*#\s*include\s+"([^"]+)"', re.M)
known = {str(pathlib.Path(c["file"]).resolve()) for c in json.load(open("build/tidy/compile_commands.json"))}
content, below = {}, {}
def headers(name):
    if name not in below:
        below[name] = set()
        path = pathlib.Path(name)
        content[name] = path.read_bytes() if path.is_file() else b""
        for found in include.findall(content[name]):
            below[name] |= {found.decode()} | headers(found.decode())
    return below[name]
checks = pathlib.Path(".clang-tidy").read_bytes() + pathlib.Path(sys.argv[2]).read_bytes()
for name in files:
    if str(pathlib.Path(name).resolve()) not in known:
        continue  # not part of this configuration (the CUDA plug-in)
    key = hashlib.sha256(checks)
    for part in [name] + sorted(headers(name)):
        key.update(part.encode() + content.get(part, b""))
    stamp = stamps / (name.replace("/", "+") + "." + key.hexdigest()[:16])
    if not stamp.exists():
        print(name, stamp)
PY
[[ $? == 0 ]] || exit 1
echo "clang-tidy: $(wc -l < "$stamps/work") of ${#files[@]} files to read"
export tidy
xargs -r -P "$jobs" -L 1 bash -c '
  if "$tidy" --quiet -p build/tidy "$1" 2>/dev/null; then
    rm -f "${2%.*}".*; touch "$2"
  else
    echo "$1: findings" >&2; exit 1
  fi' tidy < "$stamps/work"
