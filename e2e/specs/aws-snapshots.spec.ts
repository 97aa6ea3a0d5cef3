import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createAwsSource } from '../../electron/engine/platforms/large-public-cloud/source/index.ts';
import type { JsonObject } from '../../shared/model/json.ts';
import { awsHarness, unit, type SourceLab, type SourceLabOptions } from '../rigs/large-public-cloud/source-harness.ts';

/** What may happen to snapshots and credentials between two requests. */

const signal = new AbortController().signal;
const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function lab(options: SourceLabOptions = {}): Promise<SourceLab> {
  const made = await awsHarness(options);
  closers.push(() => made.close());
  return made;
}

const take = ({ platform, vmId, environment }: SourceLab, tag: string) =>
  platform.createSnapshot({ vmId, tag, environment }, signal);
const idsIn = (state: JsonObject): readonly unknown[] =>
  Object.values(state['disks'] as Readonly<Record<string, { readonly snapshotId: string }>>).map(
    ({ snapshotId }) => snapshotId,
  );

describe('a set of snapshots', () => {
  it('is of one request, also where another one was carried out whose answer was lost', async () => {
    const made = await lab();
    const { world } = made.cloud;
    // The first request's snapshots are listed so late that the second one is sent.
    world.ground.lag.listings = 6;
    made.cloud.faults.add({ operation: 'CreateSnapshots', effect: '502-after' });
    const taken = await take(made, 'twice');
    expect(made.cloud.calls.filter(({ operation }) => operation === 'CreateSnapshots')).toHaveLength(2);
    const requests = new Set(idsIn(taken.state).map((id) => world.snapshots.get(String(id))?.tags['causeway-request']));
    expect([requests.size, requests.has(undefined)]).toEqual([1, false]);
    await made.platform.discardSnapshot(taken, undefined, signal);
    expect(await made.leftovers()).toEqual([]);
  });

  it('that lacks a disk which was attached meanwhile is removed, and the next try has all of them', async () => {
    const made = await lab({ cloud: { transitionMs: 200 } });
    const { world } = made.cloud;
    const cancel = new AbortController();
    const begun = made.platform.createSnapshot({ vmId: made.vmId, tag: 'grows', environment: {} }, cancel.signal).then(
      () => 'taken',
      () => 'called off',
    );
    await expect
      .poll(
        () =>
          made.cloud.calls.filter(({ operation, status }) => operation === 'CreateSnapshots' && status === 200).length,
      )
      .toBe(1);
    cancel.abort();
    expect(await begun).toBe('called off');
    const added = await made.addDisk(unit, 0x31);
    await expect(take(made, 'grows')).rejects.toMatchObject({
      code: 'source.snapshot-failed',
      message: expect.stringContaining(added),
    });
    const taken = await take(made, 'grows');
    expect(taken.disks.map(({ diskId }) => diskId)).toContain(added);
    expect(world.snapshots.size).toBe(3);
  });

  it('of which one is deleted before it is complete fails soon, and leaves nothing', async () => {
    const made = await lab({ cloud: { transitionMs: 60_000 } });
    const { world } = made.cloud;
    const other = made.reopen();
    closers.push(() => other.close());
    const cancel = new AbortController();
    const begun = made.platform
      .createSnapshot({ vmId: made.vmId, tag: 'deleted', environment: {} }, cancel.signal)
      .then(
        () => 'taken',
        () => 'called off',
      );
    await expect
      .poll(
        () =>
          made.cloud.calls.filter(({ operation, status }) => operation === 'CreateSnapshots' && status === 200).length,
      )
      .toBe(1);
    cancel.abort();
    expect(await begun).toBe('called off');
    world.snapshots.delete([...world.snapshots.keys()][0] ?? '');
    // Another process goes on: what it did not create itself cannot just be listed late.
    await expect(
      other.createSnapshot({ vmId: made.vmId, tag: 'deleted', environment: {} }, signal),
    ).rejects.toMatchObject({ code: 'source.snapshot-failed', message: expect.stringContaining('no longer exists') });
    expect(await made.leftovers()).toEqual([]);
  });
});

