import { X509Certificate } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeCertificate } from '../../electron/engine/transport/certificates.ts';
import { seriousFindings } from '../hosts/accessibility.ts';
import { screenSteps, soon } from '../hosts/screen-steps.ts';
import { openWorkbench, type Workbench } from '../hosts/open-workbench.ts';
import { closedAfterAll } from '../rigs/opened.ts';
import { startAzureLab } from '../rigs/resource-group-cloud/source-lab.ts';

const canary = 'canary-secret-5f1d';
const root = mkdtempSync(join(tmpdir(), 'causeway-endpoints-'));
const project = join(root, 'project');
const images = join(root, 'images');
let workbench: Workbench;
let page: Page;
const { go, lookAt } = screenSteps(() => page);

const opened = closedAfterAll();
opened.defer(() => rmSync(root, { recursive: true, force: true }));
beforeAll(async () => {
  mkdirSync(project);
  mkdirSync(images);
  writeFileSync(join(project, 'causeway.yaml'), 'name: Endpoints\n');
  writeFileSync(join(images, 'web-01.raw'), Buffer.alloc(1024 * 1024));
  workbench = opened.use(await openWorkbench({ settings: join(root, 'settings'), project }));
  page = workbench.page;
  await page.getByLabel('Passphrase', { exact: true }).fill('correct horse battery staple');
  await page.getByLabel('Repeat passphrase', { exact: true }).fill('correct horse battery staple');
  await page.getByRole('button', { name: 'Create vault', exact: true }).click();
  await page.getByText(/^The vault is unlocked\./).waitFor();
});

