#!/bin/bash
# Builds the root file system of a disk copy and OSMorphing worker as a folder: sshd, Python, file system and registry
# tools. No kernel: native workers run it in namespaces. Usage: build-worker-root.sh OUT_FOLDER
set -euo pipefail
out=${1:?output folder}
here=$(dirname "$(readlink -f "$0")")
. "$here/apt-sources.sh"
mode=root
[ "$(id -u)" = 0 ] || mode=unshare
# shellcheck source=worker-root.packages
packages=$(grep -v '^#' "$here/worker-root.packages" | awk '{print $1}' | paste -sd,)
customize=$(mktemp)
trap 'rm -f "$customize"' EXIT
cat > "$customize" <<'S'
set -e
R=$1
echo worker > "$R/etc/hostname"
printf '127.0.0.1 localhost worker\n' > "$R/etc/hosts"
rm -f "$R"/etc/ssh/ssh_host_*
mkdir -p "$R/root/.ssh" "$R/run/sshd"
chmod 700 "$R/root/.ssh"
# The account that cloud images offer; its keys come with the user data of each server.
chroot "$R" useradd --create-home --shell /bin/bash debian
echo 'debian ALL=(ALL) NOPASSWD:ALL' > "$R/etc/sudoers.d/90-cloud-init-users"
chmod 440 "$R/etc/sudoers.d/90-cloud-init-users"
: > "$R/etc/machine-id"
rm -rf "$R"/var/cache/apt/*.bin "$R"/var/log/apt/*
S
mapfile -t sources < <(apt_sources)
echo "building the worker's root file system ($SUITE)"
mmdebstrap --mode=$mode --variant=minbase --format=directory --quiet \
  --aptopt='Acquire::Check-Valid-Until "false"' --aptopt='Acquire::Languages "none"' \
  --aptopt='APT::Install-Recommends "false"' \
  --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
  --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/info/*' \
  --include="$packages" --customize-hook="sh $customize \"\$1\"" \
  "$SUITE" "$out" "${sources[@]}"
echo "worker root: $(du -sm "$out" | cut -f1) MB"
