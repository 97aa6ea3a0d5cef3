// Which devices are taken for volumes on a computer that has disks of its own without serials. Whatever appears there, and in whatever order: never another disk.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { rounds } from '../../../shared/testing/rounds.ts';
import type { AttachedVolume } from '../ports/destination-platform.ts';
import type { WorkerDevice } from '../ports/write-target.ts';
import { createHastyClock } from '../time/testing/hasty-clock.ts';
import { awaitNewDevices, pairWithNew, tryOut, type DeviceWait } from './new-devices.ts';

const GiB = 1024 ** 3;
const never = new AbortController().signal;
const volume = (name: string, sizeBytes = GiB): AttachedVolume => ({
  volume: { id: name, diskId: name, sizeBytes, createdByThisCall: true },
  identity: { kind: 'by-path', path: name, sizeBytes },
});
const device = (name: string, more: Partial<WorkerDevice> = {}): WorkerDevice => ({
  path: `/dev/${name}`,
  serial: '',
  byPath: [],
  sizeBytes: GiB,
  inUse: false,
  ...more,
});
const pathsOf = (paired: readonly AttachedVolume[]) => paired.map((each) => [each.volume.id, each.device?.path]);
const notMatched = expect.objectContaining({ code: 'engine.volume-not-matched' });

test('as many devices as volumes, each of which was not there before', async () => {
  const before = [device('xvda', { inUse: true }), device('xvdd')];
  expect(
    pathsOf(await pairWithNew([volume('xvdb'), volume('xvdc')], before, [...before, device('xvdc'), device('xvdb')])),
  ).toEqual([
    ['xvdb', '/dev/xvdb'],
    ['xvdc', '/dev/xvdc'],
  ]);
  await expect(pairWithNew([volume('xvdd')], before, before)).rejects.toEqual(notMatched);
  await expect(pairWithNew([volume('xvdb')], before, [...before, device('xvdb'), device('xvdc')])).rejects.toThrowError(
    /1 volume was attached, and 2 devices appeared on this computer: \/dev\/xvdb, \/dev\/xvdc$/,
  );
});

test('a device that has the name of a former one is another one where the kernel counts them', async () => {
  const [former, next] = [device('xvdb', { sequence: 4 }), device('xvdb', { sequence: 9 })];
  await expect(pairWithNew([volume('xvdb')], [former], [former])).rejects.toEqual(notMatched);
  expect((await pairWithNew([volume('xvdb')], [former], [next]))[0]?.device).toEqual({
    path: '/dev/xvdb',
    sequence: 9,
  });
});

test('volume groups on disks that appeared are no disks, and a volume that they use is not taken', async () => {
  await expect(
    pairWithNew([volume('xvdb')], [], [device('xvdb', { inUse: true }), device('dm-0'), device('md127')]),
  ).rejects.toThrowError(/in use/);
  expect(
    pathsOf(
      await pairWithNew(
        [volume('xvdb')],
        [],
        [device('xvdb'), device('xvdc', { inUse: true }), device('dm-0'), device('md127')],
      ),
    ),
  ).toEqual([['xvdb', '/dev/xvdb']]);
});

/** What happens on the computer: a disk of a VM appears there, or one of the user's, whatever its name and size. */
interface Arrival {
  readonly name: string;
  readonly sizeBytes: number;
  readonly inUse: boolean;
  /** Before the first look, or a number of looks later. */
  readonly at: number;
}

const names = ['xvdb', 'xvdc', 'xvdd'] as const;
const arrival: fc.Arbitrary<Arrival> = fc.record({
  name: fc.constantFrom(...names),
  sizeBytes: fc.constantFrom(GiB, 2 * GiB),
  inUse: fc.boolean(),
  at: fc.nat({ max: 8 }),
});
const scenario = fc.record({
  /** How long after their attachment the devices of volumes appear, in looks; undefined: the volumes go to another VM. */
  late: fc.option(fc.array(fc.nat({ max: 3 }), { minLength: names.length, maxLength: names.length }), {
    nil: undefined,
  }),
  wanted: fc.uniqueArray(fc.constantFrom(...names), { minLength: 1 }),
  ofUser: fc.array(arrival, { maxLength: 3 }),
  counts: fc.boolean(),
});

