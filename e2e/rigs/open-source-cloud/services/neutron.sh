# Networks, by OVN. No metadata service: servers are told things by their config drives.

neutron_up() {
  local home=$STATE/neutron conf=$CONF/neutron/neutron.conf
  mkdir -p "$CONF/neutron" "$home/lock"
  cat > "$conf" << EOT
[DEFAULT]
bind_host = 127.0.0.1
bind_port = 19696
api_workers = 1
rpc_workers = 0
rpc_state_report_workers = 0
transport_url = $MESSAGES
core_plugin = ml2
service_plugins = ovn-router,segments,trunk,port_forwarding
auth_strategy = keystone
notify_nova_on_port_status_changes = true
notify_nova_on_port_data_changes = true
dhcp_agent_notification = false
api_paste_config = /etc/neutron/api-paste.ini
state_path = $home
api_extensions_path =
[ml2]
type_drivers = geneve,flat,vlan,local
tenant_network_types = geneve
mechanism_drivers = ovn
extension_drivers = port_security
overlay_ip_version = 4
[ml2_type_geneve]
vni_ranges = 1:65536
max_header_size = 38
[ml2_type_flat]
flat_networks = physnet1
[ml2_type_vlan]
network_vlan_ranges = physnet1
[ovn]
ovn_nb_connection = tcp:127.0.0.1:16641
ovn_sb_connection = tcp:127.0.0.1:16642
ovn_l3_scheduler = leastloaded
ovn_metadata_enabled = false
enable_distributed_floating_ip = true
[securitygroup]
enable_security_group = true
[database]
connection = $(database neutron)
[oslo_concurrency]
lock_path = $home/lock
$(token_check neutron)
$(service_login nova nova)
EOT
  once neutron-schema neutron_schema "$conf" || return 1
  start neutron neutron-server --config-file "$conf"
}
neutron_schema() { sql 'create database if not exists neutron'; neutron-db-manage --config-file "$1" upgrade heads >> "$LOGS/neutron-schema.log" 2>&1; }
neutron_ready() { wait_http http://127.0.0.1:19696/; }
neutron_down() { end neutron; }
