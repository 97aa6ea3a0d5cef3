import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Workbench } from './connection.ts';
import { createLink } from './workbench-link.ts';

/** A workbench whose connection can be cut, and which can be out of reach. */
class Host {
  reachable = true;
  tries = 0;
  readonly listeners = new Map<string, (payload: never) => void>();
  #lose: () => void = () => undefined;

  readonly connect = async (onLost: () => void): Promise<Workbench> => {
    this.tries += 1;
    if (!this.reachable) throw new Error('refused');
    this.#lose = onLost;
    return {
      call: async () => ({ answered: true }) as never,
      subscribe: (event: string, listener: (payload: never) => void) => {
        this.listeners.set(event, listener);
        return () => undefined;
      },
      close: async () => undefined,
    } as Workbench;
  };

  cut(): void {
    this.listeners.clear();
    this.#lose();
  }

  tell(event: string, payload: object): void {
    this.listeners.get(event)?.(payload as never);
  }
}

describe('the connection to the workbench', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('comes back by itself, and its listeners with it', async () => {
    const host = new Host();
    const link = createLink(host.connect);
    const heard: unknown[] = [];
    link.on('shell.changed', (info) => heard.push(info));
    await vi.advanceTimersByTimeAsync(0);
    expect(link.state.kind).toBe('open');
    host.cut();
    expect(link.state.kind).toBe('lost');
    await expect(link.call('shell.info', {})).rejects.toMatchObject({ code: 'engine.connection-lost' });
    await vi.advanceTimersByTimeAsync(500);
    expect(link.state.kind).toBe('open');
    host.tell('shell.changed', { version: '1' });
    expect(heard).toEqual([{ version: '1' }]);
  });

  test('is tried later each time, but never later than every 15 seconds', async () => {
    const host = new Host();
    host.reachable = false;
    createLink(host.connect);
    const pauses: number[] = [];
    await vi.advanceTimersByTimeAsync(0);
    for (let seen = host.tries, waited = 0; pauses.length < 7;) {
      await vi.advanceTimersByTimeAsync(500);
      waited += 500;
      if (host.tries === seen) continue;
      pauses.push(waited);
      [seen, waited] = [host.tries, 0];
    }
    expect(pauses).toEqual([500, 1000, 2000, 4000, 8000, 15_000, 15_000]);
  });

  test('is tried at once when somebody asks for it', async () => {
    const host = new Host();
    host.reachable = false;
    const link = createLink(host.connect);
    await vi.advanceTimersByTimeAsync(10_000);
    host.reachable = true;
    link.retryNow();
    await vi.advanceTimersByTimeAsync(0);
    expect(link.state.kind).toBe('open');
    const { tries } = host;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(host.tries).toBe(tries);
  });
});
