#!/bin/bash
# Makes of the Debian guest one that is run by the tools of the RHEL family, as far as Debian has them: rpm with packages in
# its database, dnf (and zypper) with a repository, dracut, NetworkManager's keyfiles, GRUB's configuration in /boot/grub2. What is in it
# is still Debian's, and its release file does not claim anything else. Usage: rpm-guest.sh ROOT
set -euo pipefail
R=$1
within() { chroot "$R" "$@"; }
export DEBIAN_FRONTEND=noninteractive
version=$(ls "$R"/boot/vmlinuz-* | sed 's/.*vmlinuz-//')

cat > "$R/usr/lib/os-release" <<O
NAME="Lab system with rpm"
VERSION_ID="9"
ID="lab"
ID_LIKE="fedora"
PRETTY_NAME="Lab system with rpm 9"
O
rm -f "$R/etc/os-release"
ln -s ../usr/lib/os-release "$R/etc/os-release"

# Debian's rpm keeps its database in the home folder of whoever calls it.
mkdir -p "$R/etc/rpm"
echo '%_dbpath /var/lib/rpm' > "$R/etc/rpm/macros"

# Packages: Debian's cloud-init as an rpm in a repository on the disk, and the source hypervisor's tools, installed.
build=$R/root/build
mkdir -p "$build/cloud" "$build/tools/usr/bin" "$build/tools/usr/lib/systemd/system"
within sh -c 'cd /root/build && apt-get -q download cloud-init && dpkg-deb -x cloud-init_*.deb cloud'
printf '#!/bin/sh\nexec sleep infinity\n' > "$build/tools/usr/bin/vmtoolsd"
chmod 755 "$build/tools/usr/bin/vmtoolsd"
printf '[Unit]\nDescription=Tools\n[Service]\nExecStart=/usr/bin/vmtoolsd\n[Install]\nWantedBy=multi-user.target\n' \
  > "$build/tools/usr/lib/systemd/system/vmtoolsd.service"
package() {
  local name=$1 number=$2 folder=$3
  (cd "$build/$folder" && find . -mindepth 1 \( -type f -o -type l \) -printf '"/%P"\n') > "$build/$name.files"
  cat > "$build/$name.spec" <<P
Name: $name
Version: $number
Release: 1
Summary: $name
License: see the files
BuildArch: noarch
AutoReqProv: no
%define _build_id_links none
%define __os_install_post %{nil}
%description
$name
%install
cp -a /root/build/$folder/. %{buildroot}/
%files -f /root/build/$name.files
P
  within rpmbuild --quiet --nodeps -bb --define '_topdir /root/build/rpm' "/root/build/$name.spec"
}
number=$(within sh -c 'dpkg-deb -f /root/build/cloud-init_*.deb Version' | sed 's/[-~].*//')
package cloud-init "$number" cloud
package open-vm-tools 12.0 tools
mkdir -p "$R/srv/repository" "$R/etc/yum.repos.d"
cp "$build"/rpm/RPMS/noarch/cloud-init-*.rpm "$R/srv/repository/"
within createrepo_c -q /srv/repository
printf '[lab]\nname=lab\nbaseurl=file:///srv/repository\nenabled=1\ngpgcheck=0\n' > "$R/etc/yum.repos.d/lab.repo"
mkdir -p "$R/etc/zypp/repos.d"
printf '[lab]\nname=lab\nbaseurl=dir:///srv/repository\nenabled=1\ngpgcheck=0\nautorefresh=1\n' > "$R/etc/zypp/repos.d/lab.repo"
within sh -c 'rpm -i --nodeps --force-debian /root/build/rpm/RPMS/noarch/open-vm-tools-*.rpm'
within systemctl -q enable vmtoolsd.service

# The initial RAM disk by dracut, made for the hardware that the machine has, as distributions of this family set it.
mkdir -p "$R/etc/dracut.conf.d"
# Installing it makes an image that is not kept: a small one does.
printf 'drivers+=" ext4 "\n' > "$R/etc/dracut.conf.d/quick.conf"
within apt-get -q -y --no-install-recommends install dracut
rm "$R/etc/dracut.conf.d/quick.conf"
within apt-get -q -y purge initramfs-tools initramfs-tools-core ifupdown isc-dhcp-client
rm -rf "$R/etc/initramfs-tools" "$R"/etc/kernel/postinst.d/dracut "$R/etc/network/interfaces" "$R"/boot/initrd.img-* "$R"/boot/*.bak
mkdir -p "$R/etc/dracut.conf.d" "$R/usr/lib/dracut/dracut.conf.d"
printf 'hostonly="yes"\nhostonly_cmdline="no"\ncompress="gzip -n -1"\n' > "$R/usr/lib/dracut/dracut.conf.d/01-dist.conf"
within dracut --quiet --force --no-hostonly --omit 'qemu qemu-net virtiofs' --omit-drivers 'virtio virtio_ring virtio_pci virtio_blk virtio_scsi virtio_net' --drivers 'ahci ata_piix ata_generic libata sd_mod scsi_mod ext4 crc32c_generic crc32c_intel' \
  "/boot/initramfs-$version.img" "$version"

if within lsinitrd "/boot/initramfs-$version.img" | grep -E 'virtio_(blk|scsi|pci)\.ko'; then echo 'its initial RAM disk knows virtio' >&2; exit 1; fi

mkdir -p "$R/boot/grub2"
# By default it waits for minutes before it says that it found no root.
sed "s|initrd /boot/initrd.img-|initrd /boot/initramfs-|; s|\(initramfs-$version\)|\1.img|; s| quiet| quiet rd.retry=20|" "$R/boot/grub/grub.cfg" > "$R/boot/grub2/grub.cfg"
echo 'configfile /boot/grub2/grub.cfg' > "$R/boot/grub/grub.cfg"

# An address of the old network, on a card of the old platform.
cat > "$R/etc/NetworkManager/system-connections/ens192.nmconnection" <<N
[connection]
id=ens192
type=ethernet
interface-name=ens192

[ethernet]
mac-address=00:50:56:AA:BB:01

[ipv4]
method=manual
address1=192.0.2.5/24,192.0.2.1
dns=192.0.2.53;

[ipv6]
method=disabled
N
chmod 600 "$R/etc/NetworkManager/system-connections/ens192.nmconnection"
rm -rf "$build" "$R"/var/cache/apt/archives/*.deb "$R"/var/lib/apt/lists/*
echo "an rpm guest: $(within rpm -qa | paste -sd' '), cloud-init $number in its repository"
