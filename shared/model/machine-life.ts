import { z } from 'zod';
import type { DeploymentOptions, DeploymentState } from './deployment.ts';
import { jsonObjectSchema } from './endpoint.ts';

/** What people, and the engine for them, did with a replica as a whole. */
export const lifeRecordKinds = [
  'approved',
  'approval-withdrawn',
  'rehearsal-started',
  'rehearsal-ended',
  'cut-over-started',
  'roll-back-started',
  'source-started',
  'rolled-back',
  'finalise-started',
  'finalise-stopped',
  'finalised',
  'step-ticked',
  'step-unticked',
] as const;
export type LifeRecordKind = (typeof lifeRecordKinds)[number];

/** Steps of a VM's runbook, in their order. */
export const runbookSteps = ['execute', 'go-no-go', 'cut-over', 'confirm', 'roll-back', 'finalise'] as const;
export type RunbookStep = (typeof runbookSteps)[number];

/** Steps that are ticked now, with who did it and when. A cut-over that was rolled back leaves none: the next one begins anew. */
export function ticksOf(
  records: readonly LifeRecord[],
): ReadonlyMap<RunbookStep, { readonly by: string; readonly at: string }> {
  const ticks = new Map<RunbookStep, { readonly by: string; readonly at: string }>();
  for (const { kind, by, at, details } of records) {
    const step = runbookSteps.find((one) => one === details['step']);
    if (kind === 'rolled-back') for (const one of runbookSteps) if (one !== 'roll-back') ticks.delete(one);
    if (step !== undefined && kind === 'step-ticked') ticks.set(step, { by, at });
    if (step !== undefined && kind === 'step-unticked') ticks.delete(step);
  }
  return ticks;
}

export const lifeRecordSchema = z.object({
  id: z.number(),
  at: z.string(),
  replicaId: z.string(),
  kind: z.enum(lifeRecordKinds),
  by: z.string(),
  details: jsonObjectSchema,
});
export type LifeRecord = z.infer<typeof lifeRecordSchema>;

/** Where a VM stands on its way, in the order of the way. */
export const lifeStates = [
  'not-ready',
  'ready',
  'initial-copy',
  'in-sync',
  'rehearsed',
  'approved',
  'cutting-over',
  'cut-over-failed',
  'running-at-destination',
  'rolling-back',
  'rolled-back',
  'finalising',
  'finalised',
] as const;
export type LifeState = (typeof lifeStates)[number];

/** What somebody, or Causeway, has to do next. */
export const lifeSteps = [
  'fix-settings',
  'execute',
  'wait',
  'rehearse',
  'approve',
  'cut-over',
  'resume',
  'roll-back-or-retry',
  'finalise-or-roll-back',
  'roll-back-again',
  'finalise-again',
  'none',
] as const;
export type LifeStep = (typeof lifeSteps)[number];

export const downtimeSchema = z.object({
  /** When the source was asked to shut down. */
  stoppedAt: z.string(),
  /** When the deployed VM had booted and passed its checks, or the source was started again. */
  endedAt: z.string().optional(),
  seconds: z.number().optional(),
});
export type Downtime = z.infer<typeof downtimeSchema>;

export const machineLifeSchema = z.object({
  replicaId: z.string(),
  replicaName: z.string(),
  wave: z.string().optional(),
  state: z.enum(lifeStates),
  next: z.enum(lifeSteps),
  /** What stands in the way, in words. */
  problem: z.string().optional(),
  /** When it came to this state, and who brought it there, as far as somebody did. */
  since: z.string().optional(),
  by: z.string().optional(),
  /** The replica equals its source at this moment: the lag is counted from it. */
  synchronisedTo: z.string().optional(),
  rehearsal: z
    .object({
      deploymentId: z.string(),
      outcome: z.enum(['running', 'passed', 'failed']),
      at: z.string(),
      endsAt: z.string().optional(),
    })
    .optional(),
  approval: z
    .object({ by: z.string(), at: z.string(), isCurrent: z.boolean(), note: z.string().optional() })
    .optional(),
  cutOver: z
    .object({
      deploymentId: z.string(),
      state: z.string(),
      sourceStopped: z.boolean(),
      downtime: downtimeSchema.optional(),
    })
    .optional(),
  history: z.array(lifeRecordSchema),
});
export type MachineLife = z.infer<typeof machineLifeSchema>;

