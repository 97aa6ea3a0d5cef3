# What compute hosts have to give.

placement_up() {
  local conf=$CONF/placement/placement.conf
  mkdir -p "$CONF/placement"
  cat > "$conf" << EOT
[DEFAULT]
log_file = $LOGS/placement.log
[api]
auth_strategy = keystone
[placement_database]
connection = $(database placement)
$(token_check placement)
EOT
  once placement-schema placement_schema || return 1
  OS_PLACEMENT_CONFIG_DIR=$CONF/placement start placement uwsgi --plugins python3 --http-socket 127.0.0.1:18778 --wsgi-file /usr/bin/placement-api \
    --master --die-on-term --processes 1 --threads 4 --enable-threads --lazy-apps --buffer-size 65535 --add-header 'Connection: close'
}
placement_schema() {
  sql 'create database if not exists placement'
  OS_PLACEMENT_CONFIG_DIR=$CONF/placement placement-manage --config-file "$CONF/placement/placement.conf" db sync >> "$LOGS/placement-schema.log" 2>&1
}
placement_ready() { wait_http http://127.0.0.1:18778/; }
placement_down() { end placement; }
