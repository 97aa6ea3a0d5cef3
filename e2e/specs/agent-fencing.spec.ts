// needs: python3
// A real agent on a real sshd: a caller that was stopped while another one took over wakes up, and can write nothing more.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { device, diskBytes, never, transportLab, type Mechanism } from '../conformance/transport-lab.ts';
import type { StubbornWriter } from '../rigs/stubborn-writer.ts';

describe.each(['HTTPS', 'SSH'] satisfies Mechanism[])('the worker agent over %s', (mechanism) => {
  const lab = transportLab(mechanism);
  let writer: ChildProcess | undefined;
  afterEach(() => void writer?.kill('SIGKILL'));

  /** A caller in a process of its own, and what it says. */
  function startWriter(epoch: number): {
    readonly child: ChildProcess;
    readonly said: string[];
    says(what: string): Promise<void>;
  } {
    const asked: StubbornWriter = {
      access: lab.access,
      mechanism,
      options: { ...lab.options, epoch },
      disk: lab.disk,
      diskBytes,
    };
    const child = spawn(
      process.execPath,
      [fileURLToPath(new URL('../rigs/stubborn-writer.ts', import.meta.url)), JSON.stringify(asked)],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    writer = child;
    const said: string[] = [];
    const lines = createInterface({ input: child.stdout });
    lines.on('line', (line) => said.push(line));
    return {
      child,
      said,
      async says(what) {
        while (!said.some((line) => line.includes(what))) await once(lines, 'line');
      },
    };
  }

  it('lets a caller that was stopped during a take-over write nothing more, however often it connects again', async () => {
    const former = startWriter(3);
    await former.says('writes');
    former.child.kill('SIGSTOP');
    const session = await lab.connected({ epoch: 4 });
    const mine = await session.open(device(lab.disk), never);
    const twos = Buffer.alloc(diskBytes, 2);
    for (let offset = 0; offset < diskBytes; offset += 1024 * 1024)
      await mine.write(offset, twos.subarray(offset, offset + 1024 * 1024), never);
    const gone = once(former.child, 'exit');
    former.child.kill('SIGCONT');
    await gone;
    expect(former.said.at(-1)).toContain('fleet.claim-lost');
    // Nor has it ended what its successor has.
    await mine.flush(never);
    expect(session.lost.aborted).toBe(false);
    expect((await readFile(lab.disk)).equals(twos)).toBe(true);
  });

  it('is there for the same caller again, for later ones, and on other workers for all', async () => {
    for (const epoch of [5, 5, 6]) await (await lab.connected({ epoch })).close();
    await expect(lab.connected({ epoch: 5 })).rejects.toThrow(
      expect.objectContaining({ code: 'fleet.claim-lost' }) as Error,
    );
    lab.access = { ...lab.access, workerId: `${lab.access.workerId}-other` };
    await (await lab.connected({ epoch: 1 })).close();
  });
});