/** A deployment as the life of its VM sees it. */
export interface LifeDeployment {
  readonly id: string;
  readonly state: DeploymentState;
  readonly options: Pick<DeploymentOptions, 'purpose' | 'execute' | 'sourceIsStopped' | 'rehearsal'>;
  readonly createdAt: string;
  readonly finishedAt?: string | undefined;
  /** Whether it came to a VM that was handed over, whatever became of it later. */
  readonly succeeded: boolean;
  readonly kept: boolean;
  /** Whether the source was asked to shut down for it. */
  readonly sourceStopped: boolean;
  readonly downtime?: Downtime | undefined;
  readonly error?: string | undefined;
}

export interface LifeFacts {
  readonly replicaId: string;
  readonly replicaName: string;
  readonly wave?: string | undefined;
  /** What the offline rules find. */
  readonly errors: readonly string[];
  readonly isExecuting: boolean;
  readonly isInterrupted: boolean;
  readonly lastSuccess?: string | undefined;
  readonly synchronisedTo?: string | undefined;
  /** Oldest first. */
  readonly deployments: readonly LifeDeployment[];
  readonly records: readonly LifeRecord[];
  /** Of the settings as they are now; an approval is for those that it names. */
  readonly settingsDigest: string;
}

export const defaultRehearsalMinutes = 240;

export function isCutOver({ purpose, execute }: LifeDeployment['options']): boolean {
  return purpose === 'cut-over' || (purpose === undefined && execute?.lastPass === true);
}

/** When a rehearsal is deleted. Undefined while it runs, and for what is none. */
export function rehearsalEnd({
  options,
  finishedAt,
  state,
}: Pick<LifeDeployment, 'options' | 'finishedAt' | 'state'>): string | undefined {
  if (options.purpose !== 'rehearsal' || finishedAt === undefined || state === 'deleted') return undefined;
  return new Date(
    Date.parse(finishedAt) + (options.rehearsal?.keepMinutes ?? defaultRehearsalMinutes) * 60_000,
  ).toISOString();
}

