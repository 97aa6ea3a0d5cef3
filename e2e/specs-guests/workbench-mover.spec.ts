// needs: native workers, port 22
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { hostKeyFingerprint } from '../../electron/engine/transport/host-keys.ts';
import { seriousFindings } from '../hosts/accessibility.ts';
import { screenSteps } from '../hosts/screen-steps.ts';
import { openWorkbenchInBrowser, type Workbench } from '../hosts/workbench-in-browser.ts';
import { closing } from '../rigs/closing.ts';
import { closedAfterAll } from '../rigs/opened.ts';
import { startCutProxy, type CutProxy } from '../rigs/cut-proxy.ts';
import { startMoverRig, type MoverRig } from '../rigs/mover-rig.ts';

const MiB = 1024 * 1024;
const root = join(import.meta.dirname, '..', '..');

/** The page in Chromium, its workbench on the laptop, and the project on a mover behind a jump host and a link that can be cut. */
describe('the workbench with a project on a mover', () => {
  let rig: MoverRig;
  let proxy: CutProxy;
  let isReachable = true;
  let workbench: Workbench;
  let page: Page;
  const keyPassphrase = 'a key with a word';
  const { go, lookAt, heading } = screenSteps(() => page);

  const opened = closedAfterAll();

  async function open(): Promise<void> {
    workbench = opened.use(
      await openWorkbenchInBrowser(['--settings', rig.at('laptop', 'workbench')], rig.environment),
    );
    page = workbench.page;
  }
  const expectDone = async (...argv: string[]): Promise<string> => {
    const { status, output } = await rig.causeway(...argv);
    expect(status, `${argv.join(' ')}: ${output}`).toBe(0);
    return output;
  };
  const dialog = (): ReturnType<Page['getByRole']> => page.getByRole('dialog');

  beforeAll(async () => {
    // A closed port instead of the jump host's, while the network is away.
    rig = opened.adopt(
      await startMoverRig(async (jump) => {
        proxy = opened.adopt(await startCutProxy(() => (isReachable ? jump.port : 1)), (started) => started.stop());
        return proxy.port;
      }),
      closing,
    );
    await copyFile(rig.jump.privateKeyPath, rig.at('encrypted'));
    execFileSync('ssh-keygen', ['-q', '-p', '-P', '', '-N', keyPassphrase, '-f', rig.at('encrypted')]);
    opened.defer(async () => void (await rig.causeway('mover', 'uninstall', 'beside')));
    // The command line goes another way, so that something can happen while the workbench is not connected.
    await expectDone(
      'mover',
      'add',
      'beside',
      'straight',
      '--host-key',
      `${rig.host.address}:${rig.host.port}=${hostKeyFingerprint(rig.host.hostKey)}`,
    );
    await open();
  }, 600_000);

  it('adds a mover by questions: the passphrase of the key, then each host key on the way', async () => {
    const card = page.getByRole('region', { name: 'Open project on a host', exact: true });
    await card.getByText(`root@${rig.host.address}:${rig.host.port}`, { exact: true }).waitFor();
    await card.getByRole('button', { name: 'Add mover…', exact: true }).click();
    await dialog().getByRole('textbox', { name: 'Name', exact: true }).fill('beside');
    await dialog().getByText('A mover of this name was added already.', { exact: true }).waitFor();
    await dialog().getByRole('textbox', { name: 'Name', exact: true }).fill('site-a');
    await dialog().getByLabel('Host', { exact: true }).fill('beside-the-data');
    await dialog().getByLabel('Private key file (optional)', { exact: true }).fill(rig.at('encrypted'));
    await lookAt('mover-add');
    await dialog().getByRole('button', { name: 'Connect', exact: true }).click();
    await dialog()
      .getByLabel(`Passphrase of ${rig.at('encrypted')}`, { exact: true })
      .fill(keyPassphrase);
    await dialog().getByRole('button', { name: 'Continue', exact: true }).click();
    for (const { hostKey } of [rig.jump, rig.host]) {
      await dialog().getByText(hostKeyFingerprint(hostKey), { exact: true }).waitFor();
      await lookAt('mover-host-key');
      await dialog().getByRole('button', { name: 'Trust host key', exact: true }).click();
    }
    await dialog().waitFor({ state: 'detached' });
    await card.getByText(/through 127\.0\.0\.1(:\d+)?$/).waitFor();
    await lookAt('mover-list');
  }, 120_000);

  it('opens a project there, and works in it as in one here', async () => {
    await page.getByRole('button', { name: 'Open project… (site-a)', exact: true }).click();
    await dialog().getByLabel('Folder on the mover', { exact: true }).fill(rig.at('nowhere'));
    await dialog().getByRole('button', { name: 'Open project', exact: true }).click();
    await dialog()
      .getByText(/^Details: folder not found on the mover: /)
      .waitFor();
    await dialog().getByLabel('Folder on the mover', { exact: true }).fill(rig.at('project'));
    await dialog().getByLabel('Create the folder if it does not exist', { exact: true }).check();
    await dialog().getByRole('button', { name: 'Open project', exact: true }).click();
    await heading('project');
    await page.getByText(`On site-a: ${rig.at('project')}`, { exact: true }).waitFor();
    await page.getByTitle('Mover site-a: Connected', { exact: true }).first().waitFor();
    const vault = page.getByRole('region', { name: 'Vault', exact: true });
    await vault.getByLabel('Passphrase', { exact: true }).fill('correct horse battery');
    await vault.getByLabel('Repeat passphrase', { exact: true }).fill('correct horse battery');
    await vault.getByRole('button', { name: 'Create vault', exact: true }).click();
    await vault.getByText(/^The vault is unlocked\./).waitFor();
    await lookAt('mover-project');
    // Another client of the same engine.
    await expectDone(
      'endpoint',
      'add',
      'images',
      '--plugin',
      'disk-images',
      '--set',
      `path=${rig.at('images')}`,
      '--set',
      'os_type=linux',
    );
    await expectDone('endpoint', 'add', 'cloud', '--plugin', 'european-cloud', '--connection', rig.at('cloud.json'));
    await expectDone('replica', 'create', 'images', 'web', 'cloud', '--environment', rig.at('web.yaml'));
    await go('Replicas');
    await page.getByRole('link', { name: 'web', exact: true }).waitFor();
  }, 300_000);

  it('says when the link is lost, and what happened meanwhile when it is back', async () => {
    const command = spawn(
      process.execPath,
      [join(root, 'out/main/cli.js'), 'replica', 'execute', 'web', '--limit', '400K', '--json'],
      { env: rig.environment, cwd: rig.folder, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    for await (const line of createInterface({ input: command.stdout }))
      if (Number(/"bytesSent":(\d+)/.exec(line)?.[1] ?? 0) > MiB / 2) break;
    command.kill('SIGKILL');
    await once(command, 'exit');
    isReachable = false;
    proxy.cut();
    await page.getByText(/^Connection to site-a lost\. Executions on the mover continue\./).waitFor();
    await page
      .getByTitle(/^Mover site-a: (Connection lost|Connecting…)/)
      .first()
      .waitFor();
    await lookAt('mover-lost');
    await expectDone('execution', 'limit', 'web', 'unlimited');
    await expect
      .poll(() => expectDone('execution', 'list', '--json'), { timeout: 120_000, interval: 500 })
      .toContain('"state":"completed"');
    isReachable = true;
    await page.getByRole('button', { name: 'Reconnect now', exact: true }).click();
    await page
      .getByText(/^On site-a, while this workbench was not connected: 1 completed, 0 failed, 0 cancelled\./)
      .waitFor();
    await lookAt('mover-meanwhile');
    await page.getByRole('button', { name: 'Dismiss', exact: true }).click();
    await page.getByText(/^On site-a, while this workbench was not connected: /).waitFor({ state: 'detached' });
  }, 300_000);

  it('starts the service again when it was killed, with the vault open as before', async () => {
    const [name = ''] = readdirSync(rig.at('mover', '.causeway-mover', 'services'));
    const { pid } = JSON.parse(readFileSync(rig.at('mover', '.causeway-mover', 'services', name), 'utf8')) as {
      pid: number;
    };
    process.kill(pid, 'SIGKILL');
    await page.getByText(/^The engine on the mover has ended/).waitFor();
    await page.getByTitle('Mover site-a: Connected', { exact: true }).first().waitFor();
    await go('Project', 'project');
    await page
      .getByRole('region', { name: 'Vault', exact: true })
      .getByText(/^The vault is unlocked\./)
      .waitFor();
  }, 120_000);

  it('opens it again after a killed workbench, by its recent projects, in German too', async () => {
    process.kill(workbench.hostPid, 'SIGKILL');
    await workbench.close();
    await expectDone('replica', 'execute', 'web');
    await open();
    await page.getByRole('button', { name: /^project/ }).click();
    await dialog().getByRole('button', { name: 'Open project', exact: true }).click();
    await dialog()
      .getByLabel(`Passphrase of ${rig.at('encrypted')}`, { exact: true })
      .fill(keyPassphrase);
    await dialog().getByRole('button', { name: 'Continue', exact: true }).click();
    await heading('project');
    await page
      .getByText(/^On site-a, while this workbench was not connected: 1 completed, 0 failed, 0 cancelled\./)
      .waitFor();
    await go('Settings');
    await page.getByRole('combobox', { name: 'Language', exact: true }).click();
    await page.getByRole('option', { name: 'Deutsch', exact: true }).click();
    await page.getByTitle('Mover site-a: Verbunden', { exact: true }).first().waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Projekt', exact: true }).click();
    // Nothing runs there, so that nobody is asked.
    await page.getByRole('button', { name: 'Projekt schließen', exact: true }).click();
    await page.getByRole('heading', { level: 2, name: 'Projekt auf einem Host öffnen', exact: true }).waitFor();
    await lookAt('mover-german');
    expect(await seriousFindings(page)).toEqual([]);
  }, 300_000);
});
