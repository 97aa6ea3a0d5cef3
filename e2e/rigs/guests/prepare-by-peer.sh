#!/bin/bash
# Has another tool prepare a Linux disk for virtio. Usage: prepare-by-peer.sh virt-customize|virt-v2v-in-place|warm-up DISK CACHE
set -euo pipefail
tool=${1:?tool} disk=$(readlink -f "${2:?disk}") cache=${3:?cache folder}
here=$(dirname "$(readlink -f "$0")")
. "$here/../images/guestfs-environment.sh"
case $tool in
  virt-customize)
    # What its users write for this: it knows neither initial RAM disks nor network cards by itself.
    exec virt-customize --quiet --format raw -a "$disk" --smp 2 --install cloud-init,qemu-guest-agent \
      --run-command 'set -e
        if command -v dracut; then
          dracut --force --regenerate-all --add-drivers "virtio_pci virtio_blk virtio_scsi virtio_net"
        else
          printf "virtio_pci\nvirtio_blk\nvirtio_scsi\nvirtio_net\n" >> /etc/initramfs-tools/modules
          update-initramfs -u -k all
        fi' ;;
  virt-v2v-in-place)
    description=$(mktemp)
    trap 'rm -f "$description"' EXIT
    cat > "$description" <<X
<domain type='kvm'><name>source</name><memory unit='MiB'>1024</memory><vcpu>2</vcpu>
<os><type arch='x86_64'>hvm</type></os><features><acpi/></features><devices>
<disk type='file' device='disk'><driver name='qemu' type='raw'/><source file='$disk'/><target dev='sda' bus='sata'/></disk>
<interface type='bridge'><mac address='52:54:00:11:22:33'/><source bridge='br0'/><model type='e1000'/></interface></devices></domain>
X
    virt-v2v-in-place -i libvirtxml "$description" ;;
  # Makes the appliance that the others start, if it is not there yet.
  warm-up) exec guestfish --ro --format=raw -a "$disk" run ;;
  *) echo "no such tool: $tool" >&2; exit 2 ;;
esac
