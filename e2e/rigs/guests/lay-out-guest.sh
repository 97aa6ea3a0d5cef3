#!/bin/bash
# Copies the installation of one disk onto others in another layout and installs its boot loader there. Runs as root in an
# emulated worker, whose kernel has what the layouts need. Usage: lay-out-guest.sh LAYOUT SOURCE_DISK DISK...
set -eEuo pipefail
trap 'echo "line $LINENO failed: $BASH_COMMAND" >&2' ERR
layout=$1
source=$2
shift 2
modprobe -a ext4 dm_mod dm_crypt raid1 aesni_intel btrfs vfat nls_cp437 nls_ascii 2>/dev/null || true
root=/run/laid-out
mkdir -p /run/source $root
mount -t ext4 -o ro "${source}1" /run/source
# There is no device manager here that would make the nodes.
lvm_alone='activation { udev_sync=0 udev_rules=0 }'

uuid() { blkid -s UUID -o value "$1"; }

case $layout in
  lvm)
    # The root volume is striped: neither disk can be missed.
    printf 'label: dos\nstart=2048, size=300M, type=83, bootable\ntype=8e\n' | sfdisk -q "$1"
    pvcreate -q "${1}2" "$2"
    vgcreate -q vg0 "${1}2" "$2"
    lvcreate --config "$lvm_alone" -q -y -Wn -Zn -n root --stripes 2 -L 1G vg0
    lvcreate --config "$lvm_alone" -q -y -Wn -Zn -n var -L 350M vg0
    vgmknodes --config "$lvm_alone" vg0
    mkfs.ext4 -q -L boot "${1}1"
    mkfs.ext4 -q -m 0 /dev/mapper/vg0-root
    mkfs.ext4 -q -m 0 /dev/mapper/vg0-var
    mount /dev/mapper/vg0-root $root
    mkdir $root/boot $root/var
    mount "${1}1" $root/boot
    mount /dev/mapper/vg0-var $root/var
    printf '/dev/mapper/vg0-root / ext4 errors=remount-ro 0 1\nUUID=%s /boot ext4 defaults 0 2\n/dev/mapper/vg0-var /var ext4 defaults 0 2\n' \
      "$(uuid "${1}1")" > /run/fstab ;;
  encrypted)
    # A mirror of two disks, in it an encrypted volume, in that a volume group with the root.
    for disk in "$1" "$2"; do printf 'label: dos\nstart=2048, size=300M, type=83, bootable\ntype=fd\n' | sfdisk -q "$disk"; done
    mdadm --create /dev/md0 --run --level=1 --raid-devices=2 --metadata=1.2 --bitmap=none --assume-clean --homehost=source-vm --name=system "${1}2" "${2}2" 2>&1
    head -c 64 /dev/urandom > /run/root.key
    quick='--batch-mode --pbkdf pbkdf2 --pbkdf-force-iterations 1000'
    printf 'correct horse battery staple' | cryptsetup luksFormat $quick --type luks2 --key-file - /dev/md0
    printf 'correct horse battery staple' | cryptsetup luksAddKey $quick --key-file - /dev/md0 /run/root.key
    cryptsetup open --key-file /run/root.key /dev/md0 system_crypt
    vgcreate -q vg0 /dev/mapper/system_crypt
    lvcreate --config "$lvm_alone" -q -y -Wn -Zn -n root -l 100%FREE vg0
    vgmknodes --config "$lvm_alone" vg0
    mkfs.ext4 -q -L boot "${1}1"
    mkfs.ext4 -q -m 0 /dev/mapper/vg0-root
    mount /dev/mapper/vg0-root $root
    mkdir $root/boot
    mount "${1}1" $root/boot
    printf '/dev/mapper/vg0-root / ext4 errors=remount-ro 0 1\nUUID=%s /boot ext4 defaults 0 2\n' "$(uuid "${1}1")" > /run/fstab ;;
  btrfs)
    printf 'label: dos\nstart=2048, type=83, bootable\n' | sfdisk -q "$1"
    mkfs.btrfs -q -L system "${1}1"
    mount -t btrfs "${1}1" $root
    btrfs subvolume create $root/@rootfs
    btrfs subvolume create $root/@home
    umount $root
    mount -t btrfs -o subvol=@rootfs "${1}1" $root
    mkdir $root/home
    mount -t btrfs -o subvol=@home "${1}1" $root/home
    printf 'UUID=%s / btrfs defaults,subvol=@rootfs 0 0\nUUID=%s /home btrfs defaults,subvol=@home 0 0\n' \
      "$(uuid "${1}1")" "$(uuid "${1}1")" > /run/fstab ;;
  lvm-filters)
    printf 'label: dos\nstart=2048, size=300M, type=83, bootable\ntype=8e\n' | sfdisk -q "$1"
    pvcreate -q "${1}2"
    vgcreate -q vg0 "${1}2"
    lvcreate --config "$lvm_alone" -q -y -Wn -Zn -n root -l 100%FREE vg0
    vgmknodes --config "$lvm_alone" vg0
    mkfs.ext4 -q -L boot "${1}1"
    mkfs.ext4 -q -m 0 /dev/mapper/vg0-root
    mount /dev/mapper/vg0-root $root
    mkdir $root/boot
    mount "${1}1" $root/boot
    printf '/dev/mapper/vg0-root / ext4 errors=remount-ro 0 1\nUUID=%s /boot ext4 defaults 0 2\n' "$(uuid "${1}1")" > /run/fstab ;;
  clevis)
    printf 'label: dos\nstart=2048, size=300M, type=83, bootable\ntype=83\n' | sfdisk -q "$1"
    printf 'correct horse battery staple' | cryptsetup luksFormat --batch-mode --pbkdf pbkdf2 --pbkdf-force-iterations 1000 --type luks2 --key-file - "${1}2"
    printf 'correct horse battery staple' | cryptsetup open --key-file - "${1}2" system_crypt
    mkfs.ext4 -q -L boot "${1}1"
    mkfs.ext4 -q -m 0 /dev/mapper/system_crypt
    mount /dev/mapper/system_crypt $root
    mkdir $root/boot
    mount "${1}1" $root/boot
    printf '/dev/mapper/system_crypt / ext4 errors=remount-ro 0 1\nUUID=%s /boot ext4 defaults 0 2\n' "$(uuid "${1}1")" > /run/fstab ;;
  systemd-boot)
    printf 'label: gpt\nstart=2048, size=256M, type=uefi, name="EFI system"\ntype=linux, name="root"\n' | sfdisk -q "$1"
    mkfs.vfat -F 32 -n ESP "${1}1" > /dev/null
    mkfs.ext4 -q -m 0 -L root "${1}2"
    mount "${1}2" $root
    mkdir -p $root/boot/efi
    mount -t vfat "${1}1" $root/boot/efi
    printf 'UUID=%s / ext4 errors=remount-ro 0 1\nUUID=%s /boot/efi vfat umask=0077 0 1\n' "$(uuid "${1}2")" "$(uuid "${1}1")" > /run/fstab ;;
  uefi | generation2)
    printf 'label: gpt\nstart=2048, size=100M, type=uefi, name="EFI system"\ntype=linux, name="root"\n' | sfdisk -q "$1"
    mkfs.vfat -F 32 -n ESP "${1}1" > /dev/null
    mkfs.ext4 -q -m 0 -L root "${1}2"
    mount "${1}2" $root
    mkdir -p $root/boot/efi
    mount -t vfat "${1}1" $root/boot/efi
    printf 'UUID=%s / ext4 errors=remount-ro 0 1\nUUID=%s /boot/efi vfat umask=0077 0 1\n' "$(uuid "${1}2")" "$(uuid "${1}1")" > /run/fstab ;;
  *) echo "no such layout: $layout" >&2; exit 2 ;;
