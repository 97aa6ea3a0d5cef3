#!/bin/busybox sh
# First process of the initramfs worker: devices, network, the seed that the machine was given, sshd.
b=/bin/busybox
$b mount -t proc proc /proc
$b mount -t sysfs sysfs /sys
$b mount -t devtmpfs dev /dev
# A device manager makes these; shells read what they substitute by them.
$b ln -s /proc/self/fd /dev/fd
$b ln -s fd/0 /dev/stdin
$b ln -s fd/1 /dev/stdout
$b ln -s fd/2 /dev/stderr
$b mkdir -p /dev/pts /dev/shm
$b mount -t devpts -o gid=5,mode=620 devpts /dev/pts
$b mount -t tmpfs -o mode=755 run /run
$b mkdir -p /run/sshd /run/lock
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
modprobe -a virtio_pci virtio_net virtio_blk qemu_fw_cfg 2>/dev/console
$b ip link set lo up
$b ip link set eth0 up
read -r line < /proc/cmdline
case "$line" in *causeway.name=*) name=${line##*causeway.name=} name=${name%% *} ;; esac
$b hostname "${name:-worker}"
echo "127.0.0.1 localhost ${name:-worker}" > /etc/hosts
seed=/sys/firmware/qemu_fw_cfg/by_name/opt/causeway/seed/raw
if [ -e $seed ]; then
  # Started by the lab: the addresses of QEMU's user network, the seed from the machine's firmware.
  $b ip addr add 10.0.2.15/24 dev eth0
  $b ip route add default via 10.0.2.2
  echo 'nameserver 10.0.2.3' > /etc/resolv.conf
  python3 -I -S /sbin/apply-seed.py $seed > /dev/console 2>&1
else
  # Started by a cloud: an address by DHCP, the seed from the config drive.
  modprobe -a ata_piix ata_generic sr_mod isofs evdev button 2>/dev/null
  $b udhcpc -i eth0 -s /sbin/udhcpc-script -n -q -t 20 -T 2 > /dev/console 2>&1
  $b acpid -d > /dev/null 2>&1 &
  python3 -I -S /sbin/cloud-seed.py /run/seed > /dev/console 2>&1 && python3 -I -S /sbin/apply-seed.py /run/seed > /dev/console 2>&1
fi
# The rest of the modules come once SSH can be reached.
/usr/sbin/sshd -e 2> /dev/console
read -r uptime rest < /proc/uptime
echo "worker is up after $uptime s" > /dev/console
modprobe -a virtio_scsi dm_mod ext4 loop fuse 2>/dev/null
while :; do $b sleep 1000000; done
