#!/bin/bash
# The first process of a machine: makes ROOT the root of its own mount, process, host name, IPC and network namespaces, and lives until
# its standard input ends. Usage: enter.sh ROOT CACHE
set -euo pipefail
root=$1 cache=$2
mount --make-rprivate /
mount --bind "$root" "$root"
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
