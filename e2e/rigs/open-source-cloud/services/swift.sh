# Object store with one replica.

swift_up() {
  local home=$STATE/swift kind port
  mkdir -p "$home"/{node/d1,etc,cache}
  printf '[swift-hash]\nswift_hash_path_suffix = rig\nswift_hash_path_prefix = rig\n[swift-constraints]\nmax_file_size = 5368709122\n[storage-policy:0]\nname = Policy-0\ndefault = yes\n' > "$home/etc/swift.conf"
  for kind in account:16202 container:16201 object:16200; do
    port=${kind##*:}
    kind=${kind%%:*}
    (
      cd "$home/etc" && [ ! -f $kind.ring.gz ] && swift-ring-builder $kind.builder create 4 1 1 \
        && swift-ring-builder $kind.builder add r1z1-127.0.0.1:$port/d1 100 && swift-ring-builder $kind.builder rebalance
    ) >> "$LOGS/swift-ring.log" 2>&1
    cat > "$home/etc/$kind-server.conf" << EOT
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = $port
workers = 1
user = root
swift_dir = $home/etc
devices = $home/node
mount_check = false
log_name = swift-$kind
[pipeline:main]
pipeline = $kind-server
[app:$kind-server]
use = egg:swift#$kind
EOT
    start swift-$kind swift-$kind-server "$home/etc/$kind-server.conf" -v
  done
  cat > "$home/etc/proxy-server.conf" << EOT
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = 18080
workers = 1
user = root
swift_dir = $home/etc
log_name = swift-proxy
[pipeline:main]
pipeline = catch_errors gatekeeper healthcheck proxy-logging cache listing_formats bulk tempurl authtoken keystoneauth copy slo dlo versioned_writes symlink proxy-logging proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
$(for filter in catch_errors gatekeeper healthcheck listing_formats bulk tempurl copy symlink slo dlo; do printf '[filter:%s]\nuse = egg:swift#%s\n' $filter $filter; done)
[filter:proxy-logging]
use = egg:swift#proxy_logging
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:21211
[filter:versioned_writes]
use = egg:swift#versioned_writes
allow_object_versioning = true
[filter:keystoneauth]
use = egg:swift#keystoneauth
operator_roles = admin, member
[filter:authtoken]
paste.filter_factory = keystonemiddleware.auth_token:filter_factory
delay_auth_decision = True
$(token_check swift | sed 1d)
EOT
  start swift-proxy swift-proxy-server "$home/etc/proxy-server.conf" -v
}
swift_ready() { wait_http http://127.0.0.1:18080/healthcheck; }
swift_down() { local kind; for kind in proxy object container account; do end swift-$kind; done; }
