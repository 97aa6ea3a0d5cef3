import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { watchProjectFiles } from './watch.ts';

describe('watching what people share in a project', () => {
  let folder: string;
  let closing: AbortController;
  let looks: number;
  let looked: PromiseWithResolvers<void>;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'causeway-watch-'));
    closing = new AbortController();
    looks = 0;
    looked = Promise.withResolvers();
    watchProjectFiles(
      folder,
      () => {
        looks += 1;
        mkdirSync(join(folder, 'endpoints'), { recursive: true });
        looked.resolve();
      },
      closing.signal,
    );
  });
  afterEach(() => {
    closing.abort();
    rmSync(folder, { recursive: true, force: true });
  });

  it('looks once after several files came', async () => {
    for (const name of ['one', 'two', 'three']) writeFileSync(join(folder, 'endpoints', `${name}.json`), '{}');
    await looked.promise;
    expect(looks).toBe(1);
  });

  it('makes nothing where a project was that is gone', async () => {
    rmSync(folder, { recursive: true });
    // Another project's watch, begun later, sees what happens after that.
    const other = mkdtempSync(join(tmpdir(), 'causeway-watch-'));
    await new Promise<void>((resolve) => {
      watchProjectFiles(other, resolve, closing.signal);
      writeFileSync(join(other, 'replicas', 'new.json'), '{}');
    });
    rmSync(other, { recursive: true });
    expect([looks, existsSync(folder)]).toEqual([0, false]);
  });
});
