// needs: native workers
// Two engines of one project, each with a folder, a store, a vault and a user of its own, and three NATS servers.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEuropeanCloud, type EuropeanCloud } from '../rigs/european-cloud/start.ts';
import { labMachines, usualWorkerKind } from '../rigs/machines/kinds.ts';
import { startNats, type NatsCluster } from '../rigs/nats-cluster.ts';
import { firstDifference } from '../rigs/sparse-files.ts';

const MiB = 1024 * 1024;
const root = join(import.meta.dirname, '..', '..');
type Side = 'one' | 'two';

describe('two engines of a fleet', () => {
  let folder: string;
  let cloud: EuropeanCloud;
  let nats: NatsCluster;
  let worker: ChildProcess;
  let first: Buffer;
  const at = (...parts: string[]): string => join(folder, ...parts);
  const environment = (side: Side): NodeJS.ProcessEnv => ({
    ...process.env,
    CAUSEWAY_USER_FOLDER: at(`${side}-user`),
    CAUSEWAY_PASSPHRASE_FILE: at('passphrase'),
    CAUSEWAY_PROJECT: at(side),
  });
  const start = (side: Side, ...argv: string[]): ChildProcess =>
    spawn(process.execPath, [join(root, 'out/main/cli.js'), ...argv], {
      env: environment(side),
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  const causeway = (side: Side, ...argv: string[]): Promise<{ status: number; output: string }> =>
    new Promise((resolve) => {
      execFile(
        process.execPath,
        [join(root, 'out/main/cli.js'), ...argv],
        { env: environment(side), cwd: folder },
        (error, stdout, stderr) =>
          resolve({
            status: typeof error?.code === 'number' ? error.code : error === null ? 0 : 2,
            output: `${stdout}${stderr}`,
          }),
      );
    });
  const done = async (side: Side, ...argv: string[]): Promise<string> => {
    const { status, output } = await causeway(side, ...argv);
    expect(status, `${side}: ${argv.join(' ')}: ${output}`).toBe(0);
    return output;
  };
  /** Starts an execution and returns once a part of the disk has crossed the link. */
  async function halfExecuted(side: Side): Promise<{ command: ChildProcess; said: () => string }> {
    const command = start(side, 'replica', 'execute', 'web', '--limit', '400K', '--json');
    let said = '';
    command.stderr!.on('data', (piece: Buffer) => (said += piece.toString('utf8')));
    for await (const line of createInterface({ input: command.stdout! })) {
      said += `${line}\n`;
      if (Number(/"bytesSent":(\d+)/.exec(line)?.[1] ?? 0) > MiB / 2) return { command, said: () => said };
    }
    throw new Error(`the execution ended early: ${said}`);
  }
  const states = async (side: Side): Promise<string[]> =>
    (await done(side, 'execution', 'list', '--json'))
      .trim()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { number: number; state: string })
      .map(({ number, state }) => `${number} ${state}`);
  async function expectEqualDisks(): Promise<void> {
    const [disk] = (
      JSON.parse(await done('two', 'replica', 'show', 'web', '--json')) as { disks: { volumeId: string }[] }
    ).disks;
    expect(await firstDifference(at('images', 'web.raw'), cloud.volumePath(disk!.volumeId))).toBeUndefined();
    expect(cloud.world.volumes.size).toBe(1);
    expect(cloud.world.servers.size).toBe(0);
  }
  async function expectCleanHistory(): Promise<void> {
    const [row] = (await done('two', 'fleet', 'verify', '--json'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { problems: string[]; left: string[]; epochs: number });
    expect(row).toMatchObject({ problems: [], left: [] });
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'causeway-fleet-'));
    for (const name of ['one', 'images']) await mkdir(at(name));
    [cloud, nats] = await Promise.all([
      startEuropeanCloud({
        folder: at('cloud'),
        transitionMs: 3,
        machines: labMachines({ worker: usualWorkerKind, outbound: false }),
      }),
      startNats({ servers: 3 }),
    ]);
    first = randomBytes(24 * MiB);
    await writeFile(at('images', 'web.raw'), first);
    await writeFile(at('passphrase'), 'correct horse battery', { mode: 0o600 });
    await writeFile(
      at('cloud.json'),
      JSON.stringify({
        project_id: cloud.projectId,
        region_name: cloud.region,
        iaas_url: cloud.urls.iaas,
        token_url: cloud.urls.token,
        caller_address: '127.0.0.0/8',
      }),
    );
    await writeFile(at('cloud-key'), JSON.stringify(cloud.serviceAccountKey), { mode: 0o600 });
    await writeFile(
      at('web.yaml'),
      JSON.stringify({
        destination: {
          plugin: 'european-cloud',
          environment: {
            network_map: { default: 'production' },
            availability_zone: 'eu01-1',
            machine_type: 'g1.1',
            migr_network: 'migration',
            migr_machine_type: 'g1.1',
            migr_image_map: { linux: 'Debian 12' },
            data_transfer_mechanism: 'HTTPS',
          },
        },
      }),
    );
    await done('one', 'vault', 'init');
    await done('one', 'vault', 'set', 'cloud-key', '--file', at('cloud-key'));
    await done('one', 'trust', 'accept', '--yes');
    await done('one', 'trust', 'sharing', 'on');
    await done(
      'one',
      'endpoint',
      'add',
      'images',
      '--plugin',
      'disk-images',
      '--set',
      `path=${at('images')}`,
      '--set',
      'os_type=linux',
    );
    await done(
      'one',
      'endpoint',
      'add',
      'cloud',
      '--plugin',
      'european-cloud',
      '--connection',
      at('cloud.json'),
      '--secret',
      'service_account_key=cloud-key',
    );
    await done('one', 'replica', 'create', 'images', 'web', 'cloud', '--environment', at('web.yaml'));
    // As a repository or a shared drive brings it: without what belongs to the first computer.
    await cp(at('one'), at('two'), { recursive: true, filter: (path) => basename(path) !== '.causeway' });
    await done('two', 'vault', 'init');
    await done('two', 'vault', 'set', 'cloud-key', '--file', at('cloud-key'));
    await done('two', 'trust', 'accept', '--yes');
    for (const side of ['one', 'two'] as const)
      await done(side, 'fleet', 'join', ...nats.urls, '--name', 'lab', '--copies', '3', '--claim-seconds', '4');
    worker = start('two', 'fleet', 'work');
    worker.stdout!.resume();
    worker.stderr!.resume();
  }, 180_000);
  afterAll(async () => {
    if (worker !== undefined && worker.exitCode === null) {
      const ended = once(worker, 'exit');
      worker.kill('SIGTERM');
      await ended;
    }
    await Promise.all([cloud?.close(), nats?.stop()]);
    await rm(folder, { recursive: true, force: true });
  }, 60_000);

  it('see what the other describes', async () => {
    await done('one', 'wave', 'create', 'night');
    await done('one', 'replica', 'update', 'web', '--wave', 'night');
    await expect
      .poll(() => done('two', 'replica', 'show', 'web', '--json'), { timeout: 60_000, interval: 500 })
      .toContain('"wave":"night"');
    expect(await done('two', 'fleet', 'status')).not.toContain('was changed here and elsewhere');
  }, 120_000);

  it('one refuses what the other works on, and continues it when that one was killed', async () => {
    const { command } = await halfExecuted('one');
    expect(await causeway('two', 'replica', 'execute', 'web')).toMatchObject({
      status: 1,
      output: expect.stringContaining('fleet.claimed-elsewhere') as string,
    });
    const gone = once(command, 'exit');
    command.kill('SIGKILL');
    await gone;
    // A server of the cluster goes as well.
    await nats.kill(1);
    await expect
      .poll(async () => (await causeway('two', 'execution', 'limit', 'web', 'unlimited')).status, {
        timeout: 120_000,
        interval: 500,
      })
      .toBe(0);
    await expect.poll(() => states('two'), { timeout: 120_000, interval: 500 }).toEqual(['1 completed']);
    await nats.restart(1);
    await expectEqualDisks();
    await expectCleanHistory();
    // The one that was killed learns what happened.
    await expect.poll(() => states('one'), { timeout: 60_000, interval: 500 }).toEqual(['1 completed']);
  }, 400_000);

  it('one that slept while the other took over does nothing more when it wakes up', async () => {
    const image = readFileSync(at('images', 'web.raw'));
    randomBytes(8 * MiB).copy(image, 4 * MiB);
    await writeFile(at('images', 'web.raw'), image);
    const { command, said } = await halfExecuted('one');
    command.kill('SIGSTOP');
    await expect
      .poll(async () => (await causeway('two', 'execution', 'limit', 'web', 'unlimited')).status, {
        timeout: 120_000,
        interval: 500,
      })
      .toBe(0);
    await expect.poll(() => states('two'), { timeout: 120_000, interval: 500 }).toEqual(['2 completed', '1 completed']);
    const before = cloud.calls.length;
    const ended = once(command, 'exit') as Promise<[number | null]>;
    command.kill('SIGCONT');
    // It follows to the end what the other has done, or says that it was interrupted: as it happens to learn of the one or the other first.
    expect((await ended)[0], said()).toBeOneOf([0, 1]);
    // It read at most: whatever creates or removes something comes after the journal.
    expect(
      cloud.calls
        .slice(before)
        .filter(({ method, operation }) => method !== 'GET' && operation !== 'CreateShortLivedAccessToken')
        .map(({ operation }) => operation),
    ).toEqual([]);
    await expectEqualDisks();
    await expectCleanHistory();
    await expect.poll(() => states('one'), { timeout: 60_000, interval: 500 }).toEqual(['2 completed', '1 completed']);
  }, 400_000);

  it('one does not rely on what it knew of a volume before the other wrote to it', async () => {
    // The first content again: the digests that the first engine had of it are of a volume that has been written to since.
    await writeFile(at('images', 'web.raw'), first);
    await done('one', 'replica', 'execute', 'web');
    await expect
      .poll(() => states('two'), { timeout: 60_000, interval: 500 })
      .toEqual(['3 completed', '2 completed', '1 completed']);
    await expectEqualDisks();
    await expectCleanHistory();
  }, 200_000);

  it('leave no secret on the servers', async () => {
    const connection = await connect({ servers: [...nats.urls] });
    try {
      const manager = await jetstreamManager(connection);
      let stored = '';
      for await (const { config, state } of manager.streams.list()) {
        for (let seq = state.first_seq; seq <= state.last_seq; seq++)
          stored += (await manager.streams.getMessage(config.name, { seq }))?.string() ?? '';
      }
      expect(stored).toContain('"name": "web"');
      expect(stored).toContain('causeway-');
      const { credentials } = cloud.serviceAccountKey as unknown as { credentials: { privateKey: string } };
      const [, ...lines] = credentials.privateKey.trim().split('\n');
      for (const secret of ['correct horse battery', 'PRIVATE KEY', lines[0]!]) expect(stored).not.toContain(secret);
    } finally {
      await connection.close();
    }
  }, 60_000);
});
