#!/bin/bash
# Builds the Debian guest as a VM of generation 2 on Hyper-V has it; `lay-out-guest.sh` copies it onto a disk for UEFI.
# Usage: build-hyperv-guest.sh OUT_FOLDER
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
exec "$here/build-debian-guest.sh" "${1:?output folder}" "$here/hyperv-guest.packages" "$here/hyperv-guest.sh"
