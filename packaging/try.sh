#!/usr/bin/env bash
# Installs, uses, and removes the packages of packaging/build as users do; on a Debian machine, as root.
#
#   packaging/try.sh debian    the .deb in a new, plain Debian 12
#   packaging/try.sh static    the static command line in a folder that contains only it and /proc
#   packaging/try.sh windows   the installer, under Wine
#
# PACKAGES names another folder than target/packages; TRIED one for logs, images, and the system tried.
set -uo pipefail
cd "$(dirname "$0")/.."

packages=$(realpath "${PACKAGES:-target/packages}")
work=${TRIED:-$(mktemp -d)}
mkdir -p "$work"
failed=0

# check WHAT COMMAND...: runs a command and prints whether it succeeded; its output is in a log.
check() {
  local what=$1 log
  log=$work/${1//[^a-zA-Z0-9]/-}.log
  shift
  if "$@" >"$log" 2>&1; then echo "ok    $what"; else
    echo "FAIL  $what ($log)"
    tail -n 5 "$log"
    failed=1
    return 1
  fi
}
# The same for a command that must end with a status.
ends_with() { local status=$1; shift; "$@"; local found=$?; [[ $found == "$status" ]] || { echo "status $found"; false; }; }
has_line() { grep -qE -- "$2" <<<"$1" || { echo "$1"; false; }; }

debian() {
  local root=$work/debian before after
  local deb=("$packages"/jitterscope_*.deb)
  check "plain Debian 12" debootstrap bookworm "$root" || return
  in_root() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
  # Without a network, and so without the displays of this machine, which a chroot would reach.
  as_user() { unshare --net chroot "$root" env -i LC_ALL=C.UTF-8 su - tester -c "$1"; }
  mount -t proc proc "$root/proc"
  mount --bind /dev "$root/dev"
  trap "umount -l '$root/proc' '$root/dev'" EXIT
  in_root useradd --create-home --shell /bin/bash tester
  cp "${deb[0]}" "$root/root/jitterscope_1.deb"
  named() { find "$root" -xdev -iname '*jitterscope*' ! -path "$root/root/*" -printf '/%P\n' | sort; }
  before=$(named)

  in_root apt-get update -q >"$work/apt.log" 2>&1
  check "apt install" in_root apt-get install -y -q /root/jitterscope_1.deb
  check "quick check as a user" as_user 'jitterscope-cli quick'
  check "frame loop with redirected output" as_user \
    'jitterscope-cli frame-loop --preset quick --duration 1s >out 2>err && grep -q p99 out && grep -q "saved as run" err'
  check "wrong use ends with 2" ends_with 2 as_user 'jitterscope-cli frame-loop --fps 0'

  in_root apt-get install -y -q man-db bash-completion zsh fish xvfb x11-utils x11-apps dbus-x11 libgtk-3-bin \
    desktop-file-utils libglib2.0-bin >"$work/tools.log" 2>&1
  check "manual of the command line" as_user 'man jitterscope-cli | grep -q "frame-loop"'
  check "manual of a test" as_user 'man jitterscope-cli-frame-loop | grep -q -- "--fps"'
  check "completions of bash" as_user 'bash -c "
    . /usr/share/bash-completion/bash_completion
    _completion_loader jitterscope-cli
    COMP_WORDS=(jitterscope-cli fr) COMP_CWORD=1 COMP_LINE=\"jitterscope-cli fr\" COMP_POINT=18
    \$(complete -p jitterscope-cli | sed \"s/.*-F \([^ ]*\).*/\1/\") jitterscope-cli fr jitterscope-cli
    printf %s \"\${COMPREPLY[*]}\" | grep -x frame-loop"'
  check "completions of zsh" as_user \
    "zsh -c 'autoload -Uz compinit; compinit -u; echo \$_comps[jitterscope-cli] | grep -x _jitterscope-cli; autoload +X _jitterscope-cli'"
  check "completions of fish" as_user "fish -c 'complete -C \"jitterscope-cli fr\"' | grep frame-loop"
  check "type of a run file" as_user \
    'f=$(ls .local/share/jitterscope/runs/*.jitterscope.json | head -1); gio info -a standard::content-type "$f" | grep application/x-jitterscope-run'
  check "desktop entry opens the window" as_user 'xvfb-run -a -s "-screen 0 1280x800x24" dbus-run-session sh -c "
    gtk-launch jitterscope
    for i in \$(seq 60); do sleep 1; xwininfo -root -tree | grep -q Jitterscope && break; done
    sleep 10
    xwd -root -silent -out window.xwd
    xwininfo -root -tree | grep Jitterscope | grep jitterscope"'
  cp "$root/home/tester/window.xwd" "$work/" 2>/dev/null

  check "apt purge" in_root apt-get purge -y -q jitterscope
  after=$(named)
  echo "left after purge:" $(comm -13 <(echo "$before") <(echo "$after"))
  check "purge leaves only the user's folders" bash -c '! grep -v "^/home/tester/" <<<"$1" | grep .' - \
    "$(comm -13 <(echo "$before") <(echo "$after"))"
  check "runs are still there" bash -c 'ls "$1"/home/tester/.local/share/jitterscope/runs/*.jitterscope.json' - "$root"

  check "lintian" lintian --fail-on error,warning,info "${deb[0]}"
  check "desktop-file-validate" bash -c 'desktop-file-validate packaging/linux/jitterscope.desktop 2>&1 | (! grep .)'
  check "appstreamcli" appstreamcli validate --no-net packaging/linux/jitterscope.metainfo.xml
}

static() {
  local root=$work/static
  local program=("$packages"/jitterscope-cli-*-linux-static)
  mkdir -p "$root/proc"
  cp "${program[0]}" "$root/jitterscope-cli"
  mount -t proc proc "$root/proc"
  trap "umount -l '$root/proc'" EXIT
  alone() { chroot --userspec=65534:65534 "$root" /jitterscope-cli "$@"; }
  check "facts of the machine" alone machine
  check "frame loop" alone frame-loop --preset quick --duration 1s --no-save
  check "quick check" alone quick --no-save
  check "without a folder for runs, status 1 and what to do" bash -c \
    'env -u HOME -u XDG_DATA_HOME chroot --userspec=65534:65534 "$1" /jitterscope-cli runs list; [[ $? == 1 ]]' - "$root"
}

windows() {
  local setup=("$packages"/jitterscope-*-setup.exe)
  # A separate Windows, and a display.
  export WINEPREFIX=$work/wine LC_ALL=C.UTF-8
  under_wine() { packaging/cross.sh wine "$@"; }
  export -f under_wine
  local number
  coproc SCREEN { exec Xvfb -displayfd 1 -screen 0 1280x800x24 -nolisten tcp 2>/dev/null; }
  trap "under_wine wineboot --kill; kill $SCREEN_PID; umount -l '$work/read-only' 2>/dev/null" EXIT
  read -r number <&"${SCREEN[0]}"
  export DISPLAY=:$number
  openbox >/dev/null 2>&1 &
  check "a new Windows" under_wine cmd /c ver
  local drive=$WINEPREFIX/drive_c user shortcut home cli
  user=$(basename "$(find "$drive/users" -mindepth 1 -maxdepth 1 -type d ! -name Public | head -1)")
  home=$drive/users/$user/AppData
  shortcut="$home/Roaming/Microsoft/Windows/Start Menu/Programs/Jitterscope.lnk"
  local folder=$home/Local/Programs/Jitterscope runs=$home/Local/Jitterscope/data/runs
  sums() { (cd "$1" && find . -type f -print0 | sort -z | xargs -0 sha256sum); }
  run_count() { find "$runs" -name '*.jitterscope.json' | wc -l; }

  check "silent install" under_wine "${setup[0]}" /S
  check "installed files and shortcut" test -e "$folder/jitterscope.exe" -a -e "$folder/guide/README.md" -a -e "$shortcut"
  check "uninstall entry" under_wine reg query 'HKCU\Software\Microsoft\Windows\CurrentVersion\Uninstall\Jitterscope' /v DisplayVersion
  cli=$folder/jitterscope-cli.exe
  check "frame loop with redirected output" bash -c \
    'under_wine "$1" frame-loop --preset quick --duration 3s --name tried >"$2/out" 2>"$2/err" && grep -q p99 "$2/out"' - "$cli" "$work"
  check "wrong use ends with 2" ends_with 2 under_wine "$cli" frame-loop --fps 0
  check "an unknown run ends with 1" ends_with 1 under_wine "$cli" runs show nothing
  check "a met condition ends with 3" bash -c '
    under_wine "$1" frame-loop --preset quick --duration 3s --name other >/dev/null 2>&1
    under_wine "$1" compare tried other --fail-if "p99>-100%"; [[ $? == 3 ]]' - "$cli"

  check "the shortcut opens the window, which measures" window "$shortcut" "$work/window.png"
  echo "runs: $(run_count)"

  local kept
  kept=$(sums "$folder")
  under_wine "$folder/jitterscope.exe" >/dev/null 2>&1 &
  sleep 15
  check "install while the window runs ends with 3" ends_with 3 under_wine "${setup[0]}" /S
  check "and changes nothing" test "$kept" = "$(sums "$folder")"
  under_wine taskkill /f /im jitterscope.exe >/dev/null 2>&1
  sleep 3

  makensis -V1 -NOCD -DVERSION=99.0.0 -DSOURCE="$folder" -DFILES=/dev/null -DICON=assets/icon/jitterscope.ico \
    -DOUTPUT="$work/newer-setup.exe" packaging/windows/installer.nsi
  kept=$(run_count)
  check "install over it" under_wine "$work/newer-setup.exe" /S
  check "the newer version is registered" bash -c \
    'under_wine reg query "HKCU\\Software\\Microsoft\\Windows\\CurrentVersion\\Uninstall\\Jitterscope" /v DisplayVersion | grep 99.0.0'
  check "and the older one over the newer one" under_wine "${setup[0]}" /S
  check "runs are still there" test "$kept" = "$(run_count)"

  mkdir -p "$work/read-only"
  mount -t tmpfs -o ro tmpfs "$work/read-only"
  check "install into a folder that cannot be written ends with 2" \
    ends_with 2 under_wine "${setup[0]}" /S "/D=Z:${work//\//\\}\\read-only\\Jitterscope"

  # The installer reads /D to the end of the line, and not quoted: cmd passes it on as it is.
  local odd='Spiele und Tests\時間 Ж' begin="Z:${setup[0]//\//\\} /S /D=C:"
  check "install into a path with spaces and other letters" under_wine cmd /c "$begin\\$odd"
  check "a run from there, saved in such a path" bash -c \
    'under_wine "$1" frame-loop --preset quick --duration 1s --data-dir "C:\\Läufe и 記録" && ls "$2"/*/*.jitterscope.json' - \
    "$drive/${odd//\\//}/jitterscope-cli.exe" "$drive"
  check "uninstall there" under_wine "$drive/${odd//\\//}/uninstall.exe" /S
  for _ in $(seq 30); do [[ -e $drive/${odd//\\//} ]] || break; sleep 1; done
  check "nothing of it is left" test ! -e "$drive/${odd//\\//}"

  check "install again" under_wine "${setup[0]}" /S "/D=C:\\users\\$user\\AppData\\Local\\Programs\\Jitterscope"
  check "uninstall" under_wine "$folder/uninstall.exe" /S
  for _ in $(seq 30); do [[ -e $folder ]] || break; sleep 1; done
  check "program and shortcut are gone" test ! -e "$folder" -a ! -e "$shortcut"
  check "runs are still there" test "$kept" = "$(run_count)"
  check "install once more" under_wine "${setup[0]}" /S
  check "uninstall with runs" under_wine "$folder/uninstall.exe" /S /DELETERUNS
  for _ in $(seq 30); do [[ -e $home/Local/Jitterscope ]] || break; sleep 1; done
  check "runs and settings are gone" test ! -e "$home/Local/Jitterscope" -a ! -e "$home/Roaming/Jitterscope"
}

# Opens a shortcut, measures a frame loop in the window, and takes an image of the result.
window() {
  local id
  under_wine start /unix "$1" &
  for _ in $(seq 90); do
    id=$(xdotool search --onlyvisible --name '^Jitterscope' | tail -n 1)
    [[ -n $id ]] && break
    sleep 1
  done
  [[ -n $id ]] || return 1
  xdotool windowfocus --sync "$id"
  sleep 8
  xdotool key ctrl+2
  sleep 2
  xdotool key F5
  sleep 45
  import -window root "$2"
  xdotool key --window "$id" alt+F4
  sleep 3
}

case ${1:-} in
debian | static | windows) "$1" ;;
*) sed -n '2,9p' "$0" >&2; exit 2 ;;
esac
echo "logs in $work"
exit "$failed"
