#!/bin/busybox sh
# What DHCP said, put into effect.
b=/bin/busybox
case "$1" in bound | renew) ;; *) exit 0 ;; esac
$b ip addr flush dev "$interface"
$b ip addr add "$ip/${mask:-24}" dev "$interface"
[ -z "$mtu" ] || $b ip link set "$interface" mtu "$mtu"
[ -z "$router" ] || $b ip route replace default via "${router%% *}"
for server in $dns; do echo "nameserver $server"; done > /etc/resolv.conf
echo "address $ip by DHCP"
