import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../../shared/testing/rounds.ts';
import type { Clock } from '../time/clock.ts';
import { BLOCK_BYTES, blockCount, SEGMENT_BYTES } from './blocks.ts';
import { replicateDisk } from './pipeline.ts';
import { Died, firstDifference, Lab, seeded } from './testing/lab.ts';
import {
  allocatedReader,
  digestOfSectors,
  changedReader,
  MemoryWriter,
  SECTOR,
  sectorsOf,
  type Sectors,
} from './testing/memory-disks.ts';
import type { TransferState } from './transfer-state.ts';
import { verifyDisk } from './verification.ts';

const BLOCK_SECTORS = BLOCK_BYTES / SECTOR;

/** One move of whatever happens to a replica in its life. */
type Move =
  | { readonly kind: 'write'; readonly seed: number; readonly amount: number }
  | { readonly kind: 'grow' }
  | { readonly kind: 'revert' }
  | { readonly kind: 'lose map' }
  | { readonly kind: 'rot'; readonly seed: number }
  | {
      readonly kind: 'run';
      readonly diesAfter: number;
      readonly who: 'engine' | 'both';
      readonly sameSnapshot: boolean;
      readonly tracking: boolean;
      readonly granularity: number;
      readonly commits: boolean;
      readonly seed: number;
    };

const run = fc.record({
  kind: fc.constant('run' as const),
  diesAfter: fc.oneof(fc.integer({ min: 0, max: 350 }), fc.constant(1e9)),
  who: fc.constantFrom('engine' as const, 'both' as const),
  sameSnapshot: fc.boolean(),
  tracking: fc.boolean(),
  granularity: fc.constantFrom(512, 4096, 65536, 262144),
  commits: fc.boolean(),
  seed: fc.integer(),
});
const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 8, arbitrary: run },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      seed: fc.integer(),
      amount: fc.integer({ min: 1, max: 60 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'grow' as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'revert' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'lose map' as const }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('rot' as const), seed: fc.integer() }) },
);

/** Timers that fire within a few turns, so that checkpoints fall everywhere. */
function hastyClock(random: () => number): Clock {
  let now = 0;
  return {
    monotonic: () => (now += 10),
    wallTime: () => 0,
    sleep: async () => undefined,
    after: (_milliseconds, callback) => {
      let turns = 1 + Math.floor(random() * 3);
      let timer = setImmediate(function tick() {
        turns -= 1;
        if (turns > 0) timer = setImmediate(tick);
        else callback();
      });
      return () => clearImmediate(timer);
    },
  };
}

function scribble(source: Sectors, seed: number, amount: number): Sectors {
  const random = seeded(seed);
  const changed = source.slice();
  for (let i = 0; i < amount; i++) {
    const length = [1, 8, 128, 700][Math.floor(random() * 4)]!;
    const at = Math.floor(random() * (changed.length - length));
    changed.fill(random() < 0.3 ? 0 : 1 + Math.floor(random() * 1e9), at, at + length);
  }
  return changed;
}

/** What the state claims to be on the volume is there, durably. */
async function expectTruth(state: TransferState, durable: Sectors): Promise<void> {
  await state.exclusively(async () => {
    for (let block = 0; block < blockCount(state.sizeBytes); block++) {
      const known = state.blockState(block);
      if (known !== 'zero' && known !== 'digest') continue;
      const sectors = durable.subarray(
        block * BLOCK_SECTORS,
        Math.min((block + 1) * BLOCK_SECTORS, state.sizeBytes / SECTOR),
      );
      const truth =
        known === 'zero' ? sectors.every((sector) => sector === 0) : state.holds(block, digestOfSectors(sectors));
      if (!truth) throw new Error(`block ${block} is claimed as ${known}, which it is not`);
    }
  });
}

/** Nothing was sent that the volume already held, as far as whole blocks go. */
function expectNoneSentTwice(writes: MemoryWriter['writes'], before: Sectors, snapshot: Sectors): void {
  for (const { offset, length } of writes) {
    for (let block = Math.ceil(offset / BLOCK_BYTES); (block + 1) * BLOCK_BYTES <= offset + length; block++) {
      const from = block * BLOCK_SECTORS;
      const same = snapshot.subarray(from, from + BLOCK_SECTORS).every((sector, i) => sector === before[from + i]);
      if (same) throw new Error(`block ${block} was sent although the volume held it`);
    }
  }
}

