#!/usr/bin/env bash
# Builds, tests and checks Jitterscope for other systems on a Debian machine, preparing what that needs.
#
#   packaging/cross.sh windows build --release     for x86_64-pc-windows-gnu, linked by MinGW
#   packaging/cross.sh windows test -p NAME        ... and run under Wine
#   packaging/cross.sh macos clippy --workspace    for aarch64-apple-darwin; check and clippy only, as
#                                                  there is no linker for it here
#   packaging/cross.sh musl clippy -p NAME         for a static program on Linux
#   packaging/cross.sh wine PROGRAM.exe [ARG ...]  a Windows program under Wine; a window needs DISPLAY
#   packaging/cross.sh smoke                       the command line, built before, through a short run
#   packaging/cross.sh all                         what a release must pass on all of them
#
# Products go to target/cross, apart from the native build; CARGO_TARGET_DIR names another place, and
# WINEPREFIX another Windows than the one in the user's cache.
set -euo pipefail
cd "$(dirname "$0")/.."

products=${CARGO_TARGET_DIR:-target/cross}
home=${XDG_CACHE_HOME:-$HOME/.cache}/jitterscope-cross
say() { echo "cross: $*" >&2; }
usage() { sed -n '2,14p' "$0" >&2; exit 2; }

as_root() { if [[ $(id -u) == 0 ]]; then "$@"; else sudo "$@"; fi; }

# MinGW links, Wine runs. Wine 8 lacks bcryptprimitives.dll, from which Rust's standard library takes
# its one random function: a stand-in that asks the system's older generator is built for it.
prepare_windows() {
  local missing=()
  command -v x86_64-w64-mingw32-gcc >/dev/null || missing+=(gcc-mingw-w64-x86-64)
  command -v wine >/dev/null || missing+=(wine64 wine)
  if ((${#missing[@]})); then
    say "installing ${missing[*]}"
    as_root apt-get update -qq >&2
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "${missing[@]}" >&2
  fi
  local dlls=$home/dlls
  if [[ ! -e $dlls/bcryptprimitives.dll ]]; then
    mkdir -p "$dlls"
    local source=$dlls/bcryptprimitives.c
    cat >"$source" <<'C'
/* The one function of bcryptprimitives.dll that Rust's standard library calls. */
#include <windows.h>
#include <ntsecapi.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T count)
{
    const SIZE_T most = 1 << 16;
    for (SIZE_T done = 0; done < count;) {
        SIZE_T now = count - done < most ? count - done : most;
        if (!RtlGenRandom(bytes + done, (ULONG)now))
            return FALSE;
        done += now;
    }
    return TRUE;
}
C
    x86_64-w64-mingw32-gcc -shared -O2 -o "$dlls/bcryptprimitives.dll" "$source" -ladvapi32
  fi
  # No offers to install what no program here uses; they would wait for an answer.
  export WINEPREFIX=${WINEPREFIX:-$home/wine} WINEDEBUG=${WINEDEBUG:--all} WINEDLLOVERRIDES='mscoree,mshtml='
  if [[ ! -e $WINEPREFIX/is-windows-10 ]]; then
    mkdir -p "$WINEPREFIX"
    wine winecfg /v win10 && touch "$WINEPREFIX/is-windows-10"
  fi
  export WINEPATH="Z:${dlls//\//\\}"
  export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=x86_64-w64-mingw32-gcc
  # A program that waits forever under Wine ends with status 124.
  export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER='timeout --foreground 15m wine'
}

prepare_target() {
  rustup target list --installed 2>/dev/null | grep -qx "$1" || rustup target add "$1" >&2
}

run_cargo() {
  local target=$1 command=$2
  shift 2
  prepare_target "$target"
  # Nothing is measured for its speed here, and without optimization, everything builds in half the time.
  CARGO_TARGET_DIR=$products CARGO_PROFILE_DEV_OPT_LEVEL=0 cargo "$command" --target "$target" "$@"
}

# Runs this script with other words, and prints how long it took.
step() {
  local begun=$SECONDS
  say "== $*"
  # Where this is a condition, `set -e` has no effect.
  "$0" "$@" || return
  say "== $* took $((SECONDS - begun)) s"
}

# A step under Wine, which now and then does not get as far as starting a program (error 1359), or never
# ends one (status 124), where Windows would: then, and only then, once more.
step_under_wine() {
  local log
  log=$(mktemp)
  if step "$@" 2>&1 | tee "$log"; then rm "$log"; return; fi
  grep -qE 'code: 1359|exit status: 124' "$log" || { rm "$log"; exit 1; }
  rm "$log"
  say "Wine did not start or end a program: once more"
  step "$@"
}

# The command line under Wine: what the machine is, a second of measuring, and the run's way through the
# default folder.
smoke() {
  local cli=$products/x86_64-pc-windows-gnu/debug/jitterscope-cli.exe measured shown id
  wine "$cli" machine
  measured=$(wine "$cli" frame-loop --preset quick --duration 1s --quiet --name 'smoke of cross.sh')
  echo "$measured"
  id=$(wine "$cli" runs list | grep -m1 'smoke of cross.sh')
  id=${id%% *}
  shown=$(wine "$cli" runs show "$id")
  wine "$cli" runs rm "$id"
  [[ $shown == "$measured" ]] || { say "run $id is shown otherwise than it was measured:" "$shown"; exit 1; }
}

(($#)) || usage
system=$1
shift
case $system in
windows)
  (($#)) || usage
  prepare_windows
  run_cargo x86_64-pc-windows-gnu "$@"
  ;;
macos)
  (($#)) || usage
  run_cargo aarch64-apple-darwin "$@"
  ;;
musl)
  (($#)) || usage
  run_cargo "$(uname -m)-unknown-linux-musl" "$@"
  ;;
wine)
  (($#)) || usage
  prepare_windows
  exec wine "$@"
  ;;
all)
  step macos clippy --workspace --all-targets -- -D warnings
  step musl clippy -p jitterscope --no-default-features --features fleet --bin jitterscope-cli -- -D warnings
  step windows clippy -p jitterscope-engine -p jitterscope --all-targets -- -D warnings
  # Not the simulations, which compute for minutes without optimization and call nothing of the system.
  step_under_wine windows test -p jitterscope-engine --features shortcuts -- \
    --skip comparison:: --skip coverage:: --skip game::tests --skip simulated:: --skip joins:: \
    --skip matrix:: --skip intervals_hold --skip change_points:: --skip several_blocks
  step windows build --workspace --bins
  step_under_wine windows test -p jitterscope-tests -- cli::
  step smoke
  say "all done in $SECONDS s"
  ;;
smoke)
  prepare_windows
  smoke
  ;;
*) usage ;;
esac
