// needs: installed guests, slirp4netns
import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { seriousFindings } from '../hosts/accessibility.ts';
import { takePictures } from '../hosts/pictures.ts';
import { screenSteps } from '../hosts/screen-steps.ts';
import { openWorkbench, type Workbench } from '../hosts/open-workbench.ts';
import { closing } from '../rigs/closing.ts';
import { closedAfterAll } from '../rigs/opened.ts';
import { ensureDebianGuest } from '../rigs/images/ensure.ts';
import { makeScreenProject, passphrase } from '../rigs/project/make-screen-project.ts';
import { startScreenLab, type ScreenLab } from '../rigs/project/screen-lab.ts';

// An emulated system that boots: minutes of processor time, so that it runs when it is asked for.
const isAskedFor = process.env['CAUSEWAY_FULL_CHAIN'] === '1';
const minute = 60_000;

/** The product as it is built, a Debian that knows no virtio, and the real preparation, through the screens. */
describe.runIf(isAskedFor)('a real guest, migrated in the workbench', { timeout: 30 * minute }, () => {
  let lab: ScreenLab;
  let workbench: Workbench;
  let page: Page;

  const opened = closedAfterAll();
  beforeAll(async () => {
    const guest = await ensureDebianGuest((line) => void process.stderr.write(`${line}\n`));
    lab = opened.adopt(await startScreenLab(1, { outbound: true }), closing);
    await rm(join(lab.images, 'web-01.raw'));
    await copyFile(join(guest, 'disk.raw'), join(lab.images, 'debian.raw'));
    await makeScreenProject(lab, {
      replicas: ['debian'],
      environment: { use_config_drive: true, retain_user_credentials: true },
    });
    workbench = opened.use(await openWorkbench(lab));
    page = workbench.page;
    page.setDefaultTimeout(minute);
  }, 20 * minute);

  it('is replicated and deployed in one go, with everything that was changed in it in sight', async () => {
    await screenSteps(() => page).go('Replicas');
    await page.getByLabel('Passphrase', { exact: true }).fill(passphrase);
    await page.getByRole('button', { name: 'Unlock vault', exact: true }).click();
    await page.getByText('Vault unlocked', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Replicate… (debian)', exact: true }).click();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page
      .locator('main h1 + div')
      .getByText('Completed', { exact: true })
      .waitFor({ timeout: 5 * minute });
    await lookAt('real-run');
    await page.getByRole('link', { name: 'Replica debian', exact: true }).click();
    await page.getByRole('button', { name: 'Deploy… (debian)', exact: true }).click();
    await page.getByLabel('Replicate changes first', { exact: true }).check();
    await page.getByLabel('Success criterion', { exact: true }).click();
    await page.getByRole('option', { name: 'The console shows a login prompt', exact: true }).click();
    await page.getByRole('button', { name: 'Deploy', exact: true }).click();
    await page.getByRole('region', { name: 'Executions of this migration', exact: true }).waitFor();
    await page.locator('main h1 + div').getByText('Running', { exact: true }).waitFor();
    await page
      .getByText(/^Prepare the guest/)
      .first()
      .waitFor();
    await page
      .getByText(/^(Setting up |update-initramfs)/)
      .first()
      .waitFor({ timeout: 10 * minute });
    await lookAt('real-deployment-running');
    await page
      .locator('main h1 + div')
      .getByText('Completed', { exact: true })
      .waitFor({ timeout: 20 * minute });
    await page.getByText('The guest has booted', { exact: true }).waitFor();
    await lookAt('real-deployment');
    await page.getByRole('tab', { name: 'Guest', exact: true }).click();
    await page.getByRole('button', { name: /^Packages \d+/ }).click();
    await page.getByText('cloud-init', { exact: true }).waitFor();
    await page.getByRole('button', { name: /^Packages \d+/ }).click();
    await lookAt('real-deployment-guest', page.getByRole('tab', { name: 'Guest', exact: true }));
    await page.getByRole('tab', { name: 'Console', exact: true }).click();
    await page
      .getByRole('region', { name: 'VM console output', exact: true })
      .getByText(/login: *$/)
      .first()
      .waitFor();
    await lookAt('real-deployment-console', page.getByRole('tab', { name: 'Console', exact: true }));
    expect(workbench.complaints).toEqual([]);
  });

  async function lookAt(name: string, at = page.getByRole('heading', { level: 1 })): Promise<void> {
    await at.scrollIntoViewIfNeeded();
    await takePictures(page, name);
    expect(await seriousFindings(page), name).toEqual([]);
  }
});