esac

echo "copying onto $layout"
cp -ax /run/source/. $root/
cp /run/fstab $root/etc/fstab
# An emulated machine may find its disks late.
mkdir -p $root/etc/systemd/system.conf.d
printf '[Manager]\nDefaultDeviceTimeoutSec=15min\n' > $root/etc/systemd/system.conf.d/patience.conf
# What the machine is known by, which has to survive its move.
rm -f $root/etc/ssh/ssh_host_*
chroot $root ssh-keygen -q -t ed25519 -N '' -C source-vm -f /etc/ssh/ssh_host_ed25519_key
echo "host key: $(cut -d' ' -f1,2 $root/etc/ssh/ssh_host_ed25519_key.pub)"
if [ "$layout" != systemd-boot ]; then
  rm -rf $root/boot/grub
  mkdir $root/boot/grub
fi
for folder in dev proc sys; do mount --bind /$folder $root/$folder; done
# Tools that look for a file system by its UUID find it as they would on a machine with a device manager.
mkdir -p /dev/disk/by-uuid
for device in /dev/vd*[0-9] /dev/mapper/vg0-* /dev/mapper/system_crypt; do
  [ -b "$device" ] && id=$(uuid "$device") && [ -n "$id" ] && ln -sf "$device" "/dev/disk/by-uuid/$id" || true
