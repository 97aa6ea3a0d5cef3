import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { openWorkbench, type Workbench } from '../hosts/open-workbench.ts';
import { screenSteps, soon } from '../hosts/screen-steps.ts';
import { closedAfterAll } from '../rigs/opened.ts';

const folder = mkdtempSync(join(tmpdir(), 'causeway-manual-'));
let workbench: Workbench;
let page: Page;
const { go, heading, choose, lookAt } = screenSteps(() => page);

describe('the manual in the workbench', () => {
  const opened = closedAfterAll();
  opened.defer(() => rmSync(folder, { recursive: true, force: true }));
  beforeAll(async () => {
    workbench = opened.use(await openWorkbench({ settings: join(folder, 'settings') }));
    page = workbench.page;
    await heading('Projects');
  });

  it('is opened by F1 and read by keyboard', async () => {
    await page.keyboard.press('F1');
    await heading('Manual');
    await page
      .getByRole('navigation', { name: 'Contents', exact: true })
      .getByRole('link', { name: 'First migration', exact: true })
      .focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 2, name: 'First migration', exact: true }).waitFor();
    await page
      .getByRole('navigation', { name: 'On this page', exact: true })
      .getByRole('link', { name: '6. Replicate', exact: true })
      .focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 2, name: '6. Replicate', exact: true }).waitFor();
    await soon(() => page.evaluate(() => document.activeElement?.textContent)).toBe('6. Replicate');
    await lookAt('manual-first-migration');
  });

  it('is searched', async () => {
    await page.keyboard.press('/');
    await page.locator('input:focus').waitFor();
    await page.keyboard.type('european migr_worker_volume_size');
    await page
      .getByRole('status')
      .filter({ hasText: /\d+ results? for/ })
      .waitFor();
    await page.keyboard.press('Enter');
    await page
      .getByRole('heading', { level: 2, name: 'European cloud (STACKIT) as a destination', exact: true })
      .waitFor();
    await soon(() => page.evaluate(() => document.activeElement?.textContent)).toBe('migr_worker_volume_size');
    await page
      .getByText(/, in GB$/)
      .first()
      .waitFor();
  });

  it('follows links between its pages', async () => {
    await page.getByRole('link', { name: 'worker-volume-too-small', exact: true }).first().click();
    await page.getByRole('heading', { level: 2, name: 'When something fails', exact: true }).waitFor();
    await page.getByRole('heading', { level: 4, name: /\(worker-volume-too-small\)$/ }).waitFor();
  });

  it('explains an error where it is shown', async () => {
    await go('Project');
    const empty = join(folder, 'empty');
    mkdirSync(empty);
    const form = page.getByRole('form', { name: 'Open project folder', exact: true });
    await workbench.nameFolder(form, empty);
    await form.getByRole('button', { name: 'Open project', exact: true }).click();
    await page
      .getByRole('alert')
      .getByRole('link', { name: /^Learn more/ })
      .click();
    const drawer = page.getByRole('dialog', { name: 'Manual: When something fails', exact: true });
    await drawer.getByText('general.invalid-input', { exact: true }).waitFor();
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
    await page
      .getByRole('row')
      .filter({ hasText: 'disk_buss' })
      .getByTitle('Learn more: Unknown key', { exact: true })
      .click();
    await page.getByRole('dialog').getByRole('link', { name: 'Open in the manual', exact: true }).click();
    await heading('Manual');
    await page.getByRole('heading', { level: 4, name: /\(unknown-key\)$/ }).waitFor();
    await soon(() => page.getByRole('dialog').count()).toBe(0);
  });

  it('explains a field beside its form, which keeps what was typed', async () => {
    await go('Project');
    const form = page.getByRole('form', { name: 'Create project', exact: true });
    await form.getByRole('textbox', { name: 'Name', exact: true }).fill('Manual');
    await workbench.nameFolder(form, join(folder, 'project'));
    await form.getByRole('button', { name: 'Create project', exact: true }).click();
    await heading('Manual');
    await go('Endpoints');
    await page.getByRole('link', { name: 'Add endpoint', exact: true }).first().click();
    await choose(page.getByLabel('Platform', { exact: true }), 'European cloud (STACKIT)');
    await page.getByRole('textbox', { name: 'Project ID', exact: true }).fill('not saved yet');
    await page.getByTitle('Learn more: Project ID', { exact: true }).click();
    const drawer = page.getByRole('dialog', { name: 'Manual: European cloud (STACKIT): connection', exact: true });
    await drawer.getByText('project_id', { exact: true }).waitFor();
    await lookAt('manual-field');
    await drawer.getByRole('button', { name: 'Close', exact: true }).click();
    await drawer.waitFor({ state: 'detached' });
    await soon(() => page.getByRole('textbox', { name: 'Project ID', exact: true }).inputValue()).toBe('not saved yet');
  });

  it('never violates the content security policy and logs no error', () => {
    expect(workbench.complaints).toEqual([]);
  });
});
