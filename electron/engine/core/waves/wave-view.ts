import type { Defaults, Wave } from '../../../../shared/environment/layers.ts';
import { isErrorCode } from '../../../../shared/model/causeway-error.ts';
import { errorText } from '../../../../shared/model/errors/catalogue.ts';
import { wouldStop } from '../../../../shared/model/guest-inspection.ts';
import type { TransferProgress } from '../../../../shared/model/progress.ts';
import type { WaveDetail, WaveMember, WaveProgress, WaveRun, WaveSummary } from '../../../../shared/model/wave.ts';
import type { WaveFacts } from '../../store/wave-facts.ts';
import type { StoredMember } from '../../store/wave-runs.ts';
import { waveOrder } from '../../../../shared/model/wave-order.ts';
import type { CoreContext } from '../core-context.ts';
import { forOnePass } from '../trust/accepted-endpoints.ts';
import { quotaCatalogs, quotaShortages } from './estimate-wave.ts';
import { CauseList, readinessFindings } from './readiness.ts';

const activeStates: ReadonlySet<string | undefined> = new Set(['pending', 'running', 'cancelling', 'interrupted']);

/** Every wave as counts, from few queries: no rule is applied here, however many replicas there are. */
export function waveSummaries(core: CoreContext, waves: readonly Wave[]): WaveSummary[] {
  const facts = Map.groupBy(core.store.waveFacts.list(), ({ wave }) => wave);
  const runs = new Map(core.store.waveRuns.listLatest().map((run) => [run.wave, core.waves.asShown(run)]));
  return waves.map((wave) => summary(wave, facts.get(wave.name) ?? [], runs.get(wave.name)));
}

function summary({ name, plan }: Wave, facts: readonly WaveFacts[], run: WaveRun | undefined): WaveSummary {
  const count = (holds: (fact: WaveFacts) => boolean): number => facts.filter(holds).length;
  return {
    name,
    ...(plan === undefined ? {} : { plan }),
    members: facts.length,
    synchronised: count(({ lastSuccess }) => lastSuccess !== undefined),
    rehearsed: count(({ rehearsedAt }) => rehearsedAt !== undefined),
    moved: count(({ movedAt }) => movedAt !== undefined),
    active: count(({ state }) => activeStates.has(state)),
    failed: count(({ state }) => state === 'failed'),
    bytes: facts.reduce((sum, { bytes }) => sum + bytes, 0),
    ...(run === undefined ? {} : { run }),
  };
}

/** One wave in full. */
export function waveDetail(core: CoreContext, wave: Wave, defaults: Defaults): WaveDetail {
  const facts = new Map(core.store.waveFacts.list(wave.name).map((fact) => [fact.replicaId, fact]));
  const stored = core.store.waveRuns.list(wave.name, 20);
  const runs = stored.map((run) => core.waves.asShown(run));
  const inRun = new Map(
    stored[0] === undefined
      ? []
      : core.store.waveRuns.members(stored[0].id).map((member) => [member.replicaId, member]),
  );
  const order = waveOrder(
    [...facts.values()].map(({ replicaId, name }) => ({ id: replicaId, name })),
    wave.plan,
  );
  const causes = new CauseList();
  const replicas = new Map(core.store.replicas.list().map((replica) => [replica.id, replica]));
  const pass = forOnePass(core);
  const toMove = order.members.flatMap(({ id }) =>
    facts.get(id)?.movedAt === undefined ? (replicas.get(id) ?? []) : [],
  );
  const shortages = quotaShortages(core, toMove);
  for (const { replicas: short, ...quota } of shortages) {
    const { endpoint, quota: kind, needed, free, at } = quota;
    const message = `Quota ${kind} of ${endpoint} too small: the wave needs ${needed}, and ${free} were free${at === undefined ? ' in its last catalog' : ` at ${at}`}.`;
    for (const id of short) causes.add(id, { kind: 'quota', severity: 'error', code: kind, message, quota });
  }
  const isShort = new Set(shortages.flatMap((shortage) => shortage.replicas));
  let ready = 0;
  const memberList = order.members.map(({ id, name, group, after }): WaveMember => {
    const fact = facts.get(id)!;
    const replica = replicas.get(id);
    const findings = replica === undefined ? [] : readinessFindings(pass, replica, defaults);
    for (const { code, severity, path, message } of findings)
      causes.add(id, { kind: 'finding', severity, code, path, message });
    const errors = findings.filter(({ severity }) => severity === 'error').length;
    const failure = failureOf(core, fact, inRun.get(id));
    if (failure !== undefined)
      causes.add(id, { kind: 'failed', severity: 'error', code: failure.code, message: errorText(failure.code).title });
    if (fact.lastSuccess === undefined)
      causes.add(id, { kind: 'never-synchronised', severity: 'warning', message: 'Never synchronised' });
    else if (fact.rehearsedAt === undefined && fact.movedAt === undefined)
      causes.add(id, { kind: 'not-rehearsed', severity: 'warning', message: 'Not rehearsed' });
    const guest = fact.movedAt === undefined ? core.inspections.find(id)?.found : undefined;
    for (const { code } of guest?.findings ?? [])
      causes.add(id, {
        kind: 'guest',
        severity: 'error',
        code,
        message: `A deployment would stop in the guest: ${titleOf(code)}`,
      });
    for (const code of new Set((guest?.doubts ?? []).map((doubt) => doubt.code)))
      causes.add(id, { kind: 'guest', severity: 'warning', code, message: `In the guest: ${titleOf(code)}` });
    const stops = guest !== undefined && wouldStop(guest);
    if (errors === 0 && failure === undefined && !stops && !isShort.has(id)) ready += 1;
    return member(core, { id, name, group, after }, fact, inRun.get(id), errors);
  });
  for (const name of order.unknown)
    causes.add(name, {
      kind: 'plan',
      severity: 'error',
      code: 'unknown',
      names: [name],
      message: `The plan names ${name}, which is not a member of this wave.`,
    });
  if (order.circular.length > 0)
    causes.add('', {
      kind: 'plan',
      severity: 'error',
      code: 'circular',
      names: [...order.circular],
      message: `These members wait for each other: ${order.circular.join(', ')}.`,
    });
  return {
    ...summary(wave, [...facts.values()], runs[0]),
    groups: order.groups.map(({ name, needsGo }, index) => ({
      name,
      needsGo,
      members: memberList.filter(({ group }) => group === index).length,
    })),
    memberList,
    causes: causes.list(),
    quotaCatalogs: quotaCatalogs(core, toMove),
    ready,
    progress: progressOf(memberList),
    runs,
  };
}

