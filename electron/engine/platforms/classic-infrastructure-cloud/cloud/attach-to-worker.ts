import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { attachVolume } from '../../../cloud-resources/volume-attachments.ts';
import type { DestinationRun, DeviceIdentity, Volume } from '../../../ports/destination-platform.ts';
import { deviceOfIndex } from '../client/object-names.ts';
import type { Classic } from '../client/open-classic.ts';
import { cloudApi } from './remove-resource.ts';

/** Attaches a volume to a worker. */
export async function attachToWorker(
  classic: Classic,
  run: DestinationRun,
  workerId: string,
  volume: Volume,
  signal: AbortSignal,
): Promise<DeviceIdentity> {
  await attachVolume(cloudApi(classic), run, workerId, volume.id, signal);
  return deviceOf(classic, workerId, volume, signal);
}

/** The index of an attachment is what the guest's kernel names the volume by. */
export async function deviceOf(
  classic: Classic,
  workerId: string,
  volume: Volume,
  signal: AbortSignal,
): Promise<Extract<DeviceIdentity, { readonly kind: 'by-path' }>> {
  const own = (await classic.storage.attachments(signal)).find(
    (each) => each.instance_name === workerId && each.storage_volume_name === volume.id,
  );
  if (own === undefined)
    throw new CausewayError(
      'cloud.unexpected-answer',
      `volume ${volume.id} is attached, but the list of attachments does not have it`,
      { details: { volumeId: volume.id, serverId: workerId } },
    );
  return { kind: 'by-path', path: deviceOfIndex(own.index), sizeBytes: volume.sizeBytes };
}
