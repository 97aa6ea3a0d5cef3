#!/bin/bash
# Builds the root file system of a machine that nobody prepared: Debian's smallest variant with git, Node and npm, and a person's
# account. Usage: base-root.sh OUT_FOLDER [PREFIX]: with PREFIX, Node and npm are copied from there, otherwise they are Debian's.
set -euo pipefail
out=${1:?output folder} prefix=${2:-}
. "$(dirname "$(readlink -f "$0")")/../../e2e/rigs/images/apt-sources.sh"
mapfile -t sources < <(apt_sources)
# How this machine's apt reaches its sources holds inside too.
mapfile -t options < <(apt-config dump | grep -E '^Acquire::(http|https)::Proxy |^Acquire::Check-' | sed 's/;$//; s/^/--aptopt=/')
include=git
[ -n "$prefix" ] || include+=,nodejs,npm
mmdebstrap --mode=root --variant=minbase --format=directory --quiet --include="$include" "${options[@]}" \
  --aptopt='APT::Install-Recommends "false"' "$SUITE" "$out" "${sources[@]}"
[ -z "$prefix" ] || cp -a "$prefix"/. "$out/usr/local/"
chroot "$out" useradd --create-home --shell /bin/bash person
