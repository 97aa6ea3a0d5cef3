import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { DiskReader } from '../../electron/engine/ports/disk-reader.ts';

export const mebibyte = 1024 * 1024;

export function fillRandom(path: string, bytes: number): void {
  const file = openSync(path, 'w');
  for (let at = 0; at < bytes; at += mebibyte) writeSync(file, randomBytes(mebibyte));
  closeSync(file);
  truncateSync(path, bytes);
}

/** Runs of 4 MiB of noise, spread over a disk that is a hole otherwise. */
export function fillSparsely(path: string, dataBytes: number, diskBytes: number): void {
  const runBytes = 4 * mebibyte;
  const file = openSync(path, 'w');
  for (let at = 0; at < dataBytes; at += runBytes)
    writeSync(file, randomBytes(runBytes), 0, runBytes, at * (diskBytes / dataBytes));
  closeSync(file);
  truncateSync(path, diskBytes);
}

export function makeEmpty(path: string, bytes: number): void {
  truncateSync(path, 0);
  truncateSync(path, bytes);
}

/** A folder of real files (programs, libraries) of at most this size; as many as this machine has. */
export function treeOf(tree: string, bytes: number): string {
  mkdirSync(tree, { recursive: true });
  let left = bytes;
  for (const folder of ['/usr/bin', '/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu', '/usr/lib']) {
    if (!existsSync(folder)) continue;
    for (const { name } of readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile())) {
      const { size } = statSync(join(folder, name));
      if (size > Math.min(left, bytes / 8) || existsSync(join(tree, name))) continue;
      copyFileSync(join(folder, name), join(tree, name));
      left -= size;
    }
  }
  return tree;
}

/** A raw image as a source; its holes are known, as nbdcopy knows them. */
export async function openImage(path: string): Promise<DiskReader> {
  const file = await open(path, 'r');
  const map = JSON.parse(
    execFileSync('qemu-img', ['map', '-f', 'raw', '--output=json', path], { encoding: 'utf8' }),
  ) as {
    readonly start: number;
    readonly length: number;
    readonly zero: boolean;
  }[];
  return {
    sizeBytes: statSync(path).size,
    coverage: 'allocated',
    granularityBytes: 65_536,
    async *extents() {
      for (const { start, length, zero } of map)
        yield { offset: start, length, kind: zero ? ('zero' as const) : ('data' as const) };
    },
    read: async (offset, into) => {
      const { bytesRead } = await file.read(into, 0, into.length, offset);
      if (bytesRead !== into.length) throw new Error(`read ${bytesRead} bytes of ${into.length}`);
    },
    close: () => file.close(),
  };
}