const titleOf = (code: string): string => (isErrorCode(code) ? errorText(code).title : code);

function failureOf(core: CoreContext, fact: WaveFacts, inRun: StoredMember | undefined) {
  if (inRun?.state === 'failed') return inRun.error;
  if (fact.state !== 'failed') return undefined;
  const [execution] = core.store.executions.list({ replicaId: fact.replicaId, limit: 1 });
  const [deployment] = core.store.deployments.list({ replicaId: fact.replicaId, limit: 1 });
  return [execution, deployment]
    .filter((run) => run?.state === 'failed')
    .sort((one, other) => (other?.createdAt ?? '').localeCompare(one?.createdAt ?? ''))[0]?.error;
}

function member(
  core: CoreContext,
  {
    id,
    name,
    group,
    after,
  }: { readonly id: string; readonly name: string; readonly group: number; readonly after: readonly string[] },
  fact: WaveFacts,
  inRun: StoredMember | undefined,
  errors: number,
): WaveMember {
  // What never ran has made no progress.
  const progress = fact.state === undefined ? undefined : liveProgress(core, id);
  return {
    replicaId: id,
    name,
    group,
    after: [...after],
    attempts: inRun?.attempts ?? 0,
    ...(inRun === undefined ? {} : { state: inRun.state }),
    ...(inRun?.startedId === undefined ? {} : { startedId: inRun.startedId }),
    ...(inRun?.error === undefined ? {} : { error: inRun.error }),
    bytes: fact.bytes,
    ...(fact.lastSuccess === undefined ? {} : { synchronisedAt: fact.lastSuccess }),
    ...(fact.rehearsedAt === undefined ? {} : { rehearsedAt: fact.rehearsedAt }),
    ...(fact.movedAt === undefined ? {} : { movedAt: fact.movedAt }),
    ...(progress === undefined ? {} : { progress }),
    errors,
  };
}

/** Of the replica's newest execution while it is under way, or what the last one had to deal with. */
function liveProgress(core: CoreContext, replicaId: string): WaveMember['progress'] {
  const [execution] = core.store.executions.list({ replicaId, limit: 1 });
  if (execution === undefined) return undefined;
  const live = core.executions.progress(execution.id);
  if (live === undefined)
    return execution.progress === undefined ? undefined : numbers(execution.progress.total, false);
  return numbers(live.total, core.executions.runs.active(execution.id) !== undefined);
}

function numbers(
  { bytesTotal, bytesDone, rateBytesPerSecond, secondsLeft }: TransferProgress,
  isLive: boolean,
): WaveMember['progress'] {
  return {
    bytesTotal,
    bytesDone,
    rateBytesPerSecond: isLive ? rateBytesPerSecond : 0,
    ...(isLive && secondsLeft !== undefined ? { secondsLeft } : {}),
  };
}

/** All members together. Those that wait are expected to have as much as they had the last time, else all of their disks. */
function progressOf(members: readonly WaveMember[]): WaveProgress {
  let [bytesTotal, bytesDone, rate, unknown] = [0, 0, 0, 0];
  for (const { state, progress, bytes, synchronisedAt } of members) {
    const expected = progress?.bytesTotal ?? bytes;
    if (expected === 0 && synchronisedAt === undefined) unknown += 1;
    bytesTotal += expected;
    if (state === 'running' && progress !== undefined) {
      bytesDone += Math.min(progress.bytesDone, expected);
      rate += progress.rateBytesPerSecond;
    } else if (state === 'completed') bytesDone += expected;
  }
  const isUnderWay = members.some(({ state }) => state === 'running');
  return {
    bytesTotal,
    bytesDone,
    rateBytesPerSecond: rate,
    unknown,
    ...(isUnderWay && rate > 0 && unknown === 0 ? { secondsLeft: (bytesTotal - bytesDone) / rate } : {}),
  };
}
