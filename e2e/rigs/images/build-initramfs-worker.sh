#!/bin/bash
# Builds a worker that is a kernel and an initramfs alone: up in seconds even in an emulated machine, and nothing to
# copy for each server. Writes OUT_FOLDER/vmlinuz and OUT_FOLDER/initrd. Usage: build-initramfs-worker.sh OUT_FOLDER
set -euo pipefail
out=${1:?output folder}
here=$(dirname "$(readlink -f "$0")")
. "$here/apt-sources.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
packages=$(grep -v '^#' "$here/initramfs-worker.packages" | awk '{print $1}' | paste -sd,)
mode=root
[ "$(id -u)" = 0 ] || mode=chrootless
mapfile -t sources < <(apt_sources)
echo "building the initramfs worker ($SUITE)"
mmdebstrap --mode=$mode --variant=extract --format=directory --quiet \
  --aptopt='Acquire::Check-Valid-Until "false"' --aptopt='Acquire::Languages "none"' \
  --aptopt='APT::Install-Recommends "false"' \
  --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
  --dpkgopt='path-exclude=/usr/share/locale/*' \
  --include="$packages" "$SUITE" "$root" "${sources[@]}"

mkdir -p "$out"
cp "$root"/boot/vmlinuz-* "$out/vmlinuz"
version=$(basename "$root"/boot/vmlinuz-* | sed 's/^vmlinuz-//')

depmod -b "$root" "$version"

# Modules: what finds disks and networks, what reads guests' file systems, and their dependencies.
modules=$work/modules
modprobe_list='virtio_pci virtio_net virtio_blk virtio_scsi virtio_console sd_mod qemu_fw_cfg ext4 xfs btrfs vfat fat
  nls_ascii nls_cp437 nls_utf8 fuse loop dm_mod dm_crypt dm_zero dm_snapshot raid1 raid0 md_mod crc32c_generic
  crc32c_intel iscsi_tcp xxhash_generic blake2b_generic aesni_intel af_packet ata_piix ata_generic sr_mod isofs evdev button'
for name in $modprobe_list; do
  modprobe -d "$root" -S "$version" --show-depends "$name" 2>/dev/null | awk '/^insmod/{print $2}' || true
