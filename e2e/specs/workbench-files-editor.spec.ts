import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { editorText, writeOver } from '../hosts/code-editor.ts';
import { openWorkbench, type Workbench } from '../hosts/open-workbench.ts';
import { screenSteps, soon } from '../hosts/screen-steps.ts';
import { closedAfterAll } from '../rigs/opened.ts';

let folder: string;
let workbench: Workbench;
let page: Page;
const { go, lookAt } = screenSteps(() => page);
const file = (name: string, content: string) => ({ name, mimeType: 'application/yaml', buffer: Buffer.from(content) });
const yaml = '# of web-01\ndestination:\n  plugin: european-cloud\n  environment:\n    availability_zones: eu01-1\n';

/** Environment files edited in the page, without a project; each step needs the one before. */
describe('environment files in the editor', () => {
  const opened = closedAfterAll();
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'causeway-editor-'));
    opened.defer(() => rm(folder, { recursive: true, force: true }));
    workbench = opened.use(await openWorkbench({ settings: join(folder, 'settings') }));
    page = workbench.page;
  });

  it('opens them from the findings, and corrects with one click what is certain', async () => {
    await go('Validate files');
    await page
      .locator('input[type=file]')
      .setInputFiles([
        file('web-01.yaml', yaml),
        file('db-01.json', '{ "source": { "plugin": "disk-images", "environment": {} } }'),
      ]);
    await page.getByRole('button', { name: 'Edit files', exact: true }).click();
    const document = page.getByLabel('Environment document', { exact: true }).first();
    await document.waitFor();
    await soon(() => editorText(document)).toBe(yaml);
    await page.getByRole('button', { name: 'Fix: /destination/environment/availability_zones', exact: true }).click();
    await soon(() => editorText(document)).toBe(yaml.replace('zones', 'zone'));
    await lookAt('files-editor');
  });

  it('compares with what was read, reverts, and saves one or all', async () => {
    await page.getByRole('button', { name: 'Compare…', exact: true }).click();
    await page.getByRole('dialog').locator('.cm-changedLine').first().waitFor();
    await lookAt('files-editor-compare');
    await page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).click();
    await page.getByRole('button', { name: 'Revert web-01.yaml to the saved text', exact: true }).click();
    const document = page.getByLabel('Environment document', { exact: true }).first();
    await soon(() => editorText(document)).toBe(yaml);
    await writeOver(document, `${yaml}    disk_bus: virtio\n`);
    const download = page.waitForEvent('download');
    await document.press('ControlOrMeta+s');
    expect(await readFile(await (await download).path(), 'utf8')).toBe(`${yaml}    disk_bus: virtio\n`);
    await soon(() => page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true);
  });

  it('indents with Tab, is left by Escape and Tab, and keeps the line ends of a file from Windows', async () => {
    await page.getByRole('button', { name: 'Back to the findings', exact: true }).click();
    const windows = yaml.replaceAll('\n', '\r\n');
    await page.locator('input[type=file]').setInputFiles([file('win.yaml', windows)]);
    await page.getByRole('button', { name: 'Edit win.yaml', exact: true }).first().click();
    const document = page.getByLabel('Environment document', { exact: true }).filter({ visible: true });
    await document.press('ControlOrMeta+Home');
    await document.press('Tab');
    await soon(() => editorText(document)).toMatch(/^ {2}# of web-01/);
    await document.press('ControlOrMeta+z');
    await soon(() => page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true);
    await document.press('Escape');
    await document.press('Tab');
    expect(await document.evaluate((element) => element.contains(globalThis.document.activeElement))).toBe(false);
    await document.press('ControlOrMeta+End');
    await page.keyboard.type('    disk_bus: virtio');
    const download = page.waitForEvent('download');
    await document.press('ControlOrMeta+s');
    expect(await readFile(await (await download).path(), 'utf8')).toBe(`${windows}    disk_bus: virtio`);
  });

  it('keeps changes when the screen is left', async () => {
    await page.getByRole('button', { name: /^db-01\.json/ }).click();
    const document = page.getByLabel('Environment document', { exact: true }).filter({ visible: true });
    await writeOver(document, '{}');
    await page.getByRole('button', { name: 'Save all (1)', exact: true }).waitFor();
    await go('Settings');
    await go('Validate files');
    await page.getByText('db-01.json has fixes that are not saved.', { exact: true }).waitFor();
  });
});
