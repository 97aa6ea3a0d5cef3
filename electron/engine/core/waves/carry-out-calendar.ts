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

/**
 * In a fleet, one member carries out the plans: the one that carries out waves, or whichever of those that stay comes first while there is
 * something planned.
 */
async function mayLook(core: CoreContext, stays: boolean, signal: AbortSignal): Promise<boolean> {
  if (core.fleet === undefined) return stays;
  carried.delete(core);
  // A command that carries out a wave has the claim, so that nobody else could look.
  if (!stays && core.waves.activeWaves().length === 0) return false;
  // Whoever cannot start anything, or leaves, does not keep others from it.
  if (!(await mayStart(core)) || core.fleet.isLeaving()) return false;
  if (
    !plansOf(core).some(
      ({ plan }) =>
        plan?.synchronisation !== undefined || (plan?.window !== undefined && plan.startsWith !== undefined),
    )
  )
    return false;
  await core.fleet.ready;
  // What another member carries out, or servers that do not answer: the next look asks again.
  const isMine = await claim(core, wavesJournal, signal).then(
    () => true,
    () => false,
  );
  if (isMine) carried.add(core);
  return isMine;
}

async function mayStart(core: CoreContext): Promise<boolean> {
  if (!core.gate.isProjectAccepted() || core.store.identity.isElsewhere()) return false;
  const { exists, locked } = await core.vault.status();
  return !exists || !locked;
}

const carried = new WeakSet<CoreContext>();

/** Whether this engine carries out plans for its fleet. */
export function carriesOutCalendar(core: CoreContext): boolean {
  return carried.has(core);
}

const plansOf = (core: CoreContext) =>
  defaultsFiles(projectFolderOf(core))
    .waves.each()
    .flatMap(({ read }) => ('thing' in read ? [read.thing] : []));

/**
 * Carries out the plans of waves until the signal is aborted.
 *
 * @param stays whether this engine stays open, as that of the workbench does; one of a command looks only while it carries out a wave
 */
export async function carryOutCalendar(
  core: CoreContext,
  clock: Clock,
  stays: () => boolean,
  signal: AbortSignal,
): Promise<void> {
  const known = new Map<string, string>();
  while (!signal.aborted) {
    try {
      const mine = await mayLook(core, stays(), signal);
      // Another one may have looked meanwhile.
      if (!mine) known.clear();
      else
        await lookAtCalendar({
          store: core.store.waveCalendar,
          known,
          waves: () => plansOf(core),
          mayStart: () => mayStart(core),
          startedAt: (wave) => {
            const [run] = core.store.waveRuns.list(wave, 1);
            return run === undefined ? undefined : Date.parse(run.createdAt);
          },
          isActive: (wave) => core.waves.isActive(wave),
          start: async (wave, action) => startWave(core, { wave, action }),
          emit: core.emit,
          now: () => clock.wallTime(),
        });
    } catch (error) {
      // A file that can't be read now, a full disk: the next look tries again.
      if (!(error instanceof CausewayError))
        core.emit({
          type: 'note',
          message: `the calendar could not be read: ${error instanceof Error ? error.message : String(error)}`,
          details: {},
        });
    }
    await clock.sleep(pauseMs, signal).catch(() => undefined);
  }
}