describe('credentials of a profile', () => {
  const identity = async (platform: ReturnType<typeof createAwsSource>) =>
    (await platform.check(signal)).steps.find(({ name }) => name === 'Sign in')?.evidence;

  it('are read again after another program has renewed them, when they have ended', async () => {
    const made = await lab();
    const { world, region } = made.cloud;
    const folder = await mkdtemp(join(tmpdir(), 'causeway-aws-renewed-'));
    closers.push(() => rm(folder, { recursive: true, force: true }));
    const files = { filepath: join(folder, 'credentials'), configFilepath: join(folder, 'config') };
    await writeFile(files.configFilepath, '');
    const renew = async (name: string): Promise<void> => {
      world.keys.set(name, {
        id: name,
        secret: `secret-of-${name}`,
        sessionToken: `token-of-${name}`,
        arn: `arn:aws:sts::123456789012:assumed-role/office/${name}`,
      });
      await writeFile(
        files.filepath,
        `[office]\naws_access_key_id = ${name}\naws_secret_access_key = secret-of-${name}\naws_session_token = token-of-${name}\n`,
      );
    };
    const open = () => {
      const platform = createAwsSource(
        { region, profile: 'office', endpoint_urls: { ec2: made.cloud.url, ebs: made.cloud.url, sts: made.cloud.url } },
        { scratchFolder: folder },
        { gib: unit, attempts: 1, files },
      );
      closers.push(() => platform.close());
      return platform;
    };
    await renew('ASIAFIRST');
    const platform = open();
    expect(await identity(platform)).toContain('office/ASIAFIRST');
    await renew('ASIASECOND');
    expect(await identity(open())).toContain('office/ASIASECOND');
    made.cloud.faults.add({ operation: 'GetCallerIdentity', effect: 'refused', status: 403, code: 'ExpiredToken' });
    expect(await identity(platform)).toContain('office/ASIASECOND');
  });
});

it('takes no denial of a role for one of the EBS direct APIs', async () => {
  const made = await lab();
  const { world, key, region, url } = made.cloud;
  const role = 'arn:aws:iam::123456789012:role/causeway';
  world.roles.set(role, undefined);
  world.denied.add('sts:AssumeRole');
  const platform = createAwsSource(
    {
      region,
      access_key_id: key.id,
      secret_access_key: key.secret,
      role_arn: role,
      endpoint_urls: { ec2: url, ebs: url, sts: url },
    },
    { scratchFolder: tmpdir() },
    { gib: unit, attempts: 1 },
  );
  closers.push(() => platform.close());
  await expect(platform.listVms(signal)).rejects.toMatchObject({
    code: 'cloud.permission-denied',
    details: { action: 'sts:AssumeRole' },
    message: expect.stringContaining('sts:AssumeRole'),
  });
});

it('does not stop a VM that its group would terminate for that', async () => {
  const made = await lab({ environment: { shutdown_migrated_instance: true } });
  made.instance.tags['aws:autoscaling:groupName'] = 'web-servers';
  await expect(take(made, 'scaled')).rejects.toMatchObject({
    code: 'source.shutdown-refused',
    message: expect.stringContaining('web-servers'),
  });
  expect(made.instance.state).toBe('running');
  expect(await made.platform.unsupportedDevices?.(made.vmId, signal)).toEqual([expect.stringContaining('web-servers')]);
  expect(await made.leftovers()).toEqual([]);
});

it('passes its check with a policy that lets only its own snapshots be deleted', async () => {
  const made = await lab();
  const { world } = made.cloud;
  world.deletesOnlyTagged = true;
  world.snapshots.set('snap-0123456789abcdef0', {
    id: 'snap-0123456789abcdef0',
    volumeId: made.diskIds[0] ?? '',
    size: 1,
    lineage: '',
    kmsKeyId: undefined,
    description: 'of the owner',
    startedAt: new Date(),
    state: 'completed',
    tags: {},
  });
  expect((await made.platform.check(signal)).steps.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
  await take(made, 'own');
  world.denied.add('ec2:DeleteSnapshot');
  expect((await made.platform.check(signal)).steps.filter(({ outcome }) => outcome === 'failed')).toMatchObject([
    { evidence: expect.stringContaining('ec2:DeleteSnapshot') },
  ]);
});

it('reads the whole disk when the service refuses to compare with the base, e.g. because it was archived', async () => {
  const made = await lab();
  await made.write(0, 0, unit, 0x21);
  const base = await take(made, 'archived');
  await made.platform.promoteToBase(base, undefined, signal);
  const next = await made.platform.createSnapshot({ vmId: made.vmId, tag: 'next', environment: {}, base }, signal);
  made.cloud.faults.add({
    operation: 'ListChangedBlocks',
    effect: 'refused',
    status: 400,
    code: 'ValidationException',
  });
  const reader = await made.platform.openDisk(next, made.diskIds[0] ?? '', base, signal);
  const into = Buffer.alloc(unit);
  await reader.read(0, into, signal);
  await reader.close();
  expect([reader.coverage, into.equals(Buffer.alloc(unit, 0x21))]).toEqual(['allocated', true]);
  expect(made.notes.join(' ')).toContain('the whole disk is read');
});

it('does not wait for a snapshot that an image was made of, and removes it once that is gone', async () => {
  const made = await lab();
  const base = await take(made, 'used');
  await made.platform.promoteToBase(base, undefined, signal);
  made.cloud.faults.add({ operation: 'DeleteSnapshot', effect: 'refused', status: 400, code: 'InvalidSnapshot.InUse' });
  await expect(made.platform.deleteBase(base, signal)).rejects.toMatchObject({
    code: 'cloud.request-refused',
    message: expect.stringContaining('Deregister the image'),
  });
  await made.platform.deleteBase(base, signal);
  expect(await made.leftovers()).toEqual([]);
});
