import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { AttachedVolume } from '../ports/destination-platform.ts';
import type { WorkerDevice } from '../ports/write-target.ts';
import type { Clock } from '../time/clock.ts';
import { pollUntil, type PollPlan } from '../time/poll.ts';
import { isSameDevice, matchDevices } from './match-devices.ts';

/** The devices of a computer at this moment. */
export type LookAtDevices = (signal: AbortSignal) => Promise<readonly WorkerDevice[]>;

/** How the devices of a computer are waited for. */
export interface DeviceWait {
  readonly look: LookAtDevices;
  readonly plan: PollPlan;
  readonly clock: Clock;
}

/** What stands on other devices: volume groups and arrays. */
const onOthers = /^\/dev\/(?:dm-|md)\d/;

/** Disks that a computer has now and had not before, without what is in use. */
function appeared(before: readonly WorkerDevice[], now: readonly WorkerDevice[]): readonly WorkerDevice[] {
  return now.filter(
    (device) => !device.inUse && !onOthers.test(device.path) && !before.some((former) => isSameDevice(former, device)),
  );
}

/**
 * Pairs volumes with devices that appeared since they began to be attached, on a computer that has disks of its own without serials. There must be exactly
 * as many as volumes: with one more, any of them could be another disk.
 *
 * @returns the volumes, each with its device
 * @throws `engine.volume-not-matched`
 */
export async function pairWithNew(
  attached: readonly AttachedVolume[],
  before: readonly WorkerDevice[],
  now: readonly WorkerDevice[],
): Promise<readonly AttachedVolume[]> {
  const fresh = appeared(before, now);
  if (fresh.length > attached.length) throw tooMany(attached, fresh);
  const isNew = (device: WorkerDevice): boolean => !before.some((former) => isSameDevice(former, device));
  const devices = await matchDevices(attached, now.filter(isNew));
  return attached.map((each) => {
    const { path, sequence } = devices.get(each.volume.id)!;
    return { ...each, device: { path, ...(sequence === undefined ? {} : { sequence }) } };
  });
}

/** The same, as soon as the system has the devices. More of them than volumes do not become fewer. */
export function awaitNewDevices(
  attached: readonly AttachedVolume[],
  before: readonly WorkerDevice[],
  { look, plan, clock }: DeviceWait,
  signal: AbortSignal,
): Promise<readonly AttachedVolume[]> {
  let last: CausewayError | undefined;
  return pollUntil(
    async (within) => {
      const now = await look(within);
      try {
        return { done: true, value: await pairWithNew(attached, before, now) };
      } catch (error) {
        if (
          !(error instanceof CausewayError) ||
          error.code !== 'engine.volume-not-matched' ||
          appeared(before, now).length > attached.length
        )
          throw error;
        last = error;
        return { done: false, state: error.message };
      }
    },
    plan,
    clock,
    signal,
    (state) => last ?? new CausewayError('engine.volume-not-matched', state),
  );
}

/**
 * Tries out whether volumes that are attached to a VM appear on this computer: one is attached and detached, and its device has to appear and to disappear.
 *
 * @returns a disk that only seemed to be the volume's: it stayed
 * @throws `engine.volume-not-matched` when no device appeared, or more than one
 */
export async function tryOut(
  attach: () => Promise<AttachedVolume>,
  detach: () => Promise<unknown>,
  wait: DeviceWait,
  signal: AbortSignal,
): Promise<Pick<WorkerDevice, 'path'> | undefined> {
  const before = await wait.look(signal);
  const [one] = await awaitNewDevices([await attach()], before, wait, signal);
  await detach();
  return one?.device === undefined || (await isGone(one.device, wait, signal)) ? undefined : one.device;
}

async function isGone(
  device: Pick<WorkerDevice, 'path' | 'sequence'>,
  { look, plan, clock }: DeviceWait,
  signal: AbortSignal,
): Promise<boolean> {
  const late = new Error('it is still there');
  try {
    return await pollUntil(
      async (within) =>
        (await look(within)).some((each) => isSameDevice(each, device))
          ? { done: false, state: 'there' }
          : { done: true, value: true },
      plan,
      clock,
      signal,
      () => late,
    );
  } catch (error) {
    if (error === late) return false;
    throw error;
  }
}

function tooMany(attached: readonly AttachedVolume[], fresh: readonly WorkerDevice[]): CausewayError {
  const many = attached.length === 1 ? '1 volume was' : `${attached.length} volumes were`;
  return new CausewayError(
    'engine.volume-not-matched',
    `${many} attached, and ${fresh.length} devices appeared on this computer: ${fresh.map(({ path }) => path).join(', ')}`,
    {
      details: {
        volumes: attached.map(({ volume }) => volume.id),
        devices: fresh.map(({ path, sizeBytes }) => ({ path, sizeBytes })),
      },
    },
  );
}
