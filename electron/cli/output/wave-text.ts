import type { WavePlan } from '../../../shared/model/wave-plan.ts';
import type { WaveDetail, WaveMember, WaveRun, WaveSummary } from '../../../shared/model/wave.ts';
import { bytes } from '../../../shared/model/quantities.ts';
import { duration, moment, pairs, table } from './print.ts';

/** Waves as a table. */
export function waveTable(waves: readonly WaveSummary[]): string {
  return table(
    ['name', 'members', 'synchronised', 'rehearsed', 'moved', 'failed', 'window', 'state'],
    waves.map((wave) => [
      wave.name,
      wave.members,
      wave.synchronised,
      wave.rehearsed,
      wave.moved,
      wave.failed,
      windowText(wave.plan),
      runText(wave.run),
    ]),
  );
}

/** A wave with its members, and with what keeps them from being ready. */
export function waveText(wave: WaveDetail): string {
  const { progress, run, causes } = wave;
  const names = new Map(wave.memberList.map(({ replicaId, name }) => [replicaId, name]));
  const head = pairs({
    wave: wave.name,
    description: wave.plan?.description,
    owner: wave.plan?.owner,
    window: windowText(wave.plan),
    ...automaticOf(wave.plan),
    groups:
      wave.groups.length < 2 && wave.groups[0]?.needsGo !== true
        ? undefined
        : wave.groups
            .map(({ name, needsGo, members }) => `${name} (${members}${needsGo ? ', needs a go' : ''})`)
            .join(' > '),
    members: wave.members,
    ready: `${wave.ready} of ${wave.members}`,
    state: runText(run),
    copied:
      progress.bytesTotal === 0
        ? undefined
        : `${bytes(progress.bytesDone)} of ${bytes(progress.bytesTotal)}${progress.rateBytesPerSecond > 0 ? `, ${bytes(progress.rateBytesPerSecond)}/s` : ''}`,
    left: progress.secondsLeft === undefined ? undefined : duration(progress.secondsLeft),
  });
  const members = table(
    ['replica', 'group', 'state', 'synchronised', 'rehearsed', 'moved', 'waits for', 'problem'],
    wave.memberList.map((member) => [
      member.name,
      wave.groups[member.group]?.name,
      member.state,
      moment(member.synchronisedAt),
      moment(member.rehearsedAt),
      moment(member.movedAt),
      member.after.length === 0 ? undefined : member.after.map((id) => names.get(id) ?? id).join(', '),
      problem(member),
    ]),
  );
  const reasons = table(
    ['severity', 'replicas', 'cause', 'for example'],
    causes.map(({ severity, replicas, message, code }) => [
      severity,
      replicas.length,
      code === undefined ? message : `${message} (${code})`,
      names.get(replicas[0] ?? '') ?? '',
    ]),
  );
  return [head, members, reasons].filter((part) => part !== '').join('\n');
}

/** What a plan starts by itself, and when it does not. */
function automaticOf({
  window,
  startsWith,
  ifMissed,
  synchronisation,
  blackOuts = [],
  rehearsalNetwork,
  bandwidth,
}: WavePlan = {}): Readonly<Record<string, string | undefined>> {
  const starts = window !== undefined && startsWith !== undefined;
  return {
    'starts by itself': starts ? startsWith : undefined,
    synchronises:
      synchronisation === undefined
        ? undefined
        : `${synchronisation.time} ${synchronisation.zone}, ${synchronisation.days?.join(', ') ?? 'every day'}`,
    'if missed': starts || synchronisation !== undefined ? (ifMissed ?? 'ask') : undefined,
    'black-outs':
      blackOuts.length === 0
        ? undefined
        : blackOuts
            .map(
              ({ fromDate, fromTime, toDate, toTime, zone }) =>
                `${fromDate} ${fromTime} to ${toDate} ${toTime} ${zone}`,
            )
            .join('; '),
    'rehearsal network': rehearsalNetwork,
    bandwidth,
  };
}

function problem({ error, errors }: WaveMember): string | undefined {
  if (error !== undefined) return error.code;
  return errors === 0 ? undefined : `${errors} ${errors === 1 ? 'error' : 'errors'}`;
}

export function runText(run: WaveRun | undefined): string | undefined {
  if (run === undefined) return undefined;
  const { completed, failed, blocked, cancelled } = run.counts;
  const total = Object.values(run.counts).reduce((sum, one) => sum + one, 0);
  const lost = [
    failed > 0 ? `${failed} failed` : '',
    blocked > 0 ? `${blocked} blocked` : '',
    cancelled > 0 ? `${cancelled} cancelled` : '',
  ].filter((part) => part !== '');
  return `${run.action} ${run.state}: ${[`${completed} of ${total} completed`, ...lost].join(', ')}${run.waitsFor === undefined ? '' : `; ${run.waitsFor.name} waits for a go`}`;
}

export function windowText(plan: WavePlan | undefined): string | undefined {
  if (plan?.window === undefined) return undefined;
  const { date, time, zone, hours } = plan.window;
  return `${date} ${time} ${zone}, ${hours} h`;
}
