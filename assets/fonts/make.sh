#!/bin/sh
# Rebuilds the three fonts of this folder and app/src/theme/icons.rs from the published packages.
# Needs npm and Python 3. Run it from anywhere: assets/fonts/make.sh
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
for package in inter-ui@4.1.1 @phosphor-icons/web@2.1.2; do
  npm pack --silent "$package" >/dev/null
done
mkdir inter phosphor
tar -xzf inter-ui-*.tgz -C inter --strip-components 1
tar -xzf phosphor-icons-web-*.tgz -C phosphor --strip-components 1
python3 -m venv venv
venv/bin/pip install --quiet 'fonttools==4.68.0' 'brotli==1.2.1'
venv/bin/python "$here/make.py" "$work" "$here" "$here/../../app/src/theme/icons.rs"
cp inter/LICENSE.txt "$here/OFL.txt"
cp phosphor/LICENSE "$here/PHOSPHOR-LICENSE"
