#!/bin/bash
# Lets virt-v2v-in-place convert a Windows disk, with its own kernel (software emulation alone).
# Usage: virt-v2v.sh DISK VIRTIO_ISO_OR_FOLDER CACHE_FOLDER
set -euo pipefail
disk=$(readlink -f "${1:?disk}") virtio=$(readlink -f "${2:?VirtIO disc}") cache=${3:?cache folder}
here=$(dirname "$(readlink -f "$0")")
. "$here/../images/guestfs-environment.sh"
export VIRTIO_WIN=$virtio
# Its helpers for the first boot are no Debian package. It only copies them.
export VIRT_TOOLS_DATA_DIR=$cache/virt-tools
mkdir -p "$VIRT_TOOLS_DATA_DIR"
for name in rhsrvany.exe pnp_wait.exe; do echo "no program" > "$VIRT_TOOLS_DATA_DIR/$name"; done
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
