import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { createCore, type Core } from '../core.ts';
import { MemoryLab } from '../testing/memory-lab.ts';

let root: string;
let lab: MemoryLab;
const opened = new Set<Core>();
const common = {
  network_map: { default: 'net' },
  availability_zone: 'eu01-1',
  machine_type: 'g1.1',
  migr_network: 'net',
  migr_machine_type: 'g1.1',
  migr_image_map: { linux: 'debian' },
};

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'causeway-shared-'));
  lab = new MemoryLab();
  lab.disks.set('disk-0', Buffer.alloc(1024 * 1024, 1));
});
afterEach(async () => {
  for (const core of opened) await close(core);
  rmSync(root, { recursive: true, force: true });
});

function open(person: string): Core {
  mkdirSync(join(root, person), { recursive: true });
  const core = createCore({
    projectFolder: join(root, person),
    vault: lab.vault({ key: '{}' }, person),
    platforms: lab.platforms,
    connectWorker: lab.connectWorker,
  });
  opened.add(core);
  return core;
}

async function close(core: Core): Promise<void> {
  opened.delete(core);
  await core.close();
}

/** Accepts all that the project reaches. */
async function accept(core: Core): Promise<void> {
  await core.call('trust.accept', { token: (await core.call('trust.show', {})).token });
}

async function fill(core: Core): Promise<void> {
  await core.call('project.setSharing', { addresses: true });
  await core.call('endpoint.add', { name: 'from', plugin: 'disk-images', connection: { path: '/images' } });
  const connection = {
    project_id: 'f5c6bd4b-1f0a-4d0e-9f5e-0c2f2f6f0a11',
    region_name: 'eu01',
    service_account_key: '{"top":"secret"}',
  };
  await core.call('endpoint.add', { name: 'to', plugin: 'european-cloud', connection });
  await core.call('replica.create', {
    name: 'web',
    source: 'from',
    destination: 'to',
    vm: 'web',
    destinationEnvironment: common,
  });
}

/** What people see of a project. */
async function seen(core: Core): Promise<unknown> {
  const endpoints = await core.call('endpoint.list', {});
  const replicas = await core.call('replica.list', {});
  return { endpoints: endpoints.map(({ updatedAt: _at, ...rest }) => rest), replicas };
}

const path = (person: string, file: string): string => join(root, person, file);
const read = (person: string, file: string) =>
  JSON.parse(readFileSync(path(person, file), 'utf8')) as Record<string, unknown>;
const problems = async (core: Core) => (await core.call('project.sync', {})).problems;
function git(person: string, ...args: string[]): string {
  return execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], {
    cwd: join(root, person),
    encoding: 'utf8',
  });
}

test('a copy of the project’s files is the same project, and has no secret in it', async () => {
  const anna = open('anna');
  await fill(anna);
  cpSync(join(root, 'anna'), join(root, 'ben'), { recursive: true, filter: (from) => !from.includes('.causeway') });
  const ben = open('ben');
  expect(await seen(ben)).toEqual(await seen(anna));
  const texts = ['endpoints/from.json', 'endpoints/to.json', 'replicas/web.json'].map((file) =>
    readFileSync(path('ben', file), 'utf8'),
  );
  expect(texts.join('')).not.toContain('top');
});

