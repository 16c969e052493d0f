# shellcheck shell=bash
# Matter peers from PyPI: one Python environment for the controller, one for the devices, and one for what judges our
# contract (a JSON Schema validator), under the cache folder.
# The lists are complete (nothing else is resolved) and name wheels only, so that no compiler is needed.

mh_peer_lists=(controller devices validator)

# install_peers [LIST...]: makes or keeps these, all without words; sets MH_PEERS.
install_peers() {
  [ $# -gt 0 ] || set -- "${mh_peer_lists[@]}"
  MH_PEERS=$MH_CACHE/peers
  export MH_PEERS
  peers_ready "$@" && return 0
  mkdir -p "$MH_PEERS"
  (
    # Another start of these scripts may be at the same work.
    flock 9
    local list
    for list; do peers_install_one "$list"; done
  ) 9>"$MH_PEERS/lock" || die "the Matter peers could not be installed"
}

peers_ready() {
  local list
  for list; do
    [ "$(cat "$MH_PEERS/$list/installed" 2>/dev/null)" = "$(peers_stamp "$list")" ] || return 1
  done
}
peers_stamp() { sha256sum <"$MH_ROOT/tools/peers/$1.txt"; }

peers_install_one() {
  local list=$1 folder=$MH_PEERS/$1 file=$MH_ROOT/tools/peers/$1.txt python start
  [ "$(cat "$folder/installed" 2>/dev/null)" != "$(peers_stamp "$list")" ] || return 0
  python=$(peers_python) || die "no Python 3.11 or newer with venv; on Debian: apt-get install python3-venv"
  start=$(now_ms)
  say "Matter peers from PyPI ($list): $(grep -v '^#' "$file" | head -n 2 | tr '\n' ' ')..."
  confirm "Download them into $folder?" || die "not downloaded; --unit-only needs none of them"
  rm -rf "$folder"
  quietly "$MH_PEERS/$list.log" "$python" -m venv "$folder" || die "python3 -m venv failed"
  quietly "$MH_PEERS/$list.log" "$folder/bin/python" -m pip install --disable-pip-version-check --no-input \
    --no-deps --only-binary :all: -r "$file" || die "pip could not install $file"
  peers_stamp "$list" >"$folder/installed"
  good "installed in $(elapsed "$start")"
}

# peers_python: a Python that the pinned wheels fit, Debian's own first, then newer and other ones.
peers_python() {
  local candidate
  for candidate in ${MATTERHUB_PYTHON:-} /usr/bin/python3 python3.11 python3.12 python3.13 \
    "${HOME:-/root}"/.pyenv/versions/3.1[1-3].*/bin/python; do
    if "$candidate" -c 'import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null; then
      echo "$candidate"
      return 0
    fi
  done
  return 1
}
