#!/bin/bash
# Installs a boot loader in the boot sector of a disk in a file, whose guest has it in its first partition: GRUB 2's core image as
# the guest holds it, or GRUB legacy by the guest's own program (of 32 bits) and its libraries.
# Usage: install-loader.sh grub-core|grub-legacy DISK
set -euo pipefail
kind=${1:?kind} disk=$(readlink -f "${2:?disk}")
work=$(mktemp -d)
trap 'umount "$work/root" 2>/dev/null || true; rm -rf --one-file-system "$work"' EXIT
mkdir "$work/root"
mount -o loop,ro,offset=1048576 "$disk" "$work/root"
case $kind in
  grub-core)
    core=$work/root/boot/grub/core.img
    [ "$(stat -c %s "$core")" -lt $((2047 * 512)) ] || { echo "GRUB's core image does not fit before the partition" >&2; exit 1; }
    dd if="$core" of="$disk" bs=512 seek=1 conv=notrunc status=none ;;
  grub-legacy)
    cp -rL "$work/root/lib32" "$work/lib32"
    cp "$work/root/usr/sbin/grub" "$work/grub"
    umount "$work/root"
    printf 'device (hd0) %s\nroot (hd0,0)\nsetup (hd0)\nquit\n' "$disk" \
      | "$work/lib32/ld-linux.so.2" --library-path "$work/lib32" "$work/grub" --batch --no-floppy --device-map=/dev/null > "$work/told" 2>&1
    grep -q succeeded "$work/told" && ! grep -q '^Error' "$work/told" || { cat "$work/told" >&2; exit 1; } ;;
  *) echo "no such loader: $kind" >&2; exit 2 ;;
esac
