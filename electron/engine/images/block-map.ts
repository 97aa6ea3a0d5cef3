import type { Table } from './byte-cache.ts';
import { RunList, type Run } from './layer.ts';

/**
 * The runs of a disk in blocks of one size with one table entry each: those of one page of the table at most.
 * `add` adds `length` bytes of block `block`, from `skip` bytes of its start on; its entry is at `at` of `bytes`. It
 * may be asynchronous and may add less; then the list ends there.
 */
export async function blockRuns(
  table: Table,
  blockBytes: number,
  entryOf: (block: number) => number,
  offset: number,
  length: number,
  add: (list: RunList, entry: BlockEntry) => void | Promise<void>,
): Promise<readonly Run[]> {
  const list = new RunList();
  const first = Math.floor(offset / blockBytes);
  const page = await table.page(entryOf(first));
  for (let block = first; list.length < length; block++) {
    const entry = entryOf(block);
    if (entry >= page.first + page.entries) break;
    const skip = block === first ? offset % blockBytes : 0;
    const part = Math.min(blockBytes - skip, length - list.length);
    const before = list.length;
    const pending = add(list, { block, bytes: page.bytes, index: entry - page.first, skip, length: part });
    if (pending !== undefined) await pending;
    if (list.length < before + part || list.runs.length >= MAX_RUNS) break;
  }
  return list.runs;
}

export interface BlockEntry {
  readonly block: number;
  /** The table's page, and the entry's index in it. */
  readonly bytes: Buffer;
  readonly index: number;
  readonly skip: number;
  readonly length: number;
}

const MAX_RUNS = 16_384;
const SECTOR = 512;

/** Adds runs of a block by a bitmap of its sectors: a set bit is stored in the block, others lie below. */
export function addByBitmap(
  list: RunList,
  range: { readonly skip: number; readonly length: number; readonly sectorBytes?: number },
  isSet: (sector: number) => boolean,
  stored: (skip: number, length: number) => Run,
): void {
  const sectorBytes = range.sectorBytes ?? SECTOR;
  const end = range.skip + range.length;
  for (let from = range.skip; from < end && list.runs.length < MAX_RUNS;) {
    const set = isSet(Math.floor(from / sectorBytes));
    let to = (Math.floor(from / sectorBytes) + 1) * sectorBytes;
    while (to < end && isSet(to / sectorBytes) === set) to += sectorBytes;
    to = Math.min(to, end);
    list.add(set ? stored(from, to - from) : { kind: 'below', length: to - from });
    from = to;
  }
}
