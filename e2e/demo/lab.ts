import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { SourceVm } from '../rigs/emulated-vm.ts';
import { closing } from '../rigs/closing.ts';
import { startEuropeanCloud, type EuropeanCloud } from '../rigs/european-cloud/start.ts';
import { labMachines, usualWorkerKind } from '../rigs/machines/kinds.ts';
import { hasProgram } from '../rigs/machines/require-programs.ts';
import { usualSourceVm } from '../rigs/usual-source-vm.ts';

/** A cloud to move to, and a VM to move unless it was left out. */
export interface Lab {
  readonly cloud: EuropeanCloud;
  readonly vm?: SourceVm;
  close(): Promise<void>;
}

export interface LabOptions {
  /** Where everything of it lives; sockets in it allow for about 80 characters. */
  readonly folder: string;
  readonly withVm: boolean;
  readonly say: (line: string) => void;
}

export const vmName = 'web-01';

const workers = {
  native: 'containers with sshd and block devices',
  user: 'SSH servers run by this user, with plain files as volumes',
  qemu: 'emulated machines',
};

/** Preparing a guest installs packages in it, so that its worker needs a way to package mirrors. */
const reachesMirrors = usualWorkerKind === 'native' && hasProgram('slirp4netns');

/** Starts the lab in the way that this user can; says which one that is. Resolves when the VM's guest answers. */
export async function startLab({ folder, withVm, say }: LabOptions): Promise<Lab> {
  const isRoot = process.geteuid?.() === 0;
  say(
    isRoot
      ? 'Running as root: the lab is the one that the tests use.'
      : 'Not running as root: the lab uses only what needs no privileges. Replication and comparison are the same.',
  );
  say(`  workers: ${workers[usualWorkerKind]}`);
  if (withVm) say(`  the VM:  ${usualSourceVm.about}`);
  if (usualWorkerKind === 'native' && !reachesMirrors)
    say(
      '  Workers reach no package mirrors (slirp4netns is missing): a guest can be prepared only with --package-cache.',
    );
  await mkdir(folder, { recursive: true });
  await using stack = new AsyncDisposableStack();
  const cloud = stack.adopt(
    await startEuropeanCloud({
      folder: join(folder, 'cloud'),
      transitionMs: 100,
      machines: labMachines({ worker: usualWorkerKind, outbound: reachesMirrors, progress: say }),
    }),
    closing,
  );
  const vm = withVm ? stack.adopt(await startVm(folder, say), closing) : undefined;
  const opened = stack.move();
  return { cloud, ...(vm === undefined ? {} : { vm }), close: () => opened.disposeAsync() };
}

/** Resolves when its guest answers. */
async function startVm(folder: string, say: (line: string) => void): Promise<SourceVm> {
  await using stack = new AsyncDisposableStack();
  const vm = stack.adopt(
    await usualSourceVm.start({ folder: join(folder, 'vm'), name: vmName, progress: say }),
    closing,
  );
  say('The VM is powered on; its guest boots in an emulated machine (half a minute to a minute).');
  await vm.ssh.waitUntilUp();
  say(
    `Its guest answers: ${(await vm.ssh.text('uname -sr; . /etc/os-release; echo "$PRETTY_NAME"')).replaceAll('\n', ', ')}`,
  );
  // From here on it goes when it is closed.
  stack.move();
  return vm;
}
