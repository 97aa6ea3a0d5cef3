// needs: native workers
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, describe, expect, it } from 'vitest';
import { engineOf } from '../hosts/engine-of.ts';
import { screenSteps, soon } from '../hosts/screen-steps.ts';
import { openWorkbench, type Workbench } from '../hosts/open-workbench.ts';
import { closing } from '../rigs/closing.ts';
import { closedAfterAll } from '../rigs/opened.ts';
import { makeScreenProject, passphrase } from '../rigs/project/make-screen-project.ts';
import { startScreenLab, type ScreenLab } from '../rigs/project/screen-lab.ts';

const MiB = 1024 * 1024;
let lab: ScreenLab;
let workbench: Workbench;
const { go, lookAt } = screenSteps(() => workbench.page);

/** A project that exists already, on a computer that loses power in the middle of a run. */
describe('a project that is opened again', () => {
  const opened = closedAfterAll();
  beforeAll(async () => {
    lab = opened.adopt(await startScreenLab(24 * MiB), closing);
    await makeScreenProject(lab, { replicas: ['web-01'] });
    workbench = opened.use(await openWorkbench(lab));
  });

  it('asks for the passphrase wherever it is needed, and refuses a wrong one', async () => {
    const { page } = workbench;
    await go('Replicas');
    await page.getByText(/^The vault is locked\./).waitFor();
    await page.getByLabel('Passphrase', { exact: true }).fill('something else');
    await page.getByRole('button', { name: 'Unlock vault', exact: true }).click();
    await page.getByText('The passphrase or key is wrong', { exact: true }).waitFor();
    await lookAt('vault-locked');
    await unlock();
  });

  it('leaves a run interrupted while the vault is locked, and goes on once it is open', async () => {
    // So slow that it is still copying when the cancel dialog is open, also on a busy machine.
    await start('256K');
    await workbench.page.getByText(/^Copying · ([2-9]|\d\d) %$/).waitFor({ timeout: 120_000 });
    process.kill(engineOf(workbench.hostPid), 'SIGKILL');
    process.kill(workbench.hostPid, 'SIGKILL');
    await workbench.page.getByText(/^Connection to the workbench lost\./).waitFor();
    await lookAt('connection-lost');
    await workbench.close();
    workbench = opened.use(await openWorkbench(lab));
    await go('Replicas');
    await workbench.page.getByText('Interrupted', { exact: true }).waitFor();
    await unlock();
    await workbench.page.getByRole('link', { name: 'Watch (web-01)', exact: true }).click();
    await workbench.page.getByText(/^Copying · \d+ %$/).waitFor({ timeout: 120_000 });
  });

  it('cancels a run at once and finds what was left behind in the ledger', async () => {
    const { page } = workbench;
    await page.getByRole('button', { name: 'Cancel execution…', exact: true }).click();
    await page.getByLabel('Skip the clean-up', { exact: true }).check();
    await lookAt('cancel-run');
    await page.getByRole('button', { name: 'Cancel execution', exact: true }).click();
    await page.getByText(/^\d+ temporary resources? could not be deleted/).waitFor({ timeout: 120_000 });
    await page.getByRole('link', { name: 'Open ledger', exact: true }).click();
    await page.getByRole('button', { name: /^Orphaned/ }).click();
    await page.getByText('Orphaned: its execution ended', { exact: true }).first().waitFor();
    await lookAt('ledger-orphans');
  });

  it('says what would be deleted before it deletes it', async () => {
    const { page } = workbench;
    await page.getByRole('button', { name: 'Delete orphaned resources…', exact: true }).click();
    await page.getByText('To be deleted:', { exact: true }).first().waitFor();
    expect(lab.cloud.world.servers.size).toBe(1);
    await lookAt('remove-orphans');
    await page.getByRole('button', { name: /^Delete \d+ resources?$/ }).click();
    await page.getByText('Deleted:', { exact: true }).first().waitFor({ timeout: 120_000 });
    await soon(() => page.getByText('Not deleted:', { exact: true }).count()).toBe(0);
    expect(lab.cloud.world.servers.size).toBe(0);
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await page.getByText('No orphaned resources.', { exact: true }).waitFor();
  });

  it('whose data belongs to another computer says so, and is taken over after the consequences were shown', async () => {
    await workbench.close();
    const db = new DatabaseSync(join(lab.project, '.causeway', 'causeway.db'));
    db.exec("UPDATE store_identity SET computer_id = 'another', computer_name = 'laptop-anna'");
    db.close();
    workbench = opened.use(await openWorkbench(lab));
    const { page } = workbench;
    await page.getByText(/^This project’s data belongs to laptop-anna\./).waitFor();
    await lookAt('data-of-another-computer');
    await page.getByRole('button', { name: 'Take over…', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Take over this project?', exact: true });
    await dialog.getByText(/^The next execution of each replica compares whole disks/).waitFor();
    await lookAt('take-over');
    await dialog.getByRole('button', { name: 'Take over', exact: true }).click();
    await page.getByText('This project’s data now belongs to this computer', { exact: true }).waitFor();
    await page.getByText(/^This project’s data belongs to laptop-anna\./).waitFor({ state: 'detached' });
    await go('Ledger');
    await page.getByRole('button', { name: 'Check platforms', exact: true }).waitFor();
  });

  it('can be reached and left by the keyboard alone', async () => {
    const { page } = workbench;
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Ledger', exact: true }).waitFor();
    await page.keyboard.press('Tab');
    for (let step = 0; step < 30 && (await focusedText()) !== 'Endpoints'; step += 1) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Endpoints', exact: true }).waitFor();
  });
});

async function unlock(): Promise<void> {
  await workbench.page.getByLabel('Passphrase', { exact: true }).fill(passphrase);
  await workbench.page.getByRole('button', { name: 'Unlock vault', exact: true }).click();
  await workbench.page.getByText('Vault unlocked', { exact: true }).waitFor();
}

async function start(limit: string): Promise<void> {
  const { page } = workbench;
  await page.getByRole('button', { name: 'Replicate… (web-01)', exact: true }).click();
  await page.getByRole('textbox', { name: 'Bandwidth limit', exact: true }).fill(limit);
  await page.getByRole('button', { name: 'Start', exact: true }).click();
}

async function focusedText(): Promise<string | null | undefined> {
  return workbench.page.evaluate(() => document.activeElement?.querySelector('.MuiListItemText-root')?.textContent);
}
