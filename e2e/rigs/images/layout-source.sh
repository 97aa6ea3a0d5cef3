#!/bin/bash
# Adds the file system of another layout's root to the initial RAM disk. Usage: layout-source.sh ROOT
set -euo pipefail
printf '%s\n' btrfs xxhash_generic blake2b_generic >> "$1/etc/initramfs-tools/modules"
chroot "$1" update-initramfs -u
