# What all services of the rig share: places, ports, and the parts of configuration files that repeat.

HERE=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
STATE=${STATE:?the folder of the rig}
CONF=$STATE/etc
LOGS=$STATE/log
RUN=$STATE/run
PASSWORD=rig-password
IDENTITY=http://127.0.0.1:15000
MESSAGES=rabbit://guest:guest@127.0.0.1:15673/
# The system's own Python has the services; another one that comes first on somebody's path has not.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
unset PYTHONPATH PYTHONHOME
mkdir -p "$CONF" "$LOGS" "$RUN"
chmod 1777 "$RUN"

sql() { echo "$@" | mariadb -S "$RUN/mysql.sock" -N; }
database() { echo "mysql+pymysql://root@localhost/$1?unix_socket=$RUN/mysql.sock&charset=utf8"; }

# once NAME COMMAND...: something that a folder of state needs once only, e.g. a schema.
once() {
  local mark=$STATE/done/$1
  shift
  [ -e "$mark" ] && return
  mkdir -p "$STATE/done"
  "$@" && touch "$mark"
}

# How a service checks tokens. Service tokens are demanded where an attached volume is let go.
token_check() {
  cat << EOT
[keystone_authtoken]
www_authenticate_uri = $IDENTITY
auth_url = $IDENTITY
auth_type = password
project_domain_name = Default
user_domain_name = Default
project_name = service
username = $1
password = $PASSWORD
memcached_servers = 127.0.0.1:21211
service_token_roles_required = true
service_token_roles = service
EOT
}

# service_login SECTION USER: how a service logs in itself.
service_login() {
  cat << EOT
[$1]
auth_url = $IDENTITY
auth_type = password
project_domain_name = Default
user_domain_name = Default
project_name = service
username = $2
password = $PASSWORD
region_name = RegionOne
EOT
}
