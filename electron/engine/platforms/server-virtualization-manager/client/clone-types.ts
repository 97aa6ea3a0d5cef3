import { CausewayError, toErrorRecord } from '../../../../../shared/model/causeway-error.ts';
import { cloneDisk } from './changes.ts';
import type { Manager } from './open-manager.ts';
import { nameOfObject, type OvmDisk } from './shapes.ts';

/** Copies of the disks of a running VM must share its blocks: a copy that takes its time has parts of several states. */
export const instant = 'THIN_CLONE';

/** Types that the repository does not take are refused by it: the next one is tried then. */
export async function cloneByFirstType(
  manager: Manager, disk: OvmDisk, repositoryId: string, types: readonly string[], note: (message: string) => void, signal: AbortSignal,
): Promise<OvmDisk> {
  const [type = instant, ...others] = types;
  try {
    return await cloneDisk(manager, disk.id.value, repositoryId, type, signal);
  } catch (error) {
    if (!(error instanceof CausewayError) || !['cloud.operation-failed', 'cloud.request-refused'].includes(error.code)) throw error;
    const { message } = toErrorRecord(error);
    if (others.length === 0) {
      const advice = type === instant ? '. Stop the VM, so that its disks can be copied in another way, or choose a repository on which thin clones work' : '';
      throw new CausewayError('source.snapshot-failed', `${message}${advice}`, { details: { ...error.details, parameter: 'virtual_disk_clone_type' }, cause: error });
    }
    note(`Disk ${nameOfObject(disk)} cannot be cloned by ${type}: ${message}. Trying ${others[0] ?? ''}`);
    return cloneByFirstType(manager, disk, repositoryId, others, note, signal);
  }
}
