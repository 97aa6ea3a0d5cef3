# Identity. uWSGI must close connections, or clients that keep them are reset.

# keystone_up [SECONDS]: with tokens that last so long.
keystone_up() {
  local home=$STATE/keystone conf=$CONF/keystone/keystone.conf
  mkdir -p "$CONF/keystone" "$home"
  cat > "$conf" << EOT
[DEFAULT]
log_file = $LOGS/keystone.log
max_token_size = 255
[database]
connection = $(database keystone)
[fernet_tokens]
key_repository = $home/fernet
[credential]
key_repository = $home/credential
[token]
provider = fernet
expiration = ${1:-86400}
EOT
  once keystone-schema keystone_schema "$conf" || return 1
  OS_KEYSTONE_CONFIG_FILES=$conf start keystone uwsgi --plugins python3 --http-socket 127.0.0.1:15000 --wsgi-file /usr/bin/keystone-wsgi-public \
    --master --die-on-term --processes 2 --threads 4 --enable-threads --lazy-apps --buffer-size 65535 --add-header 'Connection: close' --thunder-lock
  wait_http $IDENTITY/v3
}

keystone_schema() {
  local manage="keystone-manage --config-file $1"
  sql 'create database if not exists keystone'
  { $manage db_sync && $manage fernet_setup --keystone-user root --keystone-group root \
    && $manage credential_setup --keystone-user root --keystone-group root \
    && $manage bootstrap --bootstrap-password $PASSWORD --bootstrap-admin-url $IDENTITY/v3 --bootstrap-internal-url $IDENTITY/v3 \
      --bootstrap-public-url $IDENTITY/v3 --bootstrap-region-id RegionOne; } >> "$LOGS/keystone-schema.log" 2>&1
}

keystone_down() { end keystone; }
