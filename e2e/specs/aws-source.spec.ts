import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createAwsSource } from '../../electron/engine/platforms/large-public-cloud/source/index.ts';
import { makeCertificate } from '../../electron/engine/transport/certificates.ts';
import type { Snapshot, SourcePlatform } from '../../electron/engine/ports/source-platform.ts';
import type { JsonObject } from '../../shared/model/json.ts';
import { firstDifference, readOnto, type DiskRead } from '../conformance/read-snapshot.ts';
import { closeAll } from '../rigs/closing.ts';
import { awsHarness, unit, type SourceLab, type SourceLabOptions } from '../rigs/large-public-cloud/source-harness.ts';
import { ec2Operations } from '../rigs/large-public-cloud/sdk-models.ts';

const signal = new AbortController().signal;
const BLOCK = 512 * 1024;
const closers: (() => Promise<unknown>)[] = [];

afterEach(() => closeAll(() => vi.unstubAllEnvs(), ...closers.splice(0).toReversed()));

async function lab(options: SourceLabOptions = {}): Promise<SourceLab> {
  const made = await awsHarness(options);
  closers.push(() => made.close());
  return made;
}

const take = ({ platform, vmId, environment }: SourceLab, tag: string, base?: Snapshot): Promise<Snapshot> =>
  platform.createSnapshot({ vmId, tag, environment, ...(base === undefined ? {} : { base }) }, signal);

async function read(
  platform: SourcePlatform,
  snapshot: Snapshot,
  diskId: string,
  base?: Snapshot,
  former?: Buffer,
): Promise<DiskRead> {
  const reader = await platform.openDisk(snapshot, diskId, base, signal);
  try {
    return await readOnto(reader, former, signal);
  } finally {
    await reader.close();
  }
}

/** A source with other credentials than the harness has. */
function signedInWith(made: SourceLab, connection: object, files?: object): SourcePlatform {
  const { region, endpoint_urls: urls } = made.cloud.connection() as JsonObject;
  const platform = createAwsSource(
    { region: region ?? '', endpoint_urls: urls ?? {}, ...connection } as JsonObject,
    { scratchFolder: tmpdir() },
    { gib: unit, attempts: 2, ...(files === undefined ? {} : { files }) },
  );
  closers.push(() => platform.close());
  return platform;
}

