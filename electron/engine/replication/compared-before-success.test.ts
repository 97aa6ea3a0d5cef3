import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../../shared/testing/rounds.ts';
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
const never = 1e9;

type Verify = 'none' | 'written' | 'all';
type Interruption = 'cancel' | 'engine' | 'engine and worker' | 'worker';

/** One thing that happens to a replica. */
type Move =
  | { readonly kind: 'write'; readonly seed: number; readonly amount: number }
  | { readonly kind: 'grow' }
  | { readonly kind: 'alter'; readonly seed: number }
  | { readonly kind: 'damage map'; readonly seed: number }
  | Execute;

interface Execute {
  readonly kind: 'execute';
  readonly verify: Verify;
  readonly interruption: Interruption;
  /** In which phase it is interrupted, and after how many steps of I/O there; a large number: not at all. */
  readonly phase: 'copy' | 'verification';
  readonly after: number;
  /** Goes on with the snapshot of the execution before, as an engine does that was restarted in the middle of it. */
  readonly resumes: boolean;
  readonly tracking: boolean;
  readonly seed: number;
}

const seed = fc.integer();
const move: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('execute' as const),
      verify: fc.constantFrom<Verify>('none', 'written', 'written', 'all'),
      interruption: fc.constantFrom<Interruption>('cancel', 'engine', 'engine and worker', 'worker'),
      phase: fc.constantFrom('copy' as const, 'verification' as const),
      after: fc.oneof(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 0, max: 8 }), fc.constant(never)),
      resumes: fc.boolean(),
      tracking: fc.boolean(),
      seed,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('write' as const), seed, amount: fc.integer({ min: 1, max: 30 }) }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('alter' as const), seed }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'grow' as const }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('damage map' as const), seed }) },
);

const clean: Execute = {
  kind: 'execute',
  verify: 'written',
  interruption: 'cancel',
  phase: 'copy',
  after: never,
  resumes: false,
  tracking: true,
  seed: 1,
};

function scribble(source: Sectors, random: () => number, amount: number): Sectors {
  const changed = source.slice();
  for (let i = 0; i < amount; i++) {
    const length = [1, 8, 128, 300][Math.floor(random() * 4)]!;
    const at = Math.floor(random() * (changed.length - length));
    changed.fill(random() < 0.3 ? 0 : 1 + Math.floor(random() * 1e9), at, at + length);
  }
  return changed;
}

/** A worker's session: notes what is written and compared, and can be lost. */
class WatchedWriter extends MemoryWriter {
  readonly #uncompared: Set<number>;
  phase: 'copy' | 'verification' = 'copy';

  constructor(lab: Lab, uncompared: Set<number>, step: () => void, delay: () => number) {
    super(lab.volume, step, delay);
    this.#uncompared = uncompared;
  }

  override write(offset: number, bytes: Uint8Array, signal: AbortSignal): Promise<{ readonly bytesSent: number }> {
    this.#note(offset, bytes.length, (block) => this.#uncompared.add(block));
    return super.write(offset, bytes, signal);
  }

  override zero(offset: number, length: number, signal: AbortSignal): Promise<void> {
    this.#note(offset, length, (block) => this.#uncompared.add(block));
    return super.zero(offset, length, signal);
  }

  override async digests(offset: number, length: number, blockBytes: number, signal: AbortSignal): Promise<Uint8Array> {
    const digests = await super.digests(offset, length, blockBytes, signal);
    // Whoever asks while copying compares each answer; a verification counts only once it is over.
    if (this.phase === 'copy') this.#note(offset, length, (block) => this.#uncompared.delete(block));
    return digests;
  }

  #note(offset: number, length: number, each: (block: number) => void): void {
    for (let block = Math.floor(offset / BLOCK_BYTES); block * BLOCK_BYTES < offset + length; block++) each(block);
  }
}

