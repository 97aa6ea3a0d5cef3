import type { Defaults } from '../../../../shared/environment/layers.ts';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { Deployment } from '../../../../shared/model/deployment.ts';
import {
  isCutOver,
  lifeOf,
  type Downtime,
  type LifeDeployment,
  type LifeFacts,
  type LifeRecord,
  type MachineLife,
} from '../../../../shared/model/machine-life.ts';
import type { Replica } from '../../../../shared/model/replica.ts';
import type { Task } from '../../../../shared/model/task.ts';
import { canonicalJson, sha256 } from '../../evidence/verify-journal.ts';
import { inSlices } from '../../concurrency/in-slices.ts';
import type { Store } from '../../store/store.ts';
import { defaultsFiles } from '../../project-files/defaults-files.ts';
import { projectFolderOf, replicaEnvironments } from '../replica-environments.ts';
import { forOnePass } from '../trust/accepted-endpoints.ts';
import { keptBySettings, settingsKey } from '../kept-by-settings.ts';
import type { CoreParts } from '../core-context.ts';

/** How many errors of the settings are shown. */
const mostErrors = 3;

type Parts = Pick<CoreParts, 'store' | 'stateFolder' | 'accepted' | 'gate'>;

/** Where a replica's VM stands now. */
export function currentLife(core: Parts, replica: Replica, defaults?: Defaults): MachineLife {
  return lifeOf(lifeFacts(core, replica, defaults));
}

/** The same for many: the rules are asked in slices, and the database not for what only few of them have. */
export async function currentLives(
  core: Parts,
  replicas: readonly Replica[],
  signal?: AbortSignal,
): Promise<MachineLife[]> {
  const { store } = core;
  const defaults = defaultsFiles(projectFolderOf(core)).all();
  const records = Map.groupBy(store.life.listAll(), ({ replicaId }) => replicaId);
  const deployed = new Set(store.deployments.listLatest().map(({ replicaId }) => replicaId));
  const lives: MachineLife[] = [];
  const look = () => {
    const pass = forOnePass(core);
    return (replica: Replica): void => {
      const known = { records: records.get(replica.id) ?? [], isDeployed: deployed.has(replica.id) };
      lives.push(lifeOf(lifeFacts(pass, replica, defaults, known)));
    };
  };
  await inSlices(replicas, look, signal);
  return lives;
}

interface KnownOfAll {
  readonly records: readonly LifeRecord[];
  readonly isDeployed: boolean;
}

function lifeFacts(core: Parts, replica: Replica, defaults: Defaults | undefined, known?: KnownOfAll): LifeFacts {
  const { store } = core;
  const open = store.executions.listOpen().find((execution) => execution.replicaId === replica.id);
  const records = known?.records ?? store.life.list(replica.id);
  const deployments = known?.isDeployed === false ? [] : store.deployments.list({ replicaId: replica.id, limit: 1000 });
  const { errors, settingsDigest } = settingsOf(core, replica, defaults);
  const synchronisedTo = replica.disks.flatMap((disk) => disk.synchronisedTo ?? []).sort()[0] ?? replica.lastSuccess;
  return {
    replicaId: replica.id,
    replicaName: replica.name,
    wave: replica.wave,
    errors,
    isExecuting: open !== undefined,
    isInterrupted: open?.state === 'interrupted',
    lastSuccess: replica.lastSuccess,
    synchronisedTo,
    deployments: deployments.toReversed().map((deployment) => lifeDeployment(store, deployment, records)),
    records,
    settingsDigest,
  };
}

interface Settings {
  readonly errors: readonly string[];
  readonly settingsDigest: string;
}

const kept = keptBySettings<Settings>();

/**
 * What stands in the way of the settings, and their digest. Secrets are in it by reference. The rules are asked again only when
 * something changed that they read.
 *
 * @param defaults as they were read for many replicas together
 */
export function settingsOf(core: Parts, replica: Replica, defaults?: Defaults): Settings {
  try {
    const read = defaults ?? defaultsFiles(projectFolderOf(core)).all();
    return kept(core.store, `${settingsKey(core, replica, read)} ${JSON.stringify(replica.checks ?? [])}`, () => {
      const written = replicaEnvironments(core, replica, read);
      const errors = written
        .findings(undefined)
        .filter(({ severity }) => severity === 'error')
        .map(({ message }) => message);
      const settingsDigest = sha256(
        canonicalJson({
          source: written.values('source'),
          destination: written.values('destination'),
          checks: replica.checks ?? [],
        }),
      );
      return {
        errors:
          errors.length <= mostErrors ? errors : [...errors.slice(0, mostErrors), `${errors.length - mostErrors} more`],
        settingsDigest,
      };
    });
  } catch (error) {
    // E.g. its wave is gone.
    if (!(error instanceof CausewayError)) throw error;
    return { errors: [error.message], settingsDigest: '' };
  }
}

export function lifeDeployment(store: Store, deployment: Deployment, records: readonly LifeRecord[]): LifeDeployment {
  const stopTask = shutdownTask(store, deployment);
  const downtime = isCutOver(deployment.options) ? downtimeOf(store, deployment, records, stopTask) : undefined;
  return {
    id: deployment.id,
    state: deployment.state,
    options: deployment.options,
    createdAt: deployment.createdAt,
    finishedAt: deployment.finishedAt,
    succeeded: store.deploymentTasks
      .list(deployment.id)
      .some(({ id, state }) => id === 'record-deployment' && state === 'completed'),
    kept: deployment.kept,
    sourceStopped: stopTask !== undefined || deployment.options.sourceIsStopped === true,
    ...(downtime === undefined ? {} : { downtime }),
    ...(deployment.error === undefined ? {} : { error: deployment.error.message }),
  };
}

/** The task that asked the source to shut down, if it came to that. */
function shutdownTask(store: Store, { executionIds }: Deployment): Task | undefined {
  return executionIds
    .flatMap((id) => store.tasks.list(id))
    .find((task) => task.id === 'shut-down-vm' && task.attempts > 0);
}

/** From the moment when the source was asked to shut down to the proof that the VM is up; or to the start of the source, where that was taken back. */
function downtimeOf(
  store: Store,
  deployment: Deployment,
  records: readonly LifeRecord[],
  stopTask: Task | undefined,
): Downtime | undefined {
  if (stopTask === undefined) return undefined;
  // The task's own time is that of its last attempt; the guest may have gone down in the first.
  const first = deployment.executionIds
    .flatMap((executionId) => store.events.listAfter(0, { executionId, limit: 10_000 }))
    .find(({ taskId }) => taskId === stopTask.id);
  const stoppedAt = first?.at ?? stopTask.startedAt;
  if (stoppedAt === undefined) return undefined;
  const tasks = store.deploymentTasks.list(deployment.id);
  const proof = tasks.find(({ id }) => id === 'check-services') ?? tasks.find(({ id }) => id === 'check-boot');
  const started = records.findLast(
    ({ kind, details }) => kind === 'source-started' && details['deploymentId'] === deployment.id,
  );
  const endedAt = proof?.state === 'completed' ? proof.finishedAt : started?.at;
  if (endedAt === undefined) return { stoppedAt };
  return { stoppedAt, endedAt, seconds: Math.round((Date.parse(endedAt) - Date.parse(stoppedAt)) / 100) / 10 };
}
