// needs: python3
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TurnHere } from '../ports/own-vm.ts';
import { takeTurnHere } from './turn-here.ts';

const never = new AbortController().signal;
const nothing = (): void => undefined;
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'turn-here-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// Engines of other tests on this machine have the same turn, for moments.
describe.runIf(process.platform === 'linux')('the turn to attach volumes to this computer', { timeout: 60_000 }, () => {
  const take = (wait = nothing, signal = never): Promise<TurnHere> => takeTurnHere({ isRoot: true }, wait, signal);

  it('is one for all processes: the next one waits until it was given back', async () => {
    const first = await take();
    const order: string[] = [];
    const waits = Promise.withResolvers<void>();
    const next = take(waits.resolve).then((turn) => {
      order.push('next has it');
      return turn;
    });
    await waits.promise;
    order.push('first gives it back');
    await first.release();
    const turn = await next;
    expect([order, first.lost.aborted, turn.lost.aborted]).toEqual([
      ['first gives it back', 'next has it'],
      false,
      false,
    ]);
    await turn.release();
  });

  it('is taken from a process that ends, however it ends, and the caller is told', async () => {
    const marker = join(folder, 'marker');
    const first = await takeTurnHere(
      { isRoot: true, within: ['/usr/bin/env', `CAUSEWAY_MARKER=${marker}`] },
      nothing,
      never,
    );
    const pids = execFileSync(
      '/bin/sh',
      ['-c', `grep -l "CAUSEWAY_MARKER=${marker}" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3`],
      { encoding: 'utf8' },
    )
      .split('\n')
      .filter((pid) => pid !== '' && Number(pid) !== process.pid);
    for (const pid of pids) process.kill(Number(pid), 'SIGKILL');
    await (await take()).release();
    await expect.poll(() => first.lost.aborted, { timeout: 20_000 }).toBe(true);
    expect(first.lost.reason).toMatchObject({ code: 'transport.lost' });
    await first.release();
  });

  it('is no longer waited for when the caller gives up', async () => {
    const first = await take();
    const stop = new AbortController();
    await expect(take(() => stop.abort(), stop.signal)).rejects.toMatchObject({ code: 'general.cancelled' });
    await first.release();
    await (await take()).release();
  });

  it('says what is missing', async () => {
    const within = ['/usr/bin/env', `PATH=${folder}`];
    await expect(takeTurnHere({ isRoot: false, within }, nothing, never)).rejects.toMatchObject({
      code: 'transport.here-not-privileged',
    });
    await expect(takeTurnHere({ isRoot: true, within }, nothing, never)).rejects.toMatchObject({
      code: 'transport.here-python-missing',
    });
    await expect(
      takeTurnHere({ isRoot: true, within: [join(folder, 'nothing')] }, nothing, never),
    ).rejects.toMatchObject({ code: 'transport.here-python-missing' });
  });
});
