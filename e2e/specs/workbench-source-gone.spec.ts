// needs: native workers
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { isTerminalExecution, type ExecutionState } from '../../shared/model/execution.ts';
import { qemuHarness, type QemuHarness } from '../conformance/qemu-harness.ts';
import { screenSteps, soon } from '../hosts/screen-steps.ts';
import { openWorkbench, type Workbench } from '../hosts/open-workbench.ts';
import { closing } from '../rigs/closing.ts';
import { closedAfterAll } from '../rigs/opened.ts';
import { makeScreenProject, openScreenProject, passphrase } from '../rigs/project/make-screen-project.ts';
import { startScreenLab, type ScreenLab } from '../rigs/project/screen-lab.ts';

const MiB = 1024 * 1024;
let lab: ScreenLab;
let hypervisor: QemuHarness;
let workbench: Workbench;
const { go, lookAt } = screenSteps(() => workbench.page);

/** What comes after a migration: the old hypervisor is switched off, and with it what the replica left on it. */
describe('a replica whose source is gone', () => {
  const opened = closedAfterAll();
  beforeAll(async () => {
    lab = opened.adopt(await startScreenLab(4 * MiB), closing);
    hypervisor = opened.adopt(await qemuHarness(), closing);
    await hypervisor.write(0, 0, MiB, 7);
    await makeScreenProject(lab, {
      replicas: ['web-01'],
      environment: { network_map: { default: 'production', lan: 'production' } },
    });
    await replicateFromHypervisor();
    await hypervisor.close();
    workbench = opened.use(await openWorkbench(lab));
  });

  it('is deleted with its volumes once somebody says that the source will not come back', async () => {
    const { page } = workbench;
    expect(lab.cloud.world.volumes.size).toBe(2);
    await go('Replicas');
    await page.getByLabel('Passphrase', { exact: true }).fill(passphrase);
    await page.getByRole('button', { name: 'Unlock vault', exact: true }).click();
    await page.getByText('Vault unlocked', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'old', exact: true }).click();
    await page.getByRole('button', { name: 'Delete…', exact: true }).click();
    await page.getByLabel('Type old to confirm', { exact: true }).fill('old');
    const gone = page.getByLabel(/^The source no longer exists: /);
    await soon(() => gone.count()).toBe(0);
    const confirm = page.getByRole('button', { name: 'Delete replica and volumes', exact: true });
    await confirm.click();
    await page.getByText('Resources on the source could not be removed', { exact: true }).waitFor();
    expect(lab.cloud.world.volumes.size).toBe(0);
    await gone.check();
    await page.getByText('No resources still exist at the destination.', { exact: true }).waitFor();
    await lookAt('delete-replica-source-gone');
    await confirm.click();
    await page.getByText(/^old deleted; dropped from the ledger on its source: causeway-/).waitFor();
    await go('Ledger');
    await page.getByText('No resources on record', { exact: true }).waitFor();
  });
});

async function replicateFromHypervisor(): Promise<void> {
  const client = await openScreenProject(lab);
  await client.call('endpoint.add', {
    name: 'Hypervisor',
    plugin: 'qemu-hypervisor',
    connection: { qmp_sockets: { 'web-01': join(hypervisor.folder, 'source.qmp') }, scratch_folder: hypervisor.folder },
  });
  const { destinationEnvironment } = await client.call('replica.show', { replica: 'web-01' });
  await client.call('replica.create', {
    name: 'old',
    source: 'Hypervisor',
    destination: 'Cloud',
    vm: 'web-01',
    destinationEnvironment,
  });
  const ended = new Promise<unknown>((resolve) => {
    client.subscribe('execution.event', ({ type, details: { state } }) => {
      if (type === 'execution.state' && isTerminalExecution(state as ExecutionState)) resolve(state);
    });
  });
  await client.call('replica.execute', { replica: 'old' });
  expect(await ended).toBe('completed');
  await client.close();
}
