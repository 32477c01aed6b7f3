#!/bin/sh
# Makes Jitterscope.app from built programs: bundle.sh FOLDER_OF_PROGRAMS OUTPUT_FOLDER
# It only copies, so it runs on any system; signing, on a Mac, is described in README.md.
set -eu
programs=$1
app=$2/Jitterscope.app
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$app/Contents/MacOS" "$app/Contents/Resources"
. "$here/../release.conf"
sed "s|org\.jitterscope\.Jitterscope|$JITTERSCOPE_APP_ID|" "$here/Info.plist" >"$app/Contents/Info.plist"
cp "$here/../../assets/icon/jitterscope.icns" "$app/Contents/Resources/"
cp "$programs/jitterscope" "$programs/jitterscope-cli" "$app/Contents/MacOS/"
printf 'APPL????' >"$app/Contents/PkgInfo"
echo "$app"
