import { checkName } from '../../../../shared/model/after-boot-check.ts';
import { ticksOf } from '../../../../shared/model/machine-life.ts';
import { bytes } from '../../../../shared/model/quantities.ts';
import type { Replica } from '../../../../shared/model/replica.ts';
import { lifeStateText, lifeStepText } from '../../../../shared/reports/life-text.ts';
import type { RunbookPlan, RunbookVm } from '../../../../shared/reports/runbook.ts';
import type { CoreContext } from '../core-context.ts';
import { currentLife } from './life-facts.ts';

/** What a runbook says of these replicas, from what is known now. Nothing is contacted. */
export function runbookPlan(core: CoreContext, replicas: readonly Replica[], title: string | undefined): RunbookPlan {
  const waves = new Set(replicas.map(({ wave }) => wave));
  const [wave] = waves;
  return {
    title: title ?? (waves.size === 1 && wave !== undefined ? `Runbook: wave ${wave}` : `Runbook: ${replicas.length === 1 ? (replicas[0]?.name ?? '') : `${replicas.length} VMs`}`),
    madeAt: new Date().toISOString(),
    vms: replicas.map((replica) => vmOf(core, replica)),
  };
}

function vmOf(core: CoreContext, replica: Replica): RunbookVm {
  const { store } = core;
  const life = currentLife(core, replica);
  const nameOf = (id: string): string => store.endpoints.find(id)?.name ?? id;
  const last = store.executions.list({ replicaId: replica.id, limit: 50 }).find(({ state }) => state === 'completed');
  const deployed = store.deployments.list({ replicaId: replica.id, limit: 50 }).find(({ state, error }) => error === undefined && (state === 'completed' || state === 'deleted'));
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
  const seconds = Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / 1000));
  return seconds < 60 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
