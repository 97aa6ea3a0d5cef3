// needs: native workers
import type { Page } from 'playwright';
import { beforeAll, expect, it } from 'vitest';
import { screenSteps } from '../hosts/screen-steps.ts';
import { openWorkbench, type Workbench } from '../hosts/open-workbench.ts';
import { closing } from '../rigs/closing.ts';
import { closedAfterAll } from '../rigs/opened.ts';
import { startScreenLab, type ScreenLab } from '../rigs/project/screen-lab.ts';

const passphrase = 'correct horse battery staple';
let lab: ScreenLab;
let workbench: Workbench;
let page: Page;
const { heading, go, choose, lookAt } = screenSteps(() => page);

const opened = closedAfterAll();
beforeAll(async () => {
  lab = opened.adopt(await startScreenLab(1024 * 1024), closing);
  workbench = opened.use(await openWorkbench({ settings: lab.settings }));
  page = workbench.page;
  // Every press of the mouse, as the browser itself sees it; keys are not counted.
  await page.addInitScript(() => {
    const counted = globalThis as unknown as { presses: number };
    counted.presses = 0;
    addEventListener('pointerdown', ({ isTrusted }) => (counted.presses += isTrusted ? 1 : 0), { capture: true });
  });
  await page.reload();
}, 120_000);

it.runIf(process.geteuid?.() === 0)(
  'takes at most 15 clicks from the start to the first replica that is copied',
  async () => {
    const began = performance.now();
    const form = page.getByRole('form', { name: 'Create project', exact: true });
    await form.getByRole('textbox', { name: 'Name', exact: true }).fill('Move of the web shop');
    await workbench.nameFolder(form, lab.project);
    await form.getByRole('button', { name: 'Create project', exact: true }).click();
    await heading('Move of the web shop');
    await page.getByLabel('Passphrase', { exact: true }).fill(passphrase);
    await page.getByLabel('Repeat passphrase', { exact: true }).fill(passphrase);
    await page.getByRole('button', { name: 'Create vault', exact: true }).click();
    await page.getByText(/^The vault is unlocked\./).waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Add endpoint', exact: true }).click();
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
    await go('Inventory');
    await page.getByRole('link', { name: 'Create replica of web-01', exact: true }).click();
    await page.getByText('No findings', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Create replica', exact: true }).click();
    await heading('web-01');
    await page.getByRole('button', { name: 'Replicate… (web-01)', exact: true }).click();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await heading('Execution 1 of web-01');
    await page.getByText('Done · 100 %', { exact: true }).waitFor();
    const presses = await page.evaluate(() => (globalThis as unknown as { presses: number }).presses);
    console.log(`start to the first replica: ${presses} clicks, ${Math.round((performance.now() - began) / 1000)} s`);
    await lookAt('first-replica');
    expect(presses).toBeLessThanOrEqual(15);
  },
  300_000,
);
