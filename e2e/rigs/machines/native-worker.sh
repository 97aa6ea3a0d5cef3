#!/bin/bash
# The first process of a native worker: makes the worker's root out of the image below an overlay, then runs sshd.
# Runs in mount, PID, UTS, IPC and network namespaces of its own. Usage: native-worker.sh IMAGE_ROOT MACHINE_FOLDER NAME
set -euo pipefail
image=$1 folder=$2 name=$3
mount --make-rprivate /
mkdir -p "$folder/layers" "$folder/root"
mount -t tmpfs -o mode=755 layers "$folder/layers"
mkdir "$folder/layers/upper" "$folder/layers/work"
mount -t overlay -o "lowerdir=$image,upperdir=$folder/layers/upper,workdir=$folder/layers/work" overlay "$folder/root"
cd "$folder/root"
mount -t proc proc proc
mount -t sysfs sysfs sys
# The worker sees no disk but those that are attached to it: neither as nodes nor in sysfs.
mount -t tmpfs -o mode=755 blocks sys/block
mount -t tmpfs -o mode=755 dev dev
mkdir -p dev/pts dev/shm dev/disk/by-id dev/disk/by-path
mknod -m 666 dev/null c 1 3
mknod -m 666 dev/zero c 1 5
mknod -m 666 dev/full c 1 7
mknod -m 666 dev/random c 1 8
mknod -m 666 dev/urandom c 1 9
mknod -m 666 dev/tty c 5 0
mount -t devpts -o newinstance,ptmxmode=666,mode=620,gid=5 devpts dev/pts
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
ln -s fd/0 dev/stdin
ln -s fd/1 dev/stdout
ln -s fd/2 dev/stderr
mount -t tmpfs -o mode=755 run run
mkdir -p run/sshd run/lock
ip link set lo up
hostname "$name"
echo "$name" > etc/hostname
echo "127.0.0.1 localhost $name" > etc/hosts
[ ! -e "$folder/resolv.conf" ] || cp "$folder/resolv.conf" etc/resolv.conf
cp "$folder/seed.json" run/seed.json
cp "$folder/apply-seed.py" run/apply-seed.py
# Nothing of the machine that runs the lab stays in sight, not even in the list of mounts.
mkdir -p run/before
pivot_root . run/before
cd /
touch "run/before$folder/ready"
umount -l run/before
/usr/bin/python3 /run/apply-seed.py /run/seed.json
/usr/sbin/sshd -D -e -o PrintMotd=no -o PrintLastLog=no -o MaxStartups=100
