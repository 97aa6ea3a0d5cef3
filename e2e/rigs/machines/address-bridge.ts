import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { spawnBound, kill } from './child-process.ts';
import type { IngressRule } from '../cloud-kit/server-machines.ts';
import type { Target } from './machine.ts';

export interface BridgeEntry {
  readonly address: string;
  /** The port as the cloud's customers know it. */
  readonly port: number;
  /** The port that is really listened on. */
  readonly listenPort: number;
  readonly server: string;
  readonly allow: readonly IngressRule[];
  readonly target: Target;
}

/** The process that leads from the lab's addresses to its machines; see `address-bridge.py`. */
export class AddressBridge {
  readonly #process: ChildProcess;
  readonly #answers: { resolve: () => void; reject: (error: Error) => void }[] = [];

  constructor() {
    this.#process = spawnBound('python3', [fileURLToPath(new URL('address-bridge.py', import.meta.url))], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    // Who asks learns of its end below.
    this.#process.stdin?.on('error', () => undefined);
    const lines = createInterface({ input: this.#process.stdout as NodeJS.ReadableStream });
    lines.on('line', (line) => {
      const answer = JSON.parse(line) as { ok: boolean; error?: string };
      const waiting = this.#answers.shift();
      if (answer.ok) waiting?.resolve();
      else waiting?.reject(new Error(`address bridge: ${answer.error ?? ''}`));
    });
    this.#process.once('exit', () => {
      for (const waiting of this.#answers.splice(0)) waiting.reject(new Error('address bridge: ended'));
    });
  }

  expose(entries: readonly BridgeEntry[]): Promise<void> {
    return this.#ask({ expose: entries });
  }

  /** What the network does to all connections of one machine: cut them, let nothing through, or let it flow again. */
  link(server: string, action: 'cut' | 'freeze' | 'thaw'): Promise<void> {
    return this.#ask({ link: action, server });
  }

  close(): Promise<void> {
    return kill(this.#process);
  }

  #ask(command: object): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#answers.push({ resolve, reject });
      this.#process.stdin?.write(`${JSON.stringify(command)}\n`);
    });
  }
}
