import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BLOCK_BYTES, SEGMENT_BYTES } from './blocks.ts';
import { createTransferTables } from './checkpoints.ts';
import { replicateDisk } from './pipeline.ts';
import { allocatedReader, MemoryVolume, MemoryWriter, sectorsOf } from './testing/memory-disks.ts';
import { deleteTransferState, forgetTransferState, openTransferState, type TransferState } from './transfer-state.ts';

const SIZE = 3 * SEGMENT_BYTES;
const source = sectorsOf(SIZE).map((_, i) => (i % 12_800 < 256 ? i + 1 : 0));

describe('the durable state of a disk', () => {
  let folder: string;
  let db: DatabaseSync;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'causeway-state-'));
    db = new DatabaseSync(join(folder, 'store.sqlite'));
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON');
    createTransferTables(db);
  });
  afterEach(() => {
    db.close();
    rmSync(folder, { recursive: true });
  });

  const open = (): TransferState =>
    openTransferState({ db, folder: join(folder, 'maps'), replicaId: 'r', diskId: 'd', sizeBytes: SIZE });
  const mapPath = (): string => join(folder, 'maps', readdirSync(join(folder, 'maps'))[0]!);
  const known = (state: TransferState, block: number): Promise<string> =>
    state.exclusively(() => Promise.resolve(state.blockState(block)));

  async function replicate(): Promise<void> {
    const volume = new MemoryVolume(sectorsOf(SIZE));
    await replicateDisk({
      reader: allocatedReader(source),
      writer: new MemoryWriter(volume),
      state: open(),
      snapshotId: 's1',
      baseSnapshotId: undefined,
      volumeId: 'v',
      volumeIsNew: true,
      volumesAreZeroed: true,
      signal: new AbortController().signal,
    });
  }

  it('knows, after a restart, what every block holds', async () => {
    await replicate();
    const state = open();
    expect([await known(state, 0), await known(state, 1), await known(state, 50)]).toEqual([
      'digest',
      'digest',
      'zero',
    ]);
    expect(state.resumability('s1')).toEqual({ kind: 'complete' });
    expect(state.resumability('s2')).toEqual({ kind: 'new' });
    expect([state.mustReadAll(undefined), state.mustReadAll('s1'), state.mustReadAll('s0')]).toEqual([
      true,
      false,
      true,
    ]);
  });

  it('keeps its map sparse on the file system', async () => {
    open();
    expect(statSync(mapPath()).blocks * 512).toBeLessThan(16_384);
  });

  it('takes a damaged page for unknown, never for a digest', async () => {
    await replicate();
    const bytes = Buffer.alloc(600, 9);
    const path = mapPath();
    const { size } = statSync(path);
    const fd = openSync(path, 'r+');
    writeSync(fd, bytes, 0, bytes.length, 4096 + 2000);
    closeSync(fd);
    expect(statSync(path).size).toBe(size);
    const state = open();
    expect([await known(state, 0), await known(state, 1024)]).toEqual(['unknown', 'zero']);
  });

  it.each([
    ['cut', (path: string) => truncateSync(path, 10_000)],
    ['replaced', (path: string) => writeFileSync(path, Buffer.alloc(statSync(path).size))],
    ['removed', (path: string) => rmSync(path)],
  ])('forgets everything when the map was %s', async (_how, damage) => {
    await replicate();
    damage(mapPath());
    const state = open();
    expect(await known(state, 0)).toBe('unknown');
    expect([state.isSynchronised('s1'), state.mustReadAll('s1')]).toEqual([false, true]);
  });

  it('forgets and deletes what is known of a disk that shrank since', async () => {
    const shrunk = { db, folder: join(folder, 'maps'), replicaId: 'r', diskId: 'd', sizeBytes: SEGMENT_BYTES };
    await replicate();
    expect(() => openTransferState(shrunk)).toThrow(expect.objectContaining({ code: 'replication.disk-shrank' }));
    forgetTransferState(shrunk);
    expect(await known(open(), 0)).toBe('unknown');
    deleteTransferState(shrunk);
    expect(await known(openTransferState(shrunk), 0)).toBe('unwritten');
  });

  it('knows nothing of the last block when a disk of odd size grew', async () => {
    const odd = 3 * BLOCK_BYTES + 512;
    const volume = new MemoryVolume(sectorsOf(odd));
    const at = (sizeBytes: number, grownAreaIsZeroed: boolean): TransferState =>
      openTransferState({ db, folder, replicaId: 'r', diskId: 'odd', sizeBytes, grownAreaIsZeroed });
    await replicateDisk({
      reader: allocatedReader(sectorsOf(odd).fill(1)),
      writer: new MemoryWriter(volume),
      state: at(odd, false),
      snapshotId: 's1',
      baseSnapshotId: undefined,
      volumeId: 'v',
      volumeIsNew: true,
      volumesAreZeroed: true,
      signal: new AbortController().signal,
    });
    const state = at(2 * SEGMENT_BYTES, true);
    expect([await known(state, 2), await known(state, 3), await known(state, 4), await known(state, 1024)]).toEqual([
      'digest',
      'unknown',
      'unwritten',
      'zero',
    ]);
    const again = at(3 * SEGMENT_BYTES, false);
    expect([await known(again, 1024), await known(again, 2048)]).toEqual(['zero', 'unwritten']);
  });

  it.each([
    ['open', () => open().delete()],
    ['not open', () => deleteTransferState({ db, folder: join(folder, 'maps'), replicaId: 'r', diskId: 'd' })],
  ])('leaves nothing behind when it is deleted while %s', async (_how, remove) => {
    await replicate();
    remove();
    expect(readdirSync(join(folder, 'maps'))).toEqual([]);
    for (const table of ['transfer_disk', 'transfer_segment', 'transfer_page']) {
      expect(db.prepare(`SELECT count(*) AS n FROM ${table}`).get()).toEqual({ n: 0 });
    }
  });
});
