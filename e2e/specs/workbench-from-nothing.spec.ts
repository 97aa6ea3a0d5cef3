// needs: native workers, booted volumes
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { editorText, writeOver } from '../hosts/code-editor.ts';
import { engineOf } from '../hosts/engine-of.ts';
import { screenLink, screenSteps, soon } from '../hosts/screen-steps.ts';
import { openWorkbench, type Workbench } from '../hosts/open-workbench.ts';
import { closing } from '../rigs/closing.ts';
import { closedAfterAll } from '../rigs/opened.ts';
import { startScreenLab, type ScreenLab } from '../rigs/project/screen-lab.ts';

const MiB = 1024 * 1024;
const passphrase = 'correct horse battery staple';
let lab: ScreenLab;
let workbench: Workbench;
let page: Page;
const { heading, go, choose, lookAt } = screenSteps(() => page);
/** Everything that the page was told. */
const received: string[] = [];

/** From an empty folder to a replicated virtual machine, through the screens alone; each step needs the one before. */
describe('the workbench, from nothing to a replicated virtual machine', () => {
  const opened = closedAfterAll();
  beforeAll(async () => {
    lab = opened.adopt(await startScreenLab(24 * MiB), closing);
    workbench = opened.use(await openWorkbench({ settings: lab.settings }));
    page = workbench.page;
    page.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => received.push(String(payload))));
    await page.reload();
  });

  it('leads on where there is no project, and creates one', async () => {
    await heading('Projects');
    await lookAt('home-empty');
    await screenLink(page, 'Endpoints').click();
    await page.getByText('No project is open', { exact: true }).last().waitFor();
    await page.getByRole('link', { name: 'Go to the projects', exact: true }).click();
    const form = page.getByRole('form', { name: 'Create project', exact: true });
    await form.getByRole('textbox', { name: 'Name', exact: true }).fill('Move of the web shop');
    await workbench.nameFolder(form, lab.project);
    await form.getByRole('button', { name: 'Create project', exact: true }).click();
    await heading('Move of the web shop');
  });

  it('makes the vault, and refuses two different passphrases', async () => {
    await page.getByLabel('Passphrase', { exact: true }).fill(passphrase);
    await page.getByLabel('Repeat passphrase', { exact: true }).fill('something else');
    await page.getByText('The passphrases do not match', { exact: true }).waitFor();
    await soon(() => page.getByRole('button', { name: 'Create vault', exact: true }).isDisabled()).toBe(true);
    await page.getByLabel('Repeat passphrase', { exact: true }).fill(passphrase);
    await page.getByRole('button', { name: 'Create vault', exact: true }).click();
    await page.getByText(/^The vault is unlocked\./).waitFor();
    await lookAt('project');
  });

  it('describes a source by a form and checks it', async () => {
    await go('Endpoints');
    await lookAt('endpoints-empty');
    await page.getByRole('link', { name: 'Add endpoint', exact: true }).click();
    await choose(page.getByLabel('Platform', { exact: true }), 'Disk images');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('2 fields need your attention', { exact: true }).waitFor();
    await soon(() => page.getByText('This field is required', { exact: true }).count()).toBe(2);
    await lookAt('endpoint-form-problems');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Images');
    await page.getByRole('textbox', { name: 'Folder or file', exact: true }).fill(lab.images);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Check connection of Images', exact: true }).click();
    await page.getByText('Images: all checks passed', { exact: true }).waitFor();
  });

  it('describes the destination with its secret, which never comes back', async () => {
    await page.getByRole('link', { name: 'Add endpoint', exact: true }).click();
    await choose(page.getByLabel('Platform', { exact: true }), 'European cloud (STACKIT)');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Cloud');
    await page.getByRole('textbox', { name: 'Project ID', exact: true }).fill(lab.cloud.projectId);
    await page.getByLabel('Region', { exact: true }).fill(lab.cloud.region);
    await page
      .getByRole('textbox', { name: 'Service account key', exact: true })
      .fill(JSON.stringify(lab.cloud.serviceAccountKey));
    await page.getByLabel('Infrastructure interface', { exact: true }).fill(lab.cloud.urls.iaas);
    await page.getByLabel('Token endpoint', { exact: true }).fill(lab.cloud.urls.token);
    await lookAt('endpoint-form');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Check connection of Cloud', exact: true }).click();
    await page.getByText('Cloud: all checks passed', { exact: true }).waitFor();
    await lookAt('endpoints');
    await page.getByRole('link', { name: 'Cloud', exact: true }).click();
    await soon(() => page.getByRole('textbox', { name: 'Service account key', exact: true }).inputValue()).toBe(
      'Set; stored in the vault',
    );
    expect(await page.content()).not.toContain(privateKeyLine());
  });

  it('browses the source and creates a replica from a checked document', async () => {
    await go('Inventory');
    await page.getByRole('cell', { name: 'web-01', exact: true }).waitFor();
    await lookAt('inventory');
    await page.getByRole('link', { name: 'Create replica of web-01', exact: true }).click();
    await page.getByText('No findings', { exact: true }).waitFor();
    await lookAt('new-replica-form');
    await page.getByRole('button', { name: 'Text', exact: true }).click();
    const document = page.getByLabel('Environment document', { exact: true });
    await document.waitFor();
    const written = await editorText(document);
    await writeOver(document, written.replace('availability_zone:', 'availability_zones:'));
    const finding = page.getByRole('button', { name: /^Error Unknown key "availability_zones"/ });
    await finding.waitFor();
    await lookAt('new-replica');
    await finding.click();
    await soon(() => document.locator('.cm-activeLine').textContent()).toContain('availability_zones');
    await page.getByRole('button', { name: 'Create replica', exact: true }).click();
    await page.getByText('Correct the errors first.', { exact: true }).waitFor();
    await writeOver(document, written);
    await page.getByRole('button', { name: 'Create replica', exact: true }).click();
    await heading('web-01');
    await page.getByText('Not replicated', { exact: true }).waitFor();
  });

  it('goes on with a run whose engine was killed in the middle, and says so', async () => {
    await page.getByRole('button', { name: 'Replicate… (web-01)', exact: true }).click();
    await page.getByLabel(/^Whole disks/).check();
    await page.getByRole('textbox', { name: 'Bandwidth limit', exact: true }).fill('4M');
    await lookAt('start-run');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await heading('Execution 1 of web-01');
    await page.getByText(/^Copying · ([2-9]|\d\d) %$/).waitFor({ timeout: 120_000 });
    await lookAt('run');
    process.kill(engineOf(workbench.hostPid), 'SIGKILL');
    await page
      .getByText(/^The engine stopped unexpectedly \(it was terminated by SIGKILL\) and was restarted/)
      .waitFor();
    await lookAt('run-after-kill');
    await page.getByRole('button', { name: 'Bandwidth…', exact: true }).click();
    await page.getByRole('textbox', { name: 'Bandwidth limit', exact: true }).fill('');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Done · 100 %', { exact: true }).waitFor({ timeout: 120_000 });
    await page.getByRole('button', { name: 'Cancel execution…', exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('main').getByText('Completed', { exact: true }).first().waitFor();
    await lookAt('run-completed');
  });

  it('shows the replica in sync, and its volume is the image byte for byte', async () => {
    await go('Replicas');
    await page.getByText('In sync', { exact: true }).waitFor();
    await lookAt('replicas');
    await page.getByRole('link', { name: 'web-01', exact: true }).click();
    await page.getByRole('heading', { name: 'Disks', exact: true }).waitFor();
    await lookAt('replica');
    const [volume] = [...lab.cloud.world.volumes.values()];
    const image = readFileSync(`${lab.images}/web-01.raw`);
    expect(readFileSync(lab.cloud.volumePath(volume!.id)).subarray(0, image.length).equals(image)).toBe(true);
  });

  it('takes a deployment up again whose engine was killed, and undoes it when it is cancelled', async () => {
    await page.getByRole('button', { name: 'Deploy… (web-01)', exact: true }).click();
    await page.getByLabel('Prepare the guest OS for the destination (OSMorphing)', { exact: true }).uncheck();
    await page.getByLabel('Success criterion', { exact: true }).click();
    await page.getByRole('option', { name: 'The console shows a login prompt', exact: true }).click();
    await page.getByRole('button', { name: 'Deploy', exact: true }).click();
    await heading('Deployment 1 of web-01');
    const bootCheck = page.getByRole('listitem').filter({ hasText: 'Wait for the guest to boot' });
    await bootCheck.getByText('Running', { exact: true }).waitFor({ timeout: 120_000 });
    process.kill(engineOf(workbench.hostPid), 'SIGKILL');
    await page.getByText(/^The engine stopped unexpectedly .* and was restarted \(2 times\)/).waitFor();
    await page.locator('main h1 + div').getByText('Running', { exact: true }).waitFor();
    await bootCheck.getByText('2 attempts', { exact: true }).waitFor();
    await page.getByText('the engine stopped during the deployment', { exact: true }).waitFor();
    expect(lab.cloud.world.servers.size).toBe(1);
    await page.getByRole('button', { name: 'Cancel deployment…', exact: true }).click();
    await page.getByRole('button', { name: 'Cancel deployment', exact: true }).click();
    await page.locator('main h1 + div').getByText('Cancelled', { exact: true }).waitFor({ timeout: 120_000 });
    expect([lab.cloud.world.servers.size, lab.cloud.world.volumes.size]).toEqual([0, 1]);
  });

  it('lists what exists in the cloud, and nothing after the replica is deleted', async () => {
    await go('Ledger');
    await page.getByRole('cell', { name: 'Replica web-01', exact: true }).first().waitFor();
    await lookAt('ledger');
    await go('Replicas');
    await page.getByRole('link', { name: 'web-01', exact: true }).click();
    await page.getByRole('button', { name: 'Delete…', exact: true }).click();
    const confirm = page.getByRole('button', { name: 'Delete replica and volumes', exact: true });
    await soon(() => confirm.isDisabled()).toBe(true);
    await lookAt('delete-replica');
    await page.getByLabel('Type web-01 to confirm', { exact: true }).fill('web-01');
    await confirm.click();
    await page.getByText('No replica yet', { exact: true }).waitFor();
    expect(lab.cloud.world.volumes.size).toBe(0);
    await go('Ledger');
    await page.getByText('No resources on record', { exact: true }).waitFor();
  });

  it('keeps its settings', async () => {
    await go('Settings');
    await choose(page.getByLabel('Colour scheme', { exact: true }), 'Dark');
    await page.getByText('Settings saved', { exact: true }).waitFor();
    await page.reload();
    await page.locator('html[data-scheme="dark"]').waitFor({ state: 'attached' });
    await lookAt('settings');
  });

  it('wrote the secret into no file in readable form', async () => {
    const files = (await readdir(lab.project, { recursive: true, withFileTypes: true })).filter((entry) =>
      entry.isFile(),
    );
    expect(files.map(({ name }) => name)).toEqual(expect.arrayContaining(['causeway.yaml', 'vault.json']));
    const holders = files.filter(({ parentPath, name }) => {
      const content = readFileSync(join(parentPath, name));
      return content.includes(privateKeyLine()) || content.includes(passphrase);
    });
    expect(holders).toEqual([]);
  });

  it('was never told a secret, and shows none', async () => {
    // The desktop app has no socket to listen to.
    if (process.env['CAUSEWAY_HOST'] !== 'electron') expect(received.length).toBeGreaterThan(10);
    expect(received.filter((frame) => frame.includes(privateKeyLine()) || frame.includes(passphrase))).toEqual([]);
    for (const hash of ['', 'endpoints', 'replicas', 'ledger', 'settings']) {
      await page.evaluate((to) => (location.hash = `#/${to}`), hash);
      await page.waitForLoadState();
      const shown = await page.content();
      expect(shown.includes(privateKeyLine()) || shown.includes(passphrase), hash).toBe(false);
    }
  });

  it('keeps no secret in plain text in any file of the project or of the settings', async () => {
    let looked = 0;
    for (const folder of [lab.project, lab.settings]) {
      for (const file of await readdir(folder, { recursive: true, withFileTypes: true })) {
        if (!file.isFile()) continue;
        const content = readFileSync(join(file.parentPath, file.name));
        expect(
          content.includes(privateKeyLine()) || content.includes(passphrase),
          `${file.parentPath}/${file.name}`,
        ).toBe(false);
        looked += 1;
      }
    }
    expect(looked).toBeGreaterThan(5);
  });

  it('never violates its content security policy and logs no error', () => {
    expect(workbench.complaints).toEqual([]);
  });
});

/** A line of the private key, which must not be anywhere on the page. */
function privateKeyLine(): string {
  return /-----\\n([A-Za-z0-9+/=]{20,})/.exec(JSON.stringify(lab.cloud.serviceAccountKey))?.[1] ?? 'no key';
}
