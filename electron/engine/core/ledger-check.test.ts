import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { PlatformRegistry } from '../platforms/registry.ts';
import type { ManagedResource } from '../ports/destination-platform.ts';
import { createCore, type Core } from './core.ts';
import { MemoryLab } from './testing/memory-lab.ts';

let folder: string;
let lab: MemoryLab;
let core: Core;
/** What platforms list, by side. */
let listed: Record<'source' | 'destination', ManagedResource[]>;
let removed: string[];
let isSourceDown: boolean;

const managed = (kind: ManagedResource['kind'], id: string): ManagedResource => ({
  kind,
  id,
  name: id,
  entryId: `res-${id}`,
  replicaId: undefined,
  owner: undefined,
  details: {},
});
const cloud = {
  project_id: 'f5c6bd4b-1f0a-4d0e-9f5e-0c2f2f6f0a11',
  region_name: 'eu01',
  service_account_key: { $secret: 'key' },
};

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-ledger-'));
  lab = new MemoryLab();
  lab.disks.set('disk-0', Buffer.alloc(65_536));
  listed = { source: [], destination: [] };
  removed = [];
  isSourceDown = false;
  const platforms: PlatformRegistry = {
    'disk-images': {
      source: (connection, context) => {
        if (isSourceDown) throw new CausewayError('source.unreachable', 'no answer from /images');
        const source = lab.platforms['disk-images']!.source!(connection, context) as object;
        return {
          ...source,
          findResource: async () => undefined,
          listManaged: async () => listed.source,
          removeResource: async (
            entry: { readonly resourceId?: string },
            ledger: { release(...args: unknown[]): Promise<void> },
            signal: AbortSignal,
          ) =>
            ledger.release(
              entry,
              { findId: async () => entry.resourceId, remove: async (id: string) => void removed.push(id) },
              signal,
            ),
        } as never;
      },
    },
    'european-cloud': {
      destination: (connection, context) =>
        ({
          ...(lab.platforms['european-cloud']!.destination!(connection, context) as object),
          listManaged: async () => listed.destination,
        }) as never,
    },
    'open-source-cloud': {
      destination: () => {
        throw new CausewayError('cloud.unreachable', 'connect ECONNREFUSED');
      },
    },
  };
  core = createCore({ projectFolder: folder, vault: lab.vault(), platforms, connectWorker: lab.connectWorker });
  // Asked in the order in which they were added: one that fails comes first.
  await core.call('endpoint.add', {
    name: 'broken',
    plugin: 'open-source-cloud',
    connection: { auth_url: 'https://cloud.example/v3', username: 'me', password: 'x', project_name: 'p' },
  });
  await core.call('endpoint.add', { name: 'from', plugin: 'disk-images', connection: { path: '/images' } });
  await core.call('endpoint.add', { name: 'to', plugin: 'european-cloud', connection: cloud });
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

test('an endpoint out of reach and one that awaits acceptance are reported; the others are checked', async () => {
  const described = JSON.parse(readFileSync(join(folder, 'endpoints', 'to.json'), 'utf8')) as object;
  writeFileSync(
    join(folder, 'endpoints', 'later.json'),
    JSON.stringify({ ...described, id: 'ep-later', name: 'later', connection: cloud }),
  );
  await core.call('project.sync', {});
  listed.destination = [managed('volume', 'stray')];
  listed.source = [managed('volume-backup', 'kept')];
  const { items, endpoints } = await core.call('ledger.check', {});
  expect(
    endpoints.map(({ endpointName, side, outcome, error }) => [endpointName, side, outcome, error?.code]).toSorted(),
  ).toEqual([
    ['broken', 'destination', 'not-checked', 'cloud.unreachable'],
    ['from', 'source', 'checked', undefined],
    ['later', 'destination', 'not-checked', 'trust.endpoint-not-accepted'],
    ['to', 'destination', 'checked', undefined],
  ]);
  expect(items.map(({ kind, resourceId, endpointName }) => [kind, resourceId, endpointName])).toEqual([
    ['volume-backup', 'kept', 'from'],
    ['volume', 'stray', 'to'],
  ]);
});

test('nothing is called gone at an endpoint that was not asked', async () => {
  isSourceDown = true;
  const { items, endpoints } = await core.call('ledger.check', { orphansOnly: true });
  expect(items).toEqual([]);
  expect(endpoints).toContainEqual(expect.objectContaining({ endpointName: 'from', outcome: 'not-checked' }));
});

test("what a source has of an earlier computer's work is listed with the source, and removed there when it is named", async () => {
  listed.source = [managed('volume-backup', 'kept')];
  const { items } = await core.call('ledger.check', {});
  expect(items).toMatchObject([
    { entryId: 'kept', kind: 'volume-backup', endpointName: 'from', madeBy: expect.any(String) as unknown },
  ]);
  expect(await core.call('ledger.remove', { entries: ['kept'], dryRun: false })).toMatchObject([{ outcome: 'failed' }]);
  expect(removed).toEqual([]);
  expect(await core.call('ledger.remove', { entries: ['kept'], dryRun: false, madeElsewhere: true })).toMatchObject([
    { outcome: 'removed' },
  ]);
  expect(removed).toEqual(['kept']);
});

test('a snapshot of the source that an execution recorded is no stray, whatever the source tells of it', async () => {
  const { id } = await core.call('replica.execute', { replica: 'web' });
  await expect.poll(async () => (await core.call('execution.show', { execution: id })).state).toBe('completed');
  const [recorded] = (await core.call('ledger.list', {})).filter(({ kind }) => kind === 'source-snapshot');
  if (recorded === undefined) throw new Error('no snapshot is recorded');
  listed.source = [
    { ...managed('source-snapshot', 'snapshot-1'), entryId: recorded.entryId },
    managed('source-snapshot', 'snapshot-2'),
  ];
  const { items } = await core.call('ledger.check', {});
  expect(items.filter(({ key }) => key.includes('found/')).map(({ resourceId }) => resourceId)).toEqual(['snapshot-2']);
});
