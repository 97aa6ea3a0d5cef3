import { JobThread } from '../concurrency/job-thread.ts';
import type { ChunkBuffer } from './chunk-buffer.ts';
import { hashHere } from './hash-here.ts';

/** What the thread runs; the same as `hashHere`. */
const program = `
const { hash } = require('node:crypto');
return ({ shared, length, blockBytes, dataAt, digestsAt, digestBytes, wantedAt }) => {
  const all = new Uint8Array(shared);
  const data = all.subarray(dataAt, dataAt + length);
  for (let from = 0, index = 0; from < length; from += blockBytes, index++) {
    if (all[wantedAt + index] !== 1) continue;
    all.set(hash('sha256', data.subarray(from, Math.min(from + blockBytes, length)), 'buffer'), digestsAt + index * digestBytes);
  }
  return true;
};`;

/** A thread that hashes chunks where they lie. */
export class DigestThread {
  readonly #thread: JobThread;

  /** `onEnding` is called when it takes no more jobs, for whatever reason. Throws when there can be no thread at all. */
  constructor(onEnding: () => void) {
    this.#thread = new JobThread('digests', program, onEnding);
  }

  /** Whether it takes jobs. */
  get isOnline(): boolean {
    return this.#thread.isOnline;
  }

  /** Bytes that it has not hashed yet. */
  get load(): number {
    return this.#thread.load;
  }

  /** Resolves when the wanted digests of the buffer's first `length` bytes are in it, and no thread touches it; never rejects. */
  async hash(buffer: ChunkBuffer, length: number): Promise<void> {
    const answer = await this.#thread.run({ length, shared: buffer.shared, ...buffer.layout }, length);
    if (answer === undefined) hashHere(buffer, length);
  }

  /** Stops it immediately. Its remaining jobs run in this thread. */
  end(): void {
    this.#thread.end();
  }
}
