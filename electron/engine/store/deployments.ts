import type { DatabaseSync } from 'node:sqlite';
import type { CheckResult } from '../../../shared/model/after-boot-check.ts';
import type { ErrorRecord } from '../../../shared/model/causeway-error.ts';
import type {
  BootReport,
  DeployedServer,
  Deployment,
  DeploymentOptions,
  DeploymentState,
  GuestReport,
} from '../../../shared/model/deployment.ts';
import type { Vm } from '../../../shared/model/vm.ts';
import { integer, json, optionalJson, text, type Row } from './rows.ts';
import { runFields, runQueries } from './runs.ts';

export type DeploymentStore = ReturnType<typeof deploymentStore>;

export type NewDeployment = Pick<
  Deployment,
  'id' | 'replicaId' | 'replicaName' | 'destinationEndpointId' | 'options' | 'createdAt'
>;

/** What a deployment found out and made, beside its state. */
export interface DeploymentFacts {
  /** As it was when the deployed execution described it. */
  readonly vm?: Vm;
  readonly server?: DeployedServer;
  readonly guest?: GuestReport;
  readonly boot?: BootReport;
  readonly checks?: readonly CheckResult[];
}

/** Deployments of replicas. */
export function deploymentStore(db: DatabaseSync) {
  const insert =
    db.prepare(`INSERT INTO deployments (id, replica_id, replica_name, endpoint_id, number, state, options, created_at)
    SELECT ?, ?, ?, ?, ifnull(max(number), 0) + 1, 'pending', ?, ? FROM deployments WHERE replica_id = ?`);
  const byId = db.prepare('SELECT * FROM deployments WHERE id = ?');
  const ofName = db.prepare(
    'SELECT * FROM deployments WHERE replica_name = ? ORDER BY created_at DESC, number DESC LIMIT 1',
  );
  const finish = db.prepare(
    'UPDATE deployments SET state = ?, finished_at = ?, error = ?, left_behind = ?, kept = ? WHERE id = ?',
  );
  const setOptions = db.prepare('UPDATE deployments SET options = ? WHERE id = ?');
  const setExecutions = db.prepare('UPDATE deployments SET executions = ? WHERE id = ?');
  const setFacts =
    db.prepare(`UPDATE deployments SET vm = ifnull(?, vm), server = ifnull(?, server), guest = ifnull(?, guest),
    boot = ifnull(?, boot), checks = ifnull(?, checks) WHERE id = ?`);

  const executionsOf = (id: string): Record<string, string> => {
    const row = byId.get(id);
    return row === undefined ? {} : json<Record<string, string>>(row, 'executions');
  };

  return {
    ...runQueries<Deployment, DeploymentState>(db, 'deployments', fromRow),
    add(deployment: NewDeployment): void {
      const { id, replicaId, replicaName, destinationEndpointId, options, createdAt } = deployment;
      insert.run(id, replicaId, replicaName, destinationEndpointId, JSON.stringify(options), createdAt, replicaId);
    },
    setOptions(id: string, options: DeploymentOptions): void {
      setOptions.run(JSON.stringify(options), id);
    },
    /** By id; or by a replica's name, the last one of it. */
    find(idOrReplicaName: string): Deployment | undefined {
      const row = byId.get(idOrReplicaName) ?? ofName.get(idOrReplicaName);
      return row === undefined ? undefined : fromRow(row);
    },
    finish(
      id: string,
      outcome: { state: DeploymentState; error?: ErrorRecord; leftBehind: number; kept: boolean },
    ): void {
      const error = outcome.error === undefined ? null : JSON.stringify(outcome.error);
      finish.run(outcome.state, new Date().toISOString(), error, outcome.leftBehind, outcome.kept ? 1 : 0, id);
    },
    /** The execution that ran as a pass of a migration. */
    executionOf: (id: string, pass: string): string | undefined => executionsOf(id)[pass],
    setExecution(id: string, pass: string, executionId: string): void {
      setExecutions.run(JSON.stringify({ ...executionsOf(id), [pass]: executionId }), id);
    },
    setFacts(id: string, facts: DeploymentFacts): void {
      const told = (fact: object | undefined): string | null => (fact === undefined ? null : JSON.stringify(fact));
      setFacts.run(told(facts.vm), told(facts.server), told(facts.guest), told(facts.boot), told(facts.checks), id);
    },
    facts(id: string): DeploymentFacts {
      const row = byId.get(id);
      if (row === undefined) return {};
      return {
        ...optionalJson<Vm, 'vm'>(row, 'vm', 'vm'),
        ...optionalJson<DeployedServer, 'server'>(row, 'server', 'server'),
        ...optionalJson<GuestReport, 'guest'>(row, 'guest', 'guest'),
        ...optionalJson<BootReport, 'boot'>(row, 'boot', 'boot'),
        ...optionalJson<CheckResult[], 'checks'>(row, 'checks', 'checks'),
      };
    },
  };
}

function fromRow(row: Row): Deployment {
  return {
    ...runFields(row),
    replicaName: text(row, 'replica_name'),
    destinationEndpointId: text(row, 'endpoint_id'),
    state: text(row, 'state') as DeploymentState,
    options: json<DeploymentOptions>(row, 'options'),
    kept: integer(row, 'kept') === 1,
    executionIds: Object.values(json<Record<string, string>>(row, 'executions')),
    ...optionalJson<DeployedServer, 'server'>(row, 'server', 'server'),
  };
}
