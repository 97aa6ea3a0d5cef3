import { hostname } from 'node:os';
import type { Deployment } from '../../../../shared/model/deployment.ts';
import type { Execution } from '../../../../shared/model/execution.ts';
import type { JsonObject, JsonValue } from '../../../../shared/model/json.ts';
import { canonicalJson, sha256 } from '../../evidence/verify-journal.ts';
import type { Store } from '../../store/store.ts';
import { deviationsOf } from './deviations.ts';
import { lifeDeployment } from './life-facts.ts';

/** More is in the deployment; the digest covers all of it. */
const mostChanges = 200;

/** What is recorded of an execution that has ended: what was read, sent and compared, disk by disk. */
export function executionEvidence(store: Store, execution: Execution): JsonObject {
  const tasks = store.tasks.list(execution.id);
  const snapshot = store.snapshots
    .list(execution.replicaId)
    .find((stored) => stored.executionId === execution.id)?.snapshot;
  const isVerified = tasks.some(({ id, state }) => id === 'verify-disks' && state === 'completed');
  const outcomes = tasks.find(({ id }) => id === 'replicate-disks')?.result?.['outcomes'];
  const content = tasks.find(({ id }) => id === 'record-success')?.result?.['digests'];
  const sizes = new Map((store.replicas.find(execution.replicaId)?.disks ?? []).map((disk) => [disk.diskId, disk]));
  const disks = (Array.isArray(outcomes) ? (outcomes as readonly JsonObject[]) : []).map((outcome): JsonObject => {
    const disk = sizes.get(String(outcome['diskId']));
    return {
      ...outcome,
      ...(disk === undefined
        ? {}
        : { sizeBytes: disk.sizeBytes, ...(disk.volumeId === undefined ? {} : { volumeId: disk.volumeId }) }),
    };
  });
  return defined({
    ref: `execution:${execution.id}`,
    execution: execution.id,
    number: execution.number,
    state: execution.state,
    startedAt: execution.startedAt,
    finishedAt: execution.finishedAt,
    snapshotTakenAt: snapshot?.takenAt,
    verified: isVerified ? (execution.options.verify ?? 'written') : 'none',
    sourceShutDown: tasks.some(({ id, state }) => id === 'shut-down-vm' && state === 'completed'),
    // Which way the bytes went: it reads at the source and sends to the destination.
    engine: hostname(),
    sourceVm: vmOf(store, execution.id, 'sourceVm'),
    ownVm: vmOf(store, execution.id, 'ownVm'),
    disks,
    digests: content,
    sourceRequests: sourceRequests(store, execution.id),
    leftBehind: execution.leftBehind,
    error: execution.error === undefined ? undefined : { code: execution.error.code, message: execution.error.message },
  });
}

/** The VM that the engine ran on: the destination's, where the volumes were attached to it, or the source's, where copies of disks were. */
function vmOf(store: Store, executionId: string, of: 'ownVm' | 'sourceVm'): JsonObject | undefined {
  const details = notesOf(store, executionId).findLast((note) => typeof note[`${of}Id`] === 'string') ?? {};
  const id = details[`${of}Id`];
  return id === undefined ? undefined : { id, name: details[`${of}Name`] ?? null };
}

function notesOf(store: Store, executionId: string): readonly JsonObject[] {
  return store.events
    .listAfter(0, { executionId, limit: 100_000 })
    .flatMap(({ type, details }) => (type === 'note' ? [details] : []));
}

/** What reading the source took, where it charges for that: its note has the numbers. */
function sourceRequests(store: Store, executionId: string): JsonObject | undefined {
  const { requests, requestsPerGib, usd } =
    notesOf(store, executionId).findLast(
      (details) => typeof details['usd'] === 'number' && typeof details['requests'] === 'number',
    ) ?? {};
  return requests === undefined || usd === undefined
    ? undefined
    : { requests, requestsPerGib: requestsPerGib ?? null, usd };
}

/** What is recorded of a deployment that has ended: the VM, the proof of its boot, its checks, and what departed from the plan. */
export function deploymentEvidence(store: Store, deployment: Deployment): JsonObject {
  const facts = store.deployments.facts(deployment.id);
  const records = store.life.list(deployment.replicaId);
  const executions = deployment.executionIds.flatMap((id) => store.executions.find(id) ?? []);
  const life = lifeDeployment(store, deployment, records);
  const rehearsed = store.deployments
    .list({ replicaId: deployment.replicaId, limit: 1000 })
    .some(
      (other) =>
        other.options.purpose === 'rehearsal' &&
        other.number < deployment.number &&
        lifeDeployment(store, other, records).succeeded,
    );
  const { boot, checks, guest, server, vm } = facts;
  return defined({
    ref: `deployment:${deployment.id}`,
    deployment: deployment.id,
    number: deployment.number,
    purpose: deployment.options.purpose,
    state: deployment.state,
    startedAt: deployment.startedAt,
    finishedAt: deployment.finishedAt,
    executions: executions.map(({ id, number }) => ({ id, number })),
    vm:
      vm === undefined
        ? undefined
        : {
            name: vm.name,
            disks: vm.disks.map(({ id, size_bytes: sizeBytes }) => ({ id, sizeBytes })),
            nics: vm.nics.map(({ id, network }) => ({ id, network })),
          },
    server: server === undefined ? undefined : { id: server.id, name: server.name, addresses: [...server.addresses] },
    boot:
      boot === undefined
        ? undefined
        : {
            outcome: boot.outcome,
            evidence: boot.evidence,
            seconds: Math.round(boot.seconds * 10) / 10,
            consoleSha256: sha256(boot.console),
          },
    // Its name says the same as its label.
    checks: checks?.map(({ label: _label, ...check }) => ({ ...check })),
    guest:
      guest === undefined
        ? undefined
        : {
            name: guest.dossier.name,
            hostname: guest.dossier.hostname,
            steps: guest.steps.filter(({ changed }) => changed).map(({ title }) => title),
            changes: changesOf(guest.diff).slice(0, mostChanges),
            changeCount: changesOf(guest.diff).length,
            diffSha256: sha256(canonicalJson(guest.diff)),
          },
    downtime: life.downtime === undefined ? undefined : defined({ ...life.downtime }),
    deviations: deviationsOf({ deployment, facts, executions, records, rehearsed }),
    kept: deployment.kept,
    leftBehind: deployment.leftBehind,
    error:
      deployment.error === undefined ? undefined : { code: deployment.error.code, message: deployment.error.message },
  });
}

/** A line for each change of the guest. Contents of files are not among them. */
function changesOf(diff: NonNullable<ReturnType<Store['deployments']['facts']>['guest']>['diff']): string[] {
  const named = (
    what: string,
    changes: { readonly added: object; readonly removed: object; readonly changed: object },
  ): string[] => [
    ...Object.keys(changes.added).map((name) => `+ ${what} ${name}`),
    ...Object.keys(changes.removed).map((name) => `- ${what} ${name}`),
    ...Object.keys(changes.changed).map((name) => `~ ${what} ${name}`),
  ];
  return [
    ...diff.files.added.map(({ path }) => `+ ${path}`),
    ...diff.files.removed.map(({ path }) => `- ${path}`),
    ...diff.files.changed.map(({ path }) => `~ ${path}`),
    ...named('package', diff.packages),
    ...diff.services.enabled.map((name) => `+ service ${name}`),
    ...diff.services.disabled.map((name) => `- service ${name}`),
    ...named('user', diff.users),
    ...named('ssh', diff.sshPolicy),
    ...named('host key', diff.sshHostKeys),
  ];
}

function defined(values: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined),
  );
}
