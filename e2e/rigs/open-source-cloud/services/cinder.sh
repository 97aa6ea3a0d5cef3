# Block storage: two back ends, each a pool of its own; backups go to the object store, or to the distributed storage
# when `backup_driver` says so.

cinder_up() {
  local home=$STATE/cinder conf=$CONF/cinder/cinder.conf service
  mkdir -p "$CONF/cinder" "$home/lock"
  cat > "$conf" << EOT
[DEFAULT]
transport_url = $MESSAGES
auth_strategy = keystone
my_ip = 127.0.0.1
host = rig
state_path = $home
osapi_volume_listen = 127.0.0.1
osapi_volume_listen_port = 18776
osapi_volume_workers = 1
api_paste_config = /etc/cinder/api-paste.ini
resource_query_filters_file = /etc/cinder/resource_filters.json
rootwrap_config = /etc/cinder/rootwrap.conf
enabled_backends = standard,archive
default_volume_type = standard
glance_api_servers = http://127.0.0.1:19292
backup_swift_container = volumebackups
backup_swift_block_size = 32768
backup_swift_object_size = 4194304
backup_compression_algorithm = zlib
backup_swift_enable_progress_timer = false
backup_enable_progress_timer = false
backup_use_same_host = true
backup_ceph_conf = $CEPH_CONF
backup_ceph_user = admin
backup_ceph_pool = backups
volume_clear = none
periodic_interval = 10
quota_volumes = -1
quota_snapshots = -1
quota_gigabytes = -1
quota_backups = -1
quota_backup_gigabytes = -1
$(for pool in standard:volumes archive:archive; do cat << EOP
[${pool%%:*}]
volume_driver = cinder.volume.drivers.rbd.RBDDriver
volume_backend_name = ${pool%%:*}
rbd_pool = ${pool##*:}
rbd_ceph_conf = $CEPH_CONF
rbd_user = admin
rbd_secret_uuid = $STORAGE_SECRET
rados_connect_timeout = 10
rbd_exclusive_cinder_pool = true
max_over_subscription_ratio = 20
EOP
done)
[database]
connection = $(database cinder)
[oslo_concurrency]
lock_path = $home/lock
[privsep_osbrick]
helper_command = privsep-helper --config-file $conf
[cinder_sys_admin]
helper_command = privsep-helper --config-file $conf
$(token_check cinder)
$(service_login nova nova)
$(service_login service_user cinder)
send_service_user_token = true
EOT
  once cinder-schema cinder_schema "$conf" || return 1
  for service in api scheduler volume; do start_cinder cinder-$service; done
  [ -f "$STATE/backup-driver" ] || echo swift > "$STATE/backup-driver"
  start_backups
}
# Whoever has a user in the distributed storage is expected to have a key ring under /etc/ceph: there the services see a folder
# of the rig's.
start_cinder() {
  local name=$1 folder=$STATE/ceph/etc
  shift
  mkdir -p "$folder"
  cp "$CEPH_CONF" "$folder/ceph.conf"
  [ -f "$folder/ceph.client.admin.keyring" ] || ceph-authtool --create-keyring --gen-key --name client.admin "$folder/ceph.client.admin.keyring" > /dev/null
  start "$name" unshare --mount --propagation slave bash -c 'mount --bind "$1" /etc/ceph && shift && exec "$@"' bash "$folder" \
    "$name" --config-file "$CONF/cinder/cinder.conf" "$@"
}

cinder_schema() { sql 'create database if not exists cinder'; cinder-manage --config-file "$1" db sync >> "$LOGS/cinder-schema.log" 2>&1; }

start_backups() {
  local driver=cinder.backup.drivers.swift.SwiftBackupDriver
  [ "$(cat "$STATE/backup-driver")" = ceph ] && driver=cinder.backup.drivers.ceph.CephBackupDriver
  printf '[DEFAULT]\nbackup_driver = %s\n' $driver > "$CONF/cinder/backup.conf"
  start_cinder cinder-backup --config-file "$CONF/cinder/backup.conf"
}

# backup_driver swift|ceph: where backups go from now on.
backup_driver() {
  [ "$(cat "$STATE/backup-driver")" = "$1" ] && is_ours cinder-backup && return
  end cinder-backup
  echo "$1" > "$STATE/backup-driver"
  start_backups
}
cinder_ready() { wait_http http://127.0.0.1:18776/; }
cinder_down() { local service; for service in backup volume scheduler api; do end cinder-$service; done; }
