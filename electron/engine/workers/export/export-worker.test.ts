import { expect, it } from 'vitest';
import type { AttachedVolume } from '../../ports/destination-platform.ts';
import type { WorkerDevice } from '../../ports/write-target.ts';
import { awaitDevice } from './export-worker.ts';

const gib = 2 ** 30;
const signal = new AbortController().signal;
const clock = { sleep: async () => undefined };

const device = (path: string, more: Partial<WorkerDevice> = {}): WorkerDevice => ({
  path,
  serial: '',
  byPath: [],
  sizeBytes: gib,
  inUse: false,
  ...more,
});
const attached = (id: string, order: number): AttachedVolume => ({
  volume: { id, diskId: `disk-${id}`, sizeBytes: gib, createdByThisCall: false },
  identity: { kind: 'order', order, sizeBytes: gib },
});

/** What the worker sees, one look after the other; the last one stays. */
const seeing = (...looks: readonly (readonly WorkerDevice[])[]) => {
  const left = [...looks];
  return { devices: async () => (left.length > 1 ? left.shift() : left[0]) ?? [] };
};

it("takes no other volume's device for one that has not appeared yet, where only the order tells", async () => {
  const [first, second] = [attached('vol-1', 1), attached('vol-2', 2)];
  const agent = seeing([device('/dev/xvdf')], [device('/dev/xvdf'), device('/dev/xvdg')]);
  expect(await awaitDevice(agent, second.volume, [first, second], clock, signal)).toMatchObject({ path: '/dev/xvdg' });
  await expect(
    awaitDevice(seeing([device('/dev/xvdf')]), second.volume, [first, second], clock, signal),
  ).rejects.toMatchObject({ code: 'engine.volume-not-matched' });
});

it('waits for a device with the serial of its volume', async () => {
  const { volume } = attached('vol-0a', 1);
  const named = { volume, identity: { kind: 'serial', serial: 'vol0a', sizeBytes: gib } } as const;
  const agent = seeing(
    [],
    [device('/dev/nvme2n1', { serial: 'vol0b' })],
    [device('/dev/nvme2n1', { serial: 'vol0b' }), device('/dev/nvme1n1', { serial: 'vol0a' })],
  );
  expect(await awaitDevice(agent, volume, [named], clock, signal)).toMatchObject({ path: '/dev/nvme1n1' });
});
