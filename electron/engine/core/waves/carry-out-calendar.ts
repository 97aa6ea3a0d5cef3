import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { defaultsFiles } from '../../project-files/defaults-files.ts';
import type { Clock } from '../../time/clock.ts';
import { lookAtCalendar } from '../../waves/calendar.ts';
import type { CoreContext } from '../core-context.ts';
import { wavesJournal } from '../../ports/replica-fleet.ts';
import { claim } from '../fleet/claims.ts';
import { projectFolderOf } from '../replica-environments.ts';
import { startWave } from './start-wave.ts';

const pauseMs = 30_000;

/** In a fleet, one member carries out the plans: the one that carries out waves, or whoever comes first while there is something planned. */
async function mayLook(core: CoreContext, signal: AbortSignal): Promise<boolean> {
  if (core.fleet === undefined) return true;
  carried.delete(core);
  if (!plansOf(core).some(({ plan }) => plan?.synchronisation !== undefined || (plan?.window !== undefined && plan.startsWith !== undefined))) return false;
  await core.fleet.ready;
  // What another member carries out, or servers that do not answer: the next look asks again.
  const isMine = await claim(core, wavesJournal, signal).then(() => true, () => false);
  if (isMine) carried.add(core);
  return isMine;
}

const carried = new WeakSet<CoreContext>();

/** Whether this engine carries out plans for its fleet. */
export function carriesOutCalendar(core: CoreContext): boolean {
  return carried.has(core);
}

const plansOf = (core: CoreContext) => defaultsFiles(projectFolderOf(core)).waves.each().flatMap(({ read }) => ('thing' in read ? [read.thing] : []));

/** Carries out the plans of waves until the signal is aborted: in the engine of the workbench, which stays; commands end. */
export async function carryOutCalendar(core: CoreContext, clock: Clock, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      if (await mayLook(core, signal)) await lookAtCalendar({
        store: core.store.waveCalendar,
        waves: () => plansOf(core),
        mayStart: async () => {
          if (!core.gate.isProjectAccepted() || core.store.identity.isElsewhere()) return false;
          const { exists, locked } = await core.vault.status();
          return !exists || !locked;
        },
        startedAt: (wave) => {
          const [run] = core.store.waveRuns.list(wave, 1);
          return run === undefined ? undefined : Date.parse(run.createdAt);
        },
        isActive: (wave) => core.waves.isActive(wave),
        start: async (wave, action) => {
          // Nobody is there who would see that VMs start beside their running sources, with the same names and addresses.
          if (action === 'rehearse' && plansOf(core).find(({ name }) => name === wave)?.plan?.rehearsalNetwork === undefined) throw new CausewayError('wave.no-isolated-network', `wave ${wave}`);
          return startWave(core, { wave, action });
        },
        emit: core.emit,
        now: () => clock.wallTime(),
      });
    } catch (error) {
      // A file that can't be read now, a full disk: the next look tries again.
      if (!(error instanceof CausewayError)) core.emit({ type: 'note', message: `the calendar could not be read: ${error instanceof Error ? error.message : String(error)}`, details: {} });
    }
    await clock.sleep(pauseMs, signal).catch(() => undefined);
  }
}
