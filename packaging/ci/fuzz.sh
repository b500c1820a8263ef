#!/usr/bin/env bash
# Runs every fuzz target for a bounded time: fuzz.sh [SECONDS PER TARGET]   (default 20)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. packaging/setup/lib.sh
seconds=${1:-20}
build fuzz fuzz_targets
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for target in build/fuzz/bin/fuzz_*; do
  name=$(basename "$target")
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