describe('signing in', () => {
  const signInStep = async (platform: SourcePlatform) =>
    (await platform.check(signal)).steps.find(({ name }) => name === 'Sign in');

  it('takes keys, a session token, a profile and an assumed role with its external ID', async () => {
    const made = await lab();
    const { world, key } = made.cloud;
    world.keys.set('ASIATEMPORARY', {
      id: 'ASIATEMPORARY',
      secret: 'temporary-secret',
      sessionToken: 'the-token',
      arn: 'arn:aws:sts::123456789012:assumed-role/someone/else',
    });
    world.roles.set('arn:aws:iam::123456789012:role/causeway', 'migration-2026');
    const folder = await mkdtemp(join(tmpdir(), 'causeway-aws-profile-'));
    closers.push(() => rm(folder, { recursive: true, force: true }));
    const files = { filepath: join(folder, 'credentials'), configFilepath: join(folder, 'config') };
    await writeFile(
      files.filepath,
      `[migration]\naws_access_key_id = ${key.id}\naws_secret_access_key = ${key.secret}\n`,
    );
    await writeFile(
      files.configFilepath,
      '[profile through-role]\nrole_arn = arn:aws:iam::123456789012:role/causeway\nexternal_id = migration-2026\nsource_profile = migration\n',
    );

    const keys = { access_key_id: key.id, secret_access_key: key.secret };
    const temporary = {
      access_key_id: 'ASIATEMPORARY',
      secret_access_key: 'temporary-secret',
      session_token: 'the-token',
    };
    const role = { role_arn: 'arn:aws:iam::123456789012:role/causeway', external_id: 'migration-2026' };
    expect((await signInStep(signedInWith(made, keys)))?.evidence).toContain('user/causeway');
    expect((await signInStep(signedInWith(made, temporary)))?.evidence).toContain('assumed-role/someone/else');
    expect((await signInStep(signedInWith(made, { ...keys, ...role })))?.evidence).toContain(
      'assumed-role/causeway/causeway',
    );
    expect((await signInStep(signedInWith(made, { profile: 'migration' }, files)))?.evidence).toContain(
      'user/causeway',
    );
    expect((await signInStep(signedInWith(made, { profile: 'through-role' }, files)))?.evidence).toContain(
      'assumed-role/causeway',
    );
    expect(await signInStep(signedInWith(made, { profile: 'no-such-profile' }, files))).toMatchObject({
      outcome: 'failed',
      code: 'cloud.authentication-failed',
    });
  });

  it('takes the token that single sign-on left in its cache, until that ends', async () => {
    const made = await lab();
    const { key } = made.cloud;
    const asked: string[] = [];
    const portal = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://portal.invalid');
      asked.push(
        [
          request.method,
          pathname,
          searchParams.get('account_id'),
          searchParams.get('role_name'),
          request.headers['x-amz-sso_bearer_token'],
        ].join(' '),
      );
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({
          roleCredentials: {
            accessKeyId: key.id,
            secretAccessKey: key.secret,
            sessionToken: 'any',
            expiration: Date.now() + 3600_000,
          },
        }),
      );
    });
    await new Promise<void>((resolve) => portal.listen(0, '127.0.0.1', resolve));
    closers.push(async () => {
      portal.close();
      portal.closeAllConnections();
    });
    const folder = await mkdtemp(join(tmpdir(), 'causeway-aws-sso-'));
    closers.push(() => rm(folder, { recursive: true, force: true }));
    const cache = join(folder, '.aws', 'sso', 'cache');
    await mkdir(cache, { recursive: true });
    await writeFile(
      join(folder, '.aws', 'config'),
      '[profile office]\nsso_session = office\nsso_account_id = 123456789012\nsso_role_name = migration\n[sso-session office]\nsso_region = eu-west-1\nsso_start_url = https://office.awsapps.com/start\n',
    );
    const token = (expiresAt: Date) =>
      writeFile(
        join(cache, `${createHash('sha1').update('office').digest('hex')}.json`),
        JSON.stringify({ accessToken: 'from-the-cache', expiresAt: expiresAt.toISOString() }),
      );
    vi.stubEnv('HOME', folder);
    vi.stubEnv('AWS_ENDPOINT_URL_SSO', `http://127.0.0.1:${(portal.address() as AddressInfo).port}`);

    await token(new Date(Date.now() + 3600_000));
    expect((await signInStep(signedInWith(made, { profile: 'office' })))?.evidence).toContain('user/causeway');
    expect(asked).toEqual(['GET /federation/credentials 123456789012 migration from-the-cache']);
    await token(new Date(Date.now() - 1000));
    expect(await signInStep(signedInWith(made, { profile: 'office' }))).toMatchObject({
      outcome: 'failed',
      code: 'cloud.authentication-failed',
      evidence: expect.stringContaining('aws sso login'),
    });
  });

  it('goes through the proxy of the environment, and trusts the given authority alone', async () => {
    const certificate = await makeCertificate('cloud.example');
    const made = await lab({
      cloud: { tls: { key: certificate.keyPem, cert: certificate.certPem } },
      connection: { allow_untrusted: true },
    });
    const through: string[] = [];
    const proxy = createServer().on('connect', (request, socket) => {
      through.push(request.url ?? '');
      const onward = connect({ host: '127.0.0.1', port: Number(request.url?.split(':')[1]) }, () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        socket.pipe(onward).pipe(socket);
      });
      socket.on('error', () => onward.destroy());
      onward.on('error', () => socket.destroy());
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    closers.push(async () => {
      proxy.close();
      proxy.closeAllConnections();
    });
    const url = made.cloud.url.replace('127.0.0.1', 'cloud.example');
    const { key } = made.cloud;
    const connection = {
      access_key_id: key.id,
      secret_access_key: key.secret,
      endpoint_urls: { ec2: url, ebs: url, sts: url },
    };
    vi.stubEnv('HTTPS_PROXY', `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
    vi.stubEnv('NO_PROXY', '');
    expect(await signInStep(signedInWith(made, connection))).toMatchObject({
      outcome: 'failed',
      code: 'cloud.certificate-not-trusted',
    });
    expect(
      (await signInStep(signedInWith(made, { ...connection, ca_certificate: certificate.certPem })))?.outcome,
    ).toBe('passed');
    expect(through.length).toBeGreaterThan(1);
    expect(new Set(through)).toEqual(new Set([new URL(url).host]));
  });

  it('says what was refused, and never with what', async () => {
    const made = await lab();
    const { key } = made.cloud;
    const steps = await Promise.all([
      signInStep(signedInWith(made, { access_key_id: key.id, secret_access_key: 'not-the-secret-of-this-key' })),
      signInStep(signedInWith(made, { access_key_id: 'AKIANOSUCHKEY', secret_access_key: key.secret })),
      signInStep(
        signedInWith(made, {
          access_key_id: key.id,
          secret_access_key: key.secret,
          role_arn: 'arn:aws:iam::123456789012:role/nobody',
        }),
      ),
    ]);
    expect(steps.map((step) => [step?.outcome, step?.code])).toEqual([
      ['failed', 'cloud.authentication-failed'],
      ['failed', 'cloud.authentication-failed'],
      ['failed', 'cloud.permission-denied'],
    ]);
    expect(JSON.stringify(steps)).not.toContain('not-the-secret');
    expect(JSON.stringify(steps)).not.toContain(key.secret);
  });
});

describe('the inventory', () => {
  it('describes boot mode, memory, disks, networks and tags', async () => {
    const made = await lab();
    const { world } = made.cloud;
    const windows = world.addInstance('mail', {
      platformDetails: 'Windows',
      bootMode: 'legacy-bios',
      type: 'm5d.large',
      subnetId: 'subnet-0918273645f5e4d3c',
      tags: { Environment: 'production' },
    });
    world.attach(await world.addVolume(3, { type: 'io2' }), windows.id, windows.rootDevice);
    const listed = await made.platform.listVms(signal);
    expect(listed.find(({ id }) => id === windows.id)).toMatchObject({
      name: 'mail',
      os_type: 'windows',
      power: 'running',
      diskCount: 1,
      totalBytes: 3 * unit,
      cluster: 'eu-central-1b',
      tags: ['Environment: production'],
    });
    const vm = await made.platform.describeVm(windows.id, signal);
    expect(vm).toMatchObject({
      os_type: 'windows',
      firmware: 'bios',
      vcpus: 2,
      memory_mb: 8192,
      disks: [{ storage_backend: 'io2', bus: 'nvme', bootable: true }],
    });
    // A subnet without a name keeps its id.
    expect(vm.nics).toMatchObject([{ network: 'subnet-0918273645f5e4d3c', ip_addresses: [windows.privateIp] }]);
    expect(await made.platform.describeVm(made.vmId, signal)).toMatchObject({
      firmware: 'uefi',
      nics: [{ network: 'production' }],
    });
    expect(await made.platform.unsupportedDevices?.(windows.id, signal)).toEqual([
      expect.stringContaining('instance-store disks of 75 GB'),
    ]);
    expect(await made.platform.unsupportedDevices?.(made.vmId, signal)).toEqual([]);
  });

  it('goes through all pages', async () => {
    const made = await lab();
    for (let index = 0; index < 600; index += 1) made.cloud.world.addInstance(`vm-${index}`);
    expect(await made.platform.listVms(signal)).toHaveLength(601);
  });

  it('lists choices for the settings', async () => {
    const made = await lab();
    const options = await made.platform.options(['machine_types', 'images', 'vm.networks', 'keypairs'], signal);
    expect(options['machine_types']?.map(({ id }) => id)).toEqual(['m5d.large', 't2.medium', 't3.medium']);
    expect(options['images']).toMatchObject([{ id: 'ami-0a1b2c3d4e5f60718' }]);
    expect(options['vm.networks']?.map(({ name }) => name)).toEqual(['production', 'subnet-0918273645f5e4d3c']);
    expect(options['keypairs']).toEqual([]);
  });
});

describe('the check of an endpoint', () => {
  it('names the actions that are missing', async () => {
    const made = await lab();
    const { denied } = made.cloud.world;
    expect(await made.platform.check(signal)).toMatchObject({ passed: true });
    for (const action of ['ec2:CreateSnapshots', 'ebs:ListSnapshotBlocks', 'ec2:StopInstances']) denied.add(action);
    const { passed, steps } = await made.platform.check(signal);
    expect(passed).toBe(false);
    expect(
      steps.flatMap(({ outcome, evidence }) =>
        outcome === 'passed' ? [] : [[outcome, /(?:ec2|ebs):\w+/.exec(evidence)?.[0]]],
      ),
    ).toEqual([
      ['failed', 'ec2:CreateSnapshots'],
      ['warning', 'ebs:ListSnapshotBlocks'],
      ['warning', 'ec2:StopInstances'],
    ]);
    // Without the APIs a worker is needed, and what it needs is tried.
    denied.add('ec2:RunInstances');
    expect((await made.platform.check(signal)).steps.map(({ evidence }) => evidence)).toContainEqual(
      expect.stringMatching(/ec2:RunInstances.*no disk can be read/),
    );
  });

  it('lists what a policy has to allow, and the client asks for nothing else', async () => {
    const made = await lab();
    const allowed = new Set(made.platform.policy?.().flatMap(({ privileges }) => privileges));
    expect(ec2Operations.filter((name) => !allowed.has(`ec2:${name}`))).toEqual([]);
    expect(JSON.parse(made.platform.policyDocument?.([]) ?? '')).toMatchObject({ Version: '2012-10-17' });
    await made.platform.check(signal);
    await take(made, 'all-calls');
    expect(
      [...new Set(made.cloud.calls.map(({ operation }) => operation))].filter(
        (name) => !['ec2', 'ebs'].some((service) => allowed.has(`${service}:${name}`)),
      ),
    ).toEqual(['GetCallerIdentity']);
  });
});

describe('snapshots', () => {
  it('are of one moment, tagged, listed, and gone when they are no base any more', async () => {
    const made = await lab();
    const { world } = made.cloud;
    const first = await take(made, 'first');
    expect([...world.snapshots.values()].map(({ tags }) => tags)).toEqual(
      [0, 1].map(() =>
        expect.objectContaining({ 'managed-by': 'causeway', 'causeway-replica': 'rep-1', 'causeway-vm': made.vmId }),
      ),
    );
    expect(made.cloud.calls.filter(({ operation }) => operation === 'CreateSnapshots')).toHaveLength(1);
    expect(await made.platform.listManaged?.(signal)).toMatchObject([
      { kind: 'volume-snapshot', replicaId: 'rep-1' },
      { kind: 'volume-snapshot', replicaId: 'rep-1' },
    ]);
    await made.platform.promoteToBase(first, undefined, signal);
    const second = await take(made, 'second', first);
    await made.platform.promoteToBase(second, first, signal);
    expect(world.snapshots.size).toBe(2);
    await made.platform.deleteBase(second, signal);
    expect(await made.leftovers()).toEqual([]);
  });

  it('wait until the VM is off, where the environment says so', async () => {
    const made = await lab({ environment: { shutdown_migrated_instance: 'yes' } });
    await take(made, 'off');
    const order = made.cloud.calls
      .map(({ operation }) => operation)
      .filter((name) => name === 'StopInstances' || name === 'CreateSnapshots');
    expect([order, made.instance.state]).toEqual([['StopInstances', 'CreateSnapshots'], 'stopped']);
  });

  it('name the key of an encrypted volume that may not be used', async () => {
    const made = await lab();
    const { world } = made.cloud;
    const key = 'arn:aws:kms:eu-central-1:123456789012:key/0a1b2c3d';
    const encrypted = await world.addVolume(1, { kmsKeyId: key });
    world.attach(encrypted, made.vmId, '/dev/sdh');
    const taken = await take(made, 'encrypted');
    await read(made.platform, taken, encrypted.id);
    world.deniedKeys.add(key);
    await expect(made.platform.openDisk(taken, encrypted.id, undefined, signal)).rejects.toMatchObject({
      code: 'source.encryption-key-denied',
      message: expect.stringContaining(key),
      details: { actions: ['kms:Decrypt', 'kms:DescribeKey'] },
    });
  });
});

describe('reading through the EBS direct APIs', () => {
  it('lists page by page, also from the middle, and survives tokens that end on the way', async () => {
    const made = await lab();
    const { world } = made.cloud;
    world.mostBlocksPerPage = 3;
    await made.write(0, 0, unit, 0x11);
    const taken = await take(made, 'paged');
    const reader = await made.platform.openDisk(taken, made.diskIds[0] ?? '', undefined, signal);
    const extents: number[] = [];
    for await (const { length } of reader.extents(signal)) {
      extents.push(length);
      // Page tokens and block tokens alike.
      world.tokenGeneration += 1;
    }
    expect(extents.reduce((sum, length) => sum + length, 0)).toBe(unit);
    world.tokenGeneration += 1;
    const into = Buffer.alloc(unit);
    await reader.read(0, into, signal);
    expect(firstDifference(into, Buffer.alloc(unit, 0x11))).toBeUndefined();
    await reader.close();
  });

  it('asks for a token again that has ended by the clock', async () => {
    const made = await lab();
    made.cloud.world.tokenLifeMs = 1000;
    await made.write(0, 0, BLOCK, 0x12);
    const taken = await take(made, 'short-lived');
    const { replica } = await read(made.platform, taken, made.diskIds[0] ?? '');
    expect(firstDifference(replica, await made.content(0))).toBeUndefined();
  });

  it('slows down when it is throttled, and gets everything', async () => {
    const made = await lab();
    const { world } = made.cloud;
    world.mostBlocksAtOnce = 2;
    await made.write(0, 0, unit, 0x13);
    const taken = await take(made, 'throttled');
    const { replica } = await read(made.platform, taken, made.diskIds[0] ?? '');
    expect(firstDifference(replica, await made.content(0))).toBeUndefined();
    expect(world.throttledBlocks).toBeGreaterThan(0);
  });

  it('reads a damaged block again, and gives up with evidence when it stays damaged', async () => {
    const made = await lab();
    const { world } = made.cloud;
    await made.write(0, 0, BLOCK, 0x14);
    const taken = await take(made, 'damaged');
    world.damagedBlocks = 1;
    const { replica } = await read(made.platform, taken, made.diskIds[0] ?? '');
    expect(firstDifference(replica, await made.content(0))).toBeUndefined();
    world.damagedBlocks = Infinity;
    await expect(read(made.platform, taken, made.diskIds[0] ?? '')).rejects.toMatchObject({
      code: 'source.block-damaged',
    });
  });

  it('reads the whole disk when the snapshots have no common lineage', async () => {
    const made = await lab();
    await made.write(0, 0, BLOCK, 0x15);
    const first = await take(made, 'before');
    await made.platform.promoteToBase(first, undefined, signal);
    const second = await take(made, 'after', first);
    for (const snapshot of made.cloud.world.snapshots.values())
      if (snapshot.tags['causeway-entry'] !== undefined && snapshot.state === 'completed')
        Object.assign(snapshot, { lineage: snapshot.id });
    const result = await read(made.platform, second, made.diskIds[0] ?? '', first);
    expect(result.coverage).toBe('allocated');
    expect(firstDifference(result.replica, await made.content(0))).toBeUndefined();
    expect(made.notes.join(' ')).toContain('the whole disk is read');
  });

  it('reads each block once, and says what that cost', async () => {
    const made = await lab();
    await made.write(0, 0, 4 * BLOCK, 0x16);
    const first = await take(made, 'full');
    await read(made.platform, first, made.diskIds[0] ?? '');
    await made.platform.promoteToBase(first, undefined, signal);
    expect(made.cloud.calls.filter(({ operation }) => operation === 'GetSnapshotBlock')).toHaveLength(4);
    expect(made.notes.at(-1)).toMatch(
      /^EBS direct: \d+ requests \(\d+ per GiB read\), 4 of them blocks; about USD 0\.0000\d+/,
    );
  });
});
