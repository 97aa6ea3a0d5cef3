#!/bin/bash
# Copies the Debian guest's installation onto a file system of another kind, on a disk in a file, with a boot loader that reads it.
# Needs root and a kernel with the file system; neither partitions nor names of this machine's devices get into the guest.
# Usage: copy-guest.sh FILE_SYSTEM SOURCE_IMAGE TARGET_IMAGE
set -euo pipefail
kind=$1 source=$2 target=$3
work=$(mktemp -d)
cleanup() {
  umount "$work/from" "$work/to" 2>/dev/null || true
  rm -rf --one-file-system "$work"
}
trap cleanup EXIT
mkdir "$work/from" "$work/to"
size=$((1536 * 1048576))
truncate -s $size "$target"
printf 'label: dos\nlabel-id: 0x5eedd15d\nstart=2048, type=83, bootable\n' | sfdisk -q "$target"
truncate -s $((size - 1048576)) "$work/part"
"mkfs.$kind" -q "$work/part"
id=$(blkid -p -s UUID -o value "$work/part")
mount -o loop,ro,noload,offset=1048576 "$source" "$work/from"
mount -o loop "$work/part" "$work/to"
cp -ax "$work/from/." "$work/to/"
old=$(grep -o 'UUID=[^ ]*' "$work/to/etc/fstab" | head -1 | cut -d= -f2)
printf 'UUID=%s / %s defaults 0 0\n' "$id" "$kind" > "$work/to/etc/fstab"
sed -i "s/$old/$id/g" "$work/to/boot/grub/grub.cfg"
echo "$kind" >> "$work/to/etc/initramfs-tools/modules"
chroot "$work/to" grub-mkimage -O i386-pc -p '(hd0,msdos1)/boot/grub' -o /boot/grub/core.img \
  biosdisk part_msdos "$kind" search search_fs_uuid normal linux serial terminal configfile echo
cp "$work/to/boot/grub/core.img" "$work/to/usr/lib/grub/i386-pc/boot.img" "$work/"
umount "$work/from" "$work/to"
dd if="$work/part" of="$target" bs=1M seek=1 conv=notrunc,sparse status=none
dd if="$work/boot.img" of="$target" bs=440 count=1 conv=notrunc status=none
dd if="$work/core.img" of="$target" bs=512 seek=1 conv=notrunc status=none
