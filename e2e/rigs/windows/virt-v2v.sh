#!/bin/bash
# Lets virt-v2v-in-place convert a Windows disk, with its own kernel (software emulation alone).
# Usage: virt-v2v.sh DISK VIRTIO_ISO_OR_FOLDER CACHE_FOLDER
set -euo pipefail
disk=$(readlink -f "${1:?disk}") virtio=$(readlink -f "${2:?VirtIO disc}") cache=${3:?cache folder}
kernel=$cache/guestfs-kernel
if [ ! -e "$kernel/ready" ]; then
  rm -rf "$kernel"
  mkdir -p "$kernel/debs"
  package=$(apt-cache depends linux-image-amd64 | awk '/Depends: linux-image/ {print $2; exit}')
  (cd "$kernel/debs" && apt-get -q download "$package" >&2)
  dpkg-deb -x "$kernel"/debs/*.deb "$kernel/root"
  version=$(ls "$kernel/root/lib/modules")
  depmod -b "$kernel/root" "$version"
  touch "$kernel/ready"
fi
version=$(ls "$kernel/root/lib/modules")
export LIBGUESTFS_BACKEND=direct LIBGUESTFS_BACKEND_SETTINGS=force_tcg LIBGUESTFS_CACHEDIR=$cache
export SUPERMIN_KERNEL=$kernel/root/boot/vmlinuz-$version SUPERMIN_KERNEL_VERSION=$version SUPERMIN_MODULES=$kernel/root/lib/modules/$version
export VIRTIO_WIN=$virtio
# Its helpers for the first boot are no Debian package. It only copies them.
export VIRT_TOOLS_DATA_DIR=$cache/virt-tools
mkdir -p "$VIRT_TOOLS_DATA_DIR"
for name in rhsrvany.exe pnp_wait.exe; do echo "no program" > "$VIRT_TOOLS_DATA_DIR/$name"; done
mkdir -p /usr/lib/modules
description=$(mktemp)
trap 'rm -f "$description"' EXIT
cat > "$description" <<X
<domain type='kvm'><name>windows</name><memory unit='MiB'>2048</memory><vcpu>1</vcpu>
<os><type arch='x86_64'>hvm</type></os><features><acpi/></features><devices>
<disk type='file' device='disk'><driver name='qemu' type='raw'/><source file='$disk'/><target dev='hda' bus='ide'/></disk>
<interface type='bridge'><mac address='52:54:00:11:22:33'/><source bridge='br0'/><model type='e1000'/></interface></devices></domain>
X
if [ "${4:-}" = inspect ]; then exec virt-inspector --no-icon --format=raw -a "$disk"; fi
exec virt-v2v-in-place ${V2V_VERBOSE:+-v -x} -i libvirtxml "$description"
