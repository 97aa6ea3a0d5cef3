import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWorkbenchInBrowser, type Workbench } from '../hosts/workbench-in-browser.ts';

let workbench: Workbench;
const settings = mkdtempSync(join(tmpdir(), 'causeway-settings-'));

beforeAll(async () => {
  workbench = await openWorkbenchInBrowser(['--settings', settings]);
});
afterAll(async () => {
  await workbench?.close();
  rmSync(settings, { recursive: true, force: true });
});

describe('the workbench in German', () => {
  it('is German when somebody chooses it, after a reload too, until English is chosen again', async () => {
    const { page } = workbench;
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    await page.getByLabel('Language').click();
    await page.getByRole('option', { name: 'Deutsch' }).click();
    await page.getByRole('heading', { level: 1, name: 'Einstellungen' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('de');
    const navigation = page.getByRole('navigation', { name: 'Ansichten' });
    for (const [link, heading] of [
      ['Dateien prüfen', 'Umgebungsdateien prüfen'],
      ['Handbuch', /./],
      ['Einstellungen', 'Einstellungen'],
    ] as const) {
      await navigation.getByRole('link', { name: link, exact: true }).click();
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
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
    expect(await finding.locator('[lang="en"]').allTextContents()).toEqual([
      expect.stringMatching(/^"disk_bus" must be one of /),
      'Did you mean "virtio"?',
    ]);
    await finding.getByText('Wählen Sie einen der Werte in der Meldung.', { exact: true }).waitFor();
    await finding.getByRole('link', { name: 'Weitere Informationen' }).waitFor();
    await navigation.getByRole('link', { name: 'Einstellungen', exact: true }).click();
    await page.reload();
    await page.getByLabel('Sprache').click();
    await page.getByRole('option', { name: 'English' }).click();
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
  });

  it('violates no policy', () => {
    expect(workbench.complaints).toEqual([]);
  });
});
