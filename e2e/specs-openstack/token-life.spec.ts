import { randomBytes } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdir, open, truncate, writeFile } from 'node:fs/promises';
import type { ClientRequest } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startOpenSourceLab, type OpenSourceLab } from '../rigs/open-source-cloud/project-lab.ts';

const mib = 2 ** 20;
/** Less than any part of a replication takes that waits for a server. */
const tokenSeconds = 20;

describe('tokens that end in the middle of the work', () => {
  let lab: OpenSourceLab;
  let file: string;

  beforeAll(async () => {
    lab = await startOpenSourceLab();
    await mkdir(join(lab.images, 'web'));
    file = join(lab.images, 'web', 'disk.raw');
    await writeFile(file, '');
    await truncate(file, 1024 * mib);
    await using disk = await open(file, 'r+');
    await disk.write(randomBytes(16 * mib), 0, 16 * mib, 100 * mib);
    await writeFile(join(lab.images, 'web', 'vm.yaml'), 'name: web\nvcpus: 1\nmemory_mb: 256\n');
    await lab.createReplica('web', 'web');
    await lab.cloud.phase('token-life', String(tokenSeconds));
  });
  afterAll(async () => {
    await lab?.cloud.phase('token-life', '86400');
    await lab?.close();
  });

  it('are renewed before they end, so that nothing fails and nothing is left', async () => {
    const signIns: number[] = [];
    let calls = 0;
    const see = (message: unknown): void => {
      const { request } = message as { request: ClientRequest };
      if (request.path.endsWith('/auth/tokens')) signIns.push(Date.now());
      else calls += 1;
    };
    subscribe('http.client.request.start', see);
    const begun = Date.now();
    try {
      const execution = await lab.execute('web');
      expect(execution, `${execution.error?.code}: ${execution.error?.message}`).toMatchObject({
        state: 'completed',
        leftBehind: 0,
      });
    } finally {
      unsubscribe('http.client.request.start', see);
    }
    const lives = (Date.now() - begun) / (tokenSeconds * 1000);
    console.log(`${signIns.length} tokens of ${tokenSeconds} s for ${calls} calls in ${lives.toFixed(1)} lives of one`);
    expect(lives).toBeGreaterThan(1);
    // While nothing is asked of the cloud, no token is needed.
    expect(signIns.length).toBeGreaterThanOrEqual(Math.max(2, Math.floor(lives / 2)));
    expect(signIns.length).toBeLessThanOrEqual(2 * Math.ceil(lives) + 2);
    expect(await lab.difference('web', { 'disk.raw': file })).toBeUndefined();
    expect((await lab.leftovers()).map((line) => line.split(' ')[0])).toEqual(['volume']);
  });
});
