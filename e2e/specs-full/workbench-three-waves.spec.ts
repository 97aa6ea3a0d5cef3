import { mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import type { WaveSummary } from '../../shared/model/wave.ts';
import { screenLink, screenSteps } from '../hosts/screen-steps.ts';
import { openWorkbenchHere, type WorkbenchHere } from '../hosts/workbench-here.ts';
import { closedAfterAll } from '../rigs/opened.ts';
import { engineHere } from '../rigs/project/engine-here.ts';
import { makeEmptyProject, openMadeProject, passphrase } from '../rigs/project/make-screen-project.ts';
import { workbookFile } from '../rigs/project/workbook-file.ts';

const root = mkdtempSync(join(tmpdir(), 'causeway-three-waves-'));
const images = join(root, 'images');
const project = join(root, 'project');
const names = Array.from({ length: 300 }, (_, index) => `vm-${String(index + 1).padStart(3, '0')}`);
let workbench: WorkbenchHere;
let page: Page;
let clicks = 0;
const { lookAt } = screenSteps(() => page);

/** Every press of the mouse's button; what is typed is not counted. */
async function click(target: Locator): Promise<void> {
  clicks += 1;
  await target.click();
}
const button = (name: string | RegExp): Locator => page.getByRole('button', { name, exact: true });
const screen = (name: string): Locator => screenLink(page, name);

describe('three waves of 100 VMs from an RVTools workbook', () => {
  const opened = closedAfterAll();
  opened.defer(() => rmSync(root, { recursive: true, force: true }));
  beforeAll(async () => {
    mkdirSync(images);
    for (const name of names) {
      writeFileSync(join(images, `${name}.raw`), '');
      truncateSync(join(images, `${name}.raw`), 1024 * 1024);
    }
    await makeProject();
    workbench = opened.use(await openWorkbenchHere(engineHere({}), project));
    page = workbench.page;
    await workbench.ask('vault.unlock', { passphrase });
    await page.reload();
  });

  /** Beside the journey: a window that a third of a wave fits into makes more waves, and without it they are as before. */
  async function limitByWindow(): Promise<void> {
    await page.getByRole('button', { name: 'More limits', exact: true }).click();
    await page.getByLabel('Window in hours', { exact: true }).fill('4');
    await page.getByLabel('Bandwidth', { exact: true }).fill('1Gbit');
    await page.getByRole('tab', { name: /^Wave 9 · / }).waitFor();
    await lookAt('plan-waves-limits');
    await page.getByLabel('Window in hours', { exact: true }).fill('');
    await page.getByLabel('Bandwidth', { exact: true }).fill('');
    await page.getByRole('tab', { name: /^Wave 9 · / }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'More limits', exact: true }).click();
    await page.getByRole('tab', { name: /^Wave 3 · 100 VMs/ }).waitFor();
  }

  it('takes at most 60 clicks, windows included', async () => {
    const began = performance.now();
    await click(screen('Inventory'));
    await click(page.getByRole('link', { name: 'Import file', exact: true }).first());
    // The button and the file in the system's dialog.
    clicks += 2;
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'RVTools.xlsx', mimeType: 'application/octet-stream', buffer: workbook() });
    await page.getByText('300 VMs', { exact: true }).first().waitFor();
    await click(button('Save inventory'));
    await click(page.getByRole('link', { name: 'Plan waves…', exact: true }));
    await page.getByRole('tab', { name: /^Wave 3 · 100 VMs/ }).waitFor();
    await lookAt('plan-waves');
    await limitByWindow();
    await moveOneAndBack();
    await dragSomeAndBack();
    await moveByKeysAndBack();
    await click(button('Create 300 replicas in 3 waves'));
    await page.getByRole('row').filter({ hasText: 'Wave 3' }).waitFor();
    for (const [index, date] of ['2027-04-03', '2027-04-10', '2027-04-17'].entries()) {
      await click(page.getByRole('link', { name: `Wave ${index + 1}`, exact: true }));
      await click(button('Plan…'));
      await page.getByLabel('Date', { exact: true }).fill(date);
      await page.getByLabel('Time', { exact: true }).fill('22:00');
      await click(button('Save plan'));
      await page
        .getByText(/^\w+, \w+ \d+, 22:00 /)
        .first()
        .waitFor();
      if (index === 0) await lookAt('wave-of-100');
      await click(screen('Waves'));
    }
    const waves = (await workbench.ask('wave.list', {})) as unknown as WaveSummary[];
    expect(waves.map(({ name, members, plan }) => [name, members, plan?.window?.date])).toEqual([
      ['Wave 1', 100, '2027-04-03'],
      ['Wave 2', 100, '2027-04-10'],
      ['Wave 3', 100, '2027-04-17'],
    ]);
    expect(readdirSync(join(project, 'replicas'))).toHaveLength(300);
    console.log(`three waves of 100: ${clicks} clicks, ${Math.round((performance.now() - began) / 1000)} s`);
    expect(clicks).toBeLessThanOrEqual(60);
  });

  it('keeps applications together', async () => {
    const replicas = (await workbench.ask('replica.list', {})) as unknown as { vmName: string; wave: string }[];
    const wavesOf = Map.groupBy(replicas, ({ vmName }) => applicationOf(names.indexOf(vmName)));
    for (const [application, members] of wavesOf)
      expect(new Set(members.map(({ wave }) => wave)).size, application).toBe(1);
  });

  it('never violates its content security policy and logs no error', () => {
    expect(workbench.complaints).toEqual([]);
  });
});