/** A replica of one disk, as executions drive it: a success moves the base, and nothing else does. */
class Replica {
  readonly lab: Lab;
  sizeBytes: number;
  source: Sectors;
  /** Blocks that were written, and whose content no comparison has confirmed since. */
  readonly #uncompared = new Set<number>();
  readonly #snapshots = new Map<string, Sectors>();
  readonly #isNew: boolean;
  readonly #firstBytes: number;
  #snapshotId = '';
  #base: string | undefined;
  /** Whether the next verification may find something: an alteration, or a page of the map that tells nothing. */
  spoilt = false;

  constructor(life: { readonly fresh: boolean; readonly sizeBytes: number; readonly seed: number }) {
    this.sizeBytes = life.sizeBytes;
    this.#isNew = life.fresh;
    this.#firstBytes = life.sizeBytes;
    this.source = scribble(sectorsOf(life.sizeBytes), seeded(life.seed), 30);
    this.lab = new Lab(life.sizeBytes, life.fresh ? undefined : sectorsOf(life.sizeBytes).fill(77));
  }

  grow(): void {
    this.sizeBytes += BLOCK_BYTES * 3 + SECTOR * 5;
    const grown = sectorsOf(this.sizeBytes);
    grown.set(this.source);
    this.source = scribble(grown, seeded(this.sizeBytes), 3);
    this.lab.volume.grow(this.sizeBytes, 55);
    this.#snapshotId = '';
  }

