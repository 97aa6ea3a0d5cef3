/**
 * What it costs to find out, from backups in an object store, what changed on a large disk: a process of its own goes through
 * the digests of two backups, and says how much memory it had resident. Started by `execution.ts`.
 *
 *   node e2e/bench/backup-digests.ts <GiB>
 */
import { randomFillSync } from 'node:crypto';
import type { ObjectStore } from '../../electron/engine/platforms/open-source-cloud/client/object-store.ts';
import { findDigests } from '../../electron/engine/platforms/open-source-cloud/source/mechanisms/cinder-swift/backup-layout.ts';
import { BackupReader } from '../../electron/engine/platforms/open-source-cloud/source/mechanisms/cinder-swift/backup-reader.ts';

const blockBytes = 32 * 1024;
const sizeBytes = Number(process.argv[2] ?? 1024) * 1024 ** 3;
const blocks = sizeBytes / blockBytes;
/** One block in so many differs from the base. */
const changedEach = 1000;

const head = Buffer.from(`{\n  "backup_id": "b",\n  "chunk_size": ${blockBytes},\n  "sha256s": [\n`);
const tail = Buffer.from('  ],\n  "version": "1.0.0"\n}');
const lineBytes = '    "",\n'.length + 64;
/** Lines with digests that are all different; a number in each makes every line of the file another one. */
const lines = Buffer.from(
  Array.from({ length: 4096 }, () => `    "${randomFillSync(Buffer.alloc(32)).toString('hex')}",\n`).join(''),
);

/** [offset, offset + length) of the file of one backup, made when it is asked for. */
function range(backup: 'base' | 'now', offset: number, length: number): Buffer {
  const first = Math.max(0, Math.floor((offset - head.length) / lineBytes));
  const count = Math.min(blocks, Math.ceil((offset + length - head.length) / lineBytes)) - first;
  const list = Buffer.alloc(count * lineBytes);
  for (let line = 0; line < count; line += 1) {
    const block = first + line;
    const from = (block % 4096) * lineBytes;
    lines.copy(list, line * lineBytes, from, from + lineBytes);
    list.write(block.toString(16).padStart(10, '0'), line * lineBytes + 5, 'latin1');
    if (backup === 'now' && block % changedEach === 0) list.write('ffff', line * lineBytes + 20, 'latin1');
  }
  // JSON has no comma before the end of a list.
  if (first + count === blocks) list.write(' ', list.length - 2, 'latin1');
  const whole = Buffer.concat([...(first === 0 ? [head] : []), list, ...(first + count === blocks ? [tail] : [])]);
  const start = first === 0 ? 0 : head.length + first * lineBytes;
  return whole.subarray(offset - start, offset - start + length);
}

const fileBytes = head.length + blocks * lineBytes + tail.length;
const store = {
  objects: async (_container: string, name: string) => [{ name, bytes: fileBytes, hash: undefined }],
  readRange: async (_container: string, name: string, offset: number, length: number) =>
    range(name.startsWith('base') ? 'base' : 'now', offset, length),
} as unknown as ObjectStore;

const signal = new AbortController().signal;
const begun = performance.now();
const [now, base] = [
  await findDigests(store, { container: 'c', prefix: 'now' }, signal),
  await findDigests(store, { container: 'c', prefix: 'base' }, signal),
];
const reader = new BackupReader(store, [], sizeBytes, now, base);
let changedBytes = 0;
for await (const { length } of reader.extents(signal)) changedBytes += length;
if (changedBytes !== Math.ceil(blocks / changedEach) * blockBytes)
  throw new Error(`${changedBytes} bytes are told as changed`);
// In KiB, of this process alone.
console.log(
  JSON.stringify({
    seconds: (performance.now() - begun) / 1000,
    residentBytes: process.resourceUsage().maxRSS * 1024,
    digests: 2 * blocks,
  }),
);
