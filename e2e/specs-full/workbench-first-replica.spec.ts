// needs: native workers
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { screenSteps } from '../hosts/screen-steps.ts';
import { openWorkbench, type Workbench } from '../hosts/open-workbench.ts';
import { startScreenLab, type ScreenLab } from '../rigs/project/screen-lab.ts';

const passphrase = 'correct horse battery staple';
let lab: ScreenLab;
let workbench: Workbench;
let page: Page;
const { heading, go, choose, lookAt } = screenSteps(() => page);

beforeAll(async () => {
  lab = await startScreenLab(1024 * 1024);
  workbench = await openWorkbench({ settings: lab.settings });
  page = workbench.page;
  // Every press of the mouse, as the browser itself sees it; keys are not counted.
  await page.addInitScript(() => {
    const counted = globalThis as unknown as { presses: number };
    counted.presses = 0;
    addEventListener('pointerdown', ({ isTrusted }) => (counted.presses += isTrusted ? 1 : 0), { capture: true });
  });
  await page.reload();
}, 120_000);
afterAll(async () => {
  await workbench?.close();
  await lab?.close();
});

it.runIf(process.geteuid?.() === 0)(
  'takes at most 15 clicks from the start to the first replica that is copied',
  async () => {
    const began = performance.now();
    const form = page.getByRole('form', { name: 'Create project' });
    await form.getByLabel('Name').fill('Move of the web shop');
    await workbench.nameFolder(form, lab.project);
    await form.getByRole('button', { name: 'Create project' }).click();
    await heading('Move of the web shop');
    await page.getByLabel('Passphrase', { exact: true }).fill(passphrase);
    await page.getByLabel('Repeat passphrase').fill(passphrase);
    await page.getByRole('button', { name: 'Create vault' }).click();
    await page.getByText('The vault is unlocked.').waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Add endpoint' }).click();
    await choose(page.getByLabel('Platform'), 'Disk images');
    await page.getByLabel('Name').fill('Images');
    await page.getByLabel('Folder or file').fill(lab.images);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'Add endpoint' }).click();
    await choose(page.getByLabel('Platform'), 'European cloud (STACKIT)');
    await page.getByLabel('Name').fill('Cloud');
    await page.getByLabel('Project ID').fill(lab.cloud.projectId);
    await page.getByLabel('Region').fill(lab.cloud.region);
    await page.getByLabel('Service account key').fill(JSON.stringify(lab.cloud.serviceAccountKey));
    await page.getByLabel('Infrastructure interface').fill(lab.cloud.urls.iaas);
    await page.getByLabel('Token endpoint').fill(lab.cloud.urls.token);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'Cloud', exact: true }).waitFor();
    await go('Inventory');
    await page.getByRole('link', { name: 'Create replica of web-01' }).click();
    await page.getByText('No findings').waitFor();
    await page.getByRole('button', { name: 'Create replica', exact: true }).click();
    await heading('web-01');
    await page.getByRole('button', { name: 'Replicate… (web-01)' }).click();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await heading('Execution 1 of web-01');
    await page.getByText('Done · 100 %').waitFor();
    const presses = await page.evaluate(() => (globalThis as unknown as { presses: number }).presses);
    console.log(`start to the first replica: ${presses} clicks, ${Math.round((performance.now() - began) / 1000)} s`);
    await lookAt('first-replica');
    expect(presses).toBeLessThanOrEqual(15);
  },
  300_000,
);
