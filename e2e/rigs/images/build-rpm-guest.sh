#!/bin/bash
# Builds a guest that is run by rpm, dnf, dracut and NetworkManager; see rpm-guest.sh. Usage: build-rpm-guest.sh OUT_FOLDER
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
exec "$here/build-debian-guest.sh" "${1:?output folder}" "$here/rpm-guest.packages" "$here/rpm-guest.sh"
