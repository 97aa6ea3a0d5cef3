import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { ExecutionProgress } from '../../../shared/model/progress.ts';
import type { Core } from './core.ts';
import { eventHub } from './event-hub.ts';
import { connectLocally, serveLocally, type LocalServer } from './ipc.ts';

let folder: string;
let address: string;
let server: LocalServer;
const hub = eventHub();
let aborted: Promise<void>;
const progress: ExecutionProgress = { executionId: 'e1', total: { phase: 'copying', bytesTotal: 2, bytesDone: 1, bytesSent: 1, rateBytesPerSecond: 1, stalledForSeconds: 0 }, disks: [] };

/** A core that answers three calls, enough to see what the channel does with values, errors and aborts. */
const core = {
  subscribe: hub.subscribe,
  async dispatch(name: string, _input: unknown, signal: AbortSignal) {
    if (name === 'vault.has') return { ok: true, value: true };
    if (name === 'vm.list') {
      const ended = Promise.withResolvers<void>();
      aborted = ended.promise;
      signal.addEventListener('abort', () => ended.resolve());
      hub.emit('execution.progress', progress);
      return new Promise(() => undefined);
    }
    return { ok: false, error: new CausewayError('engine.unknown-call', name).toRecord() };
  },
} as unknown as Core;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'channel-'));
  address = process.platform === 'win32' ? String.raw`\\.\pipe\causeway-test` : join(folder, 's');
  server = await serveLocally(core, address);
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

describe('the core through a local socket', () => {
  it('carries answers and errors with their codes', async () => {
    const client = await connectLocally(address);
    expect(await client.call('vault.has', { name: 'x' })).toBe(true);
    await expect(client.call('plugins.describe', {})).rejects.toMatchObject({ code: 'engine.unknown-call' });
    await client.close();
    await server.close();
  });

  it('hands events on, and aborts what a client leaves behind', async () => {
    const client = await connectLocally(address);
    const seen = new Promise((resolve) => client.subscribe('execution.progress', resolve));
    const call = client.call('vm.list', { endpoint: 'e' });
    const outcome = expect(call).rejects.toMatchObject({ code: 'engine.connection-lost' });
    expect(await seen).toEqual(progress);
    await client.close();
    await outcome;
    await aborted;
    await expect(client.call('vault.has', { name: 'x' })).rejects.toMatchObject({ code: 'engine.connection-lost' });
    await server.close();
  });

  it.each(['no json\n', '{"call":"vault.has"}\n', '{"id":1,"call":"vault.has","input":{},"extra":1}\n'])('cuts off who sends %j', async (line) => {
    const socket = connect(address);
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.resume().write(line);
    await closed;
    await server.close();
  });
});
