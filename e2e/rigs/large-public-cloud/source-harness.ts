import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  createAwsSource,
  type AwsSourceOptions,
} from '../../../electron/engine/platforms/large-public-cloud/source/index.ts';
import type { OwnVmOfSource } from '../../../electron/engine/ports/own-vm.ts';
import { ledgerScope } from '../../../electron/engine/store/ledger.ts';
import { openStore } from '../../../electron/engine/store/store.ts';
import type { JsonObject } from '../../../shared/model/json.ts';
import type { MortalProcess } from '../../conformance/platform-calls.ts';
import type { SourceHarness } from '../../conformance/source-harness.ts';
import { simulatedCalls } from '../../conformance/simulated-calls.ts';
import { closing, temporaryFolder } from '../closing.ts';
import { hurriedClock } from '../hurried-clock.ts';
import { startLargePublicCloud, type LargePublicCloud, type LargePublicCloudOptions } from './start.ts';
import type { InstanceRecord, VolumeRecord } from './world.ts';

/** Bytes of what the API gives sizes in. A GiB would have every test move gigabytes. */
export const unit = 8 * 2 ** 20;

/** An instance of the lab's cloud with two disks that a suite writes to as the guest would. */
export interface SourceLab extends SourceHarness {
  readonly cloud: LargePublicCloud;
  readonly instance: InstanceRecord;
  readonly volumes: readonly VolumeRecord[];
  readonly notes: readonly string[];
}

export interface SourceLabOptions {
  readonly cloud?: LargePublicCloudOptions;
  readonly connection?: object;
  readonly environment?: JsonObject;
  readonly source?: AwsSourceOptions;
  /** A VM that the engine runs on, in place of the worker. */
  readonly ownVm?: (cloud: LargePublicCloud) => Promise<OwnVmOfSource>;
}

export async function awsHarness(options: SourceLabOptions = {}): Promise<SourceLab> {
  await using stack = new AsyncDisposableStack();
  const { onCall, of } = simulatedCalls({ changes: ({ operation }) => !/^(?:Describe|List|Get)/.test(operation) });
  const cloud = stack.adopt(await startLargePublicCloud({ transitionMs: 3, unit, ...options.cloud, onCall }), closing);
  const { world } = cloud;
  const { files } = world.ground;
  const instance = world.addInstance('web');
  const volumes = [await world.addVolume(1), await world.addVolume(1)];
  for (const [index, volume] of volumes.entries())
    world.attach(volume, instance.id, index === 0 ? instance.rootDevice : '/dev/sdf');
  const ownVm = await options.ownVm?.(cloud);
  const folder = await temporaryFolder(stack, 'causeway-aws-harness-');
  const store = stack.adopt(openStore(folder, undefined, hurriedClock(20)), closing);
  const notes: string[] = [];
  const use = {
    replicaId: 'rep-1',
    executionId: 'exe-1',
    note: (message: string) => void notes.push(message),
    ...(ownVm === undefined ? {} : { ownVm }),
  };
  const reopen = (process?: MortalProcess) =>
    createAwsSource(
      cloud.connection(options.connection) as JsonObject,
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
        gib: unit,
        clock: hurriedClock(20),
        timeoutMs: 3000,
        attempts: 2,
        timing: { looksBeforeCreatingAgain: 2, pollFirstMs: 5, pollCapMs: 20, attachMs: 60_000 },
        ...options.source,
      },
    );
  const platform = stack.adopt(reopen(), closing);
  const volume = (index: number): VolumeRecord => {
    const found = volumes[index];
    if (found === undefined) throw new Error(`there is no disk ${index}`);
    return found;
  };
  const dropSnapshots = async (of: VolumeRecord): Promise<void> => {
    for (const snapshot of [...world.snapshots.values()].filter(({ volumeId }) => volumeId === of.id)) {
      world.snapshots.delete(snapshot.id);
      await files.remove(snapshot.id);
    }
  };
  const opened = stack.move();
  return {
    cloud,
    calls: of(cloud),
    instance,
    volumes,
    notes,
    platform,
    reopen,
    vmId: instance.id,
    environment: options.environment ?? {},
    diskIds: volumes.map(({ id }) => id),
    tracksChanges: true,
    isLive: true,
    diskUnitBytes: unit,
    leftovers: async () => [
      ...world.snapshots.keys(),
      ...world.groups.keys(),
      // The service goes on by itself with what it has begun to delete.
      ...[...world.volumes.values()]
        .filter(
          ({ state, attachment, snapshotId }) =>
            state !== 'deleting' && (snapshotId !== undefined || attachment === undefined),
        )
        .map(({ id }) => id),
      ...[...world.instances.values()]
        .filter(({ id, state }) => id !== instance.id && id !== ownVm?.vmId && state !== 'terminated')
        .map(({ id }) => id),
      // A copy that goes by itself may not keep the VM's place for it.
      ...(ownVm === undefined ? [] : world.volumesOf(ownVm.vmId).map(({ id }) => `${id} at the VM`)),
    ],
    write: (index, offset, length, byte) => files.write(volume(index).id, offset, Buffer.alloc(length, byte)),
    zero: (index, offset, length) => files.write(volume(index).id, offset, Buffer.alloc(length)),
    content: (index) => files.read(volume(index).id, 0, volume(index).size * unit),
    async addDisk(sizeBytes, byte) {
      const added = await world.addVolume(sizeBytes / unit);
      await files.write(added.id, 0, Buffer.alloc(sizeBytes, byte));
      world.attach(added, instance.id, '/dev/sdg');
      return added.id;
    },
    async growDisk(index, sizeBytes) {
      volume(index).size = sizeBytes / unit;
      await files.grow(volume(index).id, sizeBytes);
    },
    async spoil(snapshot) {
      const marks = snapshot.state['disks'] as Readonly<Record<string, { readonly snapshotId: string }>>;
      world.snapshots.delete(marks[volume(0).id]?.snapshotId ?? '');
    },
    async loseBase() {
      await dropSnapshots(volume(0));
      // What a worker compares with.
      await rm(join(folder, 'large-public-cloud-digests'), { recursive: true, force: true });
    },
    async close() {
      await opened.disposeAsync();
      if (cloud.violations.length > 0)
        throw new Error(`not as the vendor's models have it: ${cloud.violations.join('; ')}`);
    },
  };
}
