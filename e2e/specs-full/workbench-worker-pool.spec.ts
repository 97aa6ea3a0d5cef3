// needs: native workers
// The pool of workers in the workbench: set, used by an execution, seen by whoever asks what runs in the cloud, and emptied.
import { beforeAll, describe, expect, it } from 'vitest';
import { openWorkbench, type Workbench } from '../hosts/open-workbench.ts';
import { screenSteps, soon } from '../hosts/screen-steps.ts';
import { closing } from '../rigs/closing.ts';
import { closedAfterAll } from '../rigs/opened.ts';
import { RigClient } from '../rigs/european-cloud/rig-client.ts';
import { startUserVm } from '../rigs/european-cloud/user-vm.ts';
import { makeScreenProject, passphrase } from '../rigs/project/make-screen-project.ts';
import { startScreenLab, type ScreenLab } from '../rigs/project/screen-lab.ts';

const MiB = 1024 * 1024;
const patience = { timeout: 60_000 };
let lab: ScreenLab;
let workbench: Workbench;
const { go, heading, lookAt } = screenSteps(() => workbench.page);

describe('the worker pool of a project', () => {
  const opened = closedAfterAll();
  beforeAll(async () => {
    lab = opened.adopt(await startScreenLab(4 * MiB), closing);
    await makeScreenProject(lab, { replicas: ['web-01'], environment: { network_map: { default: 'production' } } });
    workbench = opened.use(await openWorkbench(lab));
  });

  it('is set, used, shown and emptied', async () => {
    const { page } = workbench;
    await go('Replicas');
    await page.getByLabel('Passphrase', { exact: true }).fill(passphrase);
    await page.getByRole('button', { name: 'Unlock vault', exact: true }).click();
    await page.getByText('Vault unlocked', { exact: true }).waitFor();

    await go('Settings');
    const section = page.getByRole('region', { name: 'Workers of this project', exact: true });
    const keep = section.getByLabel('Workers to keep for each destination', { exact: true });
    const save = section.getByRole('button', { name: 'Save worker pool', exact: true });
    await soon(() => keep.inputValue()).toBe('0');
    for (const wrong of ['21', '-1', '1.5', '']) {
      await keep.fill(wrong);
      await soon(() => save.isDisabled(), wrong).toBe(true);
    }
    await keep.fill('1');
    await section.getByLabel('Delete a worker that was unused for (minutes)', { exact: true }).fill('30');
    await save.click();
    await page.getByText('Worker pool saved', { exact: true }).waitFor();
    await section.getByText('No worker is kept at the moment.', { exact: true }).waitFor();
    await section.scrollIntoViewIfNeeded();
    await lookAt('worker-pool-empty');

    await go('Replicas');
    await page.getByRole('link', { name: 'web-01', exact: true }).click();
    await heading('web-01');
    await page.getByRole('button', { name: 'Replicate… (web-01)', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Start', exact: true }).click();
    await heading('Execution 1 of web-01');
    await page.getByText('Completed', { exact: true }).first().waitFor(patience);

    await go('Settings');
    const row = section.getByRole('table', { name: 'Workers of the pool', exact: true }).getByRole('row').nth(1);
    await row.getByText(/^unused since /).waitFor();
    await soon(() => row.getByRole('cell').first().textContent()).toBe('Cloud');
    await section.scrollIntoViewIfNeeded();
    await lookAt('worker-pool-used');
    // What costs money is in the ledger, and says whose it is.
    await go('Ledger');
    await page.getByRole('link', { name: 'the worker pool', exact: true }).first().waitFor();
    await soon(() => page.getByText('its execution ended', { exact: true }).count()).toBe(0);
    expect(lab.cloud.world.servers.size).toBe(1);

    await page.getByRole('link', { name: 'the worker pool', exact: true }).first().click();
    await section.getByRole('button', { name: 'Delete unused workers', exact: true }).click();
    await page.getByText('Unused workers deleted', { exact: true }).waitFor(patience);
    await section.getByText('No worker is kept at the moment.', { exact: true }).waitFor();
    expect(lab.cloud.world.servers.size).toBe(0);
  }, 240_000);

  it('is replaced by a VM that the engine runs on', async () => {
    const { page } = workbench;
    await go('Settings');
    const section = page.getByRole('region', { name: 'This engine as the worker', exact: true });
    await section.getByText('The engine runs on no VM that is known here.', { exact: true }).waitFor();
    const id = section.getByLabel('ID of the VM', { exact: true });
    const save = section.getByRole('button', { name: 'Use this VM', exact: true });
    await soon(() => save.isDisabled()).toBe(true);
    // This machine is no VM of the lab's cloud.
    await section.getByRole('button', { name: 'Find this VM', exact: true }).click();
    await section
      .getByText('Nothing here says which VM of this cloud the engine runs on.', { exact: true })
      .waitFor(patience);
    await id.fill('00000000-0000-4000-8000-000000000000');
    await section.getByText(/^As the cloud shows it\./, { exact: false }).waitFor();
    for (const wrong of ['0', '25', 'many']) {
      await section.getByLabel('Volumes at the same time', { exact: true }).fill(wrong);
      await soon(() => save.isDisabled(), wrong).toBe(true);
    }
    await section.getByLabel('Volumes at the same time', { exact: true }).fill('3');
    await save.click();
    await section.getByText('The VM that Causeway runs on cannot be used', { exact: true }).waitFor(patience);
    const client = new RigClient(lab.cloud);
    await client.signIn();
    const vm = await startUserVm(client, 'mover-1');
    await id.fill(vm);
    await save.click();
    await page.getByText('Volumes are attached to this VM from now on', { exact: true }).waitFor(patience);
    const row = section
      .getByRole('table', { name: 'VMs that the engine runs on', exact: true })
      .getByRole('row')
      .nth(1);
    await soon(async () => (await row.getByRole('cell').allTextContents()).slice(0, 4)).toEqual([
      'Cloud',
      'mover-1',
      '3',
      '0',
    ]);
    await section.scrollIntoViewIfNeeded();
    await lookAt('own-vm');
    await row.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('Workers are started again', { exact: true }).waitFor(patience);
    await section.getByText('The engine runs on no VM that is known here.', { exact: true }).waitFor();
  }, 120_000);
});
