# libvirtd in a mount namespace of its own: what it keeps under /etc/libvirt, /var/lib/libvirt, /var/log/libvirt and /run is
# the rig's, whatever this machine's own libvirt has. QEMU always emulates.

libvirt_up() {
  local home=$STATE/libvirt
  mkdir -p "$home"/{etc,lib,log,cache,run/libvirt,run/openvswitch,bin}
  cat > "$home/etc/qemu.conf" << 'EOT'
user = "root"
group = "root"
dynamic_ownership = 0
remember_owner = 0
security_driver = "none"
stdio_handler = "file"
cgroup_controllers = [ ]
namespaces = [ ]
EOT
  printf 'unix_sock_dir = "%s"\nauth_unix_rw = "none"\nauth_unix_ro = "none"\n' "$home" > "$home/libvirtd.conf"
  ln -sfn "$OVN/db.sock" "$home/run/openvswitch/db.sock"
  # Guests are not offered to leave checksums and segmentation to the device: the user-space switch would drop such packets.
  cat > "$home/bin/qemu-system-x86_64" << 'EOT'
#!/bin/sh
exec /usr/bin/qemu-system-x86_64 "$@" -global virtio-net-pci.csum=off -global virtio-net-pci.gso=off \
  -global virtio-net-pci.host_tso4=off -global virtio-net-pci.host_tso6=off -global virtio-net-pci.host_ecn=off -global virtio-net-pci.host_ufo=off
EOT
  chmod +x "$home/bin/qemu-system-x86_64"
  start libvirtd unshare --mount --propagation slave bash -c '
    cd / && home=$1 && mkdir -p /etc/libvirt /var/lib/libvirt /var/log/libvirt /var/cache/libvirt \
      && mount --bind "$home/etc" /etc/libvirt && mount --bind "$home/lib" /var/lib/libvirt && mount --bind "$home/log" /var/log/libvirt \
      && mount --bind "$home/cache" /var/cache/libvirt && mount --bind "$home/run" /run \
      && PATH="$home/bin:$PATH" exec libvirtd -f "$home/libvirtd.conf" -p "$home/libvirtd.pid"' bash "$home"
  wait_for 30 libvirt test -S "$home/libvirt-sock" && wait_for 30 libvirt on_libvirt version && define_storage_secret
}

# Backups of the distributed storage demand that volumes have a user, and machines with a user's volumes demand a key: any
# will do, since the storage here asks for none.
STORAGE_SECRET=77777777-8888-4999-8aaa-bbbbbbbbbbbb
define_storage_secret() {
  local file=$STATE/libvirt/storage-secret.xml
  echo "<secret ephemeral='no' private='no'><uuid>$STORAGE_SECRET</uuid><usage type='ceph'><name>rig</name></usage></secret>" > "$file"
  on_libvirt secret-define "$file" > /dev/null && on_libvirt secret-set-value $STORAGE_SECRET --base64 "$(ceph-authtool --gen-print-key)" > /dev/null 2>&1
}

on_libvirt() { timeout 30 virsh -q -c "qemu+unix:///system?socket=$STATE/libvirt/libvirt-sock" "$@"; }

libvirt_down() {
  local domain
  if is_ours libvirtd; then
    for domain in $(on_libvirt list --name); do on_libvirt destroy "$domain"; done
    for domain in $(on_libvirt list --all --name); do on_libvirt undefine --nvram "$domain"; done
  fi > /dev/null 2>&1
  end libvirtd
  # Machines whose libvirtd was lost: they name the rig's folder in their command line.
  local process
  for process in /proc/[0-9]*; do
    tr '\0' ' ' < "$process/cmdline" 2>/dev/null | grep -q "^/usr/bin/qemu-system-x86_64 .*guest=instance-.*$STATE/" || continue
    kill -KILL "${process#/proc/}"
  done
  true
}
