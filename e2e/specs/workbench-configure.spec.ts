// needs: native workers
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { editorText, passInteractionDelay, writeOver } from '../hosts/code-editor.ts';
import { screenLink, screenSteps, soon } from '../hosts/screen-steps.ts';
import { openWorkbench, type Workbench } from '../hosts/open-workbench.ts';
import { closing } from '../rigs/closing.ts';
import { closedAfterAll } from '../rigs/opened.ts';
import { startScreenLab, type ScreenLab } from '../rigs/project/screen-lab.ts';

const MiB = 1024 * 1024;
const passphrase = 'correct horse battery staple';
const hostileKeys = ['a.b[0].c', '"quoted" \\ / ~', 'zwei\tTeile', '网络 🚀', 'constructor', '__proto__x', '#: {x}'];
let lab: ScreenLab;
let workbench: Workbench;
let page: Page;
const { go, choose, lookAt } = screenSteps(() => page);

/** A replica configured in forms and as text, with layers below it; each step needs the one before. */
describe('configuring in the workbench', () => {
  const opened = closedAfterAll();
  beforeAll(async () => {
    lab = opened.adopt(await startScreenLab(MiB, { images: ['web-01', 'db-01'] }), closing);
    workbench = opened.use(await openWorkbench({ settings: lab.settings }));
    page = workbench.page;
    await makeProject();
    await makeReplica('web-01');
    await makeReplica('db-01');
  });

  it('has common settings for the project and for a wave', async () => {
    await go('Defaults');
    await page.getByLabel('Platform and role', { exact: true }).click();
    await page.getByRole('option', { name: 'European cloud as a destination', exact: true }).click();
    await choose(setting('disk_bus').getByRole('combobox'), 'virtio');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('No changes', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'New wave…', exact: true }).click();
    await page.getByRole('textbox', { name: 'Wave name', exact: true }).fill('Wave 1: shop');
    await page.getByRole('button', { name: 'Create wave', exact: true }).click();
    await page.getByText(/^This wave has no VMs yet\./).waitFor();
    await setting('disk_bus').getByText('Project', { exact: true }).waitFor();
    await choose(setting('set_dhcp').getByRole('combobox'), 'No');
    await setting('set_dhcp').getByText('This wave', { exact: true }).waitFor();
    await lookAt('defaults');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('No changes', { exact: true }).waitFor();
    expect(JSON.parse(readFileSync(join(lab.project, 'defaults.json'), 'utf8'))).toEqual({
      'european-cloud/destination': { environment: { disk_bus: 'virtio' } },
    });
  });

  it('shows where each value is from, and inherits, sets and clears', async () => {
    await configure('web-01');
    await choose(page.getByLabel('Wave', { exact: true }), 'Wave 1: shop');
    await setting('set_dhcp').getByText('Wave', { exact: true }).waitFor();
    await setting('disk_bus').getByText('Project', { exact: true }).waitFor();
    await setting('retain_user_credentials').getByText('Built-in', { exact: true }).waitFor();
    await setting('availability_zone').getByText('This VM', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Clear: Disk bus', exact: true }).click();
    await setting('disk_bus').getByText('Cleared', { exact: true }).waitFor();
    await soon(() => effective()).not.toContain('"disk_bus"');
    await page.getByRole('button', { name: 'Inherit: Disk bus', exact: true }).click();
    await soon(() => effective()).toContain('"disk_bus": "virtio"');
    await choose(setting('set_dhcp').getByRole('combobox'), 'Yes');
    await soon(() => effective()).toContain('"set_dhcp": true');
    await lookAt('configure');
  });

  it('offers what the destination has, and takes what nobody offers', async () => {
    const type = setting('machine_type').getByRole('combobox');
    await type.click();
    await page
      .getByRole('option', { name: /^c2i\.1\b/ })
      .first()
      .waitFor();
    await page.keyboard.press('Escape');
    await type.fill('c9.none');
    await setting('machine_type')
      .getByText('The destination has no machine type with the name or ID "c9.none".', { exact: true })
      .waitFor();
    await page.getByText('1 error, 0 warnings', { exact: true }).waitFor();
  });

  it('jumps from finding to finding, and does not save with errors', async () => {
    const size = setting('migr_worker_volume_size').getByRole('textbox');
    await size.fill('20x');
    await page.getByText('2 errors, 0 warnings', { exact: true }).waitFor();
    await page.getByRole('textbox', { name: 'Replica name', exact: true }).focus();
    await page.keyboard.press('F8');
    await soon(() => focusedSetting()).toBe('machine_type');
    await page.keyboard.press('F8');
    await soon(() => focusedSetting()).toBe('migr_worker_volume_size');
    await page.keyboard.press('F8');
    await soon(() => focusedSetting()).toBe('machine_type');
    await page.keyboard.press('Shift+F8');
    await soon(() => focusedSetting()).toBe('migr_worker_volume_size');
    await lookAt('configure-findings');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Correct the errors first.', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Inherit: Machine type', exact: true }).click();
    await size.fill('20');
    await page.getByText('No findings', { exact: true }).waitFor();
  });

  it('keeps map keys of any kind through edit, save and load, as form and as text', async () => {
    const map = setting('network_map');
    for (const key of hostileKeys) {
      await map.getByRole('button', { name: /^Add another/ }).click();
      await map.getByLabel('Name', { exact: true }).last().fill(key);
      await map.getByRole('combobox').last().fill('migration');
    }
    await page.getByRole('button', { name: 'Text', exact: true }).click();
    const document = page.getByLabel('Environment document', { exact: true });
    await document.waitFor();
    const written = `# kept\n${await editorText(document)}`;
    await writeOver(document, written);
    await page.getByRole('button', { name: 'Form', exact: true }).click();
    await page.getByRole('button', { name: 'Text', exact: true }).click();
    await soon(() => editorText(document)).toBe(written);
    await lookAt('configure-text');
    await page.getByRole('button', { name: 'Form', exact: true }).click();
    // The form changes one value: the text changes in one line, and its comment stays.
    await choose(setting('disk_bus').getByRole('combobox'), 'scsi');
    await page.getByRole('button', { name: 'Text', exact: true }).click();
    await soon(() => editorText(document)).toMatch(/^# kept\n/);
    await soon(async () =>
      (await editorText(document)).split('\n').filter((line) => !written.split('\n').includes(line)),
    ).toEqual(['    disk_bus: scsi']);
    await page.getByRole('button', { name: 'Form', exact: true }).click();
    await page.getByRole('button', { name: 'Inherit: Disk bus', exact: true }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'web-01', exact: true }).waitFor();
    await page.reload();
    await configure('web-01');
    // At once: rows come and go while the page asks the endpoints for names.
    const names = setting('network_map').getByLabel('Name', { exact: true });
    await expect
      .poll(() => names.evaluateAll((fields) => fields.map((field) => (field as HTMLInputElement).value)))
      .toEqual(hostileKeys);
    await setting('set_dhcp').getByText('This VM', { exact: true }).waitFor();
  });

  it('completes, explains and corrects in the text, and compares it with what is saved', async () => {
    await page.getByRole('button', { name: 'Text', exact: true }).click();
    const document = page.getByLabel('Environment document', { exact: true });
    await document.waitFor();
    const before = await editorText(document);
    await document.press('ControlOrMeta+End');
    await page.keyboard.insertText('    disk_b');
    const completion = page.getByRole('option', { name: /^disk_bus/ });
    await completion.waitFor();
    await document.press('Escape');
    await completion.waitFor({ state: 'detached' });
    await document.press('Control+Space');
    await completion.waitFor();
    await lookAt('configure-text-completion');
    await passInteractionDelay(page);
    await document.press('Enter');
    await soon(() => editorText(document)).toMatch(/\n {4}disk_bus: $/);
    await writeOver(document, 'destination: {}');
    await document.press('ControlOrMeta+z');
    await soon(() => editorText(document)).toMatch(/\n {4}disk_bus: $/);
    await writeOver(
      document,
      before.replace(/( +)set_dhcp: true/, '$1set_dhcp: true\n$1retain_user_credentialz: true'),
    );
    await page
      .getByRole('button', { name: /^Error Unknown key "retain_user_credentialz"/ })
      .first()
      .waitFor();
    await document.press('F8');
    await soon(() => document.locator('.cm-activeLine').textContent()).toContain('retain_user_credentialz');
    await document.locator('.cm-lintRange-error').first().hover();
    await page.locator('.cm-tooltip .cm-diagnosticAction').waitFor();
    await lookAt('configure-text-finding');
    await page.locator('.cm-tooltip .cm-diagnosticAction').click();
    await soon(() => editorText(document)).toContain('    retain_user_credentials: true');
    await page.getByRole('button', { name: 'Compare…', exact: true }).click();
    await page.getByRole('dialog').getByLabel('What to compare', { exact: true }).click();
    await page.getByRole('option', { name: 'Text: saved and current', exact: true }).click();
    await page.getByRole('dialog').locator('.cm-changedLine, .cm-insertedLine').first().waitFor();
    await lookAt('configure-compare');
    await page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).click();
    await writeOver(document, before);
    await page.getByRole('button', { name: 'Form', exact: true }).click();
  });

  it('asks before unsaved changes are left', async () => {
    await setting('migr_worker_volume_size').getByRole('textbox').fill('30');
    await screenLink(page, 'Ledger').click();
    await page.getByRole('dialog', { name: 'Leave without saving?', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Stay', exact: true }).click();
    await soon(() => setting('migr_worker_volume_size').getByRole('textbox').inputValue()).toBe('30');
    await screenLink(page, 'Ledger').click();
    await page.getByRole('button', { name: 'Leave', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Ledger', exact: true }).waitFor();
  });

  it('applies settings to another machine after showing what changes', async () => {
    await configure('web-01');
    await page.getByRole('button', { name: 'Apply to other VMs…', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Worker volume size', { exact: true }).check();
    await dialog.getByLabel('db-01', { exact: true }).check();
    await dialog.getByLabel('Wave: Wave 1: shop', { exact: true }).waitFor();
    await dialog.getByRole('row').filter({ hasText: 'db-01' }).getByText('inherited', { exact: true }).waitFor();
    await lookAt('apply-to-others');
    await dialog.getByRole('button', { name: 'Change 1 VM', exact: true }).click();
    await page.getByText('1 VM changed', { exact: true }).waitFor();
    await configure('db-01');
    await soon(() => setting('migr_worker_volume_size').getByRole('textbox').inputValue()).toBe('20');
  });

  it('renders the one field that is typed into, once a keystroke', async () => {
    const size = setting('migr_worker_volume_size').getByRole('textbox');
    await size.focus();
    // Names that the endpoints answer with meanwhile are drawn in all fields, so that one keystroke may be seen beside them.
    let bytes = 200;
    await soon(() => fieldsDrawnBy(String((bytes += 1)))).toEqual(['migr_worker_volume_size']);
    await size.fill('20');
  });

  it("marks choices as old when the destination can't be asked", async () => {
    await lab.cloud.close();
    await page.reload();
    await page.getByText(/^(The destination is unreachable|Loading options from the destination)\./).waitFor();
    await setting('machine_type').getByRole('combobox').click();
    await page
      .getByRole('option', { name: /^c2i\.1\b/ })
      .first()
      .waitFor();
    await page.keyboard.press('Escape');
    await lookAt('configure-offline');
  });

  it('never violates its content security policy and logs no error', () => {
    expect(workbench.complaints).toEqual([]);
  });
});

function setting(key: string): Locator {
  return page.locator(`[data-setting="${key}"]`);
}

async function effective(): Promise<string> {
  return page.getByRole('region', { name: 'Effective settings', exact: true }).innerText();
}

/** The settings that are drawn anew when the focused field becomes this. */
async function fieldsDrawnBy(value: string): Promise<readonly string[]> {
  return page.evaluate(async (typed) => {
    const seen = new Set<string>();
    const observer = new MutationObserver((records) => {
      for (const { target } of records) {
        const element = target instanceof Element ? target : target.parentElement;
        const setting = element?.closest('[data-setting]')?.getAttribute('data-setting');
        if (setting !== null && setting !== undefined) seen.add(setting);
      }
    });
    observer.observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
    const input = document.activeElement as HTMLInputElement;
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set!.call(input, typed);
    input.dispatchEvent(new Event('input', { bubbles: true }));
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    observer.disconnect();
    return [...seen];
  }, value);
}

async function focusedSetting(): Promise<string | null | undefined> {
  return page.evaluate(() => document.activeElement?.closest('[data-setting]')?.getAttribute('data-setting'));
}

async function configure(replica: string): Promise<void> {
  await go('Replicas');
  await page.getByRole('link', { name: replica, exact: true }).click();
  await page.getByRole('link', { name: 'Configure', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: `Configure ${replica}`, exact: true }).waitFor();
  await setting('network_map').waitFor();
}

async function makeProject(): Promise<void> {
  const form = page.getByRole('form', { name: 'Create project', exact: true });
  await form.getByRole('textbox', { name: 'Name', exact: true }).fill('Configured');
  await workbench.nameFolder(form, lab.project);
  await form.getByRole('button', { name: 'Create project', exact: true }).click();
  await page.getByLabel('Passphrase', { exact: true }).fill(passphrase);
  await page.getByLabel('Repeat passphrase', { exact: true }).fill(passphrase);
  await page.getByRole('button', { name: 'Create vault', exact: true }).click();
  await page.getByText(/^The vault is unlocked\./).waitFor();
  await go('Endpoints');
  await page.getByRole('link', { name: 'Add endpoint', exact: true }).click();
  await choose(page.getByLabel('Platform', { exact: true }), 'Disk images');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Images');
  await page.getByRole('textbox', { name: 'Folder or file', exact: true }).fill(lab.images);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
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
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('link', { name: 'Cloud', exact: true }).waitFor();
}

async function makeReplica(machine: string): Promise<void> {
  await go('Inventory');
  await page.getByRole('link', { name: `Create replica of ${machine}`, exact: true }).click();
  await page.getByText('No findings', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Create replica', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: machine, exact: true }).waitFor();
}
