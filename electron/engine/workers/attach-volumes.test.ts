import { expect, test } from 'vitest';
import type {
  AttachedVolume,
  DestinationPlatform,
  DestinationRun,
  Volume,
  WorkerAccess,
} from '../ports/destination-platform.ts';
import { attachTurn, startWorkerWith, turnsOf } from './attach-volumes.ts';

const signal = new AbortController().signal;
const run = {} as DestinationRun;
const volume = (id: string): Volume => ({ id, diskId: id, sizeBytes: 2 ** 30, createdByThisCall: true });
const volumes = ['a', 'b', 'c'].map(volume);

/** A destination whose worker takes so many volumes, and what was asked of it. */
function destination(volumesAtOnce?: number) {
  const asked: string[] = [];
  const platform: Pick<DestinationPlatform, 'startWorker' | 'attachVolume' | 'detachVolume'> = {
    startWorker: async () =>
      ({ workerId: 'w', ...(volumesAtOnce === undefined ? {} : { volumesAtOnce }) }) as WorkerAccess,
    async attachVolume(_run, _worker, { id, sizeBytes }) {
      asked.push(`attach ${id}`);
      return { kind: 'serial', serial: id, sizeBytes };
    },
    detachVolume: async (_run, _worker, { id }) => void asked.push(`detach ${id}`),
  };
  return { asked, platform };
}

test('a worker gets all volumes, or those of its first turn without what an earlier one left', async () => {
  const all = destination();
  expect(
    (await startWorkerWith(all.platform, run, 'disk-copy', volumes, signal)).attached.map((each) => each.volume.id),
  ).toEqual(['a', 'b', 'c']);
  expect(all.asked).toEqual(['attach a', 'attach b', 'attach c']);
  const two = destination(2);
  expect(
    (await startWorkerWith(two.platform, run, 'disk-copy', volumes, signal)).attached.map((each) => each.volume.id),
  ).toEqual(['a', 'b']);
  expect(two.asked).toEqual(['detach c', 'attach a', 'attach b']);
});

test('a turn takes the place of the one before once its devices are gone, and keeps what both have', async () => {
  const { asked, platform } = destination(2);
  const attached = [...(await startWorkerWith(platform, run, 'disk-copy', volumes, signal)).attached];
  asked.length = 0;
  const whenGone = async (former: readonly AttachedVolume[]): Promise<void> =>
    void asked.push(`gone ${former.map(({ volume: { id } }) => id).join(' ')}`);
  const next = await attachTurn(platform, run, 'w', attached, volumes.slice(1), whenGone, signal);
  expect([asked, next.map((each) => each.volume.id)]).toEqual([
    ['detach a', 'gone a', 'attach c'],
    ['b', 'c'],
  ]);
  expect(await attachTurn(platform, run, 'w', attached, volumes.slice(1), whenGone, signal)).toEqual(next);
  expect(asked).toHaveLength(3);
});

test('after a turn that failed, no volume is known as attached that may not be', async () => {
  const { platform } = destination(2);
  const attached = [...(await startWorkerWith(platform, run, 'disk-copy', volumes, signal)).attached];
  const failing = { ...platform, attachVolume: () => Promise.reject(new Error('the answer was lost')) };
  await expect(
    attachTurn(failing, run, 'w', attached, volumes.slice(2), async () => undefined, signal),
  ).rejects.toThrow('lost');
  expect(attached).toEqual([]);
});

test('turns are as few as possible, and one where nothing limits them', () => {
  expect(turnsOf(volumes, { volumesAtOnce: 2 }).map((turn) => turn.map(({ id }) => id))).toEqual([['a', 'b'], ['c']]);
  expect(turnsOf(volumes, {})).toEqual([volumes]);
  expect(turnsOf([], {})).toEqual([]);
});
