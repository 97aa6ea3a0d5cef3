import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { cloneDisk } from './changes.ts';
import type { Manager } from './open-manager.ts';
import { nameOfObject, type OvmDisk } from './shapes.ts';

/** Copies of the disks of a running VM must share its blocks: a copy that takes its time has parts of several states. */
export const instant = 'THIN_CLONE';

const refusals = ['cloud.operation-failed', 'cloud.request-refused'];

/** Whether the manager did not make the copy, and said so. */
export function isRefused(error: unknown): error is CausewayError {
  return error instanceof CausewayError && refusals.includes(error.code);
}

/** Types that the repository does not take are refused by it: the next one is tried then. */
export async function cloneByFirstType(
  manager: Manager,
  disk: OvmDisk,
  repositoryId: string,
  types: readonly string[],
  note: (message: string) => void,
  signal: AbortSignal,
): Promise<OvmDisk> {
  const [type = instant, ...others] = types;
  try {
    return await cloneDisk(manager, disk.id.value, repositoryId, type, signal);
  } catch (error) {
    const [next] = others;
    if (next === undefined || !isRefused(error)) throw error;
    note(`Disk ${nameOfObject(disk)} cannot be cloned by ${type}: ${error.message}. Trying ${next}`);
    return cloneByFirstType(manager, disk, repositoryId, others, note, signal);
  }
}
