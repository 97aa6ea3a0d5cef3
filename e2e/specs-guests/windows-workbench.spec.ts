// needs: qemu-utils
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { screenSteps } from '../hosts/screen-steps.ts';
import type { OpenedPage } from '../hosts/workbench-in-browser.ts';
import { run } from '../rigs/machines/child-process.ts';
import { startWindowsNode, type WindowsNode } from '../rigs/windows-node/windows-node.ts';
import { openWindowsWorkbench } from '../rigs/windows-node/windows-workbench.ts';

const passphrase = 'correct horse battery staple';

/** The host, its engine and the project are on Windows' Node; the page is the one that every browser gets. */
describe("the workbench of Windows' Node", () => {
  let windows: WindowsNode;
  let workbench: OpenedPage;
  let folder: string;
  const { heading, go, choose, lookAt } = screenSteps(() => workbench.page);
  beforeAll(async () => {
    windows = await startWindowsNode();
    folder = join(windows.home, 'Umzug 1');
    const images = join(windows.home, 'Virtual Machines');
    mkdirSync(images);
    writeFileSync(join(images, 'web-01.raw'), randomBytes(2 ** 20));
    await run('qemu-img', [
      'convert',
      '-f',
      'raw',
      '-O',
      'vmdk',
      join(images, 'web-01.raw'),
      join(images, 'db-01.vmdk'),
    ]);
    workbench = await openWindowsWorkbench(windows);
  });
  afterAll(async () => {
    await workbench?.close();
    await windows?.close();
  });

  it('creates a project on drive C: with a vault', async () => {
    const { page } = workbench;
    await heading('Projects');
    const form = page.getByRole('form', { name: 'Create project', exact: true });
    await form.getByRole('textbox', { name: 'Name', exact: true }).fill('Move of the web shop');
    await form.getByLabel('Folder', { exact: true }).fill(windows.path(folder));
    await form.getByRole('button', { name: 'Create project', exact: true }).click();
    await heading('Move of the web shop');
    await page.getByLabel('Passphrase', { exact: true }).fill(passphrase);
    await page.getByLabel('Repeat passphrase', { exact: true }).fill(passphrase);
    await page.getByRole('button', { name: 'Create vault', exact: true }).click();
    await page.getByText(/^The vault is unlocked\./).waitFor();
    await lookAt('windows-project');
    expect(existsSync(join(folder, '.causeway', 'vault.json'))).toBe(true);
  });

  it('finds the VMs of a folder with a blank in its name', async () => {
    const { page } = workbench;
    await go('Endpoints');
    await page.getByRole('link', { name: 'Add endpoint', exact: true }).click();
    await choose(page.getByLabel('Platform', { exact: true }), 'Disk images');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Images');
    await page
      .getByRole('textbox', { name: 'Folder or file', exact: true })
      .fill(windows.path(join(windows.home, 'Virtual Machines')));
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Check connection of Images', exact: true }).click();
    await page.getByText('Images: all checks passed', { exact: true }).waitFor();
    await lookAt('windows-endpoints');
  });

  it('opens the project again after it was killed, with what was saved', async () => {
    await workbench.close();
    workbench = await openWindowsWorkbench(windows, ['--project', windows.path(folder)]);
    await heading('Move of the web shop');
    await go('Endpoints');
    await workbench.page.getByRole('link', { name: 'Images', exact: true }).waitFor();
    // The engine before it is gone, and the lock with it; nobody else serves the project.
    const holder = JSON.parse(readFileSync(join(folder, '.causeway', 'engine.json'), 'utf8')) as {
      address: string;
      key: string;
    };
    expect(holder).toMatchObject({
      address: expect.stringMatching(/^\\\\\.\\pipe\\causeway-[\da-f]{32}$/) as string,
      key: expect.stringMatching(/^[\da-f]{64}$/) as string,
    });
    expect(workbench.complaints).toEqual([]);
  });
});
