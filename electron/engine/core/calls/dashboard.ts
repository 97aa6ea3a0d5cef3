import { lagLimits, type Dashboard } from '../../../../shared/contract/dashboard-calls.ts';
import type { Deployment } from '../../../../shared/model/deployment.ts';
import type { Execution } from '../../../../shared/model/execution.ts';
import { lifeStates } from '../../../../shared/model/machine-life.ts';
import { instantOf } from '../../../../shared/model/wall-time.ts';
import { defaultsFiles } from '../../project-files/defaults-files.ts';
import type { CallsOf, CoreContext, Handlers } from '../core-context.ts';
import { currentLives } from '../life/life-facts.ts';
import { projectFolderOf } from '../replica-environments.ts';
import { waveSummaries } from '../waves/wave-view.ts';
import { waveCalls } from './waves.ts';

/** With more VMs, the states on their way are left out: each takes several looks into the database. */
const mostLives = 1000;
const mostRuns = 8;
const mostNext = 6;
const aheadMs = 60 * 86_400_000;

export const dashboardCalls: Handlers<CallsOf<'dashboard'>> = {
  async 'dashboard.show'(core, _input, signal) {
    const now = Date.now();
    const { starts, missed } = await waveCalls['wave.calendar'](
      core,
      { from: new Date(now).toISOString(), until: new Date(now + aheadMs).toISOString() },
      signal,
    );
    return {
      lives: await livesOf(core, signal),
      days: core.store.progressByDay.list(),
      replicas: core.store.replicas.list().length,
      lags: lagsOf(core, now),
      running: runningOf(core),
      failures: failuresOf(core),
      late: [
        ...missed.map(({ wave, at }) => ({ wave, at, why: 'missed' as const, open: 0 })),
        ...overdue(core, now),
      ].sort((one, other) => one.at.localeCompare(other.at)),
      next: starts.slice(0, mostNext),
    };
  },
};

async function livesOf(core: CoreContext, signal: AbortSignal): Promise<Dashboard['lives']> {
  const replicas = core.store.replicas.list();
  if (replicas.length > mostLives) return [];
  const states = (await currentLives(core, replicas, signal)).map(({ state }) => state);
  return lifeStates
    .map((state) => ({ state, count: states.filter((one) => one === state).length }))
    .filter(({ count }) => count > 0);
}

const lagMs = { hour: 3_600_000, day: 86_400_000, week: 7 * 86_400_000, longer: Infinity } as const satisfies Record<
  (typeof lagLimits)[number],
  number
>;

/** By the disk that is furthest behind. */
function lagsOf({ store }: CoreContext, now: number): Dashboard['lags'] {
  const moved = new Set(
    store.deployments
      .listLatest()
      .flatMap(({ replicaId, state, options }) =>
        state === 'completed' && (options.purpose === 'cut-over' || options.execute?.lastPass === true)
          ? [replicaId]
          : [],
      ),
  );
  const lags = store.replicas.list().flatMap(({ id, disks, lastSuccess }) => {
    const to = disks.flatMap(({ synchronisedTo }) => synchronisedTo ?? []).sort()[0] ?? lastSuccess;
    return to === undefined || moved.has(id) ? [] : [now - Date.parse(to)];
  });
  return lagLimits
    .map((within, index) => ({
      within,
      count: lags.filter((lag) => lag <= lagMs[within] && (index === 0 || lag > lagMs[lagLimits[index - 1]!])).length,
    }))
    .filter(({ count }) => count > 0);
}

function runningOf(core: CoreContext): Dashboard['running'] {
  const { store } = core;
  const nameOf = (id: string): string => store.replicas.find(id)?.name ?? id;
  const deployments = store.deployments.listOpen();
  const partOf = new Set(deployments.flatMap(({ executionIds }) => executionIds));
  const executions = store.executions.listOpen().filter(({ id }) => !partOf.has(id));
  const runs = [
    ...deployments.map(({ id, replicaId, replicaName: name, number, state, executionIds }) => ({
      kind: 'deployment' as const,
      id,
      replicaId,
      name,
      number,
      isInterrupted: state === 'interrupted',
      ...progressOf(core, executionIds.at(-1)),
    })),
    ...executions.map(({ id, replicaId, number, state }) => ({
      kind: 'execution' as const,
      id,
      replicaId,
      name: nameOf(replicaId),
      number,
      isInterrupted: state === 'interrupted',
      ...progressOf(core, id),
    })),
  ];
  return { count: runs.length, runs: runs.slice(0, mostRuns) };
}

function progressOf(core: CoreContext, executionId: string | undefined) {
  const live = executionId === undefined ? undefined : core.executions.progress(executionId)?.total;
  if (live === undefined) return {};
  const { bytesTotal, bytesDone, rateBytesPerSecond, secondsLeft } = live;
  return { bytesTotal, bytesDone, rateBytesPerSecond, ...(secondsLeft === undefined ? {} : { secondsLeft }) };
}

function failuresOf({ store }: CoreContext): Dashboard['failures'] {
  const takenBack = new Set(
    store.life
      .listAll()
      .flatMap(({ kind, details }) => (kind === 'rolled-back' ? [String(details['deploymentId'])] : [])),
  );
  const newest = new Map<string, { readonly kind: 'execution' | 'deployment'; readonly run: Execution | Deployment }>();
  const take = (kind: 'execution' | 'deployment', runs: readonly (Execution | Deployment)[]): void => {
    for (const run of runs)
      if ((newest.get(run.replicaId)?.run.createdAt ?? '') <= run.createdAt) newest.set(run.replicaId, { kind, run });
  };
  take('execution', store.executions.listLatest());
  take('deployment', store.deployments.listLatest());
  const failed = [...newest.values()].flatMap(({ kind, run: { id, replicaId, state, error } }) => {
    const replica = store.replicas.find(replicaId);
    return state !== 'failed' || error === undefined || replica === undefined || takenBack.has(id)
      ? []
      : [{ code: error.code, kind, id, replicaId, name: replica.name }];
  });
  const causes = [...Map.groupBy(failed, ({ code }) => code)].map(([code, replicas]) => ({
    code,
    replicas: replicas.map(({ code: _code, ...replica }) => replica),
  }));
  return causes.sort((one, other) => other.replicas.length - one.replicas.length || one.code.localeCompare(other.code));
}

/** Waves whose window for the cut-over is over. */
function overdue(core: CoreContext, now: number): Dashboard['late'] {
  return waveSummaries(core, defaultsFiles(projectFolderOf(core)).waves.list()).flatMap(
    ({ name, plan, members, moved }) => {
      if (
        plan?.window === undefined ||
        moved >= members ||
        (plan.startsWith !== undefined && plan.startsWith !== 'cut-over')
      )
        return [];
      const { date, time, zone, hours } = plan.window;
      const until = instantOf(date, time, zone).at + hours * 3_600_000;
      return until > now
        ? []
        : [{ wave: name, at: new Date(until).toISOString(), why: 'window-over' as const, open: members - moved }];
    },
  );
}
