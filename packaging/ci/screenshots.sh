#!/usr/bin/env bash
# Pictures of every screen of the studio in both themes, at 100 % and 200 %: screenshots.sh [OUT] [BUILD]
# They lie outside the tree; look at each after a change of the user interface.
set -euo pipefail
. "$(dirname "$0")/../setup/lib.sh"
out="${1:-${TMPDIR:-/tmp}/loquor-screens}"
build="${2:-$root/build/dev}"
photo="$(data_folder)/media/test/astronaut.png"
cmake --build "$build" --target screens
arguments=()
if [ -f "$photo" ]; then
  arguments=("$photo")
fi
for scale in 1 2; do
  QT_QPA_PLATFORM="${QT_QPA_PLATFORM:-offscreen}" QT_SCALE_FACTOR="$scale" \
    "$build/bin/screens" "$out/scale-$scale" "${arguments[@]}"
done
QT_QPA_PLATFORM="${QT_QPA_PLATFORM:-offscreen}" LOQUOR_LANGUAGE=de \
  "$build/bin/screens" "$out/german" "${arguments[@]}"
echo "$out"
