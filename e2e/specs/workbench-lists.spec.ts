import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Download, Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { screenSteps, soon } from '../hosts/screen-steps.ts';
import { openWorkbench, type Workbench } from '../hosts/open-workbench.ts';
import { closedAfterAll } from '../rigs/opened.ts';

const root = mkdtempSync(join(tmpdir(), 'causeway-lists-'));
const project = join(root, 'project');
const rvtools = new URL('../../shared/inventory/testing/rvtools.xlsx', import.meta.url);
let workbench: Workbench;
let page: Page;
const { go, lookAt } = screenSteps(() => page);

const opened = closedAfterAll();
opened.defer(() => rmSync(root, { recursive: true, force: true }));
beforeAll(async () => {
  mkdirSync(project);
  writeFileSync(join(project, 'causeway.yaml'), 'name: Lists\n');
  workbench = opened.use(await openWorkbench({ settings: join(root, 'settings'), project }));
  page = workbench.page;
});

async function downloaded(start: () => Promise<void>): Promise<{ name: string; text: string }> {
  const waiting = page.waitForEvent('download');
  await start();
  const download: Download = await waiting;
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') };
}

describe('lists of machines in the workbench', () => {
  it('takes an RVTools workbook, shows what its columns mean and which rows have problems', async () => {
    await go('Inventory');
    await page.getByRole('tab', { name: 'Saved in this project', exact: true }).click();
    await page.getByText('No inventory yet', { exact: true }).waitFor();
    await lookAt('inventory-lists-empty');
    await page.getByRole('link', { name: 'Import file', exact: true }).first().click();
    await page.locator('input[type=file]').setInputFiles({
      name: 'RVTools_export.xlsx',
      mimeType: 'application/octet-stream',
      buffer: readFileSync(rvtools),
    });
    await page.getByText('2 VMs, 1 row with errors skipped', { exact: true }).waitFor();
    await page.getByRole('row').filter({ hasText: 'odd' }).first().waitFor();
    await lookAt('inventory-import');
  });

  it('takes what is not recognised for what somebody chooses, and keeps the list', async () => {
    await page.getByLabel('Unrecognized guest OS', { exact: true }).click();
    await page.getByRole('option', { name: 'Treat as Linux', exact: true }).click();
    await page.getByText('3 VMs', { exact: true }).first().waitFor();
    await page.getByRole('textbox', { name: 'Inventory name', exact: true }).fill('Data centre 1');
    await page.getByRole('button', { name: 'Save inventory', exact: true }).click();
    await page.getByText(/^From RVTools_export\.xlsx, /).waitFor();
    await page.getByRole('row').filter({ hasText: 'dc-01' }).waitFor();
    await soon(() => page.getByRole('row').filter({ hasText: 'web-01' }).innerText()).toMatch(
      /Linux[\s\S]*Running[\s\S]*4 GiB[\s\S]*60 GiB[\s\S]*VM Network[\s\S]*New/,
    );
    expect(readdirSync(join(project, 'inventory'))).toHaveLength(1);
    await lookAt('inventory-list');
  });

  it('says at a later import what is new, changed and gone, before anything is kept', async () => {
    const csv = [
      'VM;VM UUID;OS;CPUs;Memory MiB',
      'web-01;4210b3c0-0000-0000-0000-000000000001;Debian;8;4096',
      'new-01;77;Ubuntu;1;1024',
    ].join('\n');
    await page.getByRole('link', { name: 'Import file', exact: true }).click();
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'later.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
    await page.getByRole('textbox', { name: 'Inventory name', exact: true }).fill('Data centre 1');
    await page.getByText(/^Updates the existing inventory /).waitFor();
    for (const [machine, state] of [
      ['web-01', 'Changed'],
      ['new-01', 'New'],
      ['dc-01', 'Gone'],
      ['odd', 'Gone'],
    ] as const) {
      await soon(() => page.getByRole('row').filter({ hasText: machine }).innerText()).toContain(state);
    }
    await page
      .getByText(/^(.*; )?CPUs: 2 → 8(;|$)/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Gone 2', exact: true }).click();
    await expect
      .poll(() =>
        page
          .getByRole('row')
          .filter({ hasText: /web-01|new-01|dc-01|odd/ })
          .count(),
      )
      .toBe(2);
    await page.getByRole('button', { name: 'Save inventory', exact: true }).click();
    await page.getByText(/^From later\.csv, /).waitFor();
  });

  it('makes an environment file for a machine that no endpoint has to know', async () => {
    await page.getByRole('button', { name: 'Environment file of new-01', exact: true }).click();
    const { name, text } = await downloaded(() => page.getByRole('button', { name: 'Save file', exact: true }).click());
    expect(name).toBe('new-01.yaml');
    expect(text).toMatch(/^vm:\n {2}id: "77"\n {2}name: new-01/);
    expect(text).toContain('plugin: european-cloud');
  });

  it('remembers what columns mean for files with the same headings', async () => {
    const csv = Buffer.from('Kasten,Betriebssystem\nalpha,linux\n');
    const open = async () => {
      await go('Inventory');
      await page.getByRole('link', { name: 'Import file', exact: true }).first().click();
      await page
        .locator('input[type=file]')
        .setInputFiles({ name: `kasten-${Math.random()}.csv`, mimeType: 'text/csv', buffer: csv });
    };
    await open();
    await page.getByText(/^No VM table found in this file\./).waitFor();
    await choose(/^Content of table kasten/, 'VMs');
    await choose(/^Name/, 'Kasten');
    await choose(/^Guest OS$/, 'Betriebssystem');
    await page.getByText('1 VM', { exact: true }).first().waitFor();
    await open();
    await page.getByText('1 VM', { exact: true }).first().waitFor();
  });

  it('says what is wrong with a file that is no list', async () => {
    await page.getByRole('button', { name: 'Choose another file', exact: true }).click();
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'picture.xlsx', mimeType: 'image/png', buffer: Buffer.from([0x50, 0x4b, 3, 4, 0, 0]) });
    await page.getByText('The file is not a readable inventory', { exact: true }).waitFor();
  });

  it('stays usable while a long list is imported and sorted', async () => {
    // Numbers in no order, so that there is something to sort.
    const rows = Array.from(
      { length: 20_000 },
      (_, index) => `vm-${(index * 7919) % 20_000},Debian,4,8192,100 GiB,net`,
    );
    await page.evaluate(() => {
      const turns = { importing: 0, sorting: 0 };
      (globalThis as never as { turns: typeof turns }).turns = turns;
      const take = (): void => {
        if (document.querySelector('main [role=progressbar]') !== null) turns.importing += 1;
        if (document.querySelector('main table[aria-busy=true]') !== null) turns.sorting += 1;
        if (document.querySelector('main table[aria-busy=false]') === null) setTimeout(take);
      };
      take();
    });
    await page.locator('input[type=file]').setInputFiles({
      name: 'long.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(['Name,OS,CPUs,Memory,Disk,Network', ...rows].join('\n')),
    });
    await page.locator('table[aria-busy=false]').waitFor();
    await soon(() => page.getByRole('row').nth(1).innerText()).toMatch(/^vm-0\b/);
    const turns = await page.evaluate(
      () => (globalThis as never as { turns: { importing: number; sorting: number } }).turns,
    );
    expect(turns.importing, 'what else happens is handled between slices of the import').toBeGreaterThan(2);
    expect(turns.sorting, 'and of the sorting').toBeGreaterThan(1);
    await page.getByLabel('Search by name or ID', { exact: true }).fill('vm-1999');
    await page.getByText('11 of 20,000 VMs', { exact: true }).waitFor();
    await page.getByLabel('Search by name or ID', { exact: true }).fill('no such VM');
    await page.getByText('Nothing matches the search and the filters', { exact: true }).waitFor();
    await lookAt('nothing-matches');
    await page.getByRole('button', { name: 'Clear search and filters', exact: true }).click();
    // Of the preview, and of the table that was searched.
    await soon(() => page.getByText('20,000 VMs', { exact: true }).count()).toBe(2);
  });

  it('removes a list, and says what stays', async () => {
    await go('Inventory');
    await page.getByRole('tab', { name: 'Saved in this project', exact: true }).click();
    await page.getByRole('button', { name: 'Remove inventory', exact: true }).click();
    await page.getByText(/Replicas, endpoints and VMs are not changed\.$/).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove inventory', exact: true }).click();
    await page.getByText('No inventory yet', { exact: true }).waitFor();
    expect(readdirSync(join(project, 'inventory'))).toEqual([]);
  });
});

