# One monitor, one manager and one OSD on a sparse file, without authentication; two pools, so that there are two back
# ends of block storage to map between.

CEPH_CONF=$STATE/ceph/ceph.conf
ceph_rig() { timeout 60 ceph -c "$CEPH_CONF" "$@"; }
osd_is_up() { ceph_rig osd stat | grep -q '1 up'; }

ceph_up() {
  local home=$STATE/ceph cluster=11111111-2222-3333-4444-555555555555 osd=66666666-7777-8888-9999-000000000000
  mkdir -p "$home"/{mon,osd,mgr,run}
  cat > "$CEPH_CONF" << EOT
[global]
fsid = $cluster
mon_host = [v2:127.0.0.1:13300,v1:127.0.0.1:16789]
public_network = 127.0.0.0/8
public_addr = 127.0.0.1
cluster_addr = 127.0.0.1
auth_cluster_required = none
auth_service_required = none
auth_client_required = none
run_dir = $home/run
admin_socket = $home/run/\$name.\$pid.asok
log_file = $LOGS/ceph-\$name.log
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_crush_chooseleaf_type = 0
mon_allow_pool_size_one = true
mon_warn_on_pool_no_redundancy = false
osd_memory_target = 939524096
osd_max_object_name_len = 256
osd_max_object_namespace_len = 64
bluestore_block_size = 42949672960
mgr_initial_modules =
mon_data = $home/mon
osd_data = $home/osd
mgr_data = $home/mgr
[mon]
mon_cluster_log_file = $LOGS/ceph-cluster.log
[client]
log_file =
EOT
  if [ ! -f "$home/monmap" ]; then
    monmaptool --create --addv a '[v2:127.0.0.1:13300,v1:127.0.0.1:16789]' --fsid $cluster "$home/monmap"
    ceph-mon -c "$CEPH_CONF" --mkfs -i a --monmap "$home/monmap"
  fi >> "$LOGS/ceph-setup.log" 2>&1
  start ceph-mon ceph-mon -c "$CEPH_CONF" -i a -f
  wait_port 16789 || return 1
  ceph_rig osd new $osd 0 >> "$LOGS/ceph-setup.log" 2>&1
  [ -f "$home/osd/fsid" ] || ceph-osd -c "$CEPH_CONF" -i 0 --mkfs --osd-uuid $osd >> "$LOGS/ceph-setup.log" 2>&1
  start ceph-mgr ceph-mgr -c "$CEPH_CONF" -i x -f
  start ceph-osd ceph-osd -c "$CEPH_CONF" -i 0 -f
  wait_for 60 'the OSD' osd_is_up || return 1
  once ceph-pools make_pools
}

make_pools() {
  local pool
  for pool in volumes archive backups; do
    ceph_rig osd pool create $pool 8 8 >> "$LOGS/ceph-setup.log" 2>&1 || return 1
    timeout 60 rbd -c "$CEPH_CONF" pool init $pool >> "$LOGS/ceph-setup.log" 2>&1 || return 1
  done
}

ceph_down() {
  end ceph-osd 20
  end ceph-mgr
  end ceph-mon
}
