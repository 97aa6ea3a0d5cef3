import { Worker } from 'node:worker_threads';
import type { ChunkBuffer } from './chunk-buffer.ts';
import { hashHere } from './hash-here.ts';

/**
 * What the thread runs; the same as `hashHere`. As text it needs no file, neither beside the sources nor in a package,
 * and no build can change it.
 */
const program = `
const { hash } = require('node:crypto');
const { parentPort } = require('node:worker_threads');
parentPort.on('message', ({ id, shared, length, blockBytes, digestsAt, digestBytes, wantedAt }) => {
  const all = new Uint8Array(shared);
  for (let from = 0, index = 0; from < length; from += blockBytes, index++) {
    if (all[wantedAt + index] !== 1) continue;
    all.set(hash('sha256', all.subarray(from, Math.min(from + blockBytes, length)), 'buffer'), digestsAt + index * digestBytes);
  }
  parentPort.postMessage(id);
});`;

interface Job {
  readonly buffer: ChunkBuffer;
  readonly length: number;
  readonly done: () => void;
}

/**
 * A thread that hashes chunks where they lie. It holds the process only while it has something to do. A job ends only
 * when the thread does not touch its buffer any more: it has answered, or it has ended.
 */
export class DigestThread {
  readonly #worker: Worker;
  readonly #jobs = new Map<number, Job>();
  readonly #onEnding: () => void;
  #nextId = 0;
  #load = 0;
  #state: 'starting' | 'online' | 'ending' = 'starting';

  /** `onEnding` is called when it takes no more jobs, for whatever reason. Throws when there can be no thread at all. */
  constructor(onEnding: () => void) {
    this.#onEnding = onEnding;
    // Nothing of this process's flags and variables goes along.
    this.#worker = new Worker(program, { eval: true, name: 'digests', execArgv: [], env: {} });
    this.#worker.unref();
    this.#worker.on('online', () => {
      if (this.#state === 'starting') this.#state = 'online';
    });
    this.#worker.on('message', (id: number) => this.#finish(id));
    this.#worker.on('error', () => this.#takeNoMore());
    this.#worker.on('exit', () => {
      this.#takeNoMore();
      this.#doRest();
    });
  }

  /** Whether it takes jobs. */
  get isOnline(): boolean {
    return this.#state === 'online';
  }

  /** Bytes that it has not hashed yet. */
  get load(): number {
    return this.#load;
  }

  /** Resolves when the wanted digests of the buffer's first `length` bytes are in it; never rejects. */
  hash(buffer: ChunkBuffer, length: number): Promise<void> {
    return new Promise((resolve) => {
      const id = this.#nextId++;
      if (this.#jobs.size === 0) this.#worker.ref();
      this.#jobs.set(id, { buffer, length, done: resolve });
      this.#load += length;
      this.#worker.postMessage({ id, length, shared: buffer.shared, ...buffer.layout });
    });
  }

  /** Stops it immediately. Its remaining jobs run in this thread. */
  end(): void {
    this.#takeNoMore();
    void this.#worker.terminate();
  }

  #finish(id: number): void {
    const job = this.#jobs.get(id);
    if (job === undefined) return;
    this.#jobs.delete(id);
    this.#load -= job.length;
    if (this.#jobs.size === 0) this.#worker.unref();
    job.done();
  }

  #takeNoMore(): void {
    if (this.#state === 'ending') return;
    this.#state = 'ending';
    this.#onEnding();
  }

  #doRest(): void {
    for (const [id, { buffer, length }] of [...this.#jobs]) {
      hashHere(buffer, length);
      this.#finish(id);
    }
  }
}