describe('environment files in the workbench', () => {
  const document =
    '# the web server\ndestination:\n  plugin: european-cloud\n  environment:\n    disk_buss: virtio # a slip\n    delete_disks_on_vm_termination: "yes"\n';

  it('mends what is certain with one click, and leaves the rest of the text as it was', async () => {
    await go('Validate files');
    await lookAt('check-empty');
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'web.yaml', mimeType: 'text/yaml', buffer: Buffer.from(document) });
    await page.getByRole('button', { name: 'Fix: /destination/environment/disk_buss', exact: true }).click();
    await page.getByText('web.yaml has fixes that are not saved.', { exact: true }).waitFor();
    await go('Inventory');
    await go('Validate files');
    await page.getByText('web.yaml has fixes that are not saved.', { exact: true }).waitFor();
    await soon(() => page.getByRole('row').filter({ hasText: 'disk_buss' }).count()).toBe(0);
    await lookAt('check-findings');
    const { name, text } = await downloaded(() =>
      page.getByRole('button', { name: 'Save web.yaml', exact: true }).click(),
    );
    expect(name).toBe('web.yaml');
    expect(text).toBe(document.replace('disk_buss', 'disk_bus'));
    await page.getByText('web.yaml has fixes that are not saved.', { exact: true }).waitFor({ state: 'detached' });
  });

  it('saves all fixed files from one notice', async () => {
    const files = ['a.yaml', 'b.yaml'].map((name) => ({ name, mimeType: 'text/yaml', buffer: Buffer.from(document) }));
    await page.locator('input[type=file]').setInputFiles(files);
    await page.getByRole('button', { name: /^Apply \d+ fix/ }).click();
    await page.getByText(/^\d files have fixes that are not saved\.$/).waitFor();
    await lookAt('check-unsaved');
    await page.getByRole('button', { name: /^Save all \(\d\)$/ }).click();
    await page.getByText(/ have fixes that are not saved\.$/).waitFor({ state: 'detached' });
  });

  it.each([
    ['HTML, to read and print', 'environment-check.html', '<!doctype html>'],
    ['CSV, for spreadsheets', 'environment-check.csv', 'file,line,column,severity'],
    ['JSON, for scripts', 'environment-check.json', '{\n  "files": ['],
    ['SARIF, for code hosts', 'environment-check.sarif', '"version": "2.1.0"'],
  ])('saves everything that was found as %s', async (format, fileName, part) => {
    await page.getByRole('button', { name: 'Save report', exact: true }).click();
    const { name, text } = await downloaded(() => page.getByRole('menuitem', { name: format, exact: true }).click());
    expect(name).toBe(fileName);
    expect(text).toContain(part);
    expect(text).toContain('web.yaml');
  });

  it('never violates the content security policy', () => {
    expect(workbench.complaints).toEqual([]);
  });
});

async function choose(label: RegExp, option: string): Promise<void> {
  await page.getByRole('combobox', { name: label, exact: true }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}
