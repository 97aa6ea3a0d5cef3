# Compute on this machine, by libvirt and QEMU without hardware acceleration.

nova_up() {
  local home=$STATE/nova conf=$CONF/nova/nova.conf service
  mkdir -p "$CONF/nova" "$home"/{lock,instances,mnt}
  cat > "$conf" << EOT
[DEFAULT]
host = rig
my_ip = 127.0.0.1
transport_url = $MESSAGES
compute_driver = libvirt.LibvirtDriver
state_path = $home
instances_path = $home/instances
enabled_apis = osapi_compute
osapi_compute_listen = 127.0.0.1
osapi_compute_listen_port = 18774
osapi_compute_workers = 1
vif_plugging_is_fatal = false
vif_plugging_timeout = 0
reserved_host_memory_mb = 0
cpu_allocation_ratio = 16
ram_allocation_ratio = 4
disk_allocation_ratio = 10
running_deleted_instance_action = reap
[api]
auth_strategy = keystone
[api_database]
connection = $(database nova_api)
[database]
connection = $(database nova)
[conductor]
workers = 1
[scheduler]
workers = 1
discover_hosts_in_cells_interval = 5
[quota]
instances = -1
cores = -1
ram = -1
[glance]
api_servers = http://127.0.0.1:19292
[cinder]
catalog_info = volumev3:cinderv3:publicURL
os_region_name = RegionOne
[vnc]
enabled = false
[libvirt]
virt_type = qemu
connection_uri = qemu+unix:///system?socket=$STATE/libvirt/libvirt-sock
nfs_mount_point_base = $home/mnt
inject_partition = -2
cpu_mode = none
rbd_user = admin
rbd_secret_uuid = $STORAGE_SECRET
hw_machine_type = x86_64=pc
images_type = raw
[oslo_concurrency]
lock_path = $home/lock
$(for section in privsep nova_sys_admin vif_plug_ovs_privileged privsep_osbrick; do printf '[%s]\nhelper_command = privsep-helper --config-file %s\n' $section "$conf"; done)
[os_vif_ovs]
ovsdb_connection = unix:$OVN/db.sock
$(token_check nova)
$(service_login neutron neutron)
$(service_login placement placement)
$(service_login service_user nova)
send_service_user_token = true
EOT
  once nova-schema nova_schema "$conf" || return 1
  for service in api conductor scheduler compute; do start nova-$service nova-$service --config-file "$conf"; done
}
nova_schema() {
  local manage="nova-manage --config-file $1" name
  for name in nova_api nova nova_cell0; do sql "create database if not exists $name"; done
  { $manage api_db sync && $manage cell_v2 map_cell0 --database_connection "$(database nova_cell0)" && $manage db sync \
    && $manage cell_v2 create_cell --name cell1; } >> "$LOGS/nova-schema.log" 2>&1
}
nova_ready() { wait_http http://127.0.0.1:18774/; }
nova_down() { local service; for service in compute scheduler conductor api; do end nova-$service; done; }
