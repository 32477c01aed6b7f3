#!/usr/bin/env bash
# Pictures of the real window on a virtual X display: every page in every state, dark and light, at
# 1440 × 900, at 1000 × 640 and at 200 %, while it really measures. Takes about eight minutes.
#
#   packaging/screenshots.sh [FOLDER]      into FOLDER; target/pictures/window without one
#
# Needs Xvfb, xdotool, ImageMagick and openbox. PROGRAM names a window that was built before. The same set
# is drawn without a display by: JITTERSCOPE_PICTURES=1 cargo test -p jitterscope-tests snapshots
set -euo pipefail
cd "$(dirname "$0")/.."

folder=${1:-target/pictures/window}
say() { echo "screenshots: $*" >&2; }
for tool in Xvfb xdotool import openbox; do
  command -v "$tool" >/dev/null || { say "$tool is missing"; exit 1; }
done
if [[ -z ${PROGRAM:-} ]]; then
  cargo build --package jitterscope --bin jitterscope
  PROGRAM=${CARGO_TARGET_DIR:-target}/debug/jitterscope
fi
mkdir -p "$folder"

# A new user: no runs, no settings, no window place.
home=$(mktemp -d)
export JITTERSCOPE_DATA_DIR=$home/runs JITTERSCOPE_CONFIG_DIR=$home/settings
export XDG_DATA_HOME=$home/data XDG_CONFIG_HOME=$home/config XDG_RUNTIME_DIR=$home/runtime
mkdir -p "$XDG_RUNTIME_DIR" "$JITTERSCOPE_CONFIG_DIR"
echo '{"look":"dark"}' >"$JITTERSCOPE_CONFIG_DIR/settings.json"
unset WAYLAND_DISPLAY

coproc SCREEN { exec Xvfb -displayfd 1 -screen 0 1600x1000x24 -nolisten tcp 2>/dev/null; }
screen=$SCREEN_PID
read -r number <&"${SCREEN[0]}"
export DISPLAY=:$number
openbox >/dev/null 2>&1 & manager=$!
"$PROGRAM" & window=$!
end() { kill "$window" "$manager" "$screen" 2>/dev/null || true; rm -rf "$home"; }
trap end EXIT

for _ in $(seq 100); do
  id=$(xdotool search --onlyvisible --pid "$window" 2>/dev/null | tail -n 1 || true)
  [[ -n $id ]] && break
  sleep 0.2
done
[[ -n ${id:-} ]] || { say "no window opened"; exit 1; }
xdotool windowfocus --sync "$id"
sleep 9

key() { xdotool key --clearmodifiers "$@"; sleep 0.4; }
room() { xdotool windowsize --sync "$id" "$1" "$2" windowmove "$id" 0 0; sleep 0.8; }
keep() { import -window "$id" "$folder/$1.png"; }

# What is on screen, in both themes and all sizes.
take() {
  local name=$1 theme
  for theme in dark light; do
    room 1440 900; keep "$name-$theme-1440x900"
    room 1000 640; keep "$name-$theme-1000x640"
    room 1440 900
    for _ in 1 2 3 4 5 6 7 8 9 10; do xdotool key ctrl+plus; done
    sleep 1; keep "$name-$theme-200-percent"
    key ctrl+0; key ctrl+shift+t
  done
  room 1440 900
  say "$name"
}

take welcome
place=1
for test in quick:62 frame-loop:40 sleep:20 spin:30 gaps:66 realtime:72 tick:60; do
  name=${test%:*}; seconds=${test#*:}
  key "ctrl+$place"; take "$name-idle"
  began=$SECONDS
  key F5; sleep 2.5; take "$name-running"
  while ((SECONDS - began < seconds)); do sleep 1; done
  take "$name-finished"
  ((place += 1))
done
key ctrl+8; take runs
key ctrl+9; take compare-empty
key ctrl+i; take machine
key ctrl+comma; take settings
key F1; take keys
say "$(find "$folder" -name '*.png' | wc -l) pictures in $folder"
