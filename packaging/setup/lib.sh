# Shared by demo.sh and test.sh.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
jobs=${LOQUOR_JOBS:-$(nproc)}

# build PRESET TARGET...: configures if needed and builds; shows the compiler's own errors on failure.
build() {
  local preset=$1 started=$SECONDS log; shift
  log=$(mktemp)
  if ! (cd "$root" && cmake --preset "$preset" > "$log" 2>&1); then
    grep -vE '^$' "$log" | tail -n 25 >&2
    rm -f "$log"
    echo "The build could not be configured (see above)." >&2
    return 1
  fi
  rm -f "$log"
  if [[ -t 1 ]]; then
    (cd "$root" && cmake --build --preset "$preset" -j "$jobs" ${1:+--target "$@"}) || return 1
  else # without a terminal: one line every 50 steps, and everything the compiler says on failure
    (cd "$root" && set -o pipefail && cmake --build --preset "$preset" -j "$jobs" ${1:+--target "$@"} 2>&1 |
      awk '/^\[[0-9]+\/[0-9]+\]/ {if (++n % 50 == 0) {print $1; fflush()} next} {print; fflush()}') || return 1
  fi
  echo "Built in $((SECONDS - started)) s"
}
