// needs: workers
import { canRun, forNativeWorkers } from '../../../scripts/test/needs.ts';
import { ensureWorkerInitramfs, ensureWorkerRoot } from '../images/ensure.ts';
import type { Progress } from '../images/ensure.ts';
import type { IscsiTargets } from './iscsi-targets.ts';
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
  /** A function is asked whenever one starts. */
  readonly worker: WorkerKind | (() => WorkerKind);
  /** Whether native workers reach networks beyond the lab (package mirrors). Default false. */
  readonly outbound?: boolean;
  readonly progress?: Progress;
  /** Where emulated machines log in to volumes that they are to have by iSCSI. */
  readonly targets?: IscsiTargets;
}

/** The `machines` option of `startEuropeanCloud`. Servers that boot a volume are emulated machines whatever workers are. */
export function labMachines(options: MachineOptions): (folder: string) => Promise<LabMachines> {
  return async (folder) => {
    const emulated = qemuMachines({
      workerInitramfs: () => ensureWorkerInitramfs(options.progress),
      ...(options.targets === undefined ? {} : { targets: options.targets }),
    });
    const { worker: wanted } = options;
    const worker =
      typeof wanted === 'string' ? await workerStart(wanted, options, emulated) : asAsked(wanted, options, emulated);
    return new LabMachines(folder, (plan, place) => (plan.boot.kind === 'volume' ? emulated : worker)(plan, place));
  };
}

/** The kind that this machine can have at once: native workers as root where it has namespaces and loop devices (containers often lack them), workers of the user otherwise. */
export const usualWorkerKind: WorkerKind = canRun(...forNativeWorkers) ? 'native' : 'user';

function asAsked(wanted: () => WorkerKind, options: MachineOptions, emulated: StartMachine): StartMachine {
  const starts = new Map<WorkerKind, Promise<StartMachine>>();
  return async (plan, place) => {
    const kind = wanted();
    const start = starts.get(kind) ?? workerStart(kind, options, emulated);
    starts.set(kind, start);
    return (await start)(plan, place);
  };
}

async function workerStart(kind: WorkerKind, options: MachineOptions, emulated: StartMachine): Promise<StartMachine> {
  if (kind === 'qemu') {
    // Here, not when the first one starts: building the image takes a minute or more, and nobody waits that long for a server.
    await ensureWorkerInitramfs(options.progress);
    return emulated;
  }
  if (kind === 'user') return userWorkers();
  if (process.geteuid?.() !== 0) throw new Error('native workers need root; workers of the kind "user" do without');
  return nativeWorkers({ imageRoot: await ensureWorkerRoot(options.progress), outbound: options.outbound ?? false });
}
