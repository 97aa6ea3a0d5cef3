import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWorkbench, type Workbench } from '../hosts/open-workbench.ts';
import { screenSteps } from '../hosts/screen-steps.ts';

const folder = mkdtempSync(join(tmpdir(), 'causeway-manual-'));
let workbench: Workbench;
let page: Page;
const { go, heading, choose, lookAt } = screenSteps(() => page);

describe('the manual in the workbench', () => {
  beforeAll(async () => {
    workbench = await openWorkbench({ settings: join(folder, 'settings') });
    page = workbench.page;
    await heading('Projects');
  });
  afterAll(async () => {
    await workbench?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is opened by F1 and read by keyboard', async () => {
    await page.keyboard.press('F1');
    await heading('Manual');
    await page.getByRole('navigation', { name: 'Contents' }).getByRole('link', { name: 'First migration' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 2, name: 'First migration' }).waitFor();
    await page.getByRole('navigation', { name: 'On this page' }).getByRole('link', { name: '6. Replicate' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 2, name: '6. Replicate' }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('6. Replicate');
    await lookAt('manual-first-migration');
  });

  it('is searched', async () => {
    await page.keyboard.press('/');
    await page.keyboard.type('european migr_worker_volume_size');
    await page
      .getByRole('status')
      .filter({ hasText: /\d+ results? for/ })
      .waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 2, name: 'European cloud (STACKIT) as a destination' }).waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('migr_worker_volume_size');
    await page.getByText('in GB').first().waitFor();
  });

  it('follows links between its pages', async () => {
    await page.getByRole('link', { name: 'worker-volume-too-small' }).first().click();
    await page.getByRole('heading', { level: 2, name: 'When something fails', exact: true }).waitFor();
    await page.getByRole('heading', { level: 4, name: /worker-volume-too-small/ }).waitFor();
  });

  it('explains an error where it is shown', async () => {
    await go('Project');
    const empty = join(folder, 'empty');
    mkdirSync(empty);
    const form = page.getByRole('form', { name: 'Open project folder' });
    await workbench.nameFolder(form, empty);
    await form.getByRole('button', { name: 'Open project' }).click();
    await page
      .getByRole('alert')
      .getByRole('link', { name: /^Learn more/ })
      .click();
    const drawer = page.getByRole('dialog', { name: 'Manual: When something fails' });
    await drawer.getByText('general.invalid-input').waitFor();
    await lookAt('manual-error');
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
  });

  it('explains a finding, and opens its section', async () => {
    await go('Validate files');
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles([
        {
          name: 'typo.yaml',
          mimeType: 'text/yaml',
          buffer: Buffer.from('destination:\n  plugin: european-cloud\n  environment: { disk_buss: virtio }\n'),
        },
      ]);
    await page.getByRole('row').filter({ hasText: 'disk_buss' }).getByTitle('Learn more: Unknown key').click();
    await page.getByRole('dialog').getByRole('link', { name: 'Open in the manual' }).click();
    await heading('Manual');
    await page.getByRole('heading', { level: 4, name: /unknown-key/ }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('explains a field beside its form, which keeps what was typed', async () => {
    await go('Project');
    const form = page.getByRole('form', { name: 'Create project' });
    await form.getByLabel('Name').fill('Manual');
    await workbench.nameFolder(form, join(folder, 'project'));
    await form.getByRole('button', { name: 'Create project' }).click();
    await heading('Manual');
    await go('Endpoints');
    await page.getByRole('link', { name: 'Add endpoint' }).first().click();
    await choose(page.getByLabel('Platform'), 'European cloud (STACKIT)');
    await page.getByLabel('Project ID').fill('not saved yet');
    await page.getByTitle('Learn more: Project ID').click();
    const drawer = page.getByRole('dialog', { name: 'Manual: European cloud (STACKIT): connection' });
    await drawer.getByText('project_id').waitFor();
    await lookAt('manual-field');
    await drawer.getByRole('button', { name: 'Close' }).click();
    await drawer.waitFor({ state: 'detached' });
    expect(await page.getByLabel('Project ID').inputValue()).toBe('not saved yet');
  });

  it('never violates the content security policy and logs no error', () => {
    expect(workbench.complaints).toEqual([]);
  });
});
