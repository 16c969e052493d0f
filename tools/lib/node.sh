# shellcheck shell=bash
# Network nodes inside a sandbox. Each is a network and a mount namespace of its own, held by its D-Bus daemon: interface
# eth0 on the sandbox's switch, IPv4 10.77.0.N, IPv6 fd77::N and a link-local address, its own D-Bus and its own Avahi.

mh_nodes=/run/nodes

# node_pid NAME: the process that holds the node.
node_pid() { cat "$mh_nodes/$1/pid" 2>/dev/null || die "there is no node '$1' in this sandbox"; }

# node_exec NAME COMMAND...: becomes COMMAND inside the node, in the present folder.
node_exec() {
  local pid
  pid=$(node_pid "$1")
  shift
  exec nsenter -t "$pid" --net --mount --root \
    env -C "$PWD" DBUS_SYSTEM_BUS_ADDRESS=unix:path=/run/dbus/system_bus_socket AVAHI_COMPAT_NOWARN=1 "$@"
}

# node_up NAME NUMBER: makes the node and waits until its Avahi has established its name.
node_up() {
  local name=$1 number=$2 folder=$mh_nodes/$1 pid
  mkdir -p "$folder"
  node_bus_configuration >"$folder/dbus.conf"
  node_avahi_configuration "$name" >"$folder/avahi.conf"

  unshare --net --mount --propagation private bash -c '
    mkdir -p /run/dbus /run/avahi-daemon
    for folder in /run/dbus /run/avahi-daemon /data; do mount -t tmpfs tmpfs "$folder"; done
    exec dbus-daemon --nofork --nopidfile --config-file="$1/dbus.conf"' bash "$folder" \
    </dev/null >"$folder/dbus.log" 2>&1 &
  pid=$!
  node_wait "$name" "its namespace" node_is_apart "$pid"

  ip link add "port$number" type veth peer name eth0 netns "$pid"
  ip link set "port$number" master switch up
  (
    exec nsenter -t "$pid" --net sh -eu -c '
      # No duplicate address detection: addresses work at once. (Read-only /proc/sys: they work after a second.)
      for key in all default eth0; do
        { echo 0 >/proc/sys/net/ipv6/conf/$key/accept_dad; } 2>/dev/null || true
      done
      ip link set lo up
      ip link set eth0 addrgenmode eui64 up
      ip addr add "10.77.0.$1/24" dev eth0
      ip addr add "fd77::$1/64" dev eth0 nodad
      # IPv4 multicast without a default route.
      ip route add 224.0.0.0/4 dev eth0' sh "$number"
  )
  node_wait "$name" "its link-local address" node_has_link_local "$pid"
  node_wait "$name" "its D-Bus" nsenter -t "$pid" --mount --root test -S /run/dbus/system_bus_socket
  echo "$pid" >"$folder/pid"
  (node_exec "$name" avahi-daemon --no-drop-root --no-chroot --no-rlimits --file "$folder/avahi.conf") \
    </dev/null >"$folder/avahi.log" 2>&1 &
  node_wait "$name" "its Avahi" grep -q 'startup complete' "$folder/avahi.log"
}

node_is_apart() { [ "$(readlink "/proc/$1/ns/net")" != "$(readlink /proc/self/ns/net)" ]; }
node_has_link_local() {
  local addresses
  addresses=$(nsenter -t "$1" --net ip -6 -br addr show dev eth0 scope link -tentative 2>/dev/null)
  [[ $addresses == *fe80::* ]]
}

# node_wait NAME WHAT COMMAND...: until COMMAND succeeds, at most 15 s.
node_wait() {
  local name=$1 what=$2 deadline=$(($(now_ms) + 15000))
  shift 2
  until "$@" 2>/dev/null; do
    if [ "$(now_ms)" -gt "$deadline" ]; then
      tail -n 5 "$mh_nodes/$name"/*.log >&2
      die "node '$name' did not get $what within 15 s"
    fi
    sleep 0.02
  done
}

# Without <type>system, so that the bus needs no other user than the one who starts it.
node_bus_configuration() {
  cat <<'XML'
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <listen>unix:path=/run/dbus/system_bus_socket</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/><allow own="*"/><allow send_destination="*"/><allow receive_sender="*"/>
  </policy>
  <limit name="max_connections_per_user">4096</limit>
  <limit name="max_completed_connections">4096</limit>
</busconfig>
XML
}

node_avahi_configuration() {
  cat <<INI
[server]
host-name=$1
use-ipv4=yes
use-ipv6=yes
allow-interfaces=eth0
enable-dbus=yes
clients-max=4096
objects-per-client-max=4096
ratelimit-interval-usec=0
[wide-area]
enable-wide-area=no
[publish]
publish-hinfo=no
publish-workstation=no
INI
}
