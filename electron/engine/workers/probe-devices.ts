import { randomBytes } from 'node:crypto';
import type { WorkerDevice, WorkerSession, WriteTarget } from '../ports/write-target.ts';

const markBytes = 4096;
/** How much at either end of a device has to read as zeros. */
const endBytes = 64 * 1024;

/**
 * Finds the device that is an empty volume. Devices with anything but zeros at their ends are not. On what is left, writes a
 * mark and checks that it appears on that device alone, or on all of them (one disk by several paths), and restores the zeros.
 *
 * The volume must be recorded as written before: a crash may leave the mark.
 *
 * @returns undefined when no device is empty, or several different ones are
 */
export async function probeEmptyDevice(
  session: Pick<WorkerSession, 'open'>,
  candidates: readonly WorkerDevice[],
  signal: AbortSignal,
): Promise<WorkerDevice | undefined> {
  const opened: { readonly device: WorkerDevice; readonly target: WriteTarget }[] = [];
  try {
    for (const device of candidates) opened.push({ device, target: await session.open(device, signal) });
    const empty: typeof opened = [];
    for (const each of opened) if (await isEmpty(each.target, signal)) empty.push(each);
    const [first, ...others] = empty;
    if (first === undefined) return undefined;
    const mark = randomBytes(markBytes);
    try {
      await first.target.write(0, mark, signal);
      await first.target.flush(signal);
      if (!(await readAt(first.target, 0, markBytes, signal)).equals(mark)) return undefined;
      for (const { target } of others) if (!(await readAt(target, 0, markBytes, signal)).equals(mark)) return undefined;
      return first.device;
    } finally {
      // Also after a cancellation: nothing of the mark may stay.
      const end = AbortSignal.timeout(30_000);
      await first.target.write(0, Buffer.alloc(markBytes), end);
      await first.target.flush(end);
    }
  } finally {
    for (const { target } of opened) await target.close();
  }
}

async function isEmpty(target: WriteTarget, signal: AbortSignal): Promise<boolean> {
  const length = Math.min(endBytes, target.sizeBytes);
  for (const at of [0, target.sizeBytes - length])
    if ((await readAt(target, at, length, signal)).some((byte) => byte !== 0)) return false;
  return true;
}

async function readAt(target: WriteTarget, offset: number, length: number, signal: AbortSignal): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  await target.read(offset, bytes, signal);
  return bytes;
}
