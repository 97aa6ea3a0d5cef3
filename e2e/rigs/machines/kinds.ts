import { ensureWorkerInitramfs, ensureWorkerRoot } from '../images/ensure.ts';
import type { Progress } from '../images/ensure.ts';
import { LabMachines } from './lab-machines.ts';
import type { StartMachine } from './machine.ts';
import { nativeWorkers } from './native-worker.ts';
import { qemuMachines } from './qemu-machine.ts';
import { userWorkers } from './user-worker.ts';

/**
 * What servers from images are in the lab:
 * - `native`: the worker image's root file system in namespaces; needs root
 * - `user`: an sshd of this user, volumes as files; needs nothing
 * - `qemu`: an emulated machine
 */
export type WorkerKind = 'native' | 'user' | 'qemu';

export interface MachineOptions {
  readonly worker: WorkerKind;
  /** Whether native workers reach networks beyond the lab (package mirrors). Default false. */
  readonly outbound?: boolean;
  readonly progress?: Progress;
}

/** The `machines` option of `startEuropeanCloud`. Servers that boot a volume are emulated machines whatever workers are. */
export function labMachines(options: MachineOptions): (folder: string) => Promise<LabMachines> {
  return async (folder) => {
    const emulated = qemuMachines({ workerInitramfs: () => ensureWorkerInitramfs(options.progress) });
    const worker = await workerStart(options, emulated);
    return new LabMachines(folder, (plan, place) => (plan.boot.kind === 'volume' ? emulated : worker)(plan, place));
  };
}

/** The kind that this machine can have at once: native workers as root, workers of the user otherwise. */
export const usualWorkerKind: WorkerKind = process.geteuid?.() === 0 ? 'native' : 'user';

async function workerStart(options: MachineOptions, emulated: StartMachine): Promise<StartMachine> {
  if (options.worker === 'qemu') return emulated;
  if (options.worker === 'user') return userWorkers();
  if (process.geteuid?.() !== 0) throw new Error('native workers need root; workers of the kind "user" do without');
  return nativeWorkers({ imageRoot: await ensureWorkerRoot(options.progress), outbound: options.outbound ?? false });
}
