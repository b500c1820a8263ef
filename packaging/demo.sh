#!/usr/bin/env bash
# From an empty Debian 12 machine to a talking video: sets everything up, builds what the demo needs,
# renders the demo portrait to loquor-demo.mp4 and opens the studio where there is a display.
#   bash packaging/demo.sh [OUTPUT.mp4]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. packaging/setup/lib.sh
started=$SECONDS
output=${1:-$root/loquor-demo.mp4}
data=$(data_folder)

bash packaging/setup.sh
echo "Building (preset release)"
build release loquor-cli loquor-rank loquor-phonemes loquor
bin=$root/build/release/bin

echo "Rendering the demo: NASA portrait of Eileen Collins (public domain), script in resources/demo/script.txt"
report=$(mktemp)
trap 'rm -f "$report"' EXIT
"$bin/loquor-cli" render --reference "$data/media/demo/astronaut.png" --script "$root/resources/demo/script.txt" \
  --size 1280x720 --seed 1 --overwrite --report "$report" -o "$output"
python3 - "$report" "$output" <<'PY'
import json, os, sys
r = json.load(open(sys.argv[1]))
print(f"\nVideo:  {sys.argv[2]} ({os.path.getsize(sys.argv[2]) / 1e6:.1f} MB)")
print(f"        {r['frames']} frames, {r['duration_s']:.1f} s, first frame after {r['first_frame_s']:.1f} s, "
      f"{r['realtime_factor']:.1f} x real time, peak memory {r['peak_rss_mb']:.0f} MB")
for w in r["warnings"]:
    print("        note:", w)
PY
echo "Time:   $((SECONDS - started)) s for everything"

if [[ -n ${DISPLAY:-}${WAYLAND_DISPLAY:-} && ${LOQUOR_NO_STUDIO:-0} != 1 ]]; then
  echo "Opening the studio"
  exec "$bin/loquor" "$data/media/demo/astronaut.png" "$root/resources/demo/script.txt"
fi
echo "No display here: start the studio with $bin/loquor where there is one."