async function live(
  moves: readonly Move[],
  life: { readonly fresh: boolean; readonly sizeBytes: number; readonly seed: number },
): Promise<number> {
  let { sizeBytes } = life;
  let source = scribble(sectorsOf(sizeBytes), life.seed, 40);
  const lab = new Lab(sizeBytes, life.fresh ? undefined : sectorsOf(sizeBytes).fill(77));
  const snapshots = new Map<string, Sectors>();
  let snapshotId = '';
  let base: string | undefined;
  let lost = false;
  let completed = 0;
  const last: Move = {
    kind: 'run',
    diesAfter: 1e9,
    who: 'both',
    sameSnapshot: false,
    tracking: true,
    granularity: 4096,
    commits: true,
    seed: 1,
  };

  for (const event of [...moves, last]) {
    if (event.kind === 'write') {
      source = scribble(source, event.seed, event.amount);
    } else if (event.kind === 'revert') {
      // Back to the base: a list of changes since it says nothing of what an interrupted run has brought meanwhile.
      source = sectorsOf(sizeBytes);
      if (base !== undefined) source.set(snapshots.get(base)!);
    } else if (event.kind === 'lose map') {
      lab.files.removeAll();
      lost = true;
    } else if (event.kind === 'grow') {
      sizeBytes += BLOCK_BYTES * 3 + SECTOR * 5;
      const grown = sectorsOf(sizeBytes);
      grown.set(source);
      source = scribble(grown, sizeBytes, 3);
      lab.volume.grow(sizeBytes, 55);
      snapshotId = '';
    } else if (event.kind === 'rot') {
      if (completed === 0) continue;
      const at = Math.floor(seeded(event.seed)() * lab.volume.content.length);
      lab.volume.content[at] = lab.volume.durable[at] = 123;
      const state = lab.open(sizeBytes);
      await verifyDisk({
        writer: new MemoryWriter(lab.volume),
        state,
        scope: 'all',
        signal: new AbortController().signal,
      });
    } else {
      const random = seeded(event.seed);
      if (!event.sameSnapshot || snapshotId === '') {
        snapshotId = `s${snapshots.size + 1}`;
        snapshots.set(snapshotId, source);
      }
      const snapshot = snapshots.get(snapshotId)!;
      const before = lab.volume.content.slice();
      lab.dieAfter(event.diesAfter);
      const writer = new MemoryWriter(lab.volume, lab.step, () => Math.floor(random() * 6));
      const options = { granularity: event.granularity, step: lab.step };
      const useBase = event.tracking ? base : undefined;
      const reader =
        useBase === undefined
          ? allocatedReader(snapshot, options)
          : changedReader(snapshots.get(useBase)!, snapshot, options);
      try {
        const state = lab.open(sizeBytes);
        const outcome = await replicateDisk({
          reader,
          writer,
          state,
          snapshotId,
          baseSnapshotId: useBase,
          volumeId: 'v',
          volumeIsNew: sizeBytes === life.sizeBytes,
          volumesAreZeroed: life.fresh,
          signal: new AbortController().signal,
          options: {
            concurrency: 1 + Math.floor(random() * 6),
            chunkBytes: BLOCK_BYTES * (1 + Math.floor(random() * 8)),
            clock: hastyClock(random),
          },
        });
        lab.dieAfter(1e9);
        completed += 1;
        const difference = firstDifference(lab.volume.durable, snapshot);
        if (difference !== undefined)
          throw new Error(`after a run that says it is complete: ${difference} (${JSON.stringify(outcome)})`);
        const verified = await verifyDisk({
          writer: new MemoryWriter(lab.volume),
          state,
          scope: event.commits ? 'written' : 'all',
          signal: new AbortController().signal,
        });
        expect(verified).toMatchObject({ matches: true, bytesUnknown: 0 });
        expect(state.isSynchronised(snapshotId)).toBe(true);
        if (event.commits) base = snapshotId;
        lost = false;
      } catch (error) {
        if (!(error instanceof Died)) throw error;
        lab.crash(event.who === 'both' ? () => random() < 0.5 : () => true);
      }
      expectNoneSentTwice(writer.writes, before, snapshot);
      await expectTruth(lab.open(sizeBytes), lab.volume.content);
    }
  }
  expect(lost).toBe(false);
  return completed;
}

const lives = {
  fresh: fc.boolean(),
  sizeBytes: fc.constantFrom(SEGMENT_BYTES + 7 * BLOCK_BYTES + 512, 5 * BLOCK_BYTES, 2 * SEGMENT_BYTES),
  seed: fc.integer(),
};

describe('whatever happens to engine, worker, source and volume', () => {
  it(
    'a run that ends has made the volume equal to its snapshot, claims nothing that is not durable, and sends nothing twice',
    { timeout: Number(process.env['CAUSEWAY_CRASH_TIMEOUT'] ?? 600_000) },
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(move, { minLength: 1, maxLength: 8 }), fc.record(lives), async (moves, life) => {
          await live(moves, life);
        }),
        {
          numRuns: Number(process.env['CAUSEWAY_CRASH_RUNS'] ?? rounds(25)),
          endOnFailure: true,
          seed: Number(process.env['CAUSEWAY_CRASH_SEED'] ?? 7),
        },
      );
    },
  );
});
