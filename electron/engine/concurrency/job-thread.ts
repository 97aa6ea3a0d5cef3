import { Worker } from 'node:worker_threads';

interface Job {
  readonly load: number;
  readonly done: (answer: unknown) => void;
}

/**
 * A thread that does jobs on shared memory, one after the other. It holds the process only while it has something to do.
 *
 * Its program comes as text: so it needs no file, neither beside the sources nor in a package, and no build can change it. It
 * is a function body that gets a message and returns the answer; `require` is there.
 */
export class JobThread {
  readonly #worker: Worker;
  readonly #jobs = new Map<number, Job>();
  readonly #onEnding: () => void;
  #nextId = 0;
  #load = 0;
  #state: 'starting' | 'online' | 'ending' = 'starting';

  /** `onEnding` is called when it takes no more jobs, for whatever reason. Throws when there can be no thread at all. */
  constructor(name: string, program: string, onEnding: () => void) {
    this.#onEnding = onEnding;
    const loop = `const { parentPort } = require('node:worker_threads');
      const act = (() => { ${program} })();
      parentPort.on('message', ({ id, message }) => parentPort.postMessage({ id, answer: act(message) }));`;
    // Nothing of this process's flags and variables goes along.
    this.#worker = new Worker(loop, { eval: true, name, execArgv: [], env: {} });
    this.#worker.unref();
    this.#worker.on('online', () => {
      if (this.#state === 'starting') this.#state = 'online';
    });
    this.#worker.on('message', ({ id, answer }: { readonly id: number; readonly answer: unknown }) =>
      this.#finish(id, answer),
    );
    this.#worker.on('error', () => this.#takeNoMore());
    this.#worker.on('exit', () => {
      this.#takeNoMore();
      for (const id of [...this.#jobs.keys()]) this.#finish(id, undefined);
    });
  }

  /** Whether it takes jobs. */
  get isOnline(): boolean {
    return this.#state === 'online';
  }

  /** The sum of the loads of the jobs that it has not done yet. */
  get load(): number {
    return this.#load;
  }

  /**
   * Resolves with the answer, or with undefined when the thread has ended without doing it. Never rejects. Either way the thread
   * does not touch the message's memory any more.
   */
  run(message: Readonly<Record<string, unknown>>, load: number): Promise<unknown> {
    return new Promise((resolve) => {
      const id = this.#nextId++;
      if (this.#jobs.size === 0) this.#worker.ref();
      this.#jobs.set(id, { load, done: resolve });
      this.#load += load;
      this.#worker.postMessage({ id, message });
    });
  }

  /** Stops it immediately. Its remaining jobs are not done. */
  end(): void {
    this.#takeNoMore();
    void this.#worker.terminate();
  }

  #finish(id: number, answer: unknown): void {
    const job = this.#jobs.get(id);
    if (job === undefined) return;
    this.#jobs.delete(id);
    this.#load -= job.load;
    if (this.#jobs.size === 0) this.#worker.unref();
    job.done(answer);
  }

  #takeNoMore(): void {
    if (this.#state === 'ending') return;
    this.#state = 'ending';
    this.#onEnding();
  }
}
