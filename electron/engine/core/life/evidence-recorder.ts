import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { existsSync } from 'node:fs';
import { toErrorRecord } from '../../../../shared/model/causeway-error.ts';
import { isTerminalDeployment, type Deployment } from '../../../../shared/model/deployment.ts';
import type { EvidenceKind } from '../../../../shared/model/evidence.ts';
import { isTerminalExecution, type Execution } from '../../../../shared/model/execution.ts';
import type { JsonObject } from '../../../../shared/model/json.ts';
import type { LifeRecord } from '../../../../shared/model/machine-life.ts';
import { openJournal, type EvidenceJournal } from '../../evidence/journal.ts';
import type { EvidenceRecorder } from './evidence.ts';
import type { Store } from '../../store/store.ts';
import { deploymentEvidence, executionEvidence } from './evidence-of-runs.ts';

interface Parts {
  readonly stateFolder: string;
  readonly store: Store;
  readonly clean: (value: JsonObject) => JsonObject;
  /** Told when an entry could not be written; it is tried again with the next one. */
  readonly problem: (message: string) => void;
}

/** How many runs are looked through for those that were not recorded. */
const mostRuns = 100_000;

/**
 * Writes the journal of evidence from what the store has: what a killed process did not record is recorded by the next one. Runs that
 * had ended before the journal was begun are not taken into it, as nobody could vouch for them.
 */
export function evidenceRecorder({ stateFolder, store, clean, problem }: Parts): EvidenceRecorder {
  const folder = join(stateFolder, 'evidence');
  const me = `${userName()} on ${hostname()}`;
  let journal: EvidenceJournal | undefined;
  let known = new Set<string>();

  const opened = (): EvidenceJournal => {
    if (journal !== undefined) return journal;
    store.identity.refuseOtherComputer();
    journal = openJournal(folder);
    known = new Set(journal.entries().flatMap(({ data }) => (typeof data['ref'] === 'string' ? [data['ref']] : [])));
    for (const text of journal.status().problems) problem(text);
    return journal;
  };

  const add = (
    kind: EvidenceKind,
    replica: { readonly id: string; readonly name: string } | undefined,
    data: JsonObject,
    by = me,
  ): void => {
    const to = opened();
    const { ref } = data;
    if (typeof ref === 'string' && known.has(ref)) return;
    to.append({
      kind,
      by,
      ...(replica === undefined ? {} : { replica: { id: replica.id, name: replica.name } }),
      data: clean(data),
    });
    if (typeof ref === 'string') known.add(ref);
  };

  const nameOf = (replicaId: string, otherwise: string): { readonly id: string; readonly name: string } => ({
    id: replicaId,
    name: store.replicas.find(replicaId)?.name ?? otherwise,
  });

  const addExecution = (run: Execution): void =>
    add('execution', nameOf(run.replicaId, run.replicaId), executionEvidence(store, run));
  const addDeployment = (run: Deployment): void =>
    add('deployment', nameOf(run.replicaId, run.replicaName), deploymentEvidence(store, run));
  const addLife = (record: LifeRecord): void =>
    add(
      record.kind,
      nameOf(record.replicaId, record.replicaId),
      { ref: `life:${record.id}`, recordedAt: record.at, ...record.details },
      record.by,
    );

  const reconcile = (): void => {
    const begun = opened().entries()[0]?.at ?? '';
    const isNew = (ref: string, at: string | undefined): boolean => at !== undefined && at >= begun && !known.has(ref);
    const executions = store.executions
      .list({ limit: mostRuns })
      .filter((run) => isTerminalExecution(run.state) && isNew(`execution:${run.id}`, run.finishedAt));
    const deployments = store.deployments
      .list({ limit: mostRuns })
      .filter((run) => isTerminalDeployment(run.state) && isNew(`deployment:${run.id}`, run.finishedAt));
    const pending: { readonly at: string; readonly write: () => void }[] = [
      ...executions.map((run) => ({ at: run.finishedAt ?? '', write: () => addExecution(run) })),
      ...deployments.map((run) => ({ at: run.finishedAt ?? '', write: () => addDeployment(run) })),
      ...store.life
        .listAll()
        .filter((record) => isNew(`life:${record.id}`, record.at))
        .map((record) => ({ at: record.at, write: () => addLife(record) })),
    ];
    for (const { write } of pending.sort((one, other) => (one.at < other.at ? -1 : 1))) write();
  };

  /** Set when an entry could not be written: the next one brings what is missing, in its order. */
  let isBehind = false;
  const quietly = (work: () => void): void => {
    try {
      if (isBehind) reconcile();
      else work();
      isBehind = false;
    } catch (error) {
      isBehind = true;
      problem(`the evidence could not be written, and will be with the next entry: ${toErrorRecord(error).message}`);
    }
  };

  return {
    me,
    journal: opened,
    reconcile: () => quietly(reconcile),
    runEnded({ executionId, deploymentId }) {
      const execution = executionId === undefined ? undefined : store.executions.find(executionId);
      const deployment = deploymentId === undefined ? undefined : store.deployments.find(deploymentId);
      if (execution !== undefined && isTerminalExecution(execution.state)) quietly(() => addExecution(execution));
      if (deployment !== undefined && isTerminalDeployment(deployment.state)) quietly(() => addDeployment(deployment));
    },
    deploymentDeleted: (deployment, why) =>
      quietly(() =>
        add('deployment-deleted', nameOf(deployment.replicaId, deployment.replicaName), {
          ref: `deleted:${deployment.id}`,
          deployment: deployment.id,
          number: deployment.number,
          why,
        }),
      ),
    life(replica, kind, by, details) {
      const record = store.life.add({ replicaId: replica.id, kind, by: by ?? me, details });
      quietly(() => addLife(record));
      return record;
    },
    append: (kind, replica, data, by) => {
      reconcile();
      add(kind, replica, data, by);
    },
  };
}

/** Whether a project has a journal already. */
export function hasJournal(stateFolder: string): boolean {
  return existsSync(join(stateFolder, 'evidence', 'journal.jsonl'));
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A user without an entry in the system's list.
    return 'unknown user';
  }
}
