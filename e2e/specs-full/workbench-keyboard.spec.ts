// needs: native workers
import type { Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { screenSteps, soon } from '../hosts/screen-steps.ts';
import { openWorkbench, type Workbench } from '../hosts/open-workbench.ts';
import { closing } from '../rigs/closing.ts';
import { closedAfterAll } from '../rigs/opened.ts';
import { startScreenLab, type ScreenLab } from '../rigs/project/screen-lab.ts';

const passphrase = 'correct horse battery staple';
let lab: ScreenLab;
let workbench: Workbench;
let page: Page;
const { lookAt } = screenSteps(() => page);

/** Everything here is done with keys alone: no click, no focus set by the test. */
describe('the workbench by keyboard', () => {
  const opened = closedAfterAll();
  beforeAll(async () => {
    lab = opened.adopt(await startScreenLab(1024 * 1024), closing);
    workbench = opened.use(await openWorkbench({ settings: lab.settings }));
    page = workbench.page;
    await page.getByRole('heading', { level: 1, name: 'Projects', exact: true }).waitFor();
  });

  it('makes a project and its vault', async () => {
    await type('Name', 'By keyboard');
    await type('Folder', lab.project);
    await press('Create project');
    await page.getByRole('heading', { level: 1, name: 'By keyboard', exact: true }).waitFor();
    await type('Passphrase', passphrase);
    await type('Repeat passphrase', passphrase);
    await press('Create vault');
    await page.getByText(/^The vault is unlocked\./).waitFor();
  });

  it('finds everything in the palette, and lists its shortcuts', async () => {
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Command palette', exact: true }).waitFor();
    await page.locator('[role="dialog"] input:focus').waitFor();
    await page.keyboard.type('endp');
    await page.getByRole('option', { selected: true }).filter({ hasText: 'Endpoints' }).waitFor();
    await lookAt('palette');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Endpoints', exact: true }).waitFor();
    await leaveFields();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts', exact: true }).waitFor();
    await lookAt('shortcuts');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('g');
    await page.keyboard.press('s');
    await page.getByRole('heading', { level: 1, name: 'Settings', exact: true }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('e');
    await page.getByRole('heading', { level: 1, name: 'Endpoints', exact: true }).waitFor();
  });

  it('describes both ends', async () => {
    await press('Add endpoint');
    await pick('Platform', 'Disk images');
    await type('Name', 'Images');
    await type('Folder or file', lab.images);
    await press('Save');
    await page.getByRole('link', { name: 'Images', exact: true }).waitFor();
    await press('Add endpoint');
    await pick('Platform', 'European cloud (STACKIT)');
    await type('Name', 'Cloud');
    await type('Project ID', lab.cloud.projectId);
    await type('Region', lab.cloud.region);
    await type('Service account key', JSON.stringify(lab.cloud.serviceAccountKey));
    await type('Infrastructure interface', lab.cloud.urls.iaas);
    await type('Token endpoint', lab.cloud.urls.token);
    await press('Save');
    await page.getByRole('link', { name: 'Cloud', exact: true }).waitFor();
  });

  it('creates a replica and configures it', async () => {
    await leaveFields();
    await page.keyboard.press('g');
    await page.keyboard.press('i');
    await page.getByRole('cell', { name: 'web-01', exact: true }).waitFor();
    await press('Create replica of web-01');
    await page.getByText('No findings', { exact: true }).waitFor();
    await type('Worker volume size', '20x');
    await page.getByText('1 error, 0 warnings', { exact: true }).waitFor();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('F8');
    await soon(() => focusedName()).toContain('Worker volume size');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('20');
    await page.getByText('No findings', { exact: true }).waitFor();
    await press('Create replica');
    await page.getByRole('heading', { level: 1, name: 'web-01', exact: true }).waitFor();
    await page.keyboard.press('Control+k');
    await page.locator('[role="dialog"] input:focus').waitFor();
    await page.keyboard.type('configure web');
    await page.getByRole('option', { selected: true }).filter({ hasText: 'Configure web-01' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Configure web-01', exact: true }).waitFor();
    await page.locator('[data-setting="disk_bus"]').waitFor();
    await pick('Disk bus', 'virtio');
    await page.keyboard.press('Control+s');
    await page.getByRole('heading', { level: 1, name: 'web-01', exact: true }).waitFor();
  });

  it('replicates it', async () => {
    await press('Replicate… (web-01)');
    await page.getByRole('dialog').waitFor();
    await press('Start');
    await page.getByRole('heading', { level: 1, name: 'Execution 1 of web-01', exact: true }).waitFor();
    await page.getByRole('main').getByText('Completed', { exact: true }).first().waitFor({ timeout: 120_000 });
  });

  it('never violates its content security policy and logs no error', () => {
    expect(workbench.complaints).toEqual([]);
  });
});

/** Goes on with Tab until something whose name begins so has the focus. */
async function reach(name: string): Promise<void> {
  for (let step = 0; step < 250; step += 1) {
    if ((await focusedName()).startsWith(name)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab never reached ${name}`);
}

async function focusedName(): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement;
    if (element === null || element === document.body) return '';
    const byId = (ids: string | null) =>
      (ids ?? '')
        .split(' ')
        .map((id) => document.getElementById(id)?.textContent ?? '')
        .join(' ')
        .trim();
    const labelled = element.getAttribute('aria-label') ?? byId(element.getAttribute('aria-labelledby'));
    const label =
      element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement
        ? (element.labels?.[0]?.textContent ?? '')
        : '';
    return labelled || label || (element.textContent ?? '').trim();
  });
}

async function type(field: string, value: string): Promise<void> {
  await reach(field);
  await page.keyboard.insertText(value);
}

async function press(button: string): Promise<void> {
  await reach(button);
  await page.keyboard.press('Enter');
}

async function pick(field: string, option: string): Promise<void> {
  await reach(field);
  await page.keyboard.press('Enter');
  await page.locator('[role="option"]:focus').waitFor();
  for (let step = 0; step < 30; step += 1) {
    if ((await focusedName()) === option) break;
    await page.keyboard.press('ArrowDown');
  }
  await page.keyboard.press('Enter');
  await page.getByRole('listbox').waitFor({ state: 'detached' });
}

/** Plain letters are shortcuts only where nothing is being typed. */
async function leaveFields(): Promise<void> {
  for (let step = 0; step < 50; step += 1) {
    const isField = await page.evaluate(
      () => document.activeElement?.matches('input, textarea, [role="combobox"]') === true,
    );
    if (!isField) return;
    await page.keyboard.press('Tab');
  }
}
