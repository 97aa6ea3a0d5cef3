# Processes of the rig: started in sessions of their own, remembered by what makes a process itself (its id, its start
# time and the boot that it belongs to), so that a number that was given to somebody else meanwhile is never signalled.

boot_id=$(cat /proc/sys/kernel/random/boot_id)

# Field 22 of /proc/PID/stat, counted behind the program's name, which may hold blanks.
start_time_of() { sed 's/^.*) //' "/proc/$1/stat" 2>/dev/null | cut -d' ' -f20; }

# is_ours NAME: whether the process of that name is the one that we started. Sets PID.
is_ours() {
  local pid began boot
  PID=
  [ -f "$RUN/$1.process" ] || return 1
  read -r pid began boot < "$RUN/$1.process" || return 1
  [ "$boot" = "$boot_id" ] && [ "$(start_time_of "$pid")" = "$began" ] || return 1
  PID=$pid
}

# start NAME PROGRAM...: a daemon with a log of its own; nothing happens when it runs already.
start() {
  local name=$1
  shift
  is_ours "$name" && return
  setsid nohup "$@" >> "$LOGS/$name.log" 2>&1 < /dev/null 9>&- &
  echo "$! $(start_time_of $!) $boot_id" > "$RUN/$name.process"
}

# end NAME [SECONDS]: ends a daemon and all of its session, by force when it takes longer.
end() {
  local name=$1 i
  if is_ours "$name"; then
    kill -TERM -- "-$PID" 2>/dev/null || kill -TERM "$PID" 2>/dev/null
    for i in $(seq 1 $((${2:-10} * 10))); do is_ours "$name" || break; sleep .1; done
    is_ours "$name" && { kill -KILL -- "-$PID" 2>/dev/null || kill -KILL "$PID" 2>/dev/null; }
  fi
  rm -f "$RUN/$name.process"
}

# wait_for SECONDS WHAT COMMAND...: until the command succeeds.
wait_for() {
  local seconds=$1 what=$2 i
  shift 2
  for i in $(seq 1 $((seconds * 4))); do "$@" > /dev/null 2>&1 && return; sleep .25; done
  echo "$what did not come up within $seconds s; its log is in $LOGS" >&2
  return 1
}
port_answers() { (exec 3<> "/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
http_answers() { local code; code=$(curl -s -m 5 -o /dev/null -w '%{http_code}' "$1"); [ "$code" != 000 ] && [ "$code" -lt 500 ]; }
wait_port() { wait_for 60 "port $1" port_answers "$1"; }
wait_http() { wait_for 90 "$1" http_answers "$1"; }
