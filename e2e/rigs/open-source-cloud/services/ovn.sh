# The virtual network, with Open vSwitch in user space: no kernel module is needed.

OVN=$STATE/ovn
vsctl() { ovs-vsctl --db="unix:$OVN/db.sock" "$@"; }

ovn_up() {
  mkdir -p "$OVN"
  export OVS_RUNDIR=$OVN OVS_LOGDIR=$OVN OVS_DBDIR=$OVN OVS_SYSCONFDIR=$OVN OVN_RUNDIR=$OVN OVN_LOGDIR=$OVN OVN_DBDIR=$OVN
  [ -f "$OVN/conf.db" ] || ovsdb-tool create "$OVN/conf.db" /usr/share/openvswitch/vswitch.ovsschema
  [ -f "$OVN/nb.db" ] || ovsdb-tool create "$OVN/nb.db" /usr/share/ovn/ovn-nb.ovsschema
  [ -f "$OVN/sb.db" ] || ovsdb-tool create "$OVN/sb.db" /usr/share/ovn/ovn-sb.ovsschema
  start ovsdb-conf ovsdb-server "$OVN/conf.db" --remote="punix:$OVN/db.sock" --unixctl="$OVN/ovsdb-conf.ctl"
  start ovsdb-nb ovsdb-server "$OVN/nb.db" --remote=ptcp:16641:127.0.0.1 --remote="punix:$OVN/ovnnb_db.sock" --unixctl="$OVN/ovsdb-nb.ctl"
  start ovsdb-sb ovsdb-server "$OVN/sb.db" --remote=ptcp:16642:127.0.0.1 --remote="punix:$OVN/ovnsb_db.sock" --unixctl="$OVN/ovsdb-sb.ctl"
  wait_port 16641 && wait_port 16642 || return 1
  start ovn-northd ovn-northd --ovnnb-db=tcp:127.0.0.1:16641 --ovnsb-db=tcp:127.0.0.1:16642 --unixctl="$OVN/northd.ctl"
  start ovs-vswitchd ovs-vswitchd --disable-system "unix:$OVN/db.sock" --unixctl="$OVN/vswitchd.ctl"
  wait_for 20 'Open vSwitch' test -S "$OVN/vswitchd.ctl" || return 1
  vsctl --timeout=20 --no-wait -- --may-exist add-br br-int -- set bridge br-int datapath_type=netdev fail-mode=secure \
    -- set Open_vSwitch . external_ids:system-id=rig external_ids:hostname=rig external_ids:ovn-remote=tcp:127.0.0.1:16642 \
      external_ids:ovn-encap-type=geneve external_ids:ovn-encap-ip=127.0.0.1 external_ids:ovn-bridge-datapath-type=netdev \
      external_ids:ovn-cms-options=enable-chassis-as-gw external_ids:ovn-bridge-mappings=physnet1:br-ex \
    -- --may-exist add-br br-ex -- set bridge br-ex datapath_type=netdev
  start ovn-controller ovn-controller "unix:$OVN/db.sock"
}

ovn_down() {
  local name
  for name in ovn-controller ovs-vswitchd ovn-northd ovsdb-sb ovsdb-nb ovsdb-conf; do end $name; done
  for name in ovs-netdev br-ex br-int; do ip link del $name 2>/dev/null; done
  true
}
