# The outside of the cloud: a pair of virtual Ethernet devices, one end in the external bridge, the other with the address
# 198.51.100.1/24 in this machine's own network, so that everything here reaches floating IPs by a plain route.
# Checksums are computed in software on both ends: the user-space switch drops packets that leave them to a device.

OUTSIDE=198.51.100

outside_up() {
  if ! ip link show cwrig-out > /dev/null 2>&1; then
    if ip -4 addr show | grep -q " $OUTSIDE\." || ip -4 route show | grep -q "^$OUTSIDE\."; then
      echo "this machine uses $OUTSIDE.0/24 already: floating IPs would not be reached" >&2
      return 1
    fi
    ip link add cwrig-out type veth peer name cwrig-in || return 1
  fi
  sysctl -qw net.ipv6.conf.cwrig-out.disable_ipv6=1 net.ipv6.conf.cwrig-in.disable_ipv6=1 2>/dev/null
  ethtool -K cwrig-out tx off rx off gso off tso off gro off > /dev/null 2>&1
  ethtool -K cwrig-in tx off rx off gso off tso off gro off > /dev/null 2>&1
  ip addr replace $OUTSIDE.1/24 dev cwrig-out
  ip link set cwrig-out up && ip link set cwrig-in up
  vsctl --timeout=20 --may-exist add-port br-ex cwrig-in
}
outside_down() { ip link del cwrig-out 2>/dev/null; true; }
