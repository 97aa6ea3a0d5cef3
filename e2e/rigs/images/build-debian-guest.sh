#!/bin/bash
# Builds a source VM's disk: Debian on MBR, GRUB for BIOS, ext4; no virtio driver in its initramfs, no cloud-init, data
# files with checksums. No loop device, no mount of the image. Writes OUT_FOLDER/disk.raw and the key pair of its root
# account. Usage: build-debian-guest.sh OUT_FOLDER [LIST_OF_MORE_PACKAGES [SCRIPT]]
# The script gets the folder of the installation, when that is complete, and may make something else of it.
set -euo pipefail
out=${1:?output folder}
here=$(dirname "$(readlink -f "$0")")
. "$here/apt-sources.sh"
size_mb=1536
fs_uuid=11111111-2222-4333-8444-555555555555
export SOURCE_DATE_EPOCH=1750000000
[ "$(id -u)" = 0 ] || { echo "building the Debian guest needs root" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
mkdir -p "$out"
ssh-keygen -q -t ed25519 -N '' -C causeway-lab -f "$out/id_ed25519"
packages=$(cat "$here/debian-guest.packages" ${2:+"$2"} | grep -v '^#' | awk '{print $1}' | paste -sd,)
mapfile -t sources < <(apt_sources)

# In place before the kernel's own scripts build the initramfs: a list of modules without virtio. Emulated processors compress slowly.
cat > "$work/setup.sh" <<'S'
set -e
R=$1
mkdir -p "$R/etc/initramfs-tools/conf.d"
printf 'MODULES=list\nCOMPRESS=gzip\nCOMPRESSLEVEL=1\n' > "$R/etc/initramfs-tools/conf.d/sata-only"
printf '%s\n' ahci ata_piix ata_generic libata sd_mod scsi_mod ext4 crc32c_generic crc32c_intel libcrc32c \
  > "$R/etc/initramfs-tools/modules"
S
cat > "$work/customize.sh" <<S
set -e
R=\$1
echo source-vm > \$R/etc/hostname
printf '127.0.0.1 localhost\n127.0.1.1 source-vm\n' > \$R/etc/hosts
echo "UUID=$fs_uuid / ext4 errors=remount-ro 0 1" > \$R/etc/fstab
mkdir -p \$R/root/.ssh
chmod 700 \$R/root/.ssh
cp "$out/id_ed25519.pub" \$R/root/.ssh/authorized_keys
printf 'auto lo\niface lo inet loopback\n\nallow-hotplug ens3\niface ens3 inet dhcp\n' > \$R/etc/network/interfaces
rm -f \$R/etc/ssh/ssh_host_*
cat > \$R/etc/systemd/system/ssh-keys.service <<U
[Unit]
Before=ssh.service
ConditionPathExists=!/etc/ssh/ssh_host_ed25519_key
[Service]
Type=oneshot
ExecStart=/usr/bin/ssh-keygen -q -t ed25519 -N "" -f /etc/ssh/ssh_host_ed25519_key
[Install]
WantedBy=multi-user.target
U
chroot \$R systemctl -q enable ssh-keys.service serial-getty@ttyS0.service
chroot \$R systemctl -q mask apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer \
  fstrim.timer systemd-pstore.service
mkdir -p \$R/srv/data
for i in 1 2 3 4; do
  head -c 2M /dev/zero | openssl enc -aes-128-ctr -nosalt -K 0000000000000000000000000000000\$i -iv 0 2>/dev/null > \$R/srv/data/f\$i
done
(cd \$R/srv/data && sha256sum f? > SHA256SUMS)
V=\$(ls \$R/boot/vmlinuz-* | sed 's/.*vmlinuz-//')
printf 'GRUB_DEFAULT=0\nGRUB_TIMEOUT=0\nGRUB_DISTRIBUTOR=Debian\nGRUB_CMDLINE_LINUX_DEFAULT="quiet"\nGRUB_CMDLINE_LINUX="console=ttyS0"\nGRUB_TERMINAL="serial console"\n' > \$R/etc/default/grub
mkdir -p \$R/boot/grub
cat > \$R/boot/grub/grub.cfg <<G
serial --unit=0 --speed=115200
terminal_input serial console
terminal_output serial console
set timeout=0
search --no-floppy --fs-uuid --set=root $fs_uuid
menuentry "Debian" {
  linux /boot/vmlinuz-\$V root=UUID=$fs_uuid ro console=ttyS0 quiet
  initrd /boot/initrd.img-\$V
}
G
# The boot sector and core image come from the guest's own tools.
cp -r \$R/usr/lib/grub/i386-pc \$R/boot/grub/i386-pc
chroot \$R grub-mkimage -O i386-pc -p '(hd0,msdos1)/boot/grub' -o /boot/grub/core.img \
  biosdisk part_msdos ext2 search search_fs_uuid normal linux serial terminal configfile echo
rm -rf \$R/var/cache/apt/*.bin \$R/var/log/apt/* \$R/var/cache/debconf/*-old \$R/var/lib/dpkg/*-old
: > \$R/etc/machine-id
${3:+bash "$3" "\$R"}
S
echo "building the Debian guest ($SUITE)"
excluded=()
for drivers in gpu media net/wireless net/ethernet/mellanox infiniband isdn staging iio hwmon usb/serial bluetooth; do
  excluded+=("--dpkgopt=path-exclude=/lib/modules/*/kernel/drivers/$drivers/*")
done
mmdebstrap --mode=root --variant=minbase --format=directory --quiet \
  --aptopt='Acquire::Check-Valid-Until "false"' --aptopt='Acquire::Languages "none"' \
  --aptopt='APT::Install-Recommends "false"' \
  --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
  --dpkgopt='path-include=/usr/share/doc/*/copyright' --dpkgopt='path-exclude=/usr/share/locale/*' \
  --dpkgopt='path-exclude=/usr/share/info/*' --dpkgopt='path-exclude=/lib/modules/*/kernel/sound/*' "${excluded[@]}" \
  --include="$packages" --setup-hook="sh $work/setup.sh \"\$1\"" --customize-hook="sh $work/customize.sh \"\$1\"" \
  "$SUITE" "$root" "${sources[@]}"

disk=$out/disk.raw
truncate -s "${size_mb}M" "$disk"
printf 'label: dos\nlabel-id: 0x5eedd15c\nstart=2048, type=83, bootable\n' | sfdisk -q "$disk"
mke2fs -q -F -t ext4 -L root -U "$fs_uuid" -m 0 -E offset=1048576,root_owner=0:0,lazy_itable_init=0 \
  -d "$root" "$disk" $(((size_mb - 1) * 1024))k
core=$root/boot/grub/core.img
[ "$(stat -c %s "$core")" -lt $((2047 * 512)) ] || { echo "GRUB's core image does not fit before the partition" >&2; exit 1; }
# By default the boot sector loads block 1, and the first block of the core image loads from block 2.
dd if="$root/usr/lib/grub/i386-pc/boot.img" of="$disk" bs=440 count=1 conv=notrunc status=none
dd if="$core" of="$disk" bs=512 seek=1 conv=notrunc status=none
echo "Debian guest: $size_mb MiB, $(du -m "$disk" | cut -f1) MiB allocated"