describe('endpoints in the workbench', () => {
  it('says what was tried and what failed when a check fails', async () => {
    await go('Endpoints');
    await add('Disk images', { Name: 'Images', 'Folder or file': join(root, 'elsewhere') });
    await page.getByRole('button', { name: 'Check connection of Images', exact: true }).click();
    await page.getByText('Images: check failed', { exact: true }).waitFor();
    await page.getByText(/^\/.*\/elsewhere: ENOENT: /).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole('link', { name: 'Images', exact: true }).click();
    await page.getByRole('textbox', { name: 'Folder or file', exact: true }).fill(images);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    // What was found is kept with its time, and what it says of a connection that was changed since is said with it.
    await page.getByText(/^Last check: failed, .*\. The endpoint was changed after this check\.$/).waitFor();
    await page.getByRole('button', { name: 'Show details of the last check of Images', exact: true }).click();
    await page.getByText(/^\/.*\/elsewhere: ENOENT: /).waitFor();
    await page.getByRole('button', { name: 'Check connection of Images', exact: true }).click();
    await page.getByText('Images: all checks passed', { exact: true }).waitFor();
  });

  it('duplicates one: everything but the name is there', async () => {
    await act('Images', 'Duplicate');
    await soon(() => page.getByRole('textbox', { name: 'Folder or file', exact: true }).inputValue()).toBe(images);
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Images again');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('link', { name: 'Images again', exact: true }).waitFor();
  });

  it('exports one without its secrets', async () => {
    await add('European cloud (STACKIT)', {
      Name: 'Cloud',
      'Project ID': 'f5c6bd4b-1f0a-4d0e-9f5e-0c2f2f6f0a11',
      Region: 'eu01',
      'Service account key': JSON.stringify({
        credentials: { kid: 'key-1', iss: 'lab@sa.example.invalid', sub: 'sub-1', privateKey: canary },
      }),
    });
    const waiting = page.waitForEvent('download');
    await act('Cloud', 'Export without secrets');
    const download = await waiting;
    expect(download.suggestedFilename()).toBe('Cloud.yaml');
    const text = await readFile(await download.path(), 'utf8');
    expect(text).toContain('european-cloud');
    expect(text).not.toContain(canary);
    expect(await page.content()).not.toContain(canary);
    await page.getByRole('link', { name: 'Add endpoint', exact: true }).click();
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'cloud.yaml', mimeType: 'application/yaml', buffer: Buffer.from(text) });
    await page
      .getByText('Imported from the file. Exported files contain no secrets: enter them here.', { exact: true })
      .waitFor();
    await soon(() => page.getByLabel('Region', { exact: true }).inputValue()).toBe('eu01');
    await page.getByRole('link', { name: 'Cancel', exact: true }).click();
  });

  it('removes one after it has said what goes', async () => {
    await act('Images again', 'Remove…');
    await page
      .getByText(/^Its connection and secrets are deleted from this project\. The platform is not changed\./)
      .waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('Images again removed', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Images again', exact: true }).waitFor({ state: 'detached' });
  });

  it('reads the machines of a source into a list of the project', async () => {
    await go('Inventory');
    await page.getByRole('link', { name: 'Save in project', exact: true }).click();
    await page.getByText('1 VM', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Save inventory', exact: true }).click();
    await page.getByText(/^From Images, /).waitFor();
    await page.getByRole('cell', { name: 'web-01', exact: true }).waitFor();
  });

  it('shows whom an address belongs to, and takes its certificate when somebody says so', async () => {
    const { certPem, keyPem } = await makeCertificate('localhost');
    const server = createServer({ cert: certPem, key: keyPem }, (_request, response) => void response.end('{}'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = `localhost:${(server.address() as AddressInfo).port}`;
    await go('Endpoints');
    await page.getByRole('link', { name: 'Cloud', exact: true }).click();
    await page.getByLabel('Infrastructure interface', { exact: true }).fill(`https://${address}`);
    await page.getByLabel('Token endpoint', { exact: true }).fill('');
    await page.getByRole('button', { name: 'Show server certificate…', exact: true }).click();
    const shown = page.getByRole('region', { name: address, exact: true });
    await shown.getByText(`${address} is not trusted: its certificate is self-signed.`, { exact: true }).waitFor();
    await shown.getByText(new X509Certificate(certPem).fingerprint256, { exact: true }).waitFor();
    await lookAt('server-trust');
    await shown.getByRole('button', { name: 'Trust this certificate', exact: true }).click();
    await soon(() => page.getByLabel('Certificate authority', { exact: true }).inputValue()).toContain(
      'BEGIN CERTIFICATE',
    );
    await page.getByRole('button', { name: 'Show server certificate…', exact: true }).click();
    await shown
      .getByText(`${address} is trusted: its certificate was issued by a trusted CA.`, { exact: true })
      .waitFor();
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await page.getByRole('link', { name: 'Cancel', exact: true }).click();
    // A check that fails for the certificate leads there; what it therefore skipped is one line.
    const port = address.split(':')[1] ?? '';
    await add('Server virtualization manager (Oracle VM)', {
      Name: 'Manager',
      Host: 'localhost',
      Port: port,
      'User name': 'admin',
      Password: 'password',
    });
    await page.getByRole('button', { name: 'Check connection of Manager', exact: true }).click();
    await page.getByText('Manager: check failed', { exact: true }).waitFor();
    await page.getByText(/^\d+ more checks: skipped$/).waitFor();
    await lookAt('check-failed');
    await page.getByRole('link', { name: 'Show server certificate…', exact: true }).click();
    await page
      .getByRole('region', { name: address, exact: true })
      .getByText(new X509Certificate(certPem).fingerprint256, { exact: true })
      .waitFor();
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await page.getByRole('link', { name: 'Cancel', exact: true }).click();
    server.close();
    server.closeAllConnections();
  });

  it('signs a person in with a code, and cancels when the dialog is closed', async () => {
    const lab = await startAzureLab();
    try {
      lab.cloud.signIn.codeIntervalSeconds = 0.2;
      const { service_principal_credentials: _none, ...connection } = lab.connection;
      const file = JSON.stringify({
        name: 'Azure',
        plugin: 'resource-group-cloud',
        connection: { ...connection, sign_in: 'device_code' },
      });
      await page.getByRole('link', { name: 'Add endpoint', exact: true }).click();
      await page
        .locator('input[type=file]')
        .setInputFiles({ name: 'azure.yaml', mimeType: 'application/yaml', buffer: Buffer.from(file) });
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('button', { name: 'Check connection of Azure', exact: true }).click();
      await page.getByText(/^Nobody is signed in /).waitFor();
      const dialog = page.getByRole('dialog', { name: 'Sign in at Azure', exact: true });
      const shownCode = () => dialog.getByLabel('Code', { exact: true }).textContent();
      const listItem = page.getByRole('listitem').filter({ hasText: 'Nobody is signed in' }).last();
      await listItem.getByRole('button', { name: 'Sign in…', exact: true }).click();
      const given = (await shownCode()) ?? '';
      await dialog.getByText(/^The code expires in 1[45]:\d\d\.$/).waitFor();
      await soon(() => dialog.getByRole('link').getAttribute('href')).toBe(`${lab.cloud.url}/device`);
      await lookAt('sign-in');
      expect(await seriousFindings(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Cancel', exact: true }).click();
      await dialog.waitFor({ state: 'detached' });

      await page.getByRole('button', { name: 'Sign in at Azure', exact: true }).click();
      const code = (await shownCode()) ?? '';
      expect(code).not.toBe(given);
      lab.cloud.signIn.enter(code);
      await page.getByText('Signed in as alex@example.onmicrosoft.com', { exact: true }).waitFor();
      await dialog.waitFor({ state: 'detached' });
      await page.getByText(/^Azure: (?!check failed)/).waitFor();
      for (const secret of lab.cloud.signIn.personSecrets()) expect(await page.content()).not.toContain(secret);
    } finally {
      await lab.close();
    }
  });

  it('takes in what other people change in the project’s files, and names what it can’t take', async () => {
    const file = join(project, 'endpoints', 'images.json');
    const path = join(
      project,
      'endpoints',
      readdirSync(join(project, 'endpoints')).find((name) => name.startsWith('images'))!,
    );
    const content = readFileSync(path, 'utf8');
    writeFileSync(path, content.replace('"Images"', '"Old images"'));
    await page.getByRole('link', { name: 'Old images', exact: true }).waitFor();
    writeFileSync(file, `<<<<<<< ours\n${content}`);
    await page.getByText(/^1 project file was not loaded\./).waitFor();
    await page.getByText('endpoints/images.json: line 1 is an unresolved merge conflict', { exact: true }).waitFor();
    await lookAt('files-not-taken');
    rmSync(file);
    await page.getByText(/^\d+ project files? (was|were) not loaded\./).waitFor({ state: 'detached' });
  });

  it('never violates the content security policy', () => {
    expect(workbench.complaints).toEqual([]);
  });
});

async function add(platform: string, fields: Readonly<Record<string, string>>): Promise<void> {
  await page.getByRole('link', { name: 'Add endpoint', exact: true }).click();
  await page.getByLabel('Platform', { exact: true }).click();
  await page.getByRole('option', { name: platform, exact: true }).click();
  for (const [label, value] of Object.entries(fields))
    // A required field's label ends in an asterisk.
    await page.getByLabel(new RegExp(`^${label}(\\s\\*)?$`)).fill(value);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('link', { name: fields['Name']!, exact: true }).waitFor();
}

async function act(endpoint: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `More actions for ${endpoint}`, exact: true }).click();
  await page.getByRole('menuitem', { name: action, exact: true }).click();
}
