import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { device, diskBytes, mebibyte, never, type TransportLab } from './transport-lab.ts';

/** How much is under way, and who may stop it. */
export function transportFlow(lab: TransportLab): void {
  it('waits for the bandwidth limit before it sends', async () => {
    let allowed = 0;
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const throttle = async (bytes: number): Promise<void> => {
      allowed += bytes;
      await gate;
    };
    const session = await lab.connected({ throttle });
    const writer = await session.open(device(lab.disk), never);
    const [before] = [lab.ssh.forwarded + lab.tls.forwarded, (allowed = 0)];
    const bytes = randomBytes(mebibyte);
    const writing = writer.write(0, bytes, never);
    await delay(100);
    expect(lab.ssh.forwarded + lab.tls.forwarded - before).toBeLessThan(10_000);
    open();
    await writing;
    expect(allowed).toBeGreaterThanOrEqual(bytes.length);
    expect(allowed).toBeLessThan(bytes.length * 1.01);
  });

  it('gives up a call that is cancelled, and goes on with the others', async () => {
    const session = await lab.connected({ inFlightBytes: 2 * mebibyte });
    const writer = await session.open(device(lab.disk), never);
    const cancel = new AbortController();
    const bytes = randomBytes(mebibyte);
    const cancelled = Array.from({ length: 12 }, (_, index) => writer.write(index * mebibyte, bytes, cancel.signal));
    const outcome = Promise.allSettled(cancelled);
    cancel.abort();
    expect((await outcome).filter((result) => result.status === 'rejected').length).toBeGreaterThan(0);
    await writer.write(5 * mebibyte, bytes, never);
    await writer.flush(never);
    expect((await readFile(lab.disk)).subarray(5 * mebibyte, 6 * mebibyte).equals(bytes)).toBe(true);
  });

  it('keeps the memory of the agent bounded, whatever it is sent', async () => {
    const session = await lab.connected({ compression: 'always' });
    const writer = await session.open(device(lab.disk), never);
    const bytes = Buffer.alloc(mebibyte, 'compressible ');
    for (let round = 0; round < 8; round++) {
      await Promise.all(Array.from({ length: 24 }, (_, index) => writer.write(index * mebibyte, bytes, never)));
      await writer.digests(0, diskBytes, 4096, never);
    }
    const status = await readFile(`/proc/${(await lab.agentPid()) ?? 0}/status`, 'utf8');
    expect(Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1])).toBeLessThan(80 * 1024);
  });
}
