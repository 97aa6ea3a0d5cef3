import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hostKeyFingerprint } from '../../electron/engine/transport/host-keys.ts';
import { packageEngine } from '../../scripts/package-engine.ts';
import { startEuropeanCloud, type EuropeanCloud } from '../rigs/european-cloud/start.ts';
import { labMachines, usualWorkerKind } from '../rigs/machines/kinds.ts';
import { listenPort } from '../rigs/machines/reachable-port.ts';
import { firstDifference } from '../rigs/sparse-files.ts';
import { startSshd, type SshdRig } from '../rigs/sshd.ts';

const MiB = 1024 * 1024;
const root = join(import.meta.dirname, '..', '..');

/** One computer in both roles: the mover is another user's home behind two SSH servers, and its engine is the packaged one. */
describe.runIf(process.geteuid?.() === 0 && listenPort(22) === 22)('a mover', () => {
  let folder: string;
  let cloud: EuropeanCloud;
  let jump: SshdRig;
  let host: SshdRig;
  let environment: NodeJS.ProcessEnv;
  const at = (...parts: string[]): string => join(folder, ...parts);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'causeway-mover-'));
    for (const name of ['laptop', 'mover', 'images']) await mkdir(at(name));
    cloud = await startEuropeanCloud({ folder: at('cloud'), transitionMs: 3, machines: labMachines({ worker: usualWorkerKind, outbound: false }) });
    [jump, host] = await Promise.all([startSshd(), startSshd({ extraConfig: `SetEnv HOME=${at('mover')} CAUSEWAY_USER_FOLDER=${at('mover', 'settings')}` })]);
    // Both servers take the key of the first.
    await writeFile(join(host.folder, 'authorized'), readFileSync(`${jump.privateKeyPath}.pub`));
    await writeFile(at('ssh-config'), [
      `Host bastion\n  HostName 127.0.0.1\n  Port ${jump.port}\n  User ${jump.username}`,
      `Host beside-the-data\n  HostName 127.0.0.1\n  Port ${host.port}\n  User ${host.username}\n  ProxyJump bastion\n  IdentityFile ${jump.privateKeyPath}`,
    ].join('\n'));
    await writeFile(at('images', 'web.raw'), randomBytes(24 * MiB));
    await writeFile(at('passphrase'), 'correct horse battery', { mode: 0o600 });
    await writeFile(at('cloud.json'), JSON.stringify({
      project_id: cloud.projectId, region_name: cloud.region, iaas_url: cloud.urls.iaas, token_url: cloud.urls.token,
      service_account_key: JSON.stringify(cloud.serviceAccountKey), caller_address: '127.0.0.0/8',
    }));
    await writeFile(at('web.yaml'), JSON.stringify({
      destination: { plugin: 'european-cloud', environment: {
        network_map: { default: 'production' }, availability_zone: 'eu01-1', machine_type: 'g1.1', migr_network: 'migration',
        migr_machine_type: 'g1.1', migr_image_map: { linux: 'Debian 12' }, data_transfer_mechanism: 'HTTPS',
      } },
    }));
    const { SSH_AUTH_SOCK: _agent, ...outer } = process.env;
    environment = {
      ...outer, HOME: at('laptop'), CAUSEWAY_USER_FOLDER: at('laptop', 'settings'), CAUSEWAY_PASSPHRASE_FILE: at('passphrase'),
      CAUSEWAY_MOVER: 'beside', CAUSEWAY_PROJECT: at('project'), CAUSEWAY_MOVER_ARCHIVE: packageEngine(root, process.arch as 'x64'),
    };
  }, 600_000);
  afterAll(async () => {
    await causeway('mover', 'uninstall', 'beside');
    await Promise.all([jump.stop(), host.stop(), cloud.close()]);
    await rm(folder, { recursive: true, force: true });
  }, 120_000);

  function causeway(...argv: string[]): Promise<{ status: number; output: string }> {
    return new Promise((resolve) => {
      execFile(process.execPath, [join(root, 'out/main/cli.js'), ...argv], { env: environment, cwd: folder }, (error, stdout, stderr) =>
        resolve({ status: typeof error?.code === 'number' ? error.code : error === null ? 0 : 2, output: `${stdout}${stderr}` }));
    });
  }
  async function expectDone(...argv: string[]): Promise<string> {
    const { status, output } = await causeway(...argv);
    expect(status, `${argv.join(' ')}: ${output}`).toBe(0);
    return output;
  }

  it('is added only with host keys that were confirmed, those of jump hosts first', async () => {
    const add = ['mover', 'add', 'beside', 'beside-the-data', '--ssh-config', at('ssh-config')];
    const keys = [jump, host].map(({ hostKey }) => hostKeyFingerprint(hostKey));
    expect(await causeway(...add)).toMatchObject({ status: 1, output: expect.stringMatching(new RegExp(`${keys[0]!.replaceAll('+', '\\+')}[^]*mover\\.host-key-unknown`)) as string });
    expect(jump.log()).not.toContain('Accepted');
    await expectDone(...add, '--host-key', ...keys);
    expect(await expectDone('mover', 'list')).toContain(keys[1]);
    expect(existsSync(at('mover', '.causeway-mover'))).toBe(false);
  }, 60_000);

  it('goes on with an execution after the command that started it was killed, and ends with equal bytes', async () => {
    await expectDone('vault', 'init');
    await expectDone('endpoint', 'add', 'images', '--plugin', 'disk-images', '--set', `path=${at('images')}`, '--set', 'os_type=linux');
    await expectDone('endpoint', 'add', 'cloud', '--plugin', 'european-cloud', '--connection', at('cloud.json'));
    await expectDone('replica', 'create', 'images', 'web', 'cloud', '--environment', at('web.yaml'));
    const command = spawn(process.execPath, [join(root, 'out/main/cli.js'), 'replica', 'execute', 'web', '--limit', '400K', '--json'], { env: environment, cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
    for await (const line of createInterface({ input: command.stdout })) {
      const sent = /"bytesSent":(\d+)/.exec(line)?.[1];
      if (Number(sent ?? 0) > MiB / 2) break;
    }
    command.kill('SIGKILL');
    await once(command, 'exit');
    expect(await expectDone('execution', 'list', '--json')).toContain('"state":"running"');
    await expectDone('execution', 'limit', 'web', 'unlimited');
    const listed = async (): Promise<string> => expectDone('execution', 'list', '--json');
    await expect.poll(listed, { timeout: 120_000, interval: 500 }).toContain('"state":"completed"');
    const [disk] = (JSON.parse(await expectDone('replica', 'show', 'web', '--json')) as { disks: { volumeId: string }[] }).disks;
    expect(await firstDifference(at('images', 'web.raw'), cloud.volumePath(disk!.volumeId))).toBeUndefined();
  }, 600_000);

  it('needs the passphrase again after its service was killed, and keeps no secret in plain text', async () => {
    const [name] = await readdir(at('mover', '.causeway-mover', 'services'));
    const { pid } = JSON.parse(readFileSync(at('mover', '.causeway-mover', 'services', name ?? ''), 'utf8')) as { pid: number };
    process.kill(pid, 'SIGKILL');
    const key = (JSON.parse(JSON.stringify(cloud.serviceAccountKey)) as { credentials: { privateKey: string } }).credentials.privateKey.split('\n')[1]!;
    for (const path of await readdir(at('project'), { recursive: true, withFileTypes: true })) {
      if (path.isFile()) expect(readFileSync(join(path.parentPath, path.name), 'latin1')).not.toContain(key);
    }
    await expectDone('endpoint', 'check', 'cloud');
  }, 120_000);

  it('leaves nothing behind where it is uninstalled, but the project', async () => {
    await expectDone('mover', 'uninstall', 'beside');
    expect(existsSync(at('mover', '.causeway-mover'))).toBe(false);
    expect(existsSync(at('project', 'causeway.yaml'))).toBe(true);
  }, 60_000);
});
