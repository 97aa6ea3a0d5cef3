#!/bin/bash
# Phases of the open-source cloud's rig. All state is in $STATE, everything listens on loopback, no system service is touched.
# Usage: STATE=FOLDER rig.sh base|services|map-hosts|stop|status|backup-driver swift/ceph|token-life SECONDS|end NAME|restart NAME
set -u
. "$(dirname "$(readlink -f "$0")")/settings.sh"
. "$HERE/daemons.sh"
for part in infra ceph keystone swift glance cinder placement ovn outside neutron libvirt nova; do . "$HERE/services/$part.sh"; done

stop_all() {
  nova_down
  libvirt_down
  outside_down
  neutron_down
  ovn_down
  cinder_down
  glance_down
  placement_down
  swift_down
  keystone_down
  ceph_down
  infra_down
}

show_status() {
  local file name session total
  for file in "$RUN"/*.process; do
    [ -e "$file" ] || continue
    name=$(basename "$file" .process)
    is_ours "$name" || { echo "$name ended"; continue; }
    total=0
    for session in $(ps -o pid= -s "$PID"); do total=$((total + $(awk '/^Pss:/{print $2}' "/proc/$session/smaps_rollup" 2>/dev/null || echo 0))); done
    echo "$name $PID $((total / 1024)) MB"
  done
}

case ${1:?phase} in
  # What identity stands on, and identity: whoever comes next can register services.
  base)
    infra_up || exit 1
    ceph_up > "$LOGS/ceph-up.log" 2>&1 &
    ceph=$!
    keystone_up || exit 1
    wait $ceph || { cat "$LOGS/ceph-up.log" >&2; exit 1; }
    ;;
  # Everything else. Each waits for nobody but what it stands on; they come up side by side.
  services)
    ovn_up && outside_up || exit 1
    swift_up
    placement_up && glance_up && cinder_up && neutron_up && libvirt_up && nova_up || exit 1
    swift_ready && placement_ready && glance_ready && cinder_ready && neutron_ready && nova_ready
    ;;
  # Once the compute service has reported itself.
  map-hosts) nova-manage --config-file "$CONF/nova/nova.conf" cell_v2 discover_hosts >> "$LOGS/nova-schema.log" 2>&1 ;;
  backup-driver) backup_driver "${2:?swift or ceph}" ;;
  token-life) end keystone; keystone_up "${2:?seconds}" ;;
  end) end "${2:?name}" ;;
  restart) case ${2:?name} in cinder-backup) start_backups ;; cinder-*) start_cinder "$2" ;; nova-*) start "$2" "$2" --config-file "$CONF/nova/nova.conf" ;; *) exit 2 ;; esac ;;
  stop) stop_all ;;
  status) show_status ;;
  *) echo "unknown phase $1" >&2; exit 2 ;;
esac
