import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWorkbenchInBrowser, type Workbench } from '../hosts/workbench-in-browser.ts';

let workbench: Workbench;
const settings = mkdtempSync(join(tmpdir(), 'causeway-settings-'));

beforeAll(async () => {
  workbench = await openWorkbenchInBrowser(['--settings', settings]);
  await workbench.page.getByRole('link', { name: 'Validate files' }).click();
});
afterAll(async () => {
  await workbench?.close();
  rmSync(settings, { recursive: true, force: true });
});

describe('the workbench in a browser', () => {
  it('checks chosen documents and shows every finding with its place', async () => {
    const { page } = workbench;
    await page.locator('input[type=file]').setInputFiles([
      { name: 'typo.yaml', mimeType: 'text/yaml', buffer: Buffer.from('destination:\n  plugin: european-cloud\n  environment: { disk_buss: virtio }\n') },
    ]);
    const row = page.getByRole('row').filter({ hasText: '/destination/environment/disk_buss' });
    await row.waitFor();
    expect(await row.innerText()).toContain('typo.yaml:3');
    expect(await row.innerText()).toContain('disk_bus');
  });

  it('shows one severity when asked', async () => {
    const { page } = workbench;
    await page.getByRole('button', { name: 'Warning' }).click();
    expect(await page.getByRole('cell', { name: 'Error', exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'All findings' }).click();
    expect(await page.getByRole('cell', { name: 'Error', exact: true }).count()).toBeGreaterThan(0);
  });

  it('never violates its own content security policy', () => {
    expect(workbench.complaints).toEqual([]);
  });

  it('keeps out whoever has only the address', async () => {
    const answer = await fetch(new URL('/', workbench.url));
    expect(answer.status).toBe(403);
  });
});