test.skipIf(inject('lacking').includes('git'))('two people’s changes of different things merge', async () => {
  const anna = open('anna');
  await fill(anna);
  git('anna', 'init', '-q');
  git('anna', 'add', '.');
  git('anna', 'commit', '-qm', 'begun');
  git('anna', 'clone', '-q', '.', join(root, 'ben'));
  const ben = open('ben');
  await accept(ben);
  await ben.call('replica.update', {
    replica: 'web',
    destinationEnvironment: { ...common, migr_machine_type: 'g1.4' },
  });
  await ben.call('endpoint.add', { name: 'other images', plugin: 'disk-images', connection: { path: '/other' } });
  git('ben', 'add', '.');
  git('ben', 'commit', '-qm', 'a larger worker');
  await anna.call('replica.update', {
    replica: 'web',
    name: 'shop',
    destinationEnvironment: { ...common, availability_zone: 'eu01-2' },
  });
  git('anna', 'add', '-A');
  git('anna', 'commit', '-qm', 'another zone');
  git('anna', 'pull', '-q', '--no-rebase', '--no-edit', join(root, 'ben'), 'HEAD');
  expect(await problems(anna)).toEqual([]);
  expect(await anna.call('replica.show', { replica: 'shop' })).toMatchObject({
    destinationEnvironment: { availability_zone: 'eu01-2', migr_machine_type: 'g1.4' },
  });
  expect((await anna.call('endpoint.list', {})).map(({ name }) => name)).toEqual(['from', 'other images', 'to']);
  expect(readdirSync(path('anna', 'replicas'))).toEqual(['shop.json']);
});

test('a connection that somebody else changes is told while the project is open, and not used until it is accepted', async () => {
  const core = open('anna');
  await fill(core);
  // The noise of the own writing first.
  await problems(core);
  const told = new Promise<void>((resolve) => void core.subscribe('project.changed', () => resolve()));
  writeFileSync(
    path('anna', 'endpoints/from.json'),
    JSON.stringify({ ...read('anna', 'endpoints/from.json'), connection: { path: '/new' } }),
  );
  await told;
  expect((await core.call('endpoint.get', { endpoint: 'from' })).connection).toEqual({ path: '/images' });
  expect((await core.call('trust.show', {})).endpoints[0]).toMatchObject({
    name: 'from',
    state: 'changed',
    changes: [{ label: 'Folder or file', from: '/images', to: '/new' }],
  });
  await accept(core);
  expect((await core.call('endpoint.get', { endpoint: 'from' })).connection).toEqual({ path: '/new' });
});

test('what was deleted by somebody goes, unless something was made of it', async () => {
  const core = open('anna');
  await fill(core);
  await core.call('replica.create', {
    name: 'spare',
    source: 'from',
    destination: 'to',
    vm: 'web',
    destinationEnvironment: common,
  });
  await core.call('replica.execute', { replica: 'web' });
  await core.drain();
  for (const file of ['replicas/spare.json', 'replicas/web.json', 'endpoints/to.json']) rmSync(path('anna', file));
  expect(await problems(core)).toEqual([
    { file: 'replicas/web.json', message: expect.stringContaining('it has volumes') as string },
    { file: 'endpoints/to.json', message: expect.stringContaining('replica web uses it') as string },
  ]);
  expect((await core.call('replica.list', {})).map(({ name }) => name)).toEqual(['web']);
  expect(read('anna', 'replicas/web.json')['name']).toBe('web');
  expect(await problems(core)).toEqual([]);
});

test('a file that can’t be taken changes nothing and is named with the reason', async () => {
  const core = open('anna');
  await fill(core);
  const before = await seen(core);
  const file = read('anna', 'replicas/web.json');
  const attempts: [string, string][] = [
    [`<<<<<<< ours\n${JSON.stringify(file)}\n=======\n`, 'line 1 is an unresolved merge conflict'],
    ['{"name": "web",\n "password": canary}', 'it is not JSON'],
    [JSON.stringify({ ...file, unknown: 1 }), 'unknown'],
    [JSON.stringify({ ...file, source: 'ep-gone2222222222' }), 'ep-gone2222222222 is not in the project'],
    [JSON.stringify({ ...file, vm: { id: 'other', name: 'web' } }), 'cannot be changed'],
  ];
  for (const [text, reason] of attempts) {
    writeFileSync(path('anna', 'replicas/web.json'), text);
    expect(await problems(core)).toEqual([
      { file: 'replicas/web.json', message: expect.stringContaining(reason) as string },
    ]);
    expect(await seen(core)).toEqual(before);
    expect(readFileSync(path('anna', 'replicas/web.json'), 'utf8')).toBe(text);
  }
});

