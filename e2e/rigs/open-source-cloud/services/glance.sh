# Images, in plain files.

glance_up() {
  local home=$STATE/glance conf=$CONF/glance/glance-api.conf
  mkdir -p "$CONF/glance" "$home"/{images,staging,tasks}
  cat > "$conf" << EOT
[DEFAULT]
bind_host = 127.0.0.1
bind_port = 19292
workers = 1
transport_url = $MESSAGES
log_file = $LOGS/glance-api.log
show_image_direct_url = true
enabled_backends = fs:file
node_staging_uri = file://$home/staging
enabled_import_methods = [glance-direct,web-download]
worker_self_reference_url = http://127.0.0.1:19292
[glance_store]
default_backend = fs
[fs]
filesystem_store_datadir = $home/images
[os_glance_staging_store]
filesystem_store_datadir = $home/staging
[os_glance_tasks_store]
filesystem_store_datadir = $home/tasks
[paste_deploy]
flavor = keystone
config_file = /etc/glance/glance-api-paste.ini
[database]
connection = $(database glance)
[oslo_concurrency]
lock_path = $home
$(token_check glance)
EOT
  once glance-schema glance_schema "$conf" || return 1
  start glance glance-api --config-file "$conf"
}
glance_schema() { sql 'create database if not exists glance'; glance-manage --config-file "$1" db_sync >> "$LOGS/glance-schema.log" 2>&1; }
glance_ready() { wait_http http://127.0.0.1:19292/; }
glance_down() { end glance; }
