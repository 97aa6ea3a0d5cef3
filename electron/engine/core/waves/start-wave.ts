import type { WaveAction } from '../../../../shared/model/wave-action.ts';
import type { WavePlan } from '../../../../shared/model/wave-plan.ts';
import type { WaveRun, WaveRunOptions } from '../../../../shared/model/wave.ts';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { defaultsFiles } from '../../project-files/defaults-files.ts';
import { waveOrder } from '../../../../shared/model/wave-order.ts';
import type { CoreContext } from '../core-context.ts';
import { projectFolderOf } from '../replica-environments.ts';
import { expectedSeconds } from './estimate-wave.ts';

/** How many members run at the same time where neither the call nor the plan says it. */
export const usualAtOnce = 4;

interface Start {
  readonly wave: string;
  readonly action: WaveAction;
  readonly atOnce?: number | undefined;
  readonly options?: WaveRunOptions;
}

/** Starts an action on a wave in the order of its plan. @throws CausewayError */
export function startWave(core: CoreContext, { wave, action, atOnce, options = {} }: Start): WaveRun {
  const found = defaultsFiles(projectFolderOf(core)).waves.find(wave);
  if (found === undefined) throw new CausewayError('engine.not-found', `wave ${wave}`);
  const members = core.store.replicas.list().filter((replica) => replica.wave === wave);
  core.store.waveCalendar.removeMissed(wave);
  const seconds = expectedSeconds(core, members, action, Date.now());
  const order = waveOrder(
    members.map(({ id, name }) => ({ id, name, seconds: seconds.get(id) })),
    found.plan,
  );
  const limited = withBandwidth(options, action, found.plan?.bandwidth);
  return core.waves.start({
    wave,
    action,
    options: action === 'rehearse' ? isolated(limited, found) : limited,
    order,
    atOnce: atOnce ?? found.plan?.atOnce ?? usualAtOnce,
  });
}

/** Executions that name no limit have that of the wave's plan, whoever starts them. A rehearsal sends nothing. */
function withBandwidth(options: WaveRunOptions, action: WaveAction, bandwidth: string | undefined): WaveRunOptions {
  const { execution = {} } = options;
  if (
    bandwidth === undefined ||
    action === 'rehearse' ||
    execution.bandwidthLimit !== undefined ||
    execution.bandwidthProfile !== undefined
  )
    return options;
  return { ...options, execution: { ...execution, bandwidthProfile: bandwidth } };
}

/**
 * A rehearsal that names no network takes place in the one of the wave's plan, whoever starts it. With none at all, VMs would start beside their
 * running sources, with the same names and addresses, and stay.
 */
function isolated(
  options: WaveRunOptions,
  { name, plan }: { readonly name: string; readonly plan?: WavePlan | undefined },
): WaveRunOptions {
  const { deployment = {} } = options;
  if (deployment.rehearsal?.network !== undefined) return options;
  const network = plan?.rehearsalNetwork;
  if (network === undefined) throw new CausewayError('wave.no-isolated-network', `wave ${name}`);
  return { ...options, deployment: { ...deployment, rehearsal: { ...deployment.rehearsal, network } } };
}