/** Where a VM stands, from what is recorded of it. The same records always give the same answer. */
export function lifeOf(facts: LifeFacts): MachineLife {
  const { deployments, records, lastSuccess } = facts;
  const cut = deployments.findLast(({ options }) => isCutOver(options));
  const rehearsal = deployments.findLast(({ options }) => options.purpose === 'rehearsal');
  const approval = approvalOf(facts);
  const of = (kind: LifeRecordKind): LifeRecord | undefined =>
    records.findLast(
      (record) => record.kind === kind && (cut === undefined || record.details['deploymentId'] === cut.id),
    );
  const base = {
    replicaId: facts.replicaId,
    replicaName: facts.replicaName,
    ...(facts.wave === undefined ? {} : { wave: facts.wave }),
    ...(facts.synchronisedTo === undefined ? {} : { synchronisedTo: facts.synchronisedTo }),
    ...(rehearsal === undefined ? {} : { rehearsal: rehearsalOf(rehearsal) }),
    ...(approval === undefined ? {} : { approval }),
    ...(cut === undefined
      ? {}
      : {
          cutOver: {
            deploymentId: cut.id,
            state: cut.state,
            sourceStopped: cut.sourceStopped,
            ...(cut.downtime === undefined ? {} : { downtime: cut.downtime }),
          },
        }),
    history: [...records],
  };
  const at = (
    state: LifeState,
    next: LifeStep,
    more: { problem?: string | undefined; since?: string | undefined; by?: string | undefined } = {},
  ): MachineLife => ({
    ...base,
    state,
    next,
    ...(more.problem === undefined ? {} : { problem: more.problem }),
    ...(more.since === undefined ? {} : { since: more.since }),
    ...(more.by === undefined ? {} : { by: more.by }),
  });
  const whoAndWhen = (record: LifeRecord | undefined) =>
    record === undefined ? {} : { since: record.at, by: record.by };

  if (cut !== undefined) {
    const finalised = of('finalised');
    if (finalised !== undefined) return at('finalised', 'none', whoAndWhen(finalised));
    const finalising = of('finalise-started');
    if (finalising !== undefined)
      return at('finalising', 'finalise-again', {
        ...whoAndWhen(finalising),
        problem: stoppedBy(of('finalise-stopped')),
      });
    const rolledBack = of('rolled-back');
    if (rolledBack === undefined) {
      const rollingBack = of('roll-back-started');
      if (rollingBack !== undefined) return at('rolling-back', 'roll-back-again', whoAndWhen(rollingBack));
      const started = whoAndWhen(of('cut-over-started'));
      if (isOpen(cut.state))
        return at('cutting-over', cut.state === 'interrupted' ? 'resume' : 'wait', {
          since: cut.createdAt,
          ...started,
        });
      if (cut.state === 'completed')
        return at('running-at-destination', 'finalise-or-roll-back', { ...started, since: cut.finishedAt });
      if (cut.sourceStopped || cut.kept || cut.succeeded) {
        const problem =
          cut.state === 'deleted'
            ? 'the deployment was deleted without a roll-back: the source is still stopped'
            : (cut.error ?? `the cut-over ${cut.state === 'cancelled' ? 'was cancelled' : 'failed'}`);
        return at('cut-over-failed', 'roll-back-or-retry', { ...started, since: cut.finishedAt, problem });
      }
    } else if (lastSuccess === undefined || lastSuccess <= rolledBack.at) {
      return at('rolled-back', 'execute', whoAndWhen(rolledBack));
    }
  }
  const problem = facts.errors.length === 0 ? undefined : facts.errors.join('; ');
  if (lastSuccess === undefined) {
    if (facts.isExecuting || facts.isInterrupted)
      return at('initial-copy', facts.isInterrupted ? 'resume' : 'wait', { problem });
    return problem === undefined ? at('ready', 'execute') : at('not-ready', 'fix-settings', { problem });
  }
  const fix = problem === undefined ? undefined : ('fix-settings' as const);
  if (approval?.isCurrent === true)
    return at('approved', fix ?? 'cut-over', { since: approval.at, by: approval.by, problem });
  if (base.rehearsal?.outcome === 'passed')
    return at('rehearsed', fix ?? 'approve', { since: base.rehearsal.at, problem });
  return at('in-sync', fix ?? (base.rehearsal?.outcome === 'running' ? 'wait' : 'rehearse'), {
    since: facts.synchronisedTo ?? lastSuccess,
    problem,
  });
}

/** The last approval that was not withdrawn, and whether it is for the settings as they are. It ends with the cut-over that it was for. */
function approvalOf({ records, settingsDigest }: LifeFacts): MachineLife['approval'] {
  const last = records.findLast(
    ({ kind }) => kind === 'approved' || kind === 'approval-withdrawn' || kind === 'rolled-back',
  );
  if (last?.kind !== 'approved') return undefined;
  const { note } = last.details;
  return {
    by: last.by,
    at: last.at,
    isCurrent: last.details['settings'] === settingsDigest,
    ...(typeof note === 'string' ? { note } : {}),
  };
}

function rehearsalOf(deployment: LifeDeployment): NonNullable<MachineLife['rehearsal']> {
  const endsAt = rehearsalEnd(deployment);
  return {
    deploymentId: deployment.id,
    outcome: isOpen(deployment.state) ? 'running' : deployment.succeeded ? 'passed' : 'failed',
    at: deployment.finishedAt ?? deployment.createdAt,
    ...(endsAt === undefined || (deployment.state !== 'completed' && !deployment.kept) ? {} : { endsAt }),
  };
}

function stoppedBy(record: LifeRecord | undefined): string | undefined {
  const remaining = record?.details['remaining'];
  return typeof remaining === 'number' && remaining > 0
    ? `${remaining} ${remaining === 1 ? 'resource remains' : 'resources remain'}`
    : undefined;
}

export function isOpen(state: DeploymentState): boolean {
  return state === 'pending' || state === 'running' || state === 'cancelling' || state === 'interrupted';
}
