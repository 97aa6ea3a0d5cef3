#!/bin/bash
# Gives the initial RAM disk the drivers of Hyper-V alone, as installers do that look for what a machine has. Usage: hyperv-guest.sh ROOT
set -euo pipefail
printf '%s\n' hv_vmbus hv_storvsc hv_netvsc hyperv_keyboard sd_mod scsi_mod ext4 crc32c_generic crc32c_intel libcrc32c > "$1/etc/initramfs-tools/modules"
chroot "$1" update-initramfs -u
