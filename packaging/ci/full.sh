#!/usr/bin/env bash
# What CI has no time for: run it before a change is called done.
#   packaging/ci/full.sh [STEP...]      steps: format clang asan tsan tidy fuzz cuda (default: all)
# tidy looks at the files changed since BASE (default: the commit before the last 20, at most the root).
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. packaging/setup/lib.sh
steps=("$@")
[[ ${#steps[@]} -gt 0 ]] || steps=(format clang asan tsan tidy fuzz cuda)
failed=()

as_root=()
[[ $(id -u) == 0 ]] || as_root=(sudo)
need() { # need PACKAGE...: tools of this script only
  dpkg -s "$@" >/dev/null 2>&1 || DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq \
    --no-install-recommends "$@" >/dev/null
}

step_format() {
  need clang-format-19
  git ls-files '*.h' '*.cpp' | xargs clang-format-19 --dry-run --Werror
}

step_clang() {
  need clang-19 libclang-rt-19-dev
  build clang all && ctest --preset clang -j "$jobs"
}

step_asan() {
  # Leaks inside libraries that keep process-wide state are listed in lsan.supp with their reason.
  build asan all && ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1 \
    LSAN_OPTIONS=suppressions="$root/packaging/ci/lsan.supp":print_suppressions=0 \
    ctest --preset asan -j "$jobs" --timeout 900
}

step_tsan() {
  build tsan all && TSAN_OPTIONS=suppressions="$root/packaging/ci/tsan.supp":halt_on_error=1:handle_segv=0 \
    ctest --preset tsan -j "$jobs" --timeout 900
}

step_tidy() {
  need clang-19 clang-tidy-19
  local base=${BASE:-$(git rev-list --max-count=21 HEAD | tail -n 1)}
  cmake --preset clang >/dev/null 2>&1 || return 1
  git diff --name-only --diff-filter=d "$base" -- 'core/*.cpp' 'app/*.cpp' 'ui/*.cpp' |
    xargs -r -P "$jobs" -n 1 clang-tidy-19 --quiet -p build/clang
}

step_fuzz() {
  need clang-19 libclang-rt-19-dev
  bash packaging/ci/fuzz.sh
}

step_cuda() {
  if ! command -v nvcc >/dev/null; then
    echo "nvcc is not installed: the preset cuda is not built here."
    return 0
  fi
  bash packaging/setup.sh --cuda && build cuda all && build/cuda/bin/test_gpu
}

bash packaging/setup.sh --tests || exit 1
for step in "${steps[@]}"; do
  printf '\n=== %s\n' "$step"
  started=$SECONDS
  if "step_$step"; then
    echo "=== $step: passed in $((SECONDS - started)) s"
  else
    echo "=== $step: FAILED after $((SECONDS - started)) s"
    failed+=("$step")
  fi
done
if [[ ${#failed[@]} -gt 0 ]]; then
  printf '\nFailed: %s\n' "${failed[*]}"
  exit 1
fi
printf '\nAll steps passed: %s\n' "${steps[*]}"
