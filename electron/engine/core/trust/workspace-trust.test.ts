import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { JsonObject } from '../../../../shared/model/json.ts';
import { rounds } from '../../../../shared/testing/rounds.ts';
import type { PlatformRegistry } from '../../platforms/registry.ts';
import { createCore, type Core } from '../core.ts';
import { memoryVault, MemoryLab } from '../testing/memory-lab.ts';

/** Connections as platforms got them, with secrets in plain text: all that ever left the core. */
let reached: JsonObject[];
let root: string;
let core: Core;
const opened = new Set<Core>();

const platforms: PlatformRegistry = (() => {
  const lab = new MemoryLab();
  const recording = (side: 'source' | 'destination', connection: JsonObject): never => {
    reached.push(connection);
    return lab.platforms[side === 'source' ? 'disk-images' : 'european-cloud']![side]!(connection, {
      scratchFolder: root,
    }) as never;
  };
  return {
    'open-source-cloud': { destination: (connection) => recording('destination', connection) },
    'qemu-hypervisor': { source: (connection) => recording('source', connection) },
  };
})();

function open(folder: string, vault: ReturnType<typeof memoryVault>): Core {
  mkdirSync(join(root, folder), { recursive: true });
  const made = createCore({ projectFolder: join(root, folder), vault, platforms });
  opened.add(made);
  return made;
}

async function close(one: Core): Promise<void> {
  opened.delete(one);
  await one.close();
}

beforeEach(() => {
  reached = [];
  root = mkdtempSync(join(tmpdir(), 'causeway-gate-'));
});
afterEach(async () => {
  for (const one of opened) await close(one);
  rmSync(root, { recursive: true, force: true });
});

const cloud = { auth_url: 'https://cloud.example/v3', username: 'me', password: 'canary-password', project_name: 'p' };
const file = (folder = 'mine') => join(root, folder, 'endpoints', 'cloud.json');
const edit = (change: (connection: JsonObject) => JsonObject, folder?: string): void => {
  const content = JSON.parse(readFileSync(file(folder), 'utf8')) as JsonObject;
  writeFileSync(
    file(folder),
    JSON.stringify({ ...content, connection: change((content['connection'] ?? {}) as JsonObject) }),
  );
};
const show = (one = core) => one.call('trust.show', {});
const accept = async (one = core) => one.call('trust.accept', { token: (await show(one)).token });
const check = (one = core) => one.call('endpoint.check', { endpoint: 'cloud' });

async function mine(shares = true): Promise<ReturnType<typeof memoryVault>> {
  const vault = memoryVault({ other: 'canary-other' });
  core = open('mine', vault);
  await core.call('project.setSharing', { addresses: shares });
  await core.call('endpoint.add', { name: 'cloud', plugin: 'open-source-cloud', connection: cloud });
  return vault;
}

test('a project that came from elsewhere reaches nothing until it is accepted; reading and configuring work', async () => {
  await mine();
  cpSync(join(root, 'mine'), join(root, 'theirs'), { recursive: true, filter: (from) => !from.includes('.causeway') });
  const theirs = open('theirs', memoryVault({ 'endpoint/x/password': 'x' }));
  const refused = { code: 'trust.project-not-accepted' };
  await expect(check(theirs)).rejects.toMatchObject(refused);
  await expect(theirs.call('catalog.capture', { endpoint: 'cloud' })).rejects.toMatchObject(refused);
  await expect(
    theirs.call('options.list', { endpoint: 'cloud', side: 'destination', names: ['networks'] }),
  ).rejects.toMatchObject(refused);
  await expect(theirs.call('trust.look', { address: 'cloud.example:443' })).rejects.toMatchObject(refused);
  await expect(
    theirs.call('endpoint.add', { name: 'new', plugin: 'open-source-cloud', connection: cloud }),
  ).rejects.toMatchObject(refused);
  expect(reached).toEqual([]);
  expect((await theirs.call('endpoint.list', {}))[0]).toMatchObject({ connection: { auth_url: cloud.auth_url } });
  expect(await show(theirs)).toMatchObject({
    isAccepted: false,
    pending: 1,
    endpoints: [
      {
        state: 'new',
        reaches: expect.arrayContaining([
          {
            kind: 'address',
            label: 'Identity URL',
            field: 'open-source-cloud/connection/auth_url',
            value: cloud.auth_url,
          },
        ]) as unknown,
      },
    ],
  });
});

