import type { MachineLife } from '../../../shared/model/machine-life.ts';
import { lifeStateText, lifeStepText } from '../../../shared/reports/life-text.ts';
import { duration, moment, pairs, table } from './print.ts';

/** Where VMs stand, one a line. */
export function lifeTable(lives: readonly MachineLife[], now: number): string {
  return table(
    ['name', 'wave', 'state', 'since', 'by', 'lag', 'next', 'problem'],
    lives.map((life) => [
      life.replicaName,
      life.wave,
      lifeStateText[life.state],
      moment(life.since),
      life.by,
      lagOf(life, now),
      lifeStepText[life.next],
      life.problem,
    ]),
  );
}

/** One VM with its history. */
export function lifeText(life: MachineLife, now: number): string {
  const { rehearsal, approval, cutOver } = life;
  return [
    pairs({
      replica: life.replicaName,
      state: lifeStateText[life.state],
      since: moment(life.since),
      by: life.by,
      lag: lagOf(life, now),
      next: lifeStepText[life.next] || undefined,
      problem: life.problem,
      rehearsal:
        rehearsal === undefined
          ? undefined
          : `${rehearsal.outcome}, ${rehearsal.deploymentId}${rehearsal.endsAt === undefined ? '' : `, deleted after ${moment(rehearsal.endsAt) ?? ''}`}`,
      approval:
        approval === undefined
          ? undefined
          : `${approval.by}, ${moment(approval.at) ?? ''}${approval.isCurrent ? '' : ' (for other settings)'}`,
      'cut-over': cutOver === undefined ? undefined : `${cutOver.deploymentId}, ${cutOver.state}`,
      downtime: cutOver?.downtime?.seconds === undefined ? undefined : duration(cutOver.downtime.seconds),
    }),
    table(
      ['time', 'what', 'by'],
      life.history.map((record) => [moment(record.at), record.kind, record.by]),
    ),
  ].join('\n');
}

/** How long ago the volumes equalled the source; nothing where that no longer matters. */
function lagOf({ synchronisedTo, state }: MachineLife, now: number): string | undefined {
  if (synchronisedTo === undefined || state === 'finalised' || state === 'running-at-destination') return undefined;
  return duration(Math.max(0, (now - Date.parse(synchronisedTo)) / 1000));
}