test('a secret in plain text is not taken, and not repeated', async () => {
  const core = open('anna');
  await fill(core);
  const file = read('anna', 'endpoints/to.json');
  writeFileSync(
    path('anna', 'endpoints/to.json'),
    JSON.stringify({ ...file, connection: { ...(file['connection'] as object), service_account_key: 'canary-7f3' } }),
  );
  const [problem] = await problems(core);
  expect(problem?.message).toContain('it contains service_account_key in plain text');
  expect(JSON.stringify([problem, await seen(core)])).not.toContain('canary');
});

test('a copy with the same id, and a second thing of the same name, are named', async () => {
  const core = open('anna');
  await fill(core);
  const file = read('anna', 'endpoints/from.json');
  writeFileSync(path('anna', 'endpoints/copy.json'), JSON.stringify(file));
  writeFileSync(path('anna', 'endpoints/twin.json'), JSON.stringify({ ...file, id: 'ep-abcdefgh22222222' }));
  expect(await problems(core)).toEqual([
    { file: 'endpoints/copy.json', message: expect.stringContaining('the same ID as from.json') as string },
    { file: 'endpoints/twin.json', message: expect.stringContaining('another endpoint has the name from') as string },
  ]);
});

test('what runs is not changed under its feet; its file is taken in afterwards', async () => {
  const core = open('anna');
  await fill(core);
  const held = Promise.withResolvers<void>();
  const writing = Promise.withResolvers<void>();
  lab.beforeWrite = async () => {
    writing.resolve();
    await held.promise;
  };
  await core.call('replica.execute', { replica: 'web' });
  await writing.promise;
  const file = read('anna', 'replicas/web.json');
  writeFileSync(
    path('anna', 'replicas/web.json'),
    JSON.stringify({ ...file, destinationEnvironment: { ...common, machine_type: 'g1.8' } }),
  );
  expect(await problems(core)).toEqual([]);
  expect((await core.call('replica.show', { replica: 'web' })).destinationEnvironment['machine_type']).toBe('g1.1');
  held.resolve();
  await core.drain();
  await problems(core);
  expect((await core.call('replica.show', { replica: 'web' })).destinationEnvironment['machine_type']).toBe('g1.8');
});

test('a file under another name stays one thing: its next change gives it its own name', async () => {
  const core = open('anna');
  await fill(core);
  renameSync(path('anna', 'endpoints/from.json'), path('anna', 'endpoints/by-hand.json'));
  expect(await problems(core)).toEqual([]);
  await core.call('endpoint.update', { endpoint: 'from', name: 'Images' });
  expect(readdirSync(path('anna', 'endpoints')).filter((file) => !file.startsWith('to'))).toEqual([
    expect.stringMatching(/^images~/),
  ]);
  await core.call('replica.delete', { replica: 'web' });
  await core.call('endpoint.remove', { endpoint: 'Images' });
  expect(readdirSync(path('anna', 'endpoints'))).toEqual(['to.json']);
  expect(readdirSync(path('anna', 'replicas'))).toEqual([]);
});

test('a change whose file was written before a crash counts', async () => {
  let core = open('anna');
  await fill(core);
  await close(core);
  writeFileSync(
    path('anna', 'endpoints/from.json'),
    JSON.stringify({ ...read('anna', 'endpoints/from.json'), name: 'from2' }),
  );
  core = open('anna');
  expect((await core.call('endpoint.list', {})).map(({ name }) => name)).toEqual(['from2', 'to']);
});

test('a project from before there were files gets them', async () => {
  let core = open('anna');
  await fill(core);
  const before = await seen(core);
  await close(core);
  for (const folder of ['endpoints', 'replicas']) rmSync(path('anna', folder), { recursive: true });
  const { DatabaseSync } = await import('node:sqlite');
  const db = new DatabaseSync(path('anna', '.causeway/causeway.db'));
  db.exec('DELETE FROM project_files');
  db.close();
  core = open('anna');
  expect(await seen(core)).toEqual(before);
  expect(readdirSync(path('anna', 'endpoints'))).toEqual(['from.json', 'to.json']);
});
