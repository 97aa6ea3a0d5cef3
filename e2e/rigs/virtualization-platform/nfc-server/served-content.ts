import { randomUUID } from 'node:crypto';
import type { Extent } from '../../../../shared/model/extent.ts';
import { seeded } from '../../seeded.ts';
import type { ServedDisk, ServedDisks } from '../served-disk.ts';

const BLOCK = 65_536;

/**
 * Content in which every mistake shows: words that say their own place, zero runs (also shorter than a block), repeats of many lengths, noise.
 * The size need not be a multiple of a block.
 */
export function patternContent(sizeBytes: number, seed = 1): Buffer {
  const random = seeded(seed);
  const content = Buffer.alloc(sizeBytes);
  for (let at = 0; at < sizeBytes; at += BLOCK) {
    const block = content.subarray(at, Math.min(at + BLOCK, sizeBytes));
    const kind = Math.floor(random() * 6);
    if (kind === 0) continue;
    if (kind === 1) {
      for (let word = 0; word < block.length; word += 8) block.writeBigUInt64LE(BigInt(at + word), word);
    } else if (kind === 2) {
      for (let word = 0; word < block.length; word += 4) block.writeUInt32LE((random() * 2 ** 32) >>> 0, word);
    } else if (kind === 3) {
      const unit = Buffer.from(`${at}:${'x'.repeat(Math.floor(random() * 300))}`);
      for (let place = 0; place < block.length; place += unit.length) unit.copy(block, place);
    } else if (kind === 4) {
      for (let place = 0; place < block.length; place += 1 + Math.floor(random() * 5000))
        block[place] = 1 + Math.floor(random() * 255);
    } else {
      block.fill(Math.floor(random() * 256), 0, Math.floor(random() * block.length));
    }
  }
  return content;
}

/** A disk in memory. What reads as zeros in whole blocks counts as never written. */
export function contentDisk(
  path: string,
  vmId: string,
  content: Buffer,
  more: Partial<Pick<ServedDisk, 'isLive' | 'descriptor'>> = {},
): ServedDisk {
  return {
    path,
    vmId,
    sizeBytes: content.length,
    isLive: more.isLive ?? false,
    descriptor: more.descriptor ?? { adapterType: 'lsilogic', uuid: '60 00 C2 9a 00 00 00 00-00 00 00 00 00 00 00 01' },
    allocated: () => Promise.resolve(extentsOf(content)),
    read: (offset, length) => Promise.resolve(content.subarray(offset, offset + length)),
  };
}

export function extentsOf(content: Buffer): Extent[] {
  const zeros = Buffer.alloc(BLOCK);
  const extents: Extent[] = [];
  for (let offset = 0; offset < content.length; offset += BLOCK) {
    const length = Math.min(BLOCK, content.length - offset);
    const kind = content.compare(zeros, 0, length, offset, offset + length) === 0 ? 'zero' : 'data';
    const last = extents.at(-1);
    if (last?.kind === kind) extents.splice(-1, 1, { ...last, length: last.length + length });
    else extents.push({ offset, length, kind });
  }
  return extents;
}

/** Disks by path, and tickets that are good once. */
export class TicketOffice implements ServedDisks {
  readonly #disks = new Map<string, ServedDisk>();
  readonly #tickets = new Map<string, { readonly vmId: string; readonly host: string }>();
  issued = 0;

  add(...disks: readonly ServedDisk[]): void {
    for (const disk of disks) this.#disks.set(disk.path, disk);
  }

  issue(vmId: string, host: string): string {
    const sessionId = randomUUID();
    this.#tickets.set(sessionId, { vmId, host });
    this.issued += 1;
    return sessionId;
  }

  find(path: string): ServedDisk | undefined {
    return this.#disks.get(path);
  }

  redeem(sessionId: string, host: string): { readonly vmId: string } | undefined {
    const ticket = this.#tickets.get(sessionId);
    if (ticket?.host !== host) return undefined;
    this.#tickets.delete(sessionId);
    return { vmId: ticket.vmId };
  }
}
