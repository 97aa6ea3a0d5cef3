import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Event } from '../../../shared/model/event.ts';
import { createCore, type Core } from '../../engine/core/core.ts';
import { MemoryLab } from '../../engine/core/testing/memory-lab.ts';
import { recordingMorph } from '../../engine/core/testing/recording-morph.ts';
import type { CommandContext } from '../command-context.ts';
import type { RunDisplay } from '../output/run-display.ts';
import { deploymentRuns, executionRuns, followRuns } from './follow-runs.ts';

let folder: string;
let lab: MemoryLab;
let core: Core;
let interrupt: AbortController;
let context: CommandContext;
let shown: Event[];
let notices: string[];
let display: RunDisplay;
/** Resolved when a preparation has begun that never ends by itself. */
let stuck: PromiseWithResolvers<void> | undefined;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-follow-'));
  lab = new MemoryLab();
  lab.disks.set('disk-0', randomBytes(1024 * 1024));
  stuck = undefined;
  shown = [];
  notices = [];
  display = {
    event: (event) => void shown.push(event),
    progress: () => undefined,
    notice: (text) => void notices.push(text),
    end: () => undefined,
  };
  interrupt = new AbortController();
  const stdout = new PassThrough();
  context = { stdout, stderr: stdout, env: {}, entry: import.meta.url, signal: interrupt.signal };
  core = open();
  await core.call('endpoint.add', { name: 'from', plugin: 'disk-images', connection: { path: '/images' } });
  await core.call('endpoint.add', {
    name: 'to',
    plugin: 'european-cloud',
    connection: {
      project_id: 'f5c6bd4b-1f0a-4d0e-9f5e-0c2f2f6f0a11',
      region_name: 'eu01',
      service_account_key: { $secret: 'key' },
    },
  });
  await core.call('replica.create', {
    name: 'web',
    source: 'from',
    destination: 'to',
    vm: 'web',
    destinationEnvironment: {
      network_map: { default: 'net' },
      availability_zone: 'eu01-1',
      migr_network: 'net',
      migr_machine_type: 'g1.1',
      machine_type: 'g1.1',
      migr_image_map: { linux: 'debian' },
    },
  });
});
afterEach(async () => {
  await core.close();
  rmSync(folder, { recursive: true, force: true });
});

function open(): Core {
  const { guests } = recordingMorph(async ({ signal }) => {
    if (stuck === undefined) return;
    stuck.resolve();
    await new Promise((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
    );
  });
  return createCore({
    projectFolder: folder,
    vault: lab.vault(),
    platforms: lab.platforms,
    connectWorker: lab.connectWorker,
    guests,
    bootProbe: async () => undefined,
  });
}

const execute = () =>
  followRuns(
    core,
    executionRuns,
    { former: [], start: async () => [await core.call('replica.execute', { replica: 'web' })] },
    display,
    context,
  );

function expectOnceInOrder(): void {
  const ids = shown.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
}

test('an execution is shown from its first event to its last one, each once and in order', async () => {
  const [execution] = await execute();
  expect(execution).toMatchObject({ state: 'completed', number: 1 });
  expectOnceInOrder();
  expect([shown[0]?.type, shown.at(-1)?.details['state']]).toEqual(['execution.created', 'completed']);
  expect(shown).toHaveLength((await core.call('execution.events', { execution: execution?.id ?? '' })).length);
});

test('a deployment that was interrupted goes on, and what was shown before is not shown again', async () => {
  await execute();
  stuck = Promise.withResolvers();
  const { id } = await core.call('deployment.create', { replica: 'web', options: {} });
  await stuck.promise;
  // Left in its middle, as a kill would.
  stuck = undefined;
  core = open();
  const before = (await core.call('deployment.events', { deployment: id })).length;
  shown = [];
  const [deployment] = await followRuns(
    core,
    deploymentRuns,
    { former: [id], start: () => core.call('deployment.resume', {}) },
    display,
    context,
  );
  expect(deployment).toMatchObject({ id, state: 'completed', leftBehind: 0 });
  expectOnceInOrder();
  expect(shown.map((event) => event.message)).not.toContain('Check the replica');
  expect(shown).toHaveLength((await core.call('deployment.events', { deployment: id })).length - before);
});

test('nothing to go on with is no failure', async () => {
  expect(
    await followRuns(
      core,
      executionRuns,
      { former: [], start: () => core.call('execution.resume', {}) },
      display,
      context,
    ),
  ).toEqual([]);
});

test('an interrupt cancels, and the clean-up is waited for', async () => {
  await execute();
  stuck = Promise.withResolvers();
  void stuck.promise.then(() => interrupt.abort());
  const start = async () => [await core.call('deployment.create', { replica: 'web', options: {} })];
  const [deployment] = await followRuns(core, deploymentRuns, { former: [], start }, display, context);
  expect(deployment).toMatchObject({ state: 'cancelled', leftBehind: 0, resources: [] });
  expect(notices).toEqual(['Cancelling and cleaning up. Press Ctrl-C again to skip the clean-up.']);
});
