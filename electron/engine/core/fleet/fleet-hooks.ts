import type { CallName } from '../../../../shared/contract/contract.ts';
import type { Envelope } from '../../../../shared/contract/envelope.ts';
import { CausewayError, fromErrorRecord, toErrorRecord } from '../../../../shared/model/causeway-error.ts';
import type { ExecutionProgress } from '../../../../shared/model/progress.ts';
import { wavesJournal, type FleetHooks } from '../../ports/replica-fleet.ts';
import { readFleetLimits } from '../../project-files/fleet-limits.ts';
import { forgetTransferState } from '../../replication/index.ts';
import { isWaiting } from '../../runs/run-service.ts';
import { transferFolder, type CoreContext } from '../core-context.ts';
import { projectFolderOf } from '../replica-environments.ts';
import { referencedSecrets } from '../secret-references.ts';
import { carriesOutCalendar } from '../waves/carry-out-calendar.ts';
import { activeOn, claim, isForwarded } from './claims.ts';
import { openRuns } from './open-runs.ts';

export interface Telling {
  /** Tells who listens here what another member has recorded. */
  applied(): void;
  progress(progress: ExecutionProgress): void;
  moved(): void;
}

/** What a fleet asks this engine. */
export function fleetHooks(
  core: CoreContext,
  dispatch: (call: CallName, input: object) => Promise<Envelope<unknown>>,
  telling: Telling,
): FleetHooks {
  const never = new AbortController().signal;
  return {
    described() {
      core.descriptions.sync();
      core.changed();
    },
    marks() {
      const { mark, former } = core.store.identity.ownership();
      return [mark, ...former];
    },
    replicas: () => core.store.replicas.list().map(({ id }) => id),
    openRuns: () => openRuns(core),
    hasOpenWave: () => core.store.waveRuns.listOpen().length > 0,
    reaches: (names) => reachable(core, names),
    limits() {
      try {
        return new Map(Object.entries(readFleetLimits(projectFolderOf(core))));
      } catch {
        // A damaged file limits nothing; whoever looks at the limits is told.
        return new Map();
      }
    },
    carries: () => core.store.queueLimit.get() ?? core.defaultAtOnce,
    asked: async (call, input) =>
      isForwarded(call, input)
        ? dispatch(call, input)
        : { ok: false, error: toErrorRecord(new CausewayError('fleet.forbidden', call)) },
    isBusy: (replicaId) =>
      replicaId === wavesJournal
        ? core.waves.activeWaves().length > 0 || carriesOutCalendar(core)
        : activeOn(core, replicaId).length > 0,
    async resume(replicaId) {
      await claim(core, replicaId, never);
      if (replicaId === wavesJournal) return void core.waves.resumeInterrupted();
      for (const [kind, { runs }] of [
        ['execution', core.executions],
        ['deployment', core.deployments],
      ] as const) {
        const run = runs.interruptAbandoned(replicaId);
        if (run === undefined) continue;
        if (isWaiting(run)) core.gate.requireProject();
        const answer = await dispatch(`${kind}.resume`, { [kind]: run.id });
        if (!answer.ok) throw fromErrorRecord(answer.error);
      }
    },
    progress: (progress) => telling.progress(progress),
    moved: () => telling.moved(),
    looked: () => core.waves.tick(),
    applying(replicaId) {
      // Others have written to the volumes, so that digests from before say nothing: the next execution compares everything.
      for (const { diskId, sizeBytes } of core.store.replicas.find(replicaId)?.disks ?? []) {
        forgetTransferState({ db: core.store.db, folder: transferFolder(core), replicaId, diskId, sizeBytes });
      }
    },
    applied() {
      telling.applied();
      core.waves.tick();
      core.changed();
    },
  };
}

/** Endpoints that this engine can use now, as far as this can be told without contacting anything. */
async function reachable(core: CoreContext, names: readonly string[] | undefined): Promise<string[]> {
  if (!core.gate.isProjectAccepted() || core.store.identity.isElsewhere()) return [];
  const { exists, locked } = await core.vault.status();
  if (exists && locked) return [];
  const found: string[] = [];
  for (const endpoint of core.store.endpoints.list()) {
    if (names?.includes(endpoint.name) === false) continue;
    const opened = await core.accepted.open(endpoint).catch(() => undefined);
    if (opened === undefined) continue;
    const missing = await Promise.all(
      referencedSecrets(opened.connection).map(
        async (name) => !Object.hasOwn(opened.secrets, name) && !(await core.vault.has(name)),
      ),
    );
    if (!missing.includes(true)) found.push(endpoint.id);
  }
  return found;
}
