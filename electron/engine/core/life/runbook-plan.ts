import type { Wave } from '../../../../shared/environment/layers.ts';
import { checkName } from '../../../../shared/model/after-boot-check.ts';
import { ticksOf } from '../../../../shared/model/machine-life.ts';
import { bytes } from '../../../../shared/model/quantities.ts';
import type { Replica } from '../../../../shared/model/replica.ts';
import { wallTimeAt } from '../../../../shared/model/wall-time.ts';
import type { WavePlan } from '../../../../shared/model/wave-plan.ts';
import { lifeStateText, lifeStepText } from '../../../../shared/reports/life-text.ts';
import type { RunbookPlan, RunbookVm } from '../../../../shared/reports/runbook.ts';
import { defaultsFiles } from '../../project-files/defaults-files.ts';
import { waveOrder } from '../../../../shared/model/wave-order.ts';
import type { CoreContext } from '../core-context.ts';
import { projectFolderOf } from '../replica-environments.ts';
import { estimateWave } from '../waves/estimate-wave.ts';
import { listedMachines } from '../waves/listed-machines.ts';
import { usualAtOnce } from '../waves/start-wave.ts';
import { currentLife } from './life-facts.ts';

/** What a runbook says of these replicas, from what is known now. Nothing is contacted. Those of one wave come in the order of its plan. */
export function runbookPlan(core: CoreContext, replicas: readonly Replica[], title: string | undefined): RunbookPlan {
  const waves = new Set(replicas.map(({ wave }) => wave));
  const [name] = waves;
  const wave =
    waves.size === 1 && name !== undefined ? defaultsFiles(projectFolderOf(core)).waves.find(name) : undefined;
  const planned = wave === undefined ? undefined : plannedMembers(core, wave);
  const place = (id: string): number => planned?.get(id)?.place ?? 0;
  const listed = listedMachines(core);
  return {
    title:
      title ??
      (waves.size === 1 && name !== undefined
        ? `Runbook: wave ${name}`
        : `Runbook: ${replicas.length === 1 ? (replicas[0]?.name ?? '') : `${replicas.length} VMs`}`),
    madeAt: new Date().toISOString(),
    facts: planFacts(wave?.plan),
    vms: replicas
      .toSorted((one, other) => place(one.id) - place(other.id))
      .map((replica) => {
        const { order = '', expected = '' } = planned?.get(replica.id) ?? {};
        return { ...vmOf(core, replica), owner: listed(replica)?.labels?.owner ?? '', order, expected };
      }),
  };
}

interface PlannedMember {
  readonly place: number;
  readonly order: string;
  readonly expected: string;
}

/** When each member of a wave starts: after which others, and at what time, if its window is planned and was measured. */
function plannedMembers(core: CoreContext, wave: Wave): ReadonlyMap<string, PlannedMember> {
  const { plan } = wave;
  const members = core.store.replicas.list().filter((replica) => replica.wave === wave.name);
  const { groups } = waveOrder(members, plan);
  const nameOf = new Map(members.map(({ id, name }) => [id, name]));
  const { startsAt, memberList } = estimateWave(
    core,
    wave,
    { action: 'cut-over', atOnce: plan?.atOnce ?? usualAtOnce },
    Date.now(),
  );
  const order = waveOrder(
    memberList.map(({ replicaId: id, name }) => ({ id, name })),
    plan,
  ).members;
  const byId = new Map(order.map((member) => [member.id, member]));
  const clock = (seconds: number, zone: string): string => {
    const { date, time } = wallTimeAt(Date.parse(startsAt) + seconds * 1000, zone);
    return `${date} ${time}`;
  };
  return new Map(
    memberList.map(({ replicaId, startSeconds, endSeconds, downtimeSeconds }, place) => {
      const { group = 0, after = [] } = byId.get(replicaId) ?? {};
      const { name = '', needsGo = false } = groups[group] ?? {};
      return [
        replicaId,
        {
          place,
          order: [
            ...(groups.length > 1 ? [`${name} (group ${group + 1} of ${groups.length})`] : []),
            ...(needsGo ? ['waits for a go'] : []),
            ...(after.length > 0 ? [`after ${after.map((id) => nameOf.get(id) ?? id).join(', ')}`] : []),
          ].join('; '),
          expected:
            plan?.window === undefined || startSeconds === undefined || endSeconds === undefined
              ? ''
              : `${clock(startSeconds, plan.window.zone)} to ${clock(endSeconds, plan.window.zone)}${downtimeSeconds === undefined ? '' : `, downtime ${secondsText(downtimeSeconds)}`}`,
        },
      ];
    }),
  );
}

/** Of a wave's plan, what people outside should know. */
export function planFacts({ description, owner, window }: WavePlan = {}): readonly (readonly [string, string])[] {
  return [
    ...(description === undefined ? [] : [['Description', description] as const]),
    ...(owner === undefined ? [] : [['Owner', owner] as const]),
    ...(window === undefined
      ? []
      : [['Window', `${window.date} ${window.time} ${window.zone}, ${window.hours} h`] as const]),
  ];
}

function vmOf(core: CoreContext, replica: Replica): Omit<RunbookVm, 'owner' | 'order' | 'expected'> {
  const { store } = core;
  const life = currentLife(core, replica);
  const nameOf = (id: string): string => store.endpoints.find(id)?.name ?? id;
  const last = store.executions.list({ replicaId: replica.id, limit: 50 }).find(({ state }) => state === 'completed');
  const deployed = store.deployments
    .list({ replicaId: replica.id, limit: 50 })
    .find(({ state, error }) => error === undefined && (state === 'completed' || state === 'deleted'));
  const { approval, rehearsal } = life;
  return {
    name: replica.name,
    vm: `${replica.vmName} (${replica.vmId})`,
    source: nameOf(replica.sourceEndpointId),
    destination: nameOf(replica.destinationEndpointId),
    wave: replica.wave ?? '',
    state: lifeStateText[life.state],
    next: lifeStepText[life.next],
    problem: life.problem,
    disks: replica.disks.map((disk) => `${disk.diskId} ${bytes(disk.sizeBytes)}`).join(', ') || 'not known yet',
    lastSynchronised: life.synchronisedTo ?? 'never',
    lastPass: took(last?.startedAt, last?.finishedAt),
    deployment: took(deployed?.startedAt, deployed?.finishedAt),
    checks: (replica.checks ?? []).map(checkName),
    approval: approval?.isCurrent === true ? `${approval.by}, ${approval.at}` : '',
    rehearsal: rehearsal?.outcome === 'passed' ? rehearsal.at : '',
    ticks: new Map([...ticksOf(life.history)].map(([step, { by, at }]) => [step, `${by}, ${at}`])),
  };
}

function took(from: string | undefined, to: string | undefined): string {
  if (from === undefined || to === undefined) return '';
  return secondsText(Math.max(0, (Date.parse(to) - Date.parse(from)) / 1000));
}

function secondsText(value: number): string {
  const seconds = Math.round(value);
  return seconds < 60 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
