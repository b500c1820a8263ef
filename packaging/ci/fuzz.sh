#!/usr/bin/env bash
# Runs every fuzz target for a bounded time: fuzz.sh [SECONDS PER TARGET [SECONDS OF EACH READER OF WEIGHTS]]
# (default 20, and the same). Weights are large files that people download: their readers are worth more.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. packaging/setup/lib.sh
each=${1:-20}
weights=${2:-$each}
build fuzz fuzz_targets
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for target in build/fuzz/bin/fuzz_*; do
  name=$(basename "$target")
  case $name in
    fuzz_safetensors | fuzz_state_dict | fuzz_weight_index) seconds=$weights ;;
    *) seconds=$each ;;
  esac
  mkdir -p "$work/$name"
  seeds=()
  [[ -d tests/fuzz/seeds/$name ]] && seeds=("tests/fuzz/seeds/$name")
  echo "$name: $seconds s"
  if ! "$target" -max_total_time="$seconds" -max_len=65536 -timeout=10 -rss_limit_mb=4096 -artifact_prefix="$work/" \
      "$work/$name" "${seeds[@]}" > "$work/$name.log" 2>&1; then
    tail -n 40 "$work/$name.log" >&2
    mkdir -p build/fuzz/artifacts
    cp "$work"/crash-* "$work"/timeout-* "$work"/oom-* build/fuzz/artifacts/ 2>/dev/null || true
    echo "$name failed; the input is kept in build/fuzz/artifacts" >&2
    exit 1
  fi
  grep -E 'DONE|stat::' "$work/$name.log" | tail -n 1
done
