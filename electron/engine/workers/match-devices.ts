import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { AttachedVolume, DeviceIdentity, Volume } from '../ports/destination-platform.ts';
import type { IscsiLogin, WorkerDevice } from '../ports/write-target.ts';

/** virtio-blk passes 20 bytes of a serial on, so a device may carry the beginning only. */
const shortestPrefix = 20;
/** Platforms round a volume up to whole GiB. */
const roundingBytes = 1024 ** 3;

/**
 * Finds which of several devices is an empty volume, by writing to it.
 *
 * @returns undefined when that does not tell either
 */
export type DeviceProbe = (volume: Volume, candidates: readonly WorkerDevice[]) => Promise<WorkerDevice | undefined>;

/**
 * Finds the device of each volume by what the platform knows of it (serial, LUN, path or order of attachment) and the size. Where more than one device
 * fits a volume that was created empty, the probe decides. Never a guess: otherwise no candidate, two of them, or one device for two volumes is an error.
 *
 * @returns devices by volume id
 * @throws CausewayError `engine.volume-not-matched` with the list of devices
 */
export async function matchDevices(
  attached: readonly AttachedVolume[],
  devices: readonly WorkerDevice[],
  probe?: DeviceProbe,
): Promise<Map<string, WorkerDevice>> {
  const matched = new Map<string, WorkerDevice>();
  const taken = new Map<string, Volume>();
  const take = (volume: Volume, device: WorkerDevice): void => {
    const other = taken.get(device.path);
    if (other !== undefined)
      throw notMatched(
        { volume, identity: identityOf(attached, volume) },
        `${device.path} also fits volume ${other.id}`,
        devices,
      );
    taken.set(device.path, volume);
    matched.set(volume.id, device);
  };
  const [byOrder, named] = [
    attached.filter(({ identity }) => identity.kind === 'order'),
    attached.filter(({ identity }) => identity.kind !== 'order'),
  ];
  for (const each of named) {
    const { volume, identity } = each;
    const fitting = devices.filter(
      (device) => isNamed(identity, device) && (each.device === undefined || isSameDevice(each.device, device)),
    );
    const candidates = fitting.filter((device) => fits(identity, device) && !device.inUse);
    const device = candidates.length > 1 && volume.createdByThisCall ? await probe?.(volume, candidates) : undefined;
    if (candidates.length === 0)
      throw notMatched(
        each,
        fitting.length === 0 ? `no device has this ${identity.kind}` : 'the device has another size or is in use',
        devices,
      );
    if (candidates.length > 1 && device === undefined)
      throw notMatched(each, `${candidates.length} devices fit`, devices);
    take(volume, device ?? candidates[0]!);
  }
  if (byOrder.length === 0) return matched;
  const left = devices.filter((device) => !device.inUse && !taken.has(device.path)).toSorted(byKernelOrder);
  const sorted = byOrder.toSorted((a, b) => orderOf(a.identity) - orderOf(b.identity));
  // As many free devices as volumes, each of the size of its volume: the order says it all.
  const inOrder =
    left.length === sorted.length && new Set(sorted.map(({ identity }) => orderOf(identity))).size === sorted.length;
  for (const [index, each] of sorted.entries()) {
    const { volume, identity } = each;
    const candidates = left.filter((device) => fits(identity, device) && !taken.has(device.path));
    const atPlace = inOrder ? left[index] : undefined;
    let device = atPlace !== undefined && fits(identity, atPlace) ? atPlace : undefined;
    if (!inOrder && candidates.length === 1 && isOnlyOne(sorted, candidates[0]!)) device = candidates[0];
    if (device === undefined && candidates.length > 0 && volume.createdByThisCall && isOnlyEmpty(sorted, each))
      device = await probe?.(volume, candidates);
    if (device === undefined)
      throw notMatched(
        each,
        candidates.length === 0 ? 'no free device has its size' : `${candidates.length} devices fit`,
        devices,
      );
    take(volume, device);
  }
  return matched;
}

/** Whether two looks saw the same device, and not another one that has got its name. */
export function isSameDevice(
  one: Pick<WorkerDevice, 'path' | 'sequence'>,
  other: Pick<WorkerDevice, 'path' | 'sequence'>,
): boolean {
  return (
    one.path === other.path &&
    (one.sequence === undefined || other.sequence === undefined || one.sequence === other.sequence)
  );
}

