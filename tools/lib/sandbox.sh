# shellcheck shell=bash
# A sandbox: private network, process, mount (and, without root, user) namespaces. Nothing in it is joined to the
# machine's own network, and all of it ends with its first process, however that ends: no state is left behind,
# and any number of sandboxes can exist side by side.

# sandbox_flags: prints the unshare flags that work here; or, with status 1, why none do.
sandbox_flags() {
  local base='--net --mount --pid --ipc --fork --kill-child=KILL --mount-proc --propagation private' kind reason
  for tool in unshare nsenter setpriv pivot_root mount ip dbus-daemon avahi-daemon; do
    sandbox_has "$tool" || { echo "the program '$tool' is missing" && return 1; }
  done
  for kind in '' '--user --map-root-user'; do
    [ -n "$kind" ] || [ "$(id -u)" = 0 ] || continue
    # shellcheck disable=SC2086
    if reason=$(unshare $kind $base sh -c 'mount -t tmpfs tmpfs /run && ip link add mh0 type veth peer name mh1' 2>&1); then
      echo "$kind $base"
      return 0
    fi
  done
  reason=${reason##*$'\n'}
  if [ "$(id -u)" = 0 ]; then
    echo "this machine allows no namespaces, not even to root (${reason:-unshare failed})"
  else
    echo "this machine allows you no user namespace (${reason:-unshare failed}); as root it may work"
  fi
  return 1
}
sandbox_has() { PATH=$PATH:/usr/sbin:/sbin command -v "$1" >/dev/null; }

# sandbox_exec NODE... -- COMMAND...: becomes COMMAND in a new sandbox with these nodes. It dies with its parent.
sandbox_exec() {
  local flags
  flags=$(sandbox_flags) || die "no private network is possible: $flags"
  # shellcheck disable=SC2086
  exec setpriv --pdeathsig KILL unshare $flags "$MH_ROOT/tools/lib/sandbox_init" "$@"
}

# sandbox_wait NODE... -- COMMAND...: runs COMMAND in a new sandbox and returns its status. Ctrl-C reaches the command
# by the terminal; a TERM to this script is passed on to it. With MH_SANDBOX_NAME, `tools/lab --name` of it can enter.
sandbox_wait() {
  local child status=0
  (
    trap - INT TERM
    sandbox_exec "$@"
  ) <&0 &
  child=$!
  # shellcheck disable=SC2064
  trap "sandbox_pass_on $child" TERM HUP
  trap : INT
  local named=
  if [ -n "${MH_SANDBOX_NAME:-}" ] && ! sandbox_first "$MH_SANDBOX_NAME" >/dev/null; then
    sandbox_register "$MH_SANDBOX_NAME" "$child"
    named=1
  fi
  while :; do
    status=0
    wait "$child" || status=$?
    kill -0 "$child" 2>/dev/null || break
  done
  trap - INT TERM HUP
  if [ -n "$named" ]; then rm -rf "$(sandbox_place "$MH_SANDBOX_NAME")"; fi
  return "$status"
}
sandbox_pass_on() {
  # `unshare` blocks TERM: its child, the sandbox's first process, handles it.
  local first
  first=$(first_child "$1" 2>/dev/null) || return 0
  kill -TERM "$first" 2>/dev/null || true
}
# first_child UNSHARE-PID: the sandbox's first process; fails as long as that process is not yet `unshare` or has no child.
first_child() {
  local children
  [ "$(cat "/proc/$1/comm")" = unshare ] || return 1
  children=$(cat "/proc/$1/task/$1/children") && [ -n "$children" ] && echo "${children%% *}"
}

# Sandboxes with a name, so that others can enter them: $place/first holds the first process's number and start time.
sandbox_place() { echo "$MH_CACHE/lab/$1"; }

# sandbox_register NAME UNSHARE-PID: writes the first process down as soon as there is one.
sandbox_register() {
  local place first deadline
  place=$(sandbox_place "$1")
  deadline=$(($(now_ms) + 5000))
  until first=$(first_child "$2" 2>/dev/null); do
    if ! kill -0 "$2" 2>/dev/null || [ "$(now_ms)" -gt "$deadline" ]; then return 0; fi
    sleep 0.02
  done
  (umask 077 && mkdir -p "$place")
  echo "$first $(start_time "$first")" >"$place/first"
}

# sandbox_first NAME: prints the first process's number; fails when that sandbox is gone. The start time guards against a
# number that was given to another process since.
sandbox_first() {
  local first start
  read -r first start 2>/dev/null <"$(sandbox_place "$1")/first" || return 1
  [ -n "$start" ] && [ "$(start_time "$first")" = "$start" ] && echo "$first"
}
start_time() { awk '{ sub(/.*\) /, ""); if ($1 != "Z") print $20 }' "/proc/$1/stat" 2>/dev/null || true; }