done
if [ "$layout" = encrypted ]; then
  # It unlocks itself by a key in its initial RAM disk, as machines do at which nobody sits.
  mkdir -p -m 700 $root/etc/cryptsetup-keys.d
  install -m 400 /run/root.key $root/etc/cryptsetup-keys.d/system_crypt.key
  printf 'system_crypt UUID=%s /etc/cryptsetup-keys.d/system_crypt.key luks\n' "$(uuid /dev/md0)" > $root/etc/crypttab
  echo 'KEYFILE_PATTERN="/etc/cryptsetup-keys.d/*.key"' >> $root/etc/cryptsetup-initramfs/conf-hook
  echo 'UMASK=0077' > $root/etc/initramfs-tools/conf.d/secret
  mdadm --detail --scan > $root/etc/mdadm/mdadm.conf
  chroot $root update-initramfs -u
fi
if [ "$layout" = clevis ]; then
  # Its server's keys are made here, as no server is asked when they are at hand.
  printf 'system_crypt UUID=%s none luks\n' "$(uuid "${1}2")" > $root/etc/crypttab
  chroot $root sh -e -c '
    cd /run
    jose jwk gen -i "{\"alg\":\"ES512\"}" -o sign.jwk
    jose jwk gen -i "{\"alg\":\"ECMR\"}" -o exchange.jwk
    jose jwk pub -s -i sign.jwk -i exchange.jwk -o public.jwks
    jose jws sig -I public.jwks -s "{\"protected\":{\"alg\":\"ES512\",\"cty\":\"jwk-set+json\"}}" -k sign.jwk -o advertised.jws
    printf "correct horse battery staple" | clevis luks bind -y -k - -d "$0" sss "{\"t\":1,\"pins\":{\"tang\":[{\"url\":\"http://192.0.2.7\",\"adv\":\"/run/advertised.jws\"}]}}"
    clevis luks list -d "$0"
    rm sign.jwk exchange.jwk public.jwks advertised.jws' "${1}2"
  chroot $root update-initramfs -u
fi
echo "installing the boot loader"
if [ "$layout" = systemd-boot ]; then
  # Its entries begin with its identity.
  echo 0123456789abcdef0123456789abcdef > $root/etc/machine-id
  mkdir -p $root/etc/kernel
  printf 'root=UUID=%s ro console=ttyS0 quiet\n' "$(uuid "${1}2")" > $root/etc/kernel/cmdline
  chroot $root env SYSTEMD_RELAX_ESP_CHECKS=1 bootctl install --esp-path=/boot/efi --no-variables
  printf 'timeout 0\nconsole-mode keep\n' > $root/boot/efi/loader/loader.conf
  version=$(ls $root/lib/modules)
  chroot $root env SYSTEMD_RELAX_ESP_CHECKS=1 kernel-install add "$version" "/boot/vmlinuz-$version" "/boot/initrd.img-$version"
  find $root/boot/efi -type f
  cat $root/boot/efi/loader/entries/*.conf
elif [ "$layout" = generation2 ]; then
  # The loaders that are signed, the first of which the firmware's own key has signed.
  chroot $root grub-install --target=x86_64-efi --efi-directory=/boot/efi --bootloader-id=debian --no-nvram --uefi-secure-boot
  ls $root/boot/efi/EFI/debian
elif [ "$layout" = uefi ]; then
  # Its firmware's entry is made by the firmware itself, and is nothing that a disk takes along.
  chroot $root grub-install --target=x86_64-efi --efi-directory=/boot/efi --bootloader-id=debian --no-nvram
else
  # LVM's own settings may hide the worker's names of these disks.
  chroot $root env LVM_SYSTEM_DIR=/run/none grub-install --target=i386-pc "$1"
fi
[ "$layout" = systemd-boot ] || chroot $root env LVM_SYSTEM_DIR=/run/none update-grub
if [ "$layout" = btrfs ]; then
  # A snapshot of the system, as tools of distributions keep them: not another installation.
  mkdir /run/top
  mount -t btrfs -o subvolid=5 "${1}1" /run/top
  mkdir -p /run/top/.snapshots/1
  btrfs subvolume snapshot -r /run/top/@rootfs /run/top/.snapshots/1/snapshot
  umount /run/top
fi
umount -R $root
umount /run/source
case $layout in lvm | lvm-filters | encrypted) vgchange --config "$lvm_alone" -q -an vg0 ;; esac
if [ "$layout" = encrypted ]; then
  cryptsetup close system_crypt
  mdadm --stop /dev/md0 2>&1
fi
[ "$layout" != clevis ] || cryptsetup close system_crypt
rm -rf /dev/disk
sync
