// needs: native workers
// The pool of workers in the workbench: set, used by an execution, seen by whoever asks what runs in the cloud, and emptied.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWorkbench, type Workbench } from '../hosts/open-workbench.ts';
import { screenSteps } from '../hosts/screen-steps.ts';
import { RigClient } from '../rigs/european-cloud/rig-client.ts';
import { startUserVm } from '../rigs/european-cloud/user-vm.ts';
import { makeScreenProject, passphrase } from '../rigs/project/make-screen-project.ts';
import { startScreenLab, type ScreenLab } from '../rigs/project/screen-lab.ts';

const MiB = 1024 * 1024;
const patience = { timeout: 60_000 };
let lab: ScreenLab;
let workbench: Workbench;
const { go, heading, lookAt } = screenSteps(() => workbench.page);

describe.runIf(process.geteuid?.() === 0)('the worker pool of a project', () => {
  beforeAll(async () => {
    lab = await startScreenLab(4 * MiB);
    await makeScreenProject(lab, { replicas: ['web-01'], environment: { network_map: { default: 'production' } } });
    workbench = await openWorkbench(lab);
  });
  afterAll(async () => {
    await workbench?.close();
    await lab?.close();
  });

  it('is set, used, shown and emptied', async () => {
    const { page } = workbench;
    await go('Replicas');
    await page.getByLabel('Passphrase', { exact: true }).fill(passphrase);
    await page.getByRole('button', { name: 'Unlock vault' }).click();
    await page.getByText('Vault unlocked').waitFor();

    await go('Settings');
    const section = page.getByRole('region', { name: 'Workers of this project' });
    const keep = section.getByLabel('Workers to keep for each destination');
    const save = section.getByRole('button', { name: 'Save worker pool' });
    expect(await keep.inputValue()).toBe('0');
    for (const wrong of ['21', '-1', '1.5', '']) {
      await keep.fill(wrong);
      expect(await save.isDisabled(), wrong).toBe(true);
    }
    await keep.fill('1');
    await section.getByLabel('Delete a worker that was unused for (minutes)').fill('30');
    await save.click();
    await page.getByText('Worker pool saved').waitFor();
    await section.getByText('No worker is kept at the moment.').waitFor();
    await section.scrollIntoViewIfNeeded();
    await lookAt('worker-pool-empty');

    await go('Replicas');
    await page.getByRole('link', { name: 'web-01', exact: true }).click();
    await page.getByRole('button', { name: 'Replicate…' }).first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Start' }).click();
    await heading('Execution 1 of web-01');
    await page.getByText('Completed', { exact: true }).first().waitFor(patience);

    await go('Settings');
    const row = section.getByRole('table', { name: 'Workers of the pool' }).getByRole('row').nth(1);
    await row.getByText(/^unused since /).waitFor();
    expect(await row.getByRole('cell').first().textContent()).toBe('Cloud');
    await section.scrollIntoViewIfNeeded();
    await lookAt('worker-pool-used');
    // What costs money is in the ledger, and says whose it is.
    await go('Ledger');
    await page.getByRole('link', { name: 'the worker pool' }).first().waitFor();
    expect(await page.getByText('its execution ended').count()).toBe(0);
    expect(lab.cloud.world.servers.size).toBe(1);

    await page.getByRole('link', { name: 'the worker pool' }).first().click();
    await section.getByRole('button', { name: 'Delete unused workers' }).click();
    await page.getByText('Unused workers deleted').waitFor(patience);
    await section.getByText('No worker is kept at the moment.').waitFor();
    expect(lab.cloud.world.servers.size).toBe(0);
  }, 240_000);

  it('is replaced by a VM that the engine runs on', async () => {
    const { page } = workbench;
    await go('Settings');
    const section = page.getByRole('region', { name: 'This engine as the worker' });
    await section.getByText('The engine runs on no VM that is known here.').waitFor();
    const id = section.getByLabel('ID of the VM');
    const save = section.getByRole('button', { name: 'Use this VM' });
    expect(await save.isDisabled()).toBe(true);
    // This machine is no VM of the lab's cloud.
    await section.getByRole('button', { name: 'Find this VM' }).click();
    await section.getByText('Nothing here says which VM of this cloud the engine runs on.').waitFor(patience);
    await id.fill('00000000-0000-4000-8000-000000000000');
    await section.getByText('As the cloud shows it.', { exact: false }).waitFor();
    for (const wrong of ['0', '25', 'many']) {
      await section.getByLabel('Volumes at the same time').fill(wrong);
      expect(await save.isDisabled(), wrong).toBe(true);
    }
    await section.getByLabel('Volumes at the same time').fill('3');
    await save.click();
    await section.getByText('The VM that Causeway runs on cannot be used').waitFor(patience);
    const client = new RigClient(lab.cloud);
    await client.signIn();
    const vm = await startUserVm(client, 'mover-1');
    await id.fill(vm);
    await save.click();
    await page.getByText('Volumes are attached to this VM from now on').waitFor(patience);
    const row = section.getByRole('table', { name: 'VMs that the engine runs on' }).getByRole('row').nth(1);
    expect((await row.getByRole('cell').allTextContents()).slice(0, 4)).toEqual(['Cloud', 'mover-1', '3', '0']);
    await section.scrollIntoViewIfNeeded();
    await lookAt('own-vm');
    await row.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Workers are started again').waitFor(patience);
    await section.getByText('The engine runs on no VM that is known here.').waitFor();
  }, 120_000);
});