/** A person who finds one VM in the wrong wave, and then thinks otherwise. */
async function moveOneAndBack(): Promise<void> {
  await click(page.getByLabel(/^Select vm-/).first());
  await click(page.getByLabel('Move 1 to', { exact: true }));
  await click(page.getByRole('option', { name: 'Wave 2', exact: true }));
  await page.getByRole('tab', { name: /^Wave 2 · 101 VMs/ }).waitFor();
  await click(button('Undo'));
  await page.getByRole('tab', { name: /^Wave 2 · 100 VMs/ }).waitFor();
}

/** The same with the mouse alone: one VM to another wave, and two that are selected to a new one. */
async function dragSomeAndBack(): Promise<void> {
  const moved = page.getByRole('status').getByText('1 VM moved to Wave 3.', { exact: true });
  // Twice in seven runs on a busy machine the browser ended the drag before it reached the tab; why is not known. A person drags again.
  for (let attempt = 0; attempt < 3 && (await moved.count()) === 0; attempt += 1) {
    await page
      .getByRole('row')
      .filter({ hasText: 'vm-' })
      .nth(2)
      .dragTo(page.getByRole('tab', { name: /^Wave 3/ }), { steps: 8 });
    await moved.waitFor({ timeout: 10_000 }).catch(() => undefined);
  }
  await moved.waitFor();
  await page.getByRole('tab', { name: /^Wave 3 · 101 VMs/ }).waitFor();
  for (const at of [0, 1])
    await page
      .getByLabel(/^Select vm-/)
      .nth(at)
      .check();
  const row = page.getByRole('row').filter({ hasText: 'vm-' }).first();
  const { x = 0, y = 0 } = (await row.boundingBox()) ?? {};
  await page.mouse.move(x + 200, y + 10);
  await page.mouse.down();
  await page.mouse.move(x + 220, y, { steps: 4 });
  await page.getByText('New wave', { exact: true }).last().hover();
  await page.mouse.up();
  await page.getByRole('tab', { name: /^Wave 4 · 2 VMs/ }).waitFor();
  for (const name of [/^Wave 3 · 101 VMs/, /^Wave 3 · 100 VMs/]) {
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await page.getByRole('tab', { name, exact: true }).waitFor();
  }
}

/** Again by keys alone; none of them counts as a click. */
async function moveByKeysAndBack(): Promise<void> {
  const news = page.getByRole('status');
  await page
    .getByLabel(/^Select vm-/)
    .first()
    .focus();
  await page.keyboard.press('Space');
  const target = page.getByRole('combobox', { name: 'Move 1 to', exact: true });
  for (
    let presses = 0;
    presses < 60 && !(await target.evaluate((element) => element === document.activeElement));
    presses += 1
  )
    await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('option', { name: 'Wave 2', exact: true }).waitFor();
  await page.keyboard.press('Enter');
  await news.getByText('1 VM moved to Wave 2.', { exact: true }).waitFor();
  await page.getByRole('tab', { name: /^Wave 2 · 101 VMs/ }).waitFor();
  await page.keyboard.press('Control+z');
  await news.getByText('Last move undone.', { exact: true }).waitFor();
  await page.getByRole('tab', { name: /^Wave 2 · 100 VMs/ }).waitFor();
}

function applicationOf(index: number): string {
  return `app-${Math.floor(index / 20)}`;
}

function workbook(): Buffer {
  const head = [
    'VM',
    'Powerstate',
    'CPUs',
    'Memory',
    'Total disk capacity MiB',
    'Network #1',
    'Cluster',
    'Host',
    'OS according to the configuration file',
    'VM UUID',
    'Application',
  ];
  return workbookFile([
    head,
    ...names.map((name, index) => [
      name,
      'poweredOn',
      '2',
      '4096',
      '61440',
      'VM Network',
      `cluster-${index % 2}`,
      `esx-${index % 8}`,
      'Ubuntu Linux (64-bit)',
      `4210b3c0-0000-0000-0000-${String(index).padStart(12, '0')}`,
      applicationOf(index),
    ]),
  ]);
}

async function makeProject(): Promise<void> {
  await makeEmptyProject(project, 'Data centre');
  const client = await openMadeProject(project);
  await client.call('endpoint.add', { name: 'Images', plugin: 'disk-images', connection: { path: images } });
  await client.call('endpoint.add', {
    name: 'Cloud',
    plugin: 'european-cloud',
    connection: { project_id: 'f5c6bd4b-1f0a-4d0e-9f5e-0c2f2f6f0a11', region_name: 'eu01', service_account_key: '{}' },
  });
  await client.close();
}
