// needs: native workers, port 22
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, utimesSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hostKeyFingerprint } from '../../electron/engine/transport/host-keys.ts';
import { closeAll } from '../rigs/closing.ts';
import { startMoverRig, type MoverRig } from '../rigs/mover-rig.ts';
import { firstDifference } from '../rigs/sparse-files.ts';

const MiB = 1024 * 1024;
const root = join(import.meta.dirname, '..', '..');

describe('a mover', () => {
  let rig: MoverRig;
  const at = (...parts: string[]): string => rig.at(...parts);
  const causeway = (...argv: string[]): ReturnType<MoverRig['causeway']> => rig.causeway(...argv);

  beforeAll(async () => {
    rig = await startMoverRig();
  }, 600_000);
  afterAll(
    () =>
      closeAll(
        () => causeway('mover', 'uninstall', 'beside'),
        () => rig.close(),
      ),
    120_000,
  );

  async function expectDone(...argv: string[]): Promise<string> {
    const { status, output } = await causeway(...argv);
    expect(status, `${argv.join(' ')}: ${output}`).toBe(0);
    return output;
  }

  it('is added only with host keys that were confirmed, those of jump hosts first', async () => {
    const add = ['mover', 'add', 'beside', 'beside-the-data'];
    const keys = [rig.jump, rig.host].map(({ hostKey }) => hostKeyFingerprint(hostKey));
    expect(await causeway(...add)).toMatchObject({
      status: 1,
      output: expect.stringMatching(
        new RegExp(`${keys[0]!.replaceAll('+', '\\+')}[^]*mover\\.host-key-unknown`),
      ) as string,
    });
    expect(rig.jump.log()).not.toContain('Accepted');
    // Without its server a key is not taken, and the key of the jump host not for the mover.
    expect(await causeway(...add, '--host-key', ...keys)).toMatchObject({
      status: 2,
      output: expect.stringContaining('names no server') as string,
    });
    const trusted = (ofMover: string): string[] => [
      `127.0.0.1:${rig.jump.port}=${keys[0]}`,
      `${rig.host.address}:${rig.host.port}=${ofMover}`,
    ];
    expect(await causeway(...add, '--host-key', ...trusted(keys[0]!))).toMatchObject({
      status: 1,
      output: expect.stringContaining('mover.host-key-unknown') as string,
    });
    await expectDone(...add, '--host-key', ...trusted(keys[1]!));
    expect(await expectDone('mover', 'list')).toContain(keys[1]);
    expect(existsSync(at('mover', '.causeway-mover'))).toBe(false);
  }, 60_000);

  it('goes on with an execution after the command that started it was killed, and ends with equal bytes', async () => {
    await expectDone('vault', 'init');
    await expectDone(
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
    await expectDone('endpoint', 'add', 'cloud', '--plugin', 'european-cloud', '--connection', at('cloud.json'));
    await expectDone('replica', 'create', 'images', 'web', 'cloud', '--environment', at('web.yaml'));
    const command = spawn(
      process.execPath,
      [join(root, 'out/main/cli.js'), 'replica', 'execute', 'web', '--limit', '400K', '--json'],
      { env: rig.environment, cwd: rig.folder, stdio: ['ignore', 'pipe', 'inherit'] },
    );
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
    const [disk] = (
      JSON.parse(await expectDone('replica', 'show', 'web', '--json')) as { disks: { volumeId: string }[] }
    ).disks;
    expect(await firstDifference(at('images', 'web.raw'), rig.cloud.volumePath(disk!.volumeId))).toBeUndefined();
  }, 600_000);

  it('goes on while all on the laptop stands still, and tells the rest when it moves again', async () => {
    await writeFile(at('images', 'web.raw'), randomBytes(24 * MiB));
    const command = spawn(
      process.execPath,
      [join(root, 'out/main/cli.js'), 'replica', 'execute', 'web', '--limit', '400K', '--json'],
      { env: rig.environment, cwd: rig.folder, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const exit = once(command, 'exit');
    let said = '';
    for await (const line of createInterface({ input: command.stdout })) {
      said += `${line}\n`;
      if (Number(/"bytesSent":(\d+)/.exec(line)?.[1] ?? 0) < MiB / 2 || said.includes('stands still')) continue;
      said += 'stands still\n';
      command.kill('SIGSTOP');
      await expectDone('execution', 'limit', 'web', 'unlimited');
      await expect
        .poll(async () => expectDone('execution', 'show', 'web', '--json'), { timeout: 120_000, interval: 500 })
        .toContain('"state":"completed"')
        .finally(() => command.kill('SIGCONT'));
    }
    expect(await exit).toEqual([0, null]);
    expect(said.slice(said.indexOf('stands still'))).toContain('"type":"disk.done"');
    const [disk] = (
      JSON.parse(await expectDone('replica', 'show', 'web', '--json')) as { disks: { volumeId: string }[] }
    ).disks;
    expect(await firstDifference(at('images', 'web.raw'), rig.cloud.volumePath(disk!.volumeId))).toBeUndefined();
  }, 600_000);

  it('cancels an execution there when its command gets Ctrl-C, and cleans up', async () => {
    const old = at('mover', '.causeway-mover', 'engines', '0'.repeat(64));
    mkdirSync(join(old, 'bin'), { recursive: true });
    utimesSync(old, 1, 1);
    const command = spawn(
      process.execPath,
      [join(root, 'out/main/cli.js'), 'replica', 'execute', 'web', '--verify', 'all', '--limit', '20K', '--json'],
      { env: rig.environment, cwd: rig.folder, stdio: ['ignore', 'pipe', 'ignore'] },
    );
    const exit = once(command, 'exit') as Promise<[number | null]>;
    let said = '';
    let isAsked = false;
    for await (const line of createInterface({ input: command.stdout })) {
      said += `${line}\n`;
      if (isAsked || !line.includes('"state":"running"')) continue;
      isAsked = true;
      command.kill('SIGINT');
    }
    expect((await exit)[0], said).toBe(1);
    expect(await expectDone('execution', 'list', '--json')).toMatch(/"state":"cancelled"/);
    expect(await expectDone('ledger', 'list', '--json')).not.toContain('"lifetime":"temporary"');
    // An engine that nothing runs from, and nobody has asked for lately.
    expect(existsSync(old)).toBe(false);
  }, 300_000);

  it('needs the passphrase again after its service was killed, and keeps no secret in plain text', async () => {
    const [name] = await readdir(at('mover', '.causeway-mover', 'services'));
    const { pid } = JSON.parse(readFileSync(at('mover', '.causeway-mover', 'services', name ?? ''), 'utf8')) as {
      pid: number;
    };
    process.kill(pid, 'SIGKILL');
    const key = (
      JSON.parse(JSON.stringify(rig.cloud.serviceAccountKey)) as { credentials: { privateKey: string } }
    ).credentials.privateKey.split('\n')[1]!;
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
