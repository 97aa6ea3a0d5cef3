#!/bin/bash
# Builds the Debian guest with the tools of other layouts; `lay-out-guest.sh` copies it onto them.
# Usage: build-layout-source.sh OUT_FOLDER
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
exec "$here/build-debian-guest.sh" "${1:?output folder}" "$here/layout-source.packages" "$here/layout-source.sh"
