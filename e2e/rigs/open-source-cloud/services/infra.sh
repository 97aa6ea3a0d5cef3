# Database, message queue and cache. Durability is nothing that a rig needs.

mysql_answers() { mariadb -S "$RUN/mysql.sock" -e 'select 1'; }

infra_up() {
  if [ ! -d "$STATE/mysql/mysql" ]; then
    mkdir -p "$STATE/mysql" && chown mysql "$STATE/mysql"
    mariadb-install-db --user=mysql --datadir="$STATE/mysql" --skip-test-db --auth-root-authentication-method=normal > "$LOGS/mysql-install.log" 2>&1
  fi
  start mysql mariadbd --no-defaults --user=mysql --datadir="$STATE/mysql" --socket="$RUN/mysql.sock" --pid-file="$RUN/mariadbd.pid" \
    --skip-networking --skip-grant-tables --innodb-flush-log-at-trx-commit=0 --innodb-doublewrite=0 --innodb-buffer-pool-size=128M \
    --max-connections=400 --skip-log-bin --character-set-server=utf8mb3 --collation-server=utf8mb3_general_ci --performance-schema=off
  start memcached memcached -u nobody -l 127.0.0.1 -p 21211 -m 64
  mkdir -p "$STATE/rabbit"
  [ -f "$STATE/rabbit/.erlang.cookie" ] || { head -c 12 /dev/urandom | base64 > "$STATE/rabbit/.erlang.cookie"; chmod 400 "$STATE/rabbit/.erlang.cookie"; }
  echo '[].' > "$STATE/rabbit/enabled_plugins"
  HOME=$STATE/rabbit RABBITMQ_NODENAME=rig@localhost RABBITMQ_NODE_IP_ADDRESS=127.0.0.1 RABBITMQ_NODE_PORT=15673 RABBITMQ_DIST_PORT=25673 \
    RABBITMQ_MNESIA_BASE=$STATE/rabbit/mnesia RABBITMQ_LOG_BASE=$LOGS RABBITMQ_ENABLED_PLUGINS_FILE=$STATE/rabbit/enabled_plugins \
    RABBITMQ_CONF_ENV_FILE=/dev/null RABBITMQ_CONFIG_FILE=$STATE/rabbit/rabbitmq ERL_EPMD_ADDRESS=127.0.0.1 ERL_EPMD_PORT=14369 \
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS='-kernel inet_dist_use_interface {127,0,0,1} +S 1:1' \
    start rabbit /usr/lib/rabbitmq/bin/rabbitmq-server
  wait_for 60 MariaDB mysql_answers && wait_port 15673
}

infra_down() {
  end rabbit
  # The port mapper of Erlang outlives its node; on this port there is ours alone.
  ERL_EPMD_PORT=14369 epmd -kill > /dev/null 2>&1
  end memcached
  end mysql 30
}
