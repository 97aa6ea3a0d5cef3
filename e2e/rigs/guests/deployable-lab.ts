import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import type { GuestPreparation } from '../../../electron/engine/deployments/deployment-context.ts';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { closing } from '../closing.ts';
import { startProjectLab, type ProjectLab, type ProjectLabOptions } from '../project/lab-project.ts';
import { pretendedPreparation } from './pretended-preparation.ts';
import { talkingBootSector } from './talking-boot-sector.ts';

const MiB = 1024 * 1024;
const sizeBytes = 2 * MiB;
export const noRoom = new CausewayError('osmorphing.initramfs', 'no room on the boot file system', {
  retryable: false,
});

/** A lab with the replica `web` of two small disks, in which whole deployments take about a second. */
export interface DeployableLab {
  readonly lab: ProjectLab;
  /** Whether guests can't be prepared. */
  fails: boolean;
  /** Makes the replica's volumes what its disks are. */
  synchronise(): Promise<void>;
  /** What the replica's volumes hold where the disks' content is, as digests. */
  content(): Promise<string[]>;
  /** What is there beside the volumes of the replica, in the cloud or in the ledger. */
  leftOver(): Promise<string[]>;
}

/** The preparation of such a lab's guests: a real worker writes into the boot disk, and then it may fail. */
export function smallPreparation(fails: () => boolean): GuestPreparation {
  const pretended = pretendedPreparation('Debian GNU/Linux 12 web ttyS0\r\n\r\nweb login: ');
  return {
    ...pretended.guests,
    morphOf: (...asked) => {
      const morph = pretended.guests.morphOf(...asked);
      return async (request) => {
        const outcome = await morph(request);
        if (fails()) throw noRoom;
        return outcome;
      };
    },
  };
}

export async function startDeployableLab(options: Omit<ProjectLabOptions, 'core'>): Promise<DeployableLab> {
  await using stack = new AsyncDisposableStack();
  const lab = stack.adopt(
    await startProjectLab({
      ...options,
      patience: { boot: 'quick', ...options.patience },
      core: { guests: smallPreparation(() => deployable.fails) },
    }),
    closing,
  );
  const folder = join(lab.images, 'web');
  await mkdir(folder);
  for (const [name, head] of [
    ['a.raw', talkingBootSector('(initramfs) ')],
    ['b.raw', randomBytes(MiB)],
  ] as const) {
    const path = join(folder, name);
    const handle = await open(path, 'w');
    await handle.write(head, 0, head.length, 0);
    await handle.close();
    await truncate(path, sizeBytes);
  }
  await lab.createReplica('web', 'web', 'SSH');

  const replicaVolumes = async (): Promise<string[]> => {
    const { disks } = await lab.use((core) => core.call('replica.show', { replica: 'web' }));
    return disks.flatMap((disk) => disk.volumeId ?? []);
  };
  const deployable: DeployableLab = {
    lab,
    fails: false,
    async synchronise() {
      const { id } = await lab.use((core) => core.call('replica.execute', { replica: 'web' }));
      const { state, error } = await lab.use((core) => core.call('execution.show', { execution: id }));
      if (state !== 'completed') throw new Error(`the copy is ${state}: ${error?.message}`);
    },
    content: async () =>
      Promise.all(
        (await replicaVolumes()).map(async (volume) => {
          const hash = createHash('sha256');
          for await (const piece of createReadStream(lab.cloud.volumePath(volume), { end: sizeBytes - 1 }))
            hash.update(piece as Buffer);
          return hash.digest('hex');
        }),
      ),
    async leftOver() {
      const own = await replicaVolumes();
      const entries = await lab.use((core) => core.call('ledger.list', {}));
      return [
        ...[...lab.cloud.world.volumes.values()]
          .filter((volume) => !own.includes(volume.id))
          .map((volume) => `volume ${volume.name}`),
        ...own.filter((id) => !lab.cloud.world.volumes.has(id)).map((id) => `the replica has lost volume ${id}`),
        ...lab.cloud.world.leftovers().filter((line) => !line.startsWith('volume ')),
        ...entries
          .filter((entry) => entry.lifetime !== 'replica')
          .map((entry) => `in the ledger: ${entry.kind} ${entry.state}`),
      ];
    },
  };
  await deployable.synchronise();
  // From here on it goes when the lab is closed.
  stack.move();
  return deployable;
}
