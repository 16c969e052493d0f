# shellcheck shell=bash
# Debian packages: which ones each purpose needs, and how to install them without starting a service.

# packages_for PURPOSE...: one package a line; A|B means the first of the two that this system knows.
packages_for() {
  local purpose
  for purpose; do
    case $purpose in
    build) printf '%s\n' libssl-dev libsqlite3-dev libavahi-compat-libdnssd-dev libqrencode-dev ;;
    # A private network with its own D-Bus and Avahi, and the scripts that drive it (CircuitMatter too calls
    # avahi-publish-service).
    network) printf '%s\n' iproute2 util-linux procps dbus avahi-daemon avahi-utils python3 ;;
    # Matter devices and controllers from PyPI. The CHIP SDK's library links GLib and libnl.
    peers) printf '%s\n' python3-venv 'libglib2.0-0|libglib2.0-0t64' libnl-3-200 libnl-route-3-200 ;;
    # What checks tools/wireshark.
    capture) echo tshark ;;
    *) die "no packages are listed for '$purpose'" ;;
    esac
  done
}

# try_packages PURPOSE...: like install_packages; where that cannot be done it returns 1 and says why in MH_NO_PACKAGES.
try_packages() {
  export MH_NO_PACKAGES
  MH_NO_PACKAGES=$(
    # The subshell undoes what it did itself; its words go where they always go.
    # shellcheck disable=SC2034
    mh_exit_commands=()
    die() {
      warn "$*"
      echo "$*" >&3
      exit 1
    }
    exec 3>&1
    install_packages "$@" >&2
  )
}

package_installed() {
  # A package that was replaced by a renamed one counts when the new one says that it provides it.
  [ "$(dpkg-query -W -f '${db:Status-Abbrev}' "$1" 2>/dev/null)" = 'ii ' ]
}

# missing_packages PURPOSE...: those that are not installed, one a line.
missing_packages() {
  local entry name
  packages_for "$@" | while read -r entry; do
    local found=
    for name in ${entry//|/ }; do
      if package_installed "$name"; then found=1 && break; fi
    done
    [ -n "$found" ] || echo "$entry"
  done
}

# install_packages PURPOSE...: installs what is missing, after saying what and asking.
# No service is started: avahi-daemon would otherwise announce this machine on its real network.
install_packages() {
  local missing=() names=() entry name log
  if ! command -v dpkg-query >/dev/null; then
    warn "this is not a Debian system; please install what these stand for: $(packages_for "$@" | tr '\n' ' ')"
    return 0
  fi
  mapfile -t missing < <(missing_packages "$@")
  [ ${#missing[@]} -gt 0 ] || return 0
  say "Debian packages to install: ${missing[*]}"
  note "no service will be started by that: D-Bus and Avahi run only inside private namespaces"
  if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
    die "neither root nor sudo; run as root: apt-get install --no-install-recommends ${missing[*]//|*/}"
  fi
  confirm "Install them now?" || die "not installed; nothing was changed"

  log=$(mktemp)
  on_exit "rm -f '$log'"
  hold_services_back
  quietly "$log" as_root apt-get update -q || die "apt-get update failed"
  for entry in "${missing[@]}"; do
    for name in ${entry//|/ }; do
      if apt-cache show "$name" >/dev/null 2>&1; then break; fi
    done
    names+=("$name")
  done
  quietly "$log" as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -q -y --no-install-recommends "${names[@]}" || die "apt-get install failed"
  let_services_go
  good "installed: ${names[*]}"
}

# A policy-rc.d that exits 101 keeps packages from starting services. One that is already there stays as it is
# when it says the same, and is put back afterwards when it does not.
mh_policy=/usr/sbin/policy-rc.d
hold_services_back() {
  if [ -x "$mh_policy" ]; then
    local verdict=0
    "$mh_policy" avahi-daemon start >/dev/null 2>&1 || verdict=$?
    [ "$verdict" != 101 ] || return 0
    as_root mv "$mh_policy" "$mh_policy.before-matterhub"
  fi
  printf '#!/bin/sh\nexit 101\n' | as_root tee "$mh_policy" >/dev/null
  as_root chmod 755 "$mh_policy"
  mh_policy_is_ours=1
  on_exit let_services_go
}
let_services_go() {
  [ "${mh_policy_is_ours:-0}" = 1 ] || return 0
  mh_policy_is_ours=0
  as_root rm -f "$mh_policy"
  [ ! -e "$mh_policy.before-matterhub" ] || as_root mv "$mh_policy.before-matterhub" "$mh_policy"
}

# need_swift: the compiler is the one thing that no package of this system brings.
need_swift() {
  command -v swift >/dev/null ||
    die "no 'swift' on PATH: install Swift 6.2 or newer from https://www.swift.org/install/linux and start again"
}
