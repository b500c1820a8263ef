#!/usr/bin/env bash
# Compares the networks of the open models with the diffusers and transformers packages as they run here, on random
# weights of sizes the stored references do not have.
#   packaging/parity.sh [--python PROGRAM] [--seed N] [BUILD]    BUILD: folder of a build, build/ci
# Makes a virtual environment of its own (build/parity/venv, 1.5 GB, from PyPI) unless --python names a program that
# has the packages. Not part of CI.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=""
seed=$RANDOM
build=build/ci
while [[ $# -gt 0 ]]; do
  case $1 in
    --python) python=$2; shift 2 ;;
    --seed) seed=$2; shift 2 ;;
    -*) echo "usage: parity.sh [--python PROGRAM] [--seed N] [BUILD]" >&2; exit 2 ;;
    *) build=$1; shift ;;
  esac
done
if [[ ! -x $build/bin/loquor-parity ]]; then
  echo "parity.sh: $build/bin/loquor-parity is not built: cmake --build $build --target loquor-parity" >&2
  exit 1
fi
work=build/parity
mkdir -p "$work"
if [[ -z $python ]]; then
  python=$work/venv/bin/python
  if [[ ! -e $work/venv/complete ]]; then
    python3 -m venv "$work/venv"
    "$python" -m pip install --quiet --requirement packaging/parity/requirements.txt
    touch "$work/venv/complete"
  fi
fi
rm -rf "$work/cases"
"$python" packaging/parity/make_cases.py "$work/cases" "$seed"
echo "seed $seed"
"$build/bin/loquor-parity" --brief "$work"/cases/*/