/** A computer on which time passes by one for each look. Where it is the VM, no disk of the user's gets the name of a volume that is attached. */
function computer({
  late,
  ofUser,
  counts,
}: {
  readonly late: readonly number[] | undefined;
  readonly ofUser: readonly Arrival[];
  readonly counts: boolean;
}) {
  const clock = createHastyClock();
  const attachedAt = new Map<string, { readonly since: number; readonly sequence: number }>();
  let [looks, sequence] = [0, 100];
  // Of two with the same name, the first keeps it.
  const users = ofUser
    .toSorted((one, other) => one.at - other.at)
    .map((each) => ({ ...each, sequence: (sequence += 1) }));
  const isFree = (name: string): boolean => late === undefined || !attachedAt.has(name);
  const shown = (): readonly (WorkerDevice & { readonly isUsers: boolean })[] => [
    ...users.flatMap((one, index) =>
      one.at <= looks &&
      isFree(one.name) &&
      users.findIndex(({ name, at }) => name === one.name && at <= looks) === index
        ? [
            {
              ...device(one.name, {
                sizeBytes: one.sizeBytes,
                inUse: one.inUse,
                ...(counts ? { sequence: one.sequence } : {}),
              }),
              isUsers: true,
            },
          ]
        : [],
    ),
    ...(late === undefined
      ? []
      : [...attachedAt].flatMap(([name, { since, sequence: own }]) =>
          since + late[names.indexOf(name as never)]! <= looks
            ? [{ ...device(name, counts ? { sequence: own } : {}), isUsers: false }]
            : [],
        )),
  ];
  const wait: DeviceWait = {
    look: async () => ((looks += 1), shown()),
    plan: { deadlineMs: 2_000, firstMs: 250, capMs: 250 },
    clock,
  };
  return {
    wait,
    attach: async (name: string): Promise<AttachedVolume> => {
      attachedAt.set(name, { since: looks, sequence: (sequence += 1) });
      return volume(name);
    },
    detach: (name: string) => void attachedAt.delete(name),
    isUsers: (path: string | undefined): boolean => shown().some((one) => one.path === path && one.isUsers),
  };
}

test("property: no disk of the user's is ever paired with a volume, at this VM or another one", async () => {
  const seen = { paired: 0, refused: 0, otherVm: 0 };
  await fc.assert(
    fc.asyncProperty(scenario, async ({ wanted, ...world }) => {
      const { wait, attach, detach, isUsers } = computer(world);
      try {
        const [first] = wanted;
        const other = await tryOut(
          () => attach(first!),
          async () => detach(first!),
          wait,
          never,
        );
        if (other !== undefined) {
          seen.otherVm += 1;
          expect(isUsers(other.path)).toBe(true);
          return;
        }
        // From here on, this computer is the VM.
        expect(world.late).toBeDefined();
        const before = await wait.look(never);
        const attached: AttachedVolume[] = [];
        for (const name of wanted) attached.push(await attach(name));
        const paired = await awaitNewDevices(attached, before, wait, never);
        seen.paired += 1;
        expect(paired.map(({ volume: { id }, device: found }) => [id, found?.path, isUsers(found?.path)])).toEqual(
          wanted.map((name) => [name, `/dev/${name}`, false]),
        );
      } catch (error) {
        if (!(error instanceof CausewayError) || error.code !== 'engine.volume-not-matched') throw error;
        seen.refused += 1;
      }
    }),
    { seed: 7, numRuns: rounds(4_000) },
  );
  expect(
    Object.values(seen).every((times) => times > 50),
    JSON.stringify(seen),
  ).toBe(true);
});