done | sort -u > "$modules"
mkdir -p "$work/kept"
while read -r file; do
  relative=${file#"$root"}
  mkdir -p "$work/kept$(dirname "$relative")"
  cp "$file" "$work/kept$relative"
done < "$modules"
cp "$root/lib/modules/$version"/modules.{order,builtin,builtin.modinfo} "$work/kept/lib/modules/$version/"
rm -rf "$root/lib/modules" "$root/boot"
cp -a "$work/kept/lib/modules" "$root/lib/modules"
depmod -b "$root" "$version"

# Weight off: what an unconfigured worker never reads. The device manager is kept aside, for who starts it by hand: programs that find it wait for it.
( cd "$root"
  mkdir -p opt/udev/rules.d
  cp bin/udevadm opt/udev/
  cp lib/udev/rules.d/{50-udev-default,60-persistent-storage}.rules opt/udev/rules.d/
  rm -rf usr/share/{doc,man,locale,i18n,zoneinfo,bash-completion,info,perl,perl5,initramfs-tools,lintian,bug} \
    usr/lib/*/{perl,perl-base} var/lib/apt var/cache lib/systemd/system usr/lib/python3*/{test,idlelib,lib2to3,ensurepip,tkinter,turtledemo,distutils} \
    usr/lib/python3*/config-* lib/udev usr/lib/udev usr/games usr/include usr/src usr/bin/perl* usr/share/misc \
    usr/lib/*/libperl* usr/lib/*/libicu* usr/sbin/xfs_scrub* usr/lib/*/libdb-* usr/lib/*/libsqlite3* usr/lib/*/libstdc++* \
    usr/lib/python3*/{pydoc_data,unittest,sqlite3,curses,turtle.py} usr/bin/{ssh-agent,ssh-add,ssh-keyscan,cvtsudoers,dpkg*,apt*} \
    usr/lib/openssh/ssh-{keysign,pkcs11-helper,sk-helper} bin/btrfs-* sbin/{tc,mdmon} etc/ssh/moduli bin/udevadm lib/systemd
  # Names and values in registries are of two encodings.
  find usr/lib/*/gconv -type f ! -name 'ISO8859-1.so' ! -name 'UTF-16.so' ! -name 'gconv-modules*' -delete
  find . -name '*.a' -delete
  find . -name __pycache__ -prune -exec rm -rf {} +
  mkdir -p proc sys dev run tmp mnt root/.ssh home etc/ssh etc/sudoers.d var/empty var/lib/cloud
  chmod 1777 tmp
  chmod 700 root root/.ssh
  chmod 4755 usr/bin/sudo bin/mount usr/bin/mount 2>/dev/null || true
  printf 'root:x:0:0:root:/root:/bin/bash\nsshd:x:102:65534::/run/sshd:/usr/sbin/nologin\nnobody:x:65534:65534::/nonexistent:/usr/sbin/nologin\ndebian:x:1000:1000::/home/debian:/bin/bash\n' > etc/passwd
  printf 'root:x:0:\nsudo:x:27:debian\ndebian:x:1000:\nnogroup:x:65534:\n' > etc/group
  printf 'root:*:19000:0:99999:7:::\nsshd:!:19000::::::\nnobody:*:19000::::::\ndebian:*:19000:0:99999:7:::\n' > etc/shadow
  chmod 600 etc/shadow
  printf '/bin/bash\n/bin/sh\n' > etc/shells
  printf 'passwd: files\ngroup: files\nshadow: files\nhosts: files dns\n' > etc/nsswitch.conf
  printf 'auth sufficient pam_permit.so\naccount sufficient pam_permit.so\nsession sufficient pam_permit.so\n' > etc/pam.d/sudo
  cp etc/pam.d/sudo etc/pam.d/other
  printf 'Defaults env_reset\nDefaults secure_path="/usr/sbin:/usr/bin:/sbin:/bin"\nroot ALL=(ALL:ALL) ALL\n@includedir /etc/sudoers.d\n' > etc/sudoers
  printf 'debian ALL=(ALL) NOPASSWD:ALL\n' > etc/sudoers.d/90-cloud-init-users
  chmod 440 etc/sudoers etc/sudoers.d/90-cloud-init-users
  printf 'UsePAM no\nPermitRootLogin prohibit-password\nSubsystem sftp /usr/lib/openssh/sftp-server\nPrintMotd no\nUseDNS no\nMaxStartups 100\n' > etc/ssh/sshd_config
  [ -e bin/sh ] || ln -s dash bin/sh
  for name in grep sed awk find xargs tar gzip ps vi less wget nc which; do
    [ -e "bin/$name" ] || [ -e "usr/bin/$name" ] || ln -s /bin/busybox "bin/$name"
  done
  [ -e usr/bin/python3 ] || ln -s "$(basename usr/bin/python3.*[0-9])" usr/bin/python3
  cp "$here/initramfs-init.sh" init
  cp "$here/../machines/apply-seed.py" "$here/../machines/cloud-seed.py" sbin/
  cp "$here/udhcpc-script.sh" sbin/udhcpc-script
  mkdir -p etc/acpi/PWRF
  printf '#!/bin/sh\nsync\nexec /bin/busybox poweroff -f\n' > etc/acpi/PWRF/00000080
  chmod 755 init sbin/udhcpc-script etc/acpi/PWRF/00000080
)
# Python's modules are compiled beforehand where this machine's Python is the worker's: doing it at each start takes an
# emulated machine seconds.
library=$(basename "$root"/usr/lib/python3.*)
if [ "$(/usr/bin/python3 -c 'import sys; print("python%d.%d" % sys.version_info[:2])' 2>/dev/null)" = "$library" ]; then
  ( cd "$root/usr/lib/$library"
    /usr/bin/python3 -m compileall -q -l --invalidation-mode unchecked-hash -s "$root" \
      . collections ctypes email encodings http importlib json logging re urllib || true )
fi
[ ! -e "$root/bin/busybox" ] && ln -s ../usr/bin/busybox "$root/bin/busybox"
ldconfig -r "$root" 2>/dev/null || true
( cd "$root" && find . | cpio -o -H newc -R 0:0 --quiet ) > "$out/initrd"
echo "initramfs worker: $(du -m "$out/initrd" | cut -f1) MB, kernel $version"
