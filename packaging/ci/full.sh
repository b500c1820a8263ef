#!/usr/bin/env bash
# What CI has no time for: run it before a change is called done.
#   packaging/ci/full.sh [--resume] [PART...]    parts: format asan tsan clang tidy fuzz cuda (default: all)
# Every part runs, whatever the ones before gave; the table at the end says which passed, and one that failed makes
# the exit status 1. Logs are kept in build/full. --resume leaves out the parts that passed on exactly this tree;
# builds go on where they stopped in any case, and tidy reads only files that changed since it last passed them.
# Needs: what setup.sh --tests --checks installs (this script calls it), and nvcc for the part cuda.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. packaging/setup/lib.sh
all_parts=(format asan tsan clang tidy fuzz cuda)
state=build/full
resume=0
parts=()
for word in "$@"; do
  if [[ $word == --resume ]]; then
    resume=1
  elif [[ " ${all_parts[*]} " == *" $word "* ]]; then
    parts+=("$word")
  else
    echo "usage: full.sh [--resume] [PART...]   parts: ${all_parts[*]}" >&2
    exit 2
  fi
done
[[ ${#parts[@]} -gt 0 ]] || parts=("${all_parts[@]}")
mkdir -p "$state"

# The content of the working tree as one word: a part's result holds for it only.
tree_id() {
  { git rev-parse HEAD; git diff HEAD; git ls-files -o --exclude-standard -z | xargs -0 -r sha256sum; } | sha256sum | cut -c1-16
}

build_and_test() { # PRESET TARGET...
  build "$@" && ctest --preset "$1" -j "$jobs"
}

part_format() { git ls-files '*.h' '*.cpp' | xargs clang-format-19 --dry-run --Werror; }
part_asan() { build_and_test asan all; }
part_tsan() { build_and_test tsan tsan_tests; } # only what it runs
part_clang() { build_and_test clang all; }
part_tidy() { bash packaging/ci/tidy.sh; }
part_fuzz() { bash packaging/ci/fuzz.sh 12 60; }
part_cuda() {
  if ! command -v nvcc >/dev/null; then
    echo "nvcc is not installed: the preset cuda cannot be built here. Install a CUDA 13 toolkit."
    return 77
  fi
  bash packaging/setup.sh --cuda && build_and_test cuda loquor_cuda test_gpu # the rest is as in ci
}

bash packaging/setup.sh --tests --checks || exit 1
rows=()
status=0
for part in "${parts[@]}"; do
  id=$(tree_id)
  if [[ $resume == 1 && $(cat "$state/$part.passed" 2>/dev/null) == "$id" ]]; then
    rows+=("$(printf '%-8s %-8s %7s' "$part" passed earlier)")
    continue
  fi
  rm -f "$state/$part.passed"
  printf '\n=== %s\n' "$part"
  started=$SECONDS
  "part_$part" 2>&1 | tee "$state/$part.log"
  result=${PIPESTATUS[0]}
  case $result in
    0) verdict=passed; [[ $(tree_id) != "$id" ]] || echo "$id" > "$state/$part.passed" ;;
    77) verdict="not run" ;;
    *) verdict=FAILED; status=1 ;;
  esac
  rows+=("$(printf '%-8s %-8s %5d s' "$part" "$verdict" $((SECONDS - started)))")
done
printf '\n%-8s %-8s %7s   (%s)\n' part result time "$(git describe --always --dirty)"
printf '%s\n' "${rows[@]}"
[[ $status == 0 ]] || echo "Logs: $state/PART.log"
exit $status