test('a changed address, certificate setting or secret reference is not used before it is accepted', async () => {
  await mine();
  const changes: [string, (connection: JsonObject) => JsonObject][] = [
    ['Identity URL', (connection) => ({ ...connection, auth_url: 'https://evil.example/v3' })],
    ['Certificate authority', (connection) => ({ ...connection, ca_certificate: 'another' })],
    ['Allow untrusted certificates', (connection) => ({ ...connection, allow_untrusted: true })],
    ['Password', (connection) => ({ ...connection, password: { $secret: 'other' } })],
  ];
  const [, original] = ['', JSON.parse(readFileSync(file(), 'utf8')) as JsonObject];
  for (const [label, change] of changes) {
    edit(change);
    expect(await show()).toMatchObject({ pending: 1, endpoints: [{ state: 'changed', changes: [{ label }] }] });
    await check();
    expect(reached.at(-1)).toEqual(cloud);
    await core.call('trust.keep', { endpoint: 'cloud' });
    expect(JSON.parse(readFileSync(file(), 'utf8'))).toEqual(original);
    expect((await show()).pending).toBe(0);
  }
  edit((connection) => ({ ...connection, password: { $secret: 'other' } }));
  await accept();
  await check();
  expect(reached.at(-1)).toEqual({ ...cloud, password: 'canary-other' });
});

test('what is accepted is what was shown: a change in between accepts nothing', async () => {
  await mine();
  edit((connection) => ({ ...connection, region_name: 'one' }));
  const { token } = await show();
  edit((connection) => ({ ...connection, auth_url: 'https://evil.example/v3' }));
  await expect(core.call('trust.accept', { token })).rejects.toMatchObject({ code: 'trust.changed-meanwhile' });
  await check();
  expect(reached).toEqual([cloud]);
});

test('an unsafe proposal can’t be accepted', async () => {
  await mine();
  edit((connection) => ({ ...connection, auth_url: 'http://evil.example/v3' }));
  expect(await accept()).toMatchObject({
    pending: 1,
    endpoints: [{ state: 'changed', problems: [expect.stringContaining('https://')] }],
  });
  await check();
  const uri = {
    id: 'ep-abcdefgh22222222',
    name: 'hypervisor',
    plugin: 'qemu-hypervisor',
    connection: { libvirt_uri: 'qemu+ext:///system?command=/tmp/x' },
    createdAt: new Date().toISOString(),
  };
  writeFileSync(join(root, 'mine/endpoints/hypervisor.json'), JSON.stringify(uri));
  await accept();
  await expect(core.call('endpoint.check', { endpoint: 'hypervisor' })).rejects.toMatchObject({
    code: 'trust.endpoint-not-accepted',
  });
  expect(reached).toEqual([cloud]);
});

test('settings of programs are not taken from the shared folder', async () => {
  await mine();
  writeFileSync(join(root, 'mine', 'ceph.conf'), '');
  edit((connection) => ({ ...connection, ceph_options: { ceph_conf_file: join(root, 'mine', 'ceph.conf') } }));
  expect((await accept()).endpoints[0]!.problems).toEqual([
    'ceph_conf_file: must not be in the project folder, which other people can change',
  ]);
});

test('no address stands in the files of a project that nobody shares', async () => {
  const vault = await mine(false);
  expect(readFileSync(file(), 'utf8')).not.toContain('cloud.example');
  expect(readFileSync(join(root, 'mine/.causeway/causeway.db')).includes('cloud.example')).toBe(false);
  expect((await core.call('endpoint.get', { endpoint: 'cloud' })).connection).toMatchObject({
    auth_url: cloud.auth_url,
  });
  await close(core);
  core = open('mine', vault);
  await check();
  expect(reached).toEqual([cloud]);
  await core.call('project.setSharing', { addresses: true });
  expect(readFileSync(file(), 'utf8')).toContain('cloud.example');
  await core.call('project.setSharing', { addresses: false });
  expect(readFileSync(file(), 'utf8')).not.toContain('cloud.example');
});

