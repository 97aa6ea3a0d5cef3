import { describe, expect, it } from 'vitest';
import { HostSlots, type HostSlot, type ReadLane } from './host-slots.ts';

const signal = new AbortController().signal;
const MIB = 2 ** 20;

/** A disk that always wants more reads, and notes when it gets one. */
function hungry(name: string, started: string[], wanted = 1000): ReadLane {
  let left = wanted;
  return {
    ready: () => left > 0,
    start: () => {
      left -= 1;
      started.push(name);
    },
  };
}

describe('places on a host', () => {
  it('are given up to the limit, to each host its own, and then to who waits longest', async () => {
    const slots = new HostSlots({ connections: 2 });
    const first = await slots.acquire('a', signal);
    await slots.acquire('A', signal);
    expect(slots.tryAcquire('a')).toBeUndefined();
    expect(slots.tryAcquire('b')).toBeDefined();
    const order: number[] = [];
    const waiting = [1, 2].map(async (number) => {
      const slot = await slots.acquire('a', signal);
      order.push(number);
      return slot;
    });
    first.release();
    const second = await (waiting[0] as Promise<HostSlot>);
    expect(order).toEqual([1]);
    second.release();
    second.release();
    await waiting[1];
    expect(order).toEqual([1, 2]);
    expect(slots.inUse('a')).toBe(2);
  });

  it('are not given to newcomers while somebody waits, and waiting can be cancelled', async () => {
    const slots = new HostSlots({ connections: 1 });
    const held = await slots.acquire('a', signal);
    const stop = new AbortController();
    const gaveUp = slots.acquire('a', stop.signal);
    const next = slots.acquire('a', signal);
    stop.abort();
    await expect(gaveUp).rejects.toMatchObject({ code: 'general.cancelled' });
    await expect(slots.acquire('a', stop.signal)).rejects.toMatchObject({ code: 'general.cancelled' });
    expect(slots.tryAcquire('a')).toBeUndefined();
    held.release();
    (await next).release();
    expect(slots.inUse('a')).toBe(0);
  });

  it('share the memory of the host: the first get much, and twenty find some', async () => {
    const slots = new HostSlots({ connections: 40, bufferBytes: 32 * MIB });
    const taken: HostSlot[] = [];
    for (let slot = slots.tryAcquire('a'); slot !== undefined; slot = slots.tryAcquire('a')) taken.push(slot);
    expect(taken[0]?.bufferBytes).toBe(4 * MIB);
    expect(taken.at(-1)?.bufferBytes).toBe(MIB / 4);
    expect(taken.length).toBeGreaterThanOrEqual(20);
    expect(taken.reduce((sum, { bufferBytes }) => sum + bufferBytes, 0)).toBeLessThanOrEqual(32 * MIB);
    for (const slot of taken) slot.release();
    expect(slots.tryAcquire('a')?.bufferBytes).toBe(4 * MIB);
  });
});

describe('reads of a host', () => {
  it('go to its disks in turn', async () => {
    const slots = new HostSlots({ reads: 4 });
    const started: string[] = [];
    const [a, b, c] = (await Promise.all(['a', 'b', 'c'].map(() => slots.acquire('h', signal)))) as [
      HostSlot,
      HostSlot,
      HostSlot,
    ];
    a.serve(hungry('a', started));
    expect(started).toEqual(['a', 'a', 'a', 'a']);
    b.serve(hungry('b', started, 2));
    c.serve(hungry('c', started));
    for (let count = 0; count < 8; count++) a.readEnded();
    // While all are hungry each gets every third; the one with little to do leaves its turns to the others.
    expect(started.slice(4).filter((name) => name === 'b').length).toBe(2);
    expect(
      Math.abs(
        started.slice(4).filter((name) => name === 'a').length - started.slice(4).filter((name) => name === 'c').length,
      ),
    ).toBeLessThanOrEqual(1);
  });

  it('of a disk that is closed are free for the others', async () => {
    const slots = new HostSlots({ reads: 3 });
    const started: string[] = [];
    const [a, b] = (await Promise.all(['a', 'b'].map(() => slots.acquire('h', signal)))) as [HostSlot, HostSlot];
    a.serve(hungry('a', started));
    b.serve(hungry('b', started));
    expect(started).toEqual(['a', 'a', 'a']);
    a.release();
    a.readEnded();
    expect(started).toEqual(['a', 'a', 'a', 'b', 'b', 'b']);
  });
});
