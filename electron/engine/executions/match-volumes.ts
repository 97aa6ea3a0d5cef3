import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { Volume } from '../ports/destination-platform.ts';
import type { WorkerDevice } from '../ports/disk-writer.ts';

/** virtio-blk passes 20 bytes of a serial on, so a device may carry the beginning only. */
const shortestPrefix = 20;
/** Clouds round a volume up to whole GiB. */
const roundingBytes = 1024 ** 3;

/**
 * Which device is which volume: by serial (whole, or a prefix of at least 20 characters) and size. Never a guess: two
 * candidates, or none, or one device for two volumes is an error.
 * @returns devices by volume id
 * @throws CausewayError `engine.volume-not-matched` with what was seen
 */
export function matchVolumes(volumes: readonly Volume[], devices: readonly WorkerDevice[]): Map<string, WorkerDevice> {
  const matched = new Map<string, WorkerDevice>();
  const taken = new Map<string, Volume>();
  for (const volume of volumes) {
    const bySerial = devices.filter((device) => sameSerial(volume.serial, device.serial));
    const candidates = bySerial.filter((device) => fits(volume, device) && !device.inUse);
    const [device, second] = candidates;
    if (device === undefined) {
      const near = bySerial.length === 0 ? 'no device has its serial' : 'the device with its serial has another size or is in use';
      throw notMatched(volume, near, devices);
    }
    if (second !== undefined) throw notMatched(volume, `${candidates.length} devices fit`, devices);
    const other = taken.get(device.path);
    if (other !== undefined) throw notMatched(volume, `${device.path} fits volume ${other.id} as well`, devices);
    taken.set(device.path, volume);
    matched.set(volume.id, device);
  }
  return matched;
}

function sameSerial(wanted: string, seen: string): boolean {
  if (wanted === '' || seen === '') return false;
  return wanted === seen || (seen.length >= shortestPrefix && wanted.startsWith(seen));
}

function fits(volume: Volume, device: WorkerDevice): boolean {
  return device.sizeBytes >= volume.sizeBytes && device.sizeBytes - volume.sizeBytes < roundingBytes;
}

function notMatched(volume: Volume, why: string, devices: readonly WorkerDevice[]): CausewayError {
  return new CausewayError('engine.volume-not-matched', `volume ${volume.id} (serial ${volume.serial}, ${volume.sizeBytes} bytes): ${why}`, {
    details: {
      volumeId: volume.id,
      serial: volume.serial,
      sizeBytes: volume.sizeBytes,
      devices: devices.map(({ path, serial, sizeBytes, inUse }) => ({ path, serial, sizeBytes, inUse })),
    },
  });
}
