# Sourced with `cache` set: lets the tools of libguestfs run with a kernel of their own, in software emulation alone. The
# kernel is fetched once.
kernel=$cache/guestfs-kernel
if [ ! -e "$kernel/ready" ]; then
  rm -rf "$kernel"
  mkdir -p "$kernel/debs"
  package=$(apt-cache depends linux-image-amd64 | awk '/Depends: linux-image/ {print $2; exit}')
  (cd "$kernel/debs" && apt-get -q download "$package" >&2)
  dpkg-deb -x "$kernel"/debs/*.deb "$kernel/root"
  depmod -b "$kernel/root" "$(ls "$kernel/root/lib/modules")"
  touch "$kernel/ready"
fi
version=$(ls "$kernel/root/lib/modules")
export LIBGUESTFS_BACKEND=direct LIBGUESTFS_BACKEND_SETTINGS=force_tcg LIBGUESTFS_CACHEDIR=$cache
export SUPERMIN_KERNEL=$kernel/root/boot/vmlinuz-$version SUPERMIN_KERNEL_VERSION=$version SUPERMIN_MODULES=$kernel/root/lib/modules/$version
mkdir -p /usr/lib/modules
