import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

interface Message {
  readonly id?: number;
  readonly return?: unknown;
  readonly error?: { readonly class: string; readonly desc: string };
  readonly event?: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

interface Waiter {
  readonly matches: (message: Message) => boolean;
  readonly resolve: (message: Message) => void;
  readonly reject: (error: Error) => void;
}

/** The monitor of one emulated machine. */
export class QmpClient {
  readonly #socket: Socket;
  readonly #waiters = new Set<Waiter>();
  #nextId = 1;

  private constructor(socket: Socket) {
    this.#socket = socket;
    createInterface({ input: socket }).on('line', (line) => {
      const message = JSON.parse(line) as Message;
      for (const waiter of this.#waiters) if (waiter.matches(message)) waiter.resolve(message);
    });
    socket.on('error', () => {});
    socket.once('close', () => {
      for (const waiter of this.#waiters) waiter.reject(new Error("the machine's monitor is gone"));
    });
  }

  /**
   * Connects to the socket as soon as it is there.
   *
   * @param starting an emulator that may end instead, and the file of what it prints
   */
  static async connect(
    path: string,
    starting?: { readonly emulator: ChildProcess; readonly log: string },
  ): Promise<QmpClient> {
    const deadline = Date.now() + 60_000;
    for (;;) {
      try {
        const socket = await new Promise<Socket>((resolve, reject) => {
          const attempt = createConnection(path);
          attempt.once('connect', () => resolve(attempt));
          attempt.once('error', reject);
        });
        const client = new QmpClient(socket);
        await client.execute('qmp_capabilities');
        return client;
      } catch (error) {
        const { emulator, log } = starting ?? {};
        const hasEnded = emulator !== undefined && (emulator.exitCode !== null || emulator.signalCode !== null);
        if (hasEnded || Date.now() > deadline)
          throw new Error(`the emulator did not start: ${log === undefined ? path : await readFile(log, 'utf8')}`, {
            cause: error,
          });
        await delay(20);
      }
    }
  }

  async execute(command: string, args?: Readonly<Record<string, unknown>>): Promise<unknown> {
    const id = this.#nextId++;
    const answer = this.#wait((message) => message.id === id, 60_000, command);
    this.#socket.write(
      `${JSON.stringify({ execute: command, id, ...(args === undefined ? {} : { arguments: args }) })}\n`,
    );
    const { error, return: result } = await answer;
    if (error !== undefined) throw new Error(`${command}: ${error.desc}`);
    return result;
  }

  /** The next event of this name about this device. Ask before the command that brings it. */
  async event(name: string, device: string | undefined, timeoutMs = 60_000): Promise<void> {
    await this.#wait(
      (message) => message.event === name && (device === undefined || message.data?.['device'] === device),
      timeoutMs,
      name,
    );
  }

  close(): void {
    this.#socket.destroy();
  }

  #wait(matches: Waiter['matches'], timeoutMs: number, what: string): Promise<Message> {
    if (this.#socket.closed || this.#socket.destroyed)
      return Promise.reject(new Error(`${what}: the machine's monitor is gone`));
    return new Promise((resolve, reject) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#waiters.delete(waiter);
      };
      const waiter: Waiter = {
        matches,
        resolve: (message) => {
          done();
          resolve(message);
        },
        reject: (error) => {
          done();
          reject(error);
        },
      };
      const timer = setTimeout(
        () => waiter.reject(new Error(`${what}: no response within ${timeoutMs} ms`)),
        timeoutMs,
      );
      this.#waiters.add(waiter);
    });
  }
}
