#!/usr/bin/env bash
# Installs what Loquor needs on Debian 12: setup.sh [--tests] [--checks] [--cuda]
# Idempotent and resumable; a second run checks stamps and returns in a second or two.
# Everything that does not come from Debian lands in $LOQUOR_DATA_DIR
# (default: loquor in $XDG_DATA_HOME, else in ~/.local/share).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/setup/lib.sh"
data=$(data_folder)
groups=(core demo)
python=/usr/bin/python3 # Debian's own, whatever else is on the path
for option in "$@"; do
  case $option in
    --tests) groups+=(test) ;;
    --checks) groups+=(checks) ;;
    --cuda) groups+=(cuda) ;;
    *) echo "usage: setup.sh [--tests] [--checks] [--cuda]" >&2; exit 2 ;;
  esac
done

fail() { printf '\n%s\n' "$*" >&2; exit 1; }

[[ $(uname -m) == x86_64 ]] || fail "Loquor is built for x86-64 processors; this one is $(uname -m)."
command -v apt-get >/dev/null || fail "This script installs Debian packages; apt-get is not here. See README.md, section 'Other systems'."
if [[ $(id -u) == 0 ]]; then as_root=(); elif command -v sudo >/dev/null; then as_root=(sudo); else as_root=(none); fi

# Packages of the wanted groups that are not installed yet.
missing_packages() {
  local wanted
  wanted=$(awk -v groups=" ${groups[*]} " '!/^#/ && NF && index(groups, " " $1 " ") {for (i = 2; i <= NF; i++) print $i}' \
           "$here/setup/apt.txt")
  # shellcheck disable=SC2086
  dpkg-query -W -f='${Package} ${db:Status-Status}\n' $wanted 2>/dev/null | awk '$2 == "installed" {print $1}' |
    sort -u > "$scratch/installed"
  sort -u <<<"$wanted" | comm -23 - "$scratch/installed"
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

install_packages() {
  local packages
  packages=$(missing_packages)
  [[ -n $packages ]] || return 0
  [[ ${as_root[*]:-} != none ]] || fail "Debian packages are missing and neither root nor sudo is available. Install as root:
  apt-get install --no-install-recommends $(tr '\n' ' ' <<<"$packages")"
  echo "Installing $(wc -w <<<"$packages") Debian packages"
  "${as_root[@]}" apt-get update -qq || fail "apt-get update failed: check the network, then run the same command again."
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends $packages \
    > "$scratch/apt.log" 2>&1 || {
      tail -n 15 "$scratch/apt.log" >&2
      fail "Debian packages could not be installed (see above). If the network failed, run the same command again."
    }
}

# Python first: the downloads run while apt installs the rest.
if ! $python -c 'import venv, ensurepip' >/dev/null 2>&1; then
  [[ ${as_root[*]:-} != none ]] || fail "python3 and python3-venv are missing, and neither root nor sudo is available."
  echo "Installing Python"
  "${as_root[@]}" apt-get update -qq || fail "apt-get update failed: check the network, then run the same command again."
  DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends \
    python3 python3-venv python3-pip > "$scratch/python.log" 2>&1 || {
      tail -n 15 "$scratch/python.log" >&2; fail "Python could not be installed (see above)."; }
fi

mkdir -p "$data"
exec 8> "$data/.setup-lock"
flock -n 8 || { echo "Another set-up is running; waiting for it."; flock 8; }

echo "Set-up: packages and models in $data"
"$python" "$here/setup/deps.py" "$data" --download-only "${groups[@]}" & downloads=$!
install_packages
wait "$downloads" || exit 1
"$python" "$here/setup/deps.py" "$data" "${groups[@]}"
