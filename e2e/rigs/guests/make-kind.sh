#!/bin/bash
# Makes the Debian guest on a disk one of another kind, by a script that runs within its installation as root. Its programs see
# neither this machine's processes nor its mounts, and its packages start no services.
# Usage: make-kind.sh DISK < SCRIPT
set -euo pipefail
disk=$(readlink -f "${1:?disk}")
if [ -z "${CAUSEWAY_APART:-}" ]; then CAUSEWAY_APART=1 exec unshare --mount --pid --fork --kill-child "$0" "$disk"; fi
mount --make-rprivate /
root=$(mktemp -d)
mount -o loop,offset=1048576 "$disk" "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs tmpfs "$root/run"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for node in null zero full random urandom tty; do
  touch "$root/dev/$node"
  mount --bind "/dev/$node" "$root/dev/$node"
done
ln -s /proc/self/fd "$root/dev/fd"
cp /etc/resolv.conf "$root/etc/resolv.conf.here"
mv "$root/etc/resolv.conf" "$root/etc/resolv.conf.before" 2>/dev/null || true
mv "$root/etc/resolv.conf.here" "$root/etc/resolv.conf"
printf '#!/bin/sh\nexit 101\n' > "$root/usr/sbin/policy-rc.d"
chmod +x "$root/usr/sbin/policy-rc.d"
cat > "$root/run/kind"
env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive chroot "$root" /bin/sh -e /run/kind
rm -rf "$root/usr/sbin/policy-rc.d" "$root/etc/resolv.conf"
mv "$root/etc/resolv.conf.before" "$root/etc/resolv.conf" 2>/dev/null || true
rm -f "$root"/var/cache/apt/archives/*.deb
umount "$root"/dev/{null,zero,full,random,urandom,tty} "$root/dev" "$root/run" "$root/proc" "$root"
rmdir "$root"
