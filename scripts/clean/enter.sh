#!/bin/bash
# The first process of a machine: lays a root file system over BASE in its own mount, process, host name, IPC and network namespaces, and
# lives until its standard input ends. What the machine writes is in PLACE. Usage: enter.sh BASE PLACE CACHE
set -euo pipefail
base=$1 place=$2 cache=$3
mount --make-rprivate /
root=$place/root
mkdir -p "$root" "$place"/{upper,work}
mount -t overlay -o "lowerdir=$base,upperdir=$place/upper,workdir=$place/work" overlay "$root"
# Where people and programs work is a folder of the disk, as on any machine.
for name in root home srv tmp var/tmp; do mount --bind "$place/own/$name" "$root/$name"; done
# What only saves downloads: the files of packages, and npm's cache of each account.
mkdir -p "$cache"/{archives/partial,npm-root,npm-person} "$root"/{root,home/person}/.npm
chown 1000:1000 "$cache/npm-person" "$root/home/person/.npm"
mount --bind "$cache/archives" "$root/var/cache/apt/archives"
mount --bind "$cache/npm-root" "$root/root/.npm"
mount --bind "$cache/npm-person" "$root/home/person/.npm"
cd "$root"
mount -t proc proc proc
mount -t sysfs sysfs sys
# The kernel's own nodes, among them its loop devices.
mount -t devtmpfs dev dev
mkdir -p dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=666,mode=620,gid=5 devpts dev/pts
mount -t tmpfs -o mode=1777 shm dev/shm
mount -t tmpfs -o mode=755 run run
mkdir -p run/lock run/before
ip link set lo up
hostname clean
echo clean > etc/hostname
echo '127.0.0.1 localhost clean' > etc/hosts
echo 'nameserver 10.0.2.3' > etc/resolv.conf
pivot_root . run/before
cd /
umount -l run/before
rmdir run/before
echo ready
# Orphans are this process's children: bash takes their exit statuses while it waits here.
while read -r _; do :; done
