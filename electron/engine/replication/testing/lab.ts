import { DatabaseSync } from 'node:sqlite';
import { createTransferTables } from '../checkpoints.ts';
import { openTransferState, type TransferState } from '../transfer-state.ts';
import { MemoryFiles } from './memory-map-file.ts';
import { MemoryVolume, SECTOR, sectorsOf, type Sectors } from './memory-disks.ts';

export class Died extends Error {
  constructor() {
    super('the process died here');
  }
}

/** Numbers that look random and are the same for the same seed (mulberry32), in [0, 1). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A destination volume, the store and the map's files, and a process that can die at any step of I/O. */
export class Lab {
  readonly files = new MemoryFiles();
  readonly volume: MemoryVolume;
  readonly #db = new DatabaseSync(':memory:');
  #stepsLeft = Number.POSITIVE_INFINITY;
  steps = 0;

  constructor(sizeBytes: number, initial: Sectors = sectorsOf(sizeBytes)) {
    this.volume = new MemoryVolume(initial);
    this.#db.exec('PRAGMA foreign_keys = ON');
    createTransferTables(this.#db);
    this.files.step = this.step;
  }

  /** From now on the process lives for so many steps. */
  dieAfter(steps: number): void {
    this.#stepsLeft = steps;
  }

  readonly step = (): void => {
    this.steps += 1;
    if (this.#stepsLeft <= 0) throw new Died();
    this.#stepsLeft -= 1;
  };

  /** The state as a new process would open it. Every transaction is one step. */
  open(
    sizeBytes: number,
    options: { readonly grownAreaIsZeroed?: boolean; readonly diskId?: string } = {},
  ): TransferState {
    return openTransferState({
      db: this.#mortalDb(),
      folder: '/tmp',
      replicaId: 'replica',
      diskId: options.diskId ?? 'disk',
      sizeBytes,
      openFile: this.files.open,
      ...(options.grownAreaIsZeroed === undefined ? {} : { grownAreaIsZeroed: options.grownAreaIsZeroed }),
    });
  }

  /** Process and worker die; part of what was not durable arrives. */
  crash(survives: () => boolean): void {
    this.#stepsLeft = Number.POSITIVE_INFINITY;
    if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
    this.volume.crash(survives);
    this.files.crash(survives);
  }

  #mortalDb(): DatabaseSync {
    const { step } = this;
    return new Proxy(this.#db, {
      get(db, name) {
        const value = Reflect.get(db, name, db) as unknown;
        if (typeof value !== 'function') return value;
        return (...parameters: unknown[]) => {
          if (name === 'exec' && parameters[0] !== 'ROLLBACK') step();
          return (value as (...rest: unknown[]) => unknown).apply(db, parameters);
        };
      },
    });
  }
}

/** Where two disks differ, as the first sector, or undefined. */
export function firstDifference(a: Sectors, b: Sectors): string | undefined {
  if (a.length < b.length) return `lengths ${a.length} and ${b.length}`;
  for (let i = 0; i < b.length; i++) if (a[i] !== b[i]) return `byte ${i * SECTOR}: ${a[i]} instead of ${b[i]}`;
  return undefined;
}
