# Shared by the scripts of packaging/, and asked by CMake for the data folder.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
jobs=${LOQUOR_JOBS:-$(nproc)}

# Where models, voices and libraries lie: the rules of core/platform/paths.h (an empty variable is an unset one, a
# relative XDG folder is ignored, as the XDG specification says).
data_folder() {
  local home=${HOME:-} share=${XDG_DATA_HOME:-}
  [[ $home == /* ]] || home=$(getent passwd "$(id -u)" | cut -d: -f6)
  [[ $share == /* ]] || share=${home%/}/.local/share
  local own=${LOQUOR_DATA_DIR:-$share/loquor}
  [[ $own == /* ]] || own=$PWD/$own
  printf '%s\n' "$own"
}

# For a build without a terminal: where it is, every ten seconds, and everything the compiler says.
calm_progress() {
  local every=${LOQUOR_PROGRESS_SECONDS:-10} line='' rest='' step='' status said=$SECONDS
  while :; do
    status=0
    IFS= read -r -t 1 line || status=$?
    rest+=$line
    if ((status == 0 || (status <= 128 && ${#rest} > 0))); then # a line, or the last one without its end
      if [[ $rest =~ ^\[[0-9]+/[0-9]+\] ]]; then step=${BASH_REMATCH[0]}; else printf '%s\n' "$rest"; fi
      rest=''
    fi
    if [[ -n $step ]] && ((SECONDS - said >= every)); then
      echo "$step"
      said=$SECONDS
    fi
    if ((status != 0 && status <= 128)); then break; fi # over 128: nothing came within the second
  done
  if [[ -n $step ]]; then echo "$step"; fi
}

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
  else
    (cd "$root" && set -o pipefail && cmake --build --preset "$preset" -j "$jobs" ${1:+--target "$@"} 2>&1 |
      calm_progress) || return 1
  fi
  echo "Built in $((SECONDS - started)) s"
}
