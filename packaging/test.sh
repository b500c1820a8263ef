#!/usr/bin/env bash
# Sets everything up, builds the preset `ci` (optimised, warnings are errors) and runs every test.
#   bash packaging/test.sh [CTEST OPTIONS]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. packaging/setup/lib.sh

bash packaging/setup.sh --tests
echo "Building (preset ci)"
build ci all
# Header self-sufficiency: every public header compiles alone.
build ci all_verify_interface_header_sets
ctest --preset ci --no-tests=error -j "$jobs" "$@"
