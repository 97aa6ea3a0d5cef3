import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openWorkbenchInBrowser, type Workbench } from '../hosts/workbench-in-browser.ts';
import { closedAfterAll } from '../rigs/opened.ts';
import { soon } from '../hosts/screen-steps.ts';

let workbench: Workbench;
const settings = mkdtempSync(join(tmpdir(), 'causeway-settings-'));

const opened = closedAfterAll();
opened.defer(() => rmSync(settings, { recursive: true, force: true }));
beforeAll(async () => {
  workbench = opened.use(await openWorkbenchInBrowser(['--settings', settings]));
});

describe('the workbench in German', () => {
  it('is German when somebody chooses it, after a reload too, until English is chosen again', async () => {
    const { page } = workbench;
    await soon(() => page.locator('html').getAttribute('lang')).toBe('en');
    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    await page.getByLabel('Language', { exact: true }).click();
    await page.getByRole('option', { name: 'Deutsch', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Einstellungen', exact: true }).waitFor();
    await soon(() => page.locator('html').getAttribute('lang')).toBe('de');
    const navigation = page.getByRole('navigation', { name: 'Ansichten', exact: true });
    for (const [link, heading] of [
      ['Dateien prüfen', 'Umgebungsdateien prüfen'],
      ['Handbuch', /./],
      ['Einstellungen', 'Einstellungen'],
    ] as const) {
      await navigation.getByRole('link', { name: link, exact: true }).click();
      await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
    }
    await navigation.getByRole('link', { name: 'Dateien prüfen', exact: true }).click();
    await page
      .locator('input[type="file"]')
      .first()
      .setInputFiles({
        name: 'web.yaml',
        mimeType: 'application/yaml',
        buffer: Buffer.from('destination:\n  plugin: european-cloud\n  environment:\n    disk_bus: virto\n'),
      });
    const finding = page.getByRole('row').filter({ hasText: 'european-cloud/value-not-allowed' });
    await finding.getByText('Der Wert ist keiner der zulässigen Werte', { exact: true }).waitFor();
    // The message and its suggestion are stored in English, and screen readers are told so.
    await soon(() => finding.locator('[lang="en"]').allTextContents()).toEqual([
      expect.stringMatching(/^"disk_bus" must be one of /),
      'Did you mean "virtio"?',
    ]);
    await finding.getByText('Wählen Sie einen der Werte in der Meldung.', { exact: true }).waitFor();
    await finding.getByRole('link', { name: 'Weitere Informationen', exact: true }).waitFor();
    await navigation.getByRole('link', { name: 'Einstellungen', exact: true }).click();
    await page.reload();
    await page.getByLabel('Sprache', { exact: true }).click();
    await page.getByRole('option', { name: 'English', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Settings', exact: true }).waitFor();
    await soon(() => page.locator('html').getAttribute('lang')).toBe('en');
  });

  it('violates no policy', () => {
    expect(workbench.complaints).toEqual([]);
  });
});
