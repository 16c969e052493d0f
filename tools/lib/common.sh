# shellcheck shell=bash
# Shared by every script in tools/: where things are, how they speak, what they undo when they end.
# Source it after `set -euo pipefail`.

# The checkout's top folder.
MH_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
# Downloads that a second start reuses.
MH_CACHE=${MATTERHUB_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/matterhub}
export MH_ROOT MH_CACHE
export mh_name=${0##*/}

if [ -t 2 ] && [ -z "${NO_COLOR:-}" ] && [ "${TERM:-dumb}" != dumb ]; then
  mh_bold=$'\e[1m' mh_red=$'\e[31m' mh_green=$'\e[32m' mh_dim=$'\e[2m' mh_plain=$'\e[0m'
else
  mh_bold='' mh_red='' mh_green='' mh_dim='' mh_plain=''
fi

# A heading, a plain line, a warning: all on standard error, so that output for machines stays clean.
say() { printf '%s==>%s %s\n' "$mh_bold" "$mh_plain" "$*" >&2; }
note() { printf '    %s%s%s\n' "$mh_dim" "$*" "$mh_plain" >&2; }
good() { printf '    %s%s%s\n' "$mh_green" "$*" "$mh_plain" >&2; }
warn() { printf '%s%s: %s%s\n' "$mh_red" "$mh_name" "$*" "$mh_plain" >&2; }

# die MESSAGE...: says what is wrong and leaves with status 1; bad_usage: the same with status 2.
die() {
  warn "$*"
  exit 1
}
bad_usage() {
  warn "$* (try $mh_name --help)"
  exit 2
}

# help_from_header FILE: prints the comment block at the top of a script, which is its help text.
help_from_header() { awk 'NR == 1 { next } /^#/ { sub(/^# ?/, ""); print; next } { exit }' "$1"; }

# on_exit COMMAND: runs it when the script ends, however it ends; last registered first.
mh_exit_commands=()
on_exit() {
  [ ${#mh_exit_commands[@]} -gt 0 ] || trap mh_run_exit_commands EXIT
  mh_exit_commands+=("$1")
}
mh_run_exit_commands() {
  local status=$? i
  set +e
  for ((i = ${#mh_exit_commands[@]} - 1; i >= 0; i--)); do eval "${mh_exit_commands[i]}"; done
  exit "$status"
}

# now_ms: milliseconds since 1970; elapsed START: seconds since then, with one decimal.
now_ms() {
  local t=${EPOCHREALTIME/[.,]/}
  echo "${t%???}"
}
elapsed() {
  local ms=$(($(now_ms) - $1))
  printf '%d.%d s' $((ms / 1000)) $((ms % 1000 / 100))
}

# confirm QUESTION: true when the user agrees; asks nobody with --yes (MH_YES=1) or without a terminal.
confirm() {
  [ "${MH_YES:-0}" != 1 ] || return 0
  [ -t 0 ] && [ -t 2 ] || return 0
  local answer
  printf '%s [Y/n] ' "$1" >&2
  read -r answer || return 1
  case $answer in '' | [Yy]*) return 0 ;; *) return 1 ;; esac
}

# as_root COMMAND...: runs it as root: directly, or by sudo.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    return 127
  fi
}

# quietly LOG COMMAND...: runs it with its output in LOG; shows the end of LOG when it fails.
quietly() {
  local log=$1 status=0
  shift
  "$@" >"$log" 2>&1 || status=$?
  [ "$status" = 0 ] || { tail -n 30 "$log" >&2 && note "the whole output: $log"; }
  return "$status"
}
