import { availableParallelism } from 'node:os';
import { BLOCK_BYTES } from './blocks.ts';
import type { ChunkBuffer } from './chunk-buffer.ts';
import { DigestThread } from './digest-thread.ts';
import { hashHere } from './hash-here.ts';

/** Below this, starting a thread costs more than it saves. */
const WORTHWHILE_BYTES = 64 * 1024 * 1024;
/** One thread hashes faster than one connection encrypts; a processor without instructions for SHA takes two for that. */
const MOST_THREADS = 2;
/** Fewer blocks are hashed in less time than it takes to hand them over. */
const WORTHWHILE_BLOCKS = 3;
/** With more than this before it in every thread, a chunk is sooner hashed by the caller: the processors are busy. */
const LONGEST_QUEUE_BYTES = 6 * 1024 * 1024;

/** Makes the digests of chunks, in other threads where there are processors for them. */
export interface BlockHasher {
  /**
   * Resolves when the wanted digests of the buffer's first `length` bytes are in it. Never rejects, and always ends:
   * the caller may reuse the buffer.
   */
  hash(buffer: ChunkBuffer, length: number): Promise<void>;
  /** To be called once, at the end of a run. The last run's end ends the threads. */
  close(): void;
}

/** How many threads pay for a run over so many bytes. The engine's own thread keeps a processor to itself. */
export function digestThreadsFor(bytes: number): number {
  return bytes < WORTHWHILE_BYTES ? 0 : Math.min(MOST_THREADS, availableParallelism() - 1);
}

const threads = new Set<DigestThread>();
let users = 0;

/**
 * A hasher with this many threads, which all runs of this process share. What they don't take is hashed by the caller:
 * while they start or have enough to do, and when they can't be had or have died.
 */
export function openBlockHasher(wantedThreads: number): BlockHasher {
  const hash = (buffer: ChunkBuffer, length: number): Promise<void> => {
    const thread = length < WORTHWHILE_BLOCKS * BLOCK_BYTES ? undefined : idlestThread();
    if (thread !== undefined) return thread.hash(buffer, length);
    hashHere(buffer, length);
    return Promise.resolve();
  };
  if (wantedThreads < 1) return { hash, close: () => {} };
  users += 1;
  while (threads.size < wantedThreads && startThread());
  return {
    hash,
    close: () => {
      users -= 1;
      if (users === 0) for (const thread of [...threads]) thread.end();
    },
  };
}

/** The threads that take chunks at the moment, in this process. */
export function digestThreads(): readonly DigestThread[] {
  return [...threads].filter((thread) => thread.isOnline);
}

function startThread(): boolean {
  try {
    const thread = new DigestThread(() => threads.delete(thread));
    threads.add(thread);
    return true;
  } catch {
    // Where there can be no threads, the caller's does it.
    return false;
  }
}

function idlestThread(): DigestThread | undefined {
  let idlest: DigestThread | undefined;
  for (const thread of threads)
    if (thread.isOnline && (idlest === undefined || thread.load < idlest.load)) idlest = thread;
  return idlest === undefined || idlest.load > LONGEST_QUEUE_BYTES ? undefined : idlest;
}