test('a project that was moved asks once, also for what only its vault has', async () => {
  const vault = await mine(false);
  await close(core);
  cpSync(join(root, 'mine'), join(root, 'moved'), { recursive: true, filter: (from) => !from.endsWith('.sock') });
  core = open('moved', vault);
  await expect(check()).rejects.toMatchObject({ code: 'trust.project-not-accepted' });
  expect(await show()).toMatchObject({ isAccepted: false, endpoints: [{ state: 'new' }] });
  await accept();
  await check();
  expect(reached).toEqual([cloud]);
});

test('a rename accepts nothing', async () => {
  await mine();
  edit((connection) => ({ ...connection, auth_url: 'https://evil.example/v3' }));
  await core.call('project.sync', {});
  await core.call('endpoint.update', { endpoint: 'cloud', name: 'cloud2' });
  expect((await show()).pending).toBe(1);
  await core.call('endpoint.check', { endpoint: 'cloud2' });
  expect(reached).toEqual([cloud]);
});

test('after any changes of files and any acceptances, only what was entered or accepted here is used', async () => {
  const hosts = ['https://cloud.example/v3', 'https://evil.example/v3', 'https://third.example/v3'];
  const proposal = fc.record({
    auth_url: fc.constantFrom(...hosts),
    allow_untrusted: fc.boolean(),
    secret: fc.constantFrom('own', 'other'),
  });
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('file' as const), proposal }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('enter' as const), proposal }) },
    ...(['accept', 'keep', 'revoke', 'reopen', 'stale'] as const).map((kind) => ({
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant(kind), proposal }),
    })),
  );
  const triple = ({ auth_url, allow_untrusted, password }: JsonObject): string =>
    JSON.stringify([auth_url, allow_untrusted ?? false, password]);
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      run += 1;
      const folder = `run-${run}`;
      const vault = memoryVault({ other: 'canary-other' });
      let one = open(folder, vault);
      await one.call('project.setSharing', { addresses: true });
      const { id } = await one.call('endpoint.add', { name: 'cloud', plugin: 'open-source-cloud', connection: cloud });
      const own = `endpoint/${id}/password`;
      const written = ({
        auth_url,
        allow_untrusted,
        secret,
      }: {
        auth_url: string;
        allow_untrusted: boolean;
        secret: string;
      }): JsonObject => ({
        ...cloud,
        auth_url,
        allow_untrusted,
        password: { $secret: secret === 'own' ? own : 'other' },
      });
      const plain = (connection: JsonObject): string =>
        triple({
          ...connection,
          password: JSON.stringify(connection['password']).includes(own) ? cloud.password : 'canary-other',
        });
      const allowed = new Set([triple(cloud)]);
      let stale = (await show(one)).token;
      for (const { kind, proposal: proposed } of steps) {
        const before = stale;
        if (kind === 'file') edit(() => written(proposed), folder);
        if (kind === 'enter') {
          const entered = await one.call('endpoint.update', { endpoint: 'cloud', connection: written(proposed) }).then(
            () => true,
            () => false,
          );
          if (entered) allowed.add(plain(written(proposed)));
        }
        if (kind === 'accept') {
          await accept(one);
          allowed.add(plain(JSON.parse(readFileSync(file(folder), 'utf8')).connection as JsonObject));
        }
        if (kind === 'keep') await one.call('trust.keep', { endpoint: 'cloud' }).catch(() => undefined);
        if (kind === 'revoke') await one.call('trust.revoke', {});
        if (kind === 'reopen') {
          await close(one);
          one = open(folder, vault);
        }
        if (kind === 'stale') {
          const now = (await show(one)).token;
          if (now !== before)
            await expect(one.call('trust.accept', { token: before })).rejects.toMatchObject({
              code: 'trust.changed-meanwhile',
            });
          stale = now;
        }
        reached.length = 0;
        const isAccepted = (await show(one)).isAccepted;
        await check(one).catch(() => undefined);
        if (!isAccepted) expect(reached).toEqual([]);
        for (const connection of reached) expect([...allowed]).toContain(triple(connection));
      }
      await close(one);
    }),
    { seed: 7, numRuns: rounds(40) },
  );
});
