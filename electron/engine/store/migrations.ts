import type { Migration } from './migrate.ts';

/** The schema's history. Times are ISO 8601 texts, structured values JSON texts. */
export const migrations: readonly Migration[] = [
  {
    number: 1,
    name: 'endpoints, replicas, executions, events, ledger, snapshots',
    sql: `
CREATE TABLE endpoints (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  plugin TEXT NOT NULL,
  connection TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

CREATE TABLE replicas (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  source_endpoint_id TEXT NOT NULL REFERENCES endpoints (id),
  destination_endpoint_id TEXT NOT NULL REFERENCES endpoints (id),
  vm_id TEXT NOT NULL,
  vm_name TEXT NOT NULL,
  source_environment TEXT NOT NULL,
  destination_environment TEXT NOT NULL,
  provider_configuration TEXT,
  created_at TEXT NOT NULL,
  last_success TEXT
) STRICT;

CREATE TABLE replica_disks (
  replica_id TEXT NOT NULL REFERENCES replicas (id) ON DELETE CASCADE,
  disk_id TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  volume_id TEXT,
  -- The one snapshot whose contents may have been written to a volume that was created empty; the volume counts as
  -- new for this snapshot only. NULL: nothing was written yet. '': no longer new.
  first_written_from TEXT,
  synchronised_by TEXT,
  synchronised_to TEXT,
  PRIMARY KEY (replica_id, disk_id)
) STRICT;

CREATE TABLE executions (
  id TEXT PRIMARY KEY,
  replica_id TEXT NOT NULL REFERENCES replicas (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  state TEXT NOT NULL,
  options TEXT NOT NULL,
  created_at TEXT NOT NULL,
  started_at TEXT,
  finished_at TEXT,
  error TEXT,
  left_behind INTEGER NOT NULL DEFAULT 0,
  progress TEXT,
  UNIQUE (replica_id, number)
) STRICT;
-- Two runs of one replica never overlap, whatever the code above thinks.
CREATE UNIQUE INDEX one_open_execution ON executions (replica_id)
  WHERE state IN ('pending', 'running', 'cancelling', 'interrupted');

CREATE TABLE tasks (
  execution_id TEXT NOT NULL REFERENCES executions (id) ON DELETE CASCADE,
  id TEXT NOT NULL,
  position INTEGER NOT NULL,
  title TEXT NOT NULL,
  clean_up INTEGER NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  started_at TEXT,
  finished_at TEXT,
  result TEXT,
  error TEXT,
  PRIMARY KEY (execution_id, id)
) STRICT;

CREATE TABLE events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at TEXT NOT NULL,
  type TEXT NOT NULL,
  replica_id TEXT,
  execution_id TEXT,
  task_id TEXT,
  message TEXT NOT NULL,
  details TEXT NOT NULL
) STRICT;
CREATE INDEX events_by_execution ON events (execution_id, id);
CREATE TRIGGER events_only_grow BEFORE UPDATE ON events BEGIN SELECT RAISE (ABORT, 'events are append-only'); END;

CREATE TABLE ledger (
  entry_id TEXT PRIMARY KEY,
  endpoint_id TEXT NOT NULL,
  replica_id TEXT,
  execution_id TEXT,
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  name TEXT NOT NULL UNIQUE,
  lifetime TEXT NOT NULL,
  state TEXT NOT NULL,
  resource_id TEXT,
  details TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX ledger_live ON ledger (
  endpoint_id, ifnull(replica_id, ''), CASE lifetime WHEN 'temporary' THEN ifnull(execution_id, '') ELSE '' END, kind, key
) WHERE state IN ('intended', 'existing');
CREATE INDEX ledger_open ON ledger (replica_id) WHERE state <> 'removed';

CREATE TABLE snapshots (
  tag TEXT PRIMARY KEY,
  replica_id TEXT NOT NULL REFERENCES replicas (id) ON DELETE CASCADE,
  execution_id TEXT NOT NULL,
  -- intended -> taken -> base -> superseded -> dropped, or taken -> dropped
  role TEXT NOT NULL,
  snapshot TEXT,
  created_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX one_base ON snapshots (replica_id) WHERE role = 'base';
`,
  },
  {
    number: 3,
    name: 'deployments',
    sql: `
-- A deployment outlives its replica, because the virtual machine does.
CREATE TABLE deployments (
  id TEXT PRIMARY KEY,
  replica_id TEXT NOT NULL,
  replica_name TEXT NOT NULL,
  endpoint_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  state TEXT NOT NULL,
  options TEXT NOT NULL,
  created_at TEXT NOT NULL,
  started_at TEXT,
  finished_at TEXT,
  error TEXT,
  left_behind INTEGER NOT NULL DEFAULT 0,
  kept INTEGER NOT NULL DEFAULT 0,
  vm TEXT,
  executions TEXT NOT NULL DEFAULT '{}',
  server TEXT,
  guest TEXT,
  boot TEXT,
  UNIQUE (replica_id, number)
) STRICT;
CREATE UNIQUE INDEX one_open_deployment ON deployments (replica_id)
  WHERE state IN ('pending', 'running', 'cancelling', 'interrupted');

CREATE TABLE deployment_tasks (
  deployment_id TEXT NOT NULL REFERENCES deployments (id) ON DELETE CASCADE,
  id TEXT NOT NULL,
  position INTEGER NOT NULL,
  title TEXT NOT NULL,
  clean_up INTEGER NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  started_at TEXT,
  finished_at TEXT,
  result TEXT,
  error TEXT,
  PRIMARY KEY (deployment_id, id)
) STRICT;

ALTER TABLE events ADD COLUMN deployment_id TEXT;
CREATE INDEX events_by_deployment ON events (deployment_id, id);
`,
  },
  {
    number: 4,
    name: 'rates of executions, limit of the queue',
    sql: `
CREATE TABLE execution_rates (
  execution_id TEXT PRIMARY KEY REFERENCES executions (id) ON DELETE CASCADE,
  samples TEXT NOT NULL
) STRICT;

CREATE TABLE queue_limit (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  at_once INTEGER NOT NULL
) STRICT;
`,
  },
  {
    number: 5,
    name: 'waves, cleared keys',
    sql: `
ALTER TABLE replicas ADD COLUMN wave TEXT;
ALTER TABLE replicas ADD COLUMN cleared TEXT;
`,
  },
  {
    number: 6,
    name: 'what has a file in the project',
    sql: `
-- Ids of endpoints and replicas. One whose file is gone was taken away by somebody; one that never had a file was not.
CREATE TABLE project_files (
  id TEXT PRIMARY KEY
) STRICT;
`,
  },
  {
    number: 7,
    name: 'which store, on which computer',
    sql: `
CREATE TABLE store_identity (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  mark TEXT NOT NULL,
  former TEXT NOT NULL,
  computer_id TEXT NOT NULL,
  computer_name TEXT NOT NULL
) STRICT;
`,
  },
  {
    number: 8,
    name: 'the task settle-snapshot is called release-snapshot',
    // An earlier version may have planned the new task beside the old one when it resumed an execution.
    sql: `
DELETE FROM tasks WHERE id = 'release-snapshot' AND state <> 'completed'
  AND execution_id IN (SELECT execution_id FROM tasks WHERE id = 'settle-snapshot');
DELETE FROM tasks WHERE id = 'settle-snapshot'
  AND execution_id IN (SELECT execution_id FROM tasks WHERE id = 'release-snapshot');
UPDATE tasks SET id = 'release-snapshot', title = 'Keep or delete the snapshot' WHERE id = 'settle-snapshot';
`,
  },
  {
    number: 9,
    name: 'the last check of each endpoint',
    sql: `
CREATE TABLE endpoint_checks (
  endpoint_id TEXT PRIMARY KEY REFERENCES endpoints (id) ON DELETE CASCADE,
  checked_at TEXT NOT NULL,
  report TEXT NOT NULL
) STRICT;
`,
  },
  {
    number: 10,
    name: 'actions on waves',
    sql: `
CREATE TABLE wave_runs (
  id TEXT PRIMARY KEY,
  wave TEXT NOT NULL,
  action TEXT NOT NULL,
  state TEXT NOT NULL,
  at_once INTEGER NOT NULL,
  options TEXT NOT NULL,
  -- Groups in their order, as they were at the start.
  groups TEXT NOT NULL,
  -- The last group that a person let go.
  released INTEGER NOT NULL DEFAULT -1,
  created_at TEXT NOT NULL,
  finished_at TEXT
) STRICT;
-- One action on a wave does not overlap another.
CREATE UNIQUE INDEX one_open_wave_run ON wave_runs (wave) WHERE state IN ('running', 'paused', 'cancelling');

-- Members outlive their replicas, because the record of what was done does.
CREATE TABLE wave_members (
  run_id TEXT NOT NULL REFERENCES wave_runs (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  replica_id TEXT NOT NULL,
  replica_name TEXT NOT NULL,
  group_number INTEGER NOT NULL,
  after TEXT NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  -- Written before a start: the number of the replica's latest execution or deployment then. A greater one is what was started.
  former_number INTEGER,
  started_id TEXT,
  error TEXT,
  started_at TEXT,
  finished_at TEXT,
  PRIMARY KEY (run_id, replica_id)
) STRICT;
`,
  },
  {
    number: 11,
    name: 'checks after boot, life of a VM',
    sql: `
ALTER TABLE replicas ADD COLUMN checks TEXT;
ALTER TABLE deployments ADD COLUMN checks TEXT;

-- What people and the engine did with a replica as a whole; it outlives the replica.
CREATE TABLE life_records (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at TEXT NOT NULL,
  replica_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  by_whom TEXT NOT NULL,
  details TEXT NOT NULL
) STRICT;
CREATE INDEX life_of_replica ON life_records (replica_id, id);
CREATE TRIGGER life_records_only_grow BEFORE UPDATE ON life_records BEGIN SELECT RAISE (ABORT, 'life records are append-only'); END;
`,
  },
  {
    number: 12,
    name: 'calendar of waves',
    sql: `
-- Times are milliseconds since 1970: they are compared, not read.
CREATE TABLE wave_looks (
  wave TEXT PRIMARY KEY,
  looked_at INTEGER NOT NULL
) STRICT;
CREATE TABLE wave_missed (
  wave TEXT PRIMARY KEY,
  at INTEGER NOT NULL,
  until INTEGER NOT NULL,
  action TEXT NOT NULL
) STRICT;
`,
  },
  {
    number: 13,
    name: 'inspections of guests',
    sql: `
CREATE TABLE guest_inspections (
  replica_id TEXT PRIMARY KEY,
  state TEXT NOT NULL,
  started_at TEXT NOT NULL,
  finished_at TEXT,
  error TEXT,
  -- Of the latest one that completed.
  found TEXT,
  found_at TEXT,
  execution_number INTEGER
) STRICT;
`,
  },
  {
    number: 14,
    name: 'notifications that have to be sent',
    sql: `
CREATE TABLE notification_messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  message TEXT NOT NULL
) STRICT;
CREATE TABLE notification_deliveries (
  id TEXT PRIMARY KEY,
  way TEXT NOT NULL,
  messages TEXT NOT NULL
) STRICT;
CREATE TABLE notifications_told_once (
  key TEXT PRIMARY KEY
) STRICT;
`,
  },
  {
    number: 15,
    name: 'up to when plans were carried out, for several engines',
    sql: `
-- Written when something was due and when a plan is new to whoever carries it out, not at every look: it is shared by the engines of a fleet.
CREATE TABLE wave_carried (
  wave TEXT PRIMARY KEY,
  until INTEGER NOT NULL
) STRICT;
`,
  },
  {
    number: 16,
    name: 'workers that are kept for the next executions',
    sql: `
CREATE TABLE worker_pool (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  keep INTEGER NOT NULL,
  minutes INTEGER NOT NULL
) STRICT;
`,
  },
  {
    number: 17,
    name: 'bandwidth of all executions together',
    sql: `
CREATE TABLE bandwidth_limit (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  -- Bytes per second.
  rate INTEGER,
  profile TEXT
) STRICT;
`,
  },
  {
    number: 18,
    name: 'the VM of a destination that this engine runs on',
    sql: `
CREATE TABLE own_vms (
  endpoint_id TEXT PRIMARY KEY,
  vm_id TEXT NOT NULL,
  vm_name TEXT NOT NULL,
  volumes INTEGER NOT NULL,
  -- Another computer that takes the data over is another VM, or none.
  computer_id TEXT NOT NULL
) STRICT;
`,
  },
  {
    number: 19,
    name: 'whether this engine runs on that VM was tried out',
    sql: `
-- The start of the computer in which it was.
ALTER TABLE own_vms ADD COLUMN proven_boot TEXT;
`,
  },
];