/** Whether a worker still has a device of one of these volumes. */
export function hasDeviceOf(attached: readonly AttachedVolume[], devices: readonly WorkerDevice[]): boolean {
  return attached.some(({ identity }) =>
    devices.some((device) => isNamed(identity, device) && fits(identity, device) && !device.inUse),
  );
}

/** Whether only one of the volumes fits a device. */
function isOnlyOne(attached: readonly AttachedVolume[], device: WorkerDevice): boolean {
  return attached.filter(({ identity }) => fits(identity, device)).length === 1;
}

/** Whether no other volume is empty and of the same size: the probe can't tell empty volumes from each other. */
function isOnlyEmpty(attached: readonly AttachedVolume[], { volume, identity }: AttachedVolume): boolean {
  return !attached.some(
    (other) =>
      other.volume.id !== volume.id &&
      other.volume.createdByThisCall &&
      Math.abs(other.identity.sizeBytes - identity.sizeBytes) < roundingBytes,
  );
}

function isNamed(identity: DeviceIdentity, device: WorkerDevice): boolean {
  switch (identity.kind) {
    case 'serial':
      return sameSerial(identity.serial, device.serial);
    case 'lun':
      return (
        device.lun === identity.lun &&
        (identity.isLinked !== true || device.byPath.some((name) => name.startsWith('azure/')))
      );
    case 'by-path':
      return (
        device.path === `/dev/${identity.path}` ||
        hasPath(device, identity.path.replace(/^\/dev\/disk\/by-path\//, ''), identity.login !== undefined)
      );
    case 'order':
      return false;
  }
}

/** A target that was logged in to has one disk, whatever its number. */
function hasPath({ byPath }: WorkerDevice, path: string, isTarget: boolean): boolean {
  return byPath.some((name) => name === path || (isTarget && name.replace(/-lun-\d+$/, '') === path));
}

/** What workers have to log in to before they have a device for each volume. */
export function loginsOf(attached: readonly AttachedVolume[]): readonly IscsiLogin[] {
  return attached.flatMap(({ identity }) =>
    identity.kind === 'by-path' && identity.login !== undefined ? [identity.login] : [],
  );
}

function sameSerial(wanted: string, seen: string): boolean {
  if (wanted === '' || seen === '') return false;
  return wanted === seen || (seen.length >= shortestPrefix && wanted.startsWith(seen));
}

function fits({ sizeBytes }: DeviceIdentity, device: WorkerDevice): boolean {
  return device.sizeBytes >= sizeBytes && device.sizeBytes - sizeBytes < roundingBytes;
}

const orderOf = (identity: DeviceIdentity): number => (identity.kind === 'order' ? identity.order : 0);

const identityOf = (attached: readonly AttachedVolume[], volume: Volume): DeviceIdentity =>
  attached.find((each) => each.volume.id === volume.id)?.identity ?? {
    kind: 'order',
    order: 0,
    sizeBytes: volume.sizeBytes,
  };

/** The kernel names disks in the order in which they appear: sdb before sdaa. */
function byKernelOrder(a: WorkerDevice, b: WorkerDevice): number {
  return a.path.length - b.path.length || (a.path < b.path ? -1 : 1);
}

function notMatched(
  { volume, identity }: AttachedVolume,
  why: string,
  devices: readonly WorkerDevice[],
): CausewayError {
  // Without what it is logged in to with.
  const { kind, sizeBytes, ...known } =
    identity.kind === 'by-path'
      ? { kind: identity.kind, path: identity.path, sizeBytes: identity.sizeBytes }
      : identity;
  return new CausewayError(
    'engine.volume-not-matched',
    `volume ${volume.id} (${kind} ${Object.values(known)
      .filter((each) => each !== true)
      .join('')}, ${sizeBytes} bytes): ${why}`,
    {
      details: {
        volumeId: volume.id,
        identity: { kind, sizeBytes, ...known },
        devices: devices.map(({ path, serial, lun = null, byPath, sizeBytes: bytes, inUse }) => ({
          path,
          serial,
          lun,
          byPath: [...byPath],
          sizeBytes: bytes,
          inUse,
        })),
      },
    },
  );
}
