import { noContent } from '../../cloud-kit/call.ts';
import type { BackupRecord } from '../records.ts';
import { creation, demand, incorrectState, invalid, isGone, listReply, tagsOf } from '../world.ts';
import type { Call, Operation } from '../world.ts';

const isBoot = (id: string): boolean => id.startsWith('ocid1.bootvolumebackup.');
const backupOf = (call: Call): BackupRecord =>
  demand(call.world.backups, call.params['volumeBackupId'] ?? call.params['bootVolumeBackupId']);
const shown = (backup: BackupRecord): object => ({ ...backup });

const listOf =
  (boot: boolean): Operation =>
  (call) =>
    listReply(
      call,
      call.world.backups.listed().filter(({ id }) => isBoot(id) === boot),
      ['compartmentId', 'displayName', 'lifecycleState'],
      shown,
    );
export const listBackups = listOf(false);
export const listBootBackups = listOf(true);

export const getBackup: Operation = (call) => ({
  status: 200,
  body: shown(backupOf(call)),
  headers: { etag: call.world.etagOf(backupOf(call)) },
});

const created = (boot: boolean): Operation =>
  creation((call) => {
    const { world, body } = call;
    const volume = demand(world.volumes, body[boot ? 'bootVolumeId' : 'volumeId']);
    if (volume.id.startsWith('ocid1.bootvolume.') !== boot) throw invalid('The volume is of the other kind');
    if (volume.lifecycleState !== 'AVAILABLE') throw incorrectState(`The volume is in state ${volume.lifecycleState}`);
    const backup: BackupRecord = {
      id: world.newId(boot ? 'bootvolumebackup' : 'volumebackup'),
      compartmentId: volume.compartmentId,
      displayName: String(body['displayName'] ?? ''),
      timeCreated: world.now(),
      lifecycleState: 'CREATING',
      type: String(body['type'] ?? 'INCREMENTAL'),
      sizeInGBs: volume.sizeInGBs,
      freeformTags: tagsOf(body),
      ...(boot ? { bootVolumeId: volume.id } : { volumeId: volume.id }),
      ...(volume.imageId === undefined ? {} : { imageId: volume.imageId }),
    };
    world.backups.set(backup.id, backup);
    world.transition({
      fault: call.fault,
      work: () => world.ground.files.copy(volume.id, backup.id),
      succeed: () => {
        backup.lifecycleState = 'AVAILABLE';
      },
      fail: () => {
        backup.lifecycleState = 'FAULTY';
      },
    });
    return { status: 200, body: shown(backup), headers: { etag: world.etagOf(backup) } };
  });
export const createBackup = created(false);
export const createBootBackup = created(true);

export const deleteBackup: Operation = (call) => {
  const { world } = call;
  const backup = backupOf(call);
  if (isGone(backup) || backup.lifecycleState === 'TERMINATING' || backup.lifecycleState === 'CREATING')
    throw incorrectState(`The backup is in state ${backup.lifecycleState}`);
  backup.lifecycleState = 'TERMINATING';
  world.transition({
    fault: call.fault,
    work: () => world.ground.files.remove(backup.id),
    succeed: () => {
      backup.lifecycleState = 'TERMINATED';
    },
    fail: () => {
      backup.lifecycleState = 'FAULTY';
    },
  });
  return noContent();
};
