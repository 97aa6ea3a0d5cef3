import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { moverBook, type Mover } from './mover-book.ts';

const mover = (name: string): Mover => ({
  name,
  host: 'host',
  port: 22,
  username: 'me',
  hostKey: 'ssh-ed25519 AAAA',
  jumpHosts: [],
  identityFiles: [],
});

describe('the list of movers', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'causeway-movers-'));
    path = join(folder, 'settings', 'movers.json');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is empty at first, and keeps what was added, by name', () => {
    const book = moverBook(path);
    expect(book.list()).toEqual([]);
    book.save(mover('two'));
    book.save(mover('one'));
    book.save({ ...mover('two'), port: 2222 });
    expect(moverBook(path).list()).toEqual([mover('one'), { ...mover('two'), port: 2222 }]);
    expect(book.get('one')).toEqual(mover('one'));
    book.remove('one');
    book.remove('one');
    expect(() => book.get('one')).toThrow(expect.objectContaining({ code: 'mover.unknown' }) as Error);
  });

  it.runIf(process.platform !== 'win32')('belongs to its user alone', () => {
    moverBook(path).save(mover('one'));
    expect(statSync(path).mode & 0o077).toBe(0);
  });

  it('takes no name that could be a path, and says when its file is damaged', () => {
    expect(() => moverBook(path).save(mover('../one'))).toThrow();
    moverBook(path).save(mover('one'));
    writeFileSync(path, readFileSync(path, 'utf8').replace('"port": 22', '"port": "22"'));
    expect(() => moverBook(path).list()).toThrow(expect.objectContaining({ code: 'general.invalid-input' }) as Error);
  });
});
