import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClassicContext } from '../../../electron/engine/platforms/classic-infrastructure-cloud/client/open-classic.ts';
import { createClassicSource } from '../../../electron/engine/platforms/classic-infrastructure-cloud/source/classic-source.ts';
import { ledgerScope } from '../../../electron/engine/store/ledger.ts';
import { openStore } from '../../../electron/engine/store/store.ts';
import type { JsonObject } from '../../../shared/model/json.ts';
import { startClassicCloudWithCalls } from '../../conformance/classic-cloud-labs.ts';
import type { MortalProcess } from '../../conformance/platform-calls.ts';
import type { SourceHarness } from '../../conformance/source-harness.ts';
import { closing, temporaryFolder } from '../closing.ts';
import { hurriedClock, patientRequestMs } from '../hurried-clock.ts';
import type { SimulationOptions } from '../cloud-kit/start.ts';
import type { ClassicCloud } from './start.ts';
import { fileOf } from './world.ts';
import type { InstanceRecord, VolumeRecord } from './world.ts';

/** Bytes of a disk: GiB would have every test move gigabytes. */
const unit = 8 * 2 ** 20;

/** An instance of the lab's account with two volumes that a suite writes to as the guest would. */
export interface ClassicSourceLab extends SourceHarness {
  readonly cloud: ClassicCloud;
  readonly instance: InstanceRecord;
  readonly notes: readonly string[];
}

export async function classicSourceHarness(
  options: {
    readonly cloud?: SimulationOptions;
    readonly environment?: JsonObject;
    readonly context?: ClassicContext;
    readonly connection?: object;
  } = {},
): Promise<ClassicSourceLab> {
  await using stack = new AsyncDisposableStack();
  const { cloud, calls, clock } = await startClassicCloudWithCalls(options.cloud);
  stack.adopt(cloud, closing);
  const { world } = cloud;
  const { files } = world.ground;
  const volumes: VolumeRecord[] = [
    await world.addVolume('web_root', unit, { bootable: true }),
    await world.addVolume('web_data', unit, { properties: ['/oracle/public/storage/latency'] }),
  ];
  const instance = world.addInstance('web', volumes);
  const folder = await temporaryFolder(stack, 'causeway-classic-harness-');
  const store = stack.adopt(openStore(folder, undefined, hurriedClock(20)), closing);
  const notes: string[] = [];
  const use = { replicaId: 'rep-1', executionId: 'exe-1', note: (message: string) => void notes.push(message) };
  const reopen = (process?: MortalProcess) =>
    createClassicSource(
      cloud.connection(options.connection),
      {
        scratchFolder: folder,
        use,
        ledger: ledgerScope(process === undefined ? store.ledger : process.ledger(store.ledger), {
          endpointId: 'end-1',
          replicaId: use.replicaId,
          executionId: use.executionId,
          side: 'source',
        }),
      },
      {
        clock,
        timing: { requestMs: patientRequestMs, looksBeforeCreatingAgain: 2, pollFirstMs: 5, pollCapMs: 20 },
        ...options.context,
      },
    );
  const platform = stack.adopt(reopen(), closing);
  const volume = (index: number): VolumeRecord => {
    const found = volumes[index];
    if (found === undefined) throw new Error(`there is no disk ${index}`);
    return found;
  };
  const opened = stack.move();
  return {
    cloud,
    calls,
    instance,
    notes,
    platform,
    reopen,
    vmId: instance.name,
    environment: options.environment ?? { export_image_name: 'OL_8.9_UEKR6_x86_64', export_shape_name: 'oc3' },
    diskIds: volumes.map(({ name }) => name),
    tracksChanges: true,
    isLive: true,
    diskUnitBytes: unit,
    leftovers: async () => world.leftovers(),
    write: (index, offset, length, byte) => files.write(fileOf(volume(index).name), offset, Buffer.alloc(length, byte)),
    zero: (index, offset, length) => files.write(fileOf(volume(index).name), offset, Buffer.alloc(length)),
    content: (index) => files.read(fileOf(volume(index).name), 0, Number(volume(index).size)),
    async addDisk(sizeBytes, byte) {
      const added = await world.addVolume('web_more', sizeBytes);
      await files.write(fileOf(added.name), 0, Buffer.alloc(sizeBytes, byte));
      world.bind(instance, added.name, 3, 'attached', false);
      return added.name;
    },
    async growDisk(index, sizeBytes) {
      volume(index).size = String(sizeBytes);
      await files.grow(fileOf(volume(index).name), sizeBytes);
    },
    async spoil(snapshot) {
      const marks = snapshot.state['disks'] as Readonly<Record<string, { readonly snapshot: string }>>;
      world.snapshots.delete(marks[volume(0).name]?.snapshot ?? '');
    },
    // What a worker compares with.
    loseBase: () => rm(join(folder, 'classic-infrastructure-cloud-digests'), { recursive: true, force: true }),
    async close() {
      await opened.disposeAsync();
      if (cloud.violations.length > 0)
        throw new Error(`not as the vendor's types have it: ${cloud.violations.join('; ')}`);
    },
  };
}
