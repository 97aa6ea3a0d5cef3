import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { openWorkbenchInBrowser, type Workbench } from '../hosts/workbench-in-browser.ts';
import { closedAfterAll } from '../rigs/opened.ts';
import { screenLink, screenSteps, soon } from '../hosts/screen-steps.ts';

let workbench: Workbench;
const settings = mkdtempSync(join(tmpdir(), 'causeway-settings-'));

const opened = closedAfterAll();
opened.defer(() => rmSync(settings, { recursive: true, force: true }));
beforeAll(async () => {
  workbench = opened.use(await openWorkbenchInBrowser(['--settings', settings]));
  await workbench.page.getByRole('link', { name: 'Validate files', exact: true }).click();
});

describe('the workbench in a browser', () => {
  it('checks chosen documents and shows every finding with its place', async () => {
    const { page } = workbench;
    await page.locator('input[type=file]').setInputFiles([
      {
        name: 'typo.yaml',
        mimeType: 'text/yaml',
        buffer: Buffer.from('destination:\n  plugin: european-cloud\n  environment: { disk_buss: virtio }\n'),
      },
    ]);
    const row = page.getByRole('row').filter({ hasText: '/destination/environment/disk_buss' });
    await row.waitFor();
    await soon(() => row.innerText()).toContain('typo.yaml:3');
    await soon(() => row.innerText()).toContain('disk_bus');
  });

  it('shows one severity when asked', async () => {
    const { page } = workbench;
    await page.getByRole('button', { name: 'Warning', exact: true }).click();
    await soon(() => page.getByRole('cell', { name: 'Error', exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'All findings', exact: true }).click();
    await soon(() => page.getByRole('cell', { name: 'Error', exact: true }).count()).toBeGreaterThan(0);
  });

  it('never violates its own content security policy', () => {
    expect(workbench.complaints).toEqual([]);
  });

  it('says why one page fails, and goes on with the others', async () => {
    const page = await workbench.context.newPage();
    await page.goto(new URL('/', workbench.url).href);
    const { go } = screenSteps(() => page);
    await go('Manual');
    // A defect as a build may have it: one screen throws whenever it is drawn.
    await page.evaluate(() => {
      Object.defineProperty(document, 'title', {
        configurable: true,
        set(title: string) {
          if (title.startsWith('Settings')) throw new Error('the title could not be written');
        },
      });
    });
    await screenLink(page, 'Settings').click();
    const notice = page.getByRole('main').getByRole('alert');
    await notice.getByText('This page cannot be displayed', { exact: true }).waitFor();
    const said = await notice.innerText();
    for (const part of [
      'Details: the title could not be written',
      'Cause: ',
      'Remedy: ',
      'Reload page',
      'Copy details',
      'Learn more',
      'general.page-failed',
    ])
      expect(said).toContain(part);
    await workbench.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await notice.getByRole('button', { name: 'Copy details', exact: true }).click();
    await page.getByText('Copied', { exact: true }).waitFor();
    // With the place where it was thrown, for whoever gets the report.
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
      /the title could not be written[\s\S]*\n\s+at /,
    );
    await go('Validate files');
    await soon(() => notice.count()).toBe(0);
    await screenLink(page, 'Settings').click();
    await notice.waitFor();
    await notice.getByRole('button', { name: 'Reload page', exact: true }).click();
    await notice.waitFor();
    await page.evaluate(() => delete (document as { title?: string }).title);
    await notice.getByRole('button', { name: 'Reload page', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Settings', exact: true }).waitFor();
    await page.close();
  });

  it('keeps out whoever has only the address', async () => {
    const answer = await fetch(new URL('/', workbench.url));
    expect(answer.status).toBe(403);
  });

  it('leaves no host behind where the browser cannot be started', async () => {
    const before = hosts();
    vi.stubEnv('CAUSEWAY_CHROMIUM', '/bin/false');
    try {
      await expect(openWorkbenchInBrowser(['--settings', settings])).rejects.toThrow('browserType.launch');
    } finally {
      vi.unstubAllEnvs();
    }
    expect(hosts()).toEqual(before);
  });
});

/** The hosts that this process has started and that still run. */
function hosts(): string[] {
  return execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes('host.js'));
}