  /** Something else writes to the volume where nothing of ours was compared yet. */
  alter(random: () => number): void {
    const blocks = [...this.#uncompared].filter((block) => (block + 1) * BLOCK_BYTES <= this.sizeBytes);
    for (let i = 0; i < 3 && blocks.length > 0; i++) {
      const sector =
        blocks[Math.floor(random() * blocks.length)]! * BLOCK_SECTORS + Math.floor(random() * BLOCK_SECTORS);
      this.lab.volume.content[sector] = this.lab.volume.durable[sector] = 4711 + i;
      this.spoilt = true;
    }
  }

  damageMap(random: () => number): void {
    this.lab.files.damagePage(random);
    this.spoilt = true;
  }

  /** @returns whether the execution ended in success */
  async execute(event: Execute): Promise<boolean> {
    const { lab } = this;
    const random = seeded(event.seed);
    if (!event.resumes || this.#snapshotId === '') {
      this.#snapshotId = `s${this.#snapshots.size + 1}`;
      this.#snapshots.set(this.#snapshotId, this.source);
    }
    const snapshot = this.#snapshots.get(this.#snapshotId)!;
    const cancel = new AbortController();
    let workerLost = false;
    let stepsLeft = never;
    const loseWorker = (): void => {
      workerLost = true;
      lab.volume.crash(() => random() < 0.5);
    };
    const step = (): void => {
      lab.step();
      if (workerLost) throw new Error('the worker is lost');
      if (stepsLeft-- > 0) return;
      if (event.interruption === 'cancel') cancel.abort();
      else if (event.interruption === 'worker') loseWorker();
      else lab.dieAfter(0);
      stepsLeft = never;
    };
    const writer = new WatchedWriter(lab, this.#uncompared, step, () => Math.floor(random() * 4));
    const enter = (phase: 'copy' | 'verification'): void => {
      writer.phase = phase;
      stepsLeft = phase === event.phase ? event.after : never;
    };
    try {
      const state = lab.open(this.sizeBytes);
      const base = event.tracking && !state.mustReadAll(this.#base) ? this.#base : undefined;
      const reader =
        base === undefined
          ? allocatedReader(snapshot, { step })
          : changedReader(this.#snapshots.get(base)!, snapshot, { step });
      enter('copy');
      await replicateDisk({
        reader,
        writer,
        state,
        snapshotId: this.#snapshotId,
        baseSnapshotId: base,
        volumeId: 'v',
        volumeIsNew: this.#isNew && this.sizeBytes === this.#firstBytes,
        volumesAreZeroed: this.#isNew,
        signal: cancel.signal,
        options: {
          concurrency: 1 + Math.floor(random() * 4),
          chunkBytes: BLOCK_BYTES * (1 + Math.floor(random() * 8)),
        },
      });
      if (event.verify !== 'none') {
        enter('verification');
        const outcome = await verifyDisk({ writer, state, scope: event.verify, signal: cancel.signal });
        this.#uncompared.clear();
        if (!outcome.matches) {
          if (!this.spoilt) throw new Error(`a verification failed for no reason: ${JSON.stringify(outcome)}`);
          return false;
        }
        const difference = firstDifference(lab.volume.durable, snapshot);
        if (difference !== undefined) throw new Error(`an execution with verification succeeded: ${difference}`);
      }
      if (!state.isSynchronised(this.#snapshotId)) throw new Error('what is complete is not called synchronised');
      this.#base = this.#snapshotId;
      if (event.verify === 'all') this.spoilt = false;
      return true;
    } catch (error) {
      const code = (error as { code?: string }).code;
      const isExpected = error instanceof Died || workerLost || (cancel.signal.aborted && code === 'general.cancelled');
      if (!isExpected) throw error;
      if (error instanceof Died)
        lab.crash(event.interruption === 'engine and worker' ? () => random() < 0.5 : () => true);
      return false;
    } finally {
      lab.dieAfter(never);
      await expectHonest(lab.open(this.sizeBytes), lab.volume.content);
    }
  }
}

/** A block that counts as known and verified holds what the state says. */
async function expectHonest(state: TransferState, content: Sectors): Promise<void> {
  await state.exclusively(async () => {
    const unverified = state.unverifiedBlocks();
    for (let block = 0; block < blockCount(state.sizeBytes); block++) {
      const known = state.blockState(block);
      if (unverified.has(block) || (known !== 'zero' && known !== 'digest')) continue;
      const sectors = content.subarray(
        block * BLOCK_SECTORS,
        Math.min((block + 1) * BLOCK_SECTORS, state.sizeBytes / SECTOR),
      );
      const isTrue =
        known === 'zero' ? sectors.every((sector) => sector === 0) : state.holds(block, digestOfSectors(sectors));
      if (!isTrue) throw new Error(`block ${block} counts as verified and is not what the state says`);
    }
  });
}

async function live(
  moves: readonly Move[],
  life: { readonly fresh: boolean; readonly sizeBytes: number; readonly seed: number },
): Promise<void> {
  const replica = new Replica(life);
  for (const event of moves) {
    if (event.kind === 'write') replica.source = scribble(replica.source, seeded(event.seed), event.amount);
    else if (event.kind === 'grow') replica.grow();
    else if (event.kind === 'alter') replica.alter(seeded(event.seed));
    else if (event.kind === 'damage map') replica.damageMap(seeded(event.seed));
    else await replica.execute(event);
  }
  // Whatever it was, one execution finds it and the next one is a success.
  if (!(await replica.execute({ ...clean, verify: 'all' })))
    expect(await replica.execute({ ...clean, verify: 'all' })).toBe(true);
}

const lives = {
  fresh: fc.boolean(),
  sizeBytes: fc.constantFrom(SEGMENT_BYTES + 7 * BLOCK_BYTES + 512, 5 * BLOCK_BYTES, 40 * BLOCK_BYTES),
  seed,
};

describe('whatever interrupts executions and alters what they wrote', () => {
  it(
    'a success with verification means equal bytes, and what counts as verified was compared',
    // By the number of runs, of which each takes a third of a second, and ten times as much on a machine that others use.
    { timeout: Number(process.env['CAUSEWAY_CRASH_TIMEOUT'] ?? 900_000) },
    async () => {
      await fc.assert(fc.asyncProperty(fc.array(move, { minLength: 1, maxLength: 10 }), fc.record(lives), live), {
        numRuns: Number(process.env['CAUSEWAY_CRASH_RUNS'] ?? rounds(150)),
        endOnFailure: true,
        seed: Number(process.env['CAUSEWAY_CRASH_SEED'] ?? 11),
      });
    },
  );
});
