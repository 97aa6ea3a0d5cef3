// needs: native workers
import { randomBytes } from 'node:crypto';
import { open, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InspectOutcome, inspectOnWorker } from '../../electron/engine/osmorphing/index.ts';
import { recordedInspection } from '../../electron/engine/core/testing/recording-morph.ts';
import { CausewayError } from '../../shared/model/causeway-error.ts';
import { openWorkbenchHere } from '../hosts/workbench-here.ts';
import { screenSteps } from '../hosts/screen-steps.ts';
import type { OpenedPage } from '../hosts/workbench-in-browser.ts';
import { pretendedPreparation } from '../rigs/guests/pretended-preparation.ts';
import { talkingBootSector } from '../rigs/guests/talking-boot-sector.ts';
import { engineHere } from '../rigs/project/engine-here.ts';
import { quickBoot } from '../rigs/project/lab-options.ts';
import { makeScreenProject, passphrase } from '../rigs/project/make-screen-project.ts';
import { startScreenLab, type ScreenLab } from '../rigs/project/screen-lab.ts';

const MiB = 1024 * 1024;
const names = ['web-01', 'web-02', 'web-03'] as const;
const minute = 60_000;
let lab: ScreenLab;
let workbench: OpenedPage;
let page: Page;
const { heading, go, choose, lookAt } = screenSteps(() => page);
let replicaVolumes: readonly string[];
/** What an inspection of a guest ends with; without it, only a cancel ends it. */
let found: Pick<InspectOutcome, 'findings' | 'doubts' | 'changes'> | undefined;
const preparation = pretendedPreparation('Debian GNU/Linux 12 web ttyS0\r\n\r\nweb login: ');

/** On a real worker with the volumes attached; what it finds is made up. */
const inspect: typeof inspectOnWorker = async ({ onStep, signal }) => {
  onStep?.({ step: 'open-disks', title: 'Open disks and volumes', state: 'running' });
  if (found === undefined) {
    await new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
  }
  return { ...recordedInspection, ...found };
};

/** From replicas to running virtual machines, through the screens; each step needs the ones before. */
describe.runIf(process.geteuid?.() === 0)(
  'the workbench, from replicas to running virtual machines',
  { timeout: 5 * minute },
  () => {
    beforeAll(async () => {
      lab = await startScreenLab(2 * MiB);
      for (const name of names) await writeGuest(join(lab.images, `${name}.raw`));
      await makeScreenProject(lab, { replicas: names });
      workbench = await openWorkbenchHere(
        engineHere({ guests: { ...preparation.guests, inspect }, bootPatience: quickBoot }),
        lab.project,
      );
      page = workbench.page;
    }, 3 * minute);
    afterAll(async () => {
      await workbench?.close();
      await lab?.close();
    });

    it('runs several replicas with a limit of how many at once, and says who waits', async () => {
      await go('Replicas');
      await page.getByLabel('Passphrase', { exact: true }).fill(passphrase);
      await page.getByRole('button', { name: 'Unlock vault' }).click();
      await page.getByText('Vault unlocked').waitFor();
      await page.getByLabel('Select all shown').check();
      await page.getByText('3 selected').waitFor();
      expect(await page.getByRole('button', { name: 'Deploy 0 selected' }).isDisabled()).toBe(true);
      await page.getByRole('button', { name: 'Replicate 3 selected' }).click();
      await page.getByRole('textbox', { name: 'Parallel executions' }).fill('1');
      await page.getByRole('textbox', { name: 'Bandwidth limit' }).fill('1M');
      await lookAt('start-several');
      await page.getByRole('button', { name: 'Start', exact: true }).click();
      await page.getByText('next in the queue').waitFor();
      await page.getByText('1 ahead in the queue').waitFor();
      await lookAt('replicas-queue');
      await page.getByRole('link', { name: 'Watch (web-02)' }).click();
      await page.getByText('Next in the queue. This project runs 1 in parallel.').waitFor();
      await lookAt('run-waiting');
      await page.getByRole('button', { name: 'Change…' }).click();
      await page.getByRole('textbox', { name: 'Parallel executions' }).fill('3');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText(/Copying · \d+ %/).waitFor({ timeout: minute });
    });

    it('shows a run as a graph and with its rate, and changes its limit by time of day', async () => {
      await page.getByRole('button', { name: 'Bandwidth…' }).click();
      const limit = page.getByRole('textbox', { name: 'Bandwidth limit' });
      expect(await limit.inputValue()).toBe('1M');
      await limit.fill('mon-fry 08:00-18:00=2M; *=unlimited');
      await page.getByText("'fry' is not a day").waitFor();
      expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
      await limit.fill('mon-fri 08:00-18:00=1500k; sat,sun=2M; *=1M');
      await page.getByRole('img', { name: 'Bandwidth by hour of the week' }).waitFor();
      await lookAt('bandwidth-profile');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('the bandwidth limit was changed').waitFor();
      const chart = page.getByRole('figure', { name: /Transfer rate chart/ });
      // Pressed again until a value is read out: a chart that has just appeared may not take keys yet.
      await expect
        .poll(async () => {
          await chart.locator('[tabindex="0"]:not(button)').first().press('ArrowRight');
          return chart.getByRole('img', { name: /Processed; [\d.]+ \w*B\/s/ }).count();
        })
        .toBe(1);
      await chart.scrollIntoViewIfNeeded();
      await lookAt('run-rate');
      await chart.getByRole('button', { name: 'Table' }).click();
      // 1M, which applied before it was changed.
      await chart
        .getByRole('table', { name: 'Transfer rate' })
        .getByRole('row')
        .filter({ hasText: /977 KiB\/s$/ })
        .first()
        .waitFor();
      await lookAt('run-rate-table');
      await page.getByRole('button', { name: 'Graph' }).click();
      await page.getByRole('img', { name: /Graph of 12 tasks/ }).waitFor();
      await lookAt('run-graph');
      await choose(page.getByLabel('Level'), 'Warnings and errors');
      await page.getByText('No matching events.').waitFor();
      await go('Replicas');
      await expectCount(page.getByText('In sync', { exact: true }), 3);
      await lookAt('replicas-in-sync');
      replicaVolumes = [...lab.cloud.world.volumes.keys()];
      expect(replicaVolumes).toHaveLength(3);
    });

    it('inspects a guest before it is deployed: can be cancelled, and says what a deployment would stop at, and why', async () => {
      await page.getByRole('link', { name: 'web-02', exact: true }).click();
      const guest = page.getByRole('region', { name: 'Guest', exact: true });
      await guest.getByRole('button', { name: 'Inspect guest' }).click();
      await guest.getByText('Inspecting the guest: Open disks and volumes').waitFor();
      await lookAt('guest-inspection-running');
      await guest.getByRole('button', { name: 'Cancel inspection' }).click();
      await guest.getByRole('button', { name: 'Inspect guest' }).waitFor();
      found = {
        findings: [{ code: 'osmorphing.no-virtio', message: 'none of the kernels 3.10.0-1 has virtio_blk' }],
        doubts: [{ code: 'osmorphing.doubtful-network', message: 'bond0 is skipped' }],
        changes: [{ step: 'install-cloud-init', title: 'Install cloud-init', notes: ['install cloud-init'] }],
      };
      await guest.getByRole('button', { name: 'Inspect guest' }).click();
      await guest.getByText('a deployment would stop at 1 finding').waitFor();
      await guest.getByText('none of the kernels 3.10.0-1 has virtio_blk').waitFor();
      await guest.getByText('bond0 is skipped').waitFor();
      await guest.getByText('What OSMorphing would change (1 step)').click();
      await lookAt('guest-inspected');
      expect(lab.cloud.world.servers.size).toBe(0);
      await guest.getByRole('link', { name: 'Learn more' }).first().click();
      await page.getByRole('heading', { name: /No kernel supports the destination/ }).waitFor();
      await page.keyboard.press('Escape');
      await go('Replicas');
    });

    it('asks how to deploy, and refuses what makes no sense before it starts', async () => {
      await page.getByRole('button', { name: 'Deploy… (web-01)' }).click();
      await page.getByLabel('The replica’s own volumes').check();
      await choose(page.getByLabel('If the guest does not boot'), 'Keep for troubleshooting');
      await page.getByText('1 option needs your attention').waitFor();
      expect(await page.getByRole('button', { name: 'Deploy', exact: true }).isDisabled()).toBe(true);
      await lookAt('deploy-problem');
      await page.getByLabel('New volumes from snapshots of the replica').check();
      await choose(page.getByLabel('If the guest does not boot'), 'Roll back');
      await choose(page.getByLabel('Success criterion'), 'The console shows a login prompt');
      await page.getByLabel('Timeout (s)').fill('120');
      await page.getByRole('button', { name: /^User scripts/ }).click();
      await page
        .getByRole('group', { name: 'In the mounted guest' })
        .getByRole('button', { name: 'Add script' })
        .click();
      await page.getByRole('textbox', { name: 'Script', exact: true }).fill('#!/bin/sh\ntouch /root/was-here\n');
      await lookAt('deploy');
      await page.getByRole('button', { name: 'Deploy', exact: true }).click();
      await heading('Deployment 1 of web-01');
      expect(preparation.requests).toHaveLength(0);
    });

    it('shows every step while it goes on, then the machine, the verdict, the log, what changed in the guest and the console', async () => {
      await page.getByText('Create the network interfaces').waitFor();
      await stateIs('Running');
      await lookAt('deployment-running');
      await stateIs('Completed', 3 * minute);
      expect(preparation.requests[0]?.options.scripts?.inGuest).toMatchObject([
        { name: 'script-1', content: '#!/bin/sh\ntouch /root/was-here\n' },
      ]);
      const server = [...lab.cloud.world.servers.values()][0];
      await page
        .getByRole('region', { name: 'Virtual machine', exact: true })
        .getByText(server?.id ?? 'no server')
        .waitFor();
      await page.getByText('The guest has booted', { exact: true }).waitFor();
      await page.getByText('the console shows: web login:').first().waitFor();
      await lookAt('deployment');
      await page.getByText('Setting up cloud-init').waitFor();
      await page.getByRole('tab', { name: 'Log' }).scrollIntoViewIfNeeded();
      await page.getByLabel('Filter events').scrollIntoViewIfNeeded();
      await lookAt('deployment-log');
      await choose(page.getByLabel('Level'), 'Without details');
      await page.getByText('Setting up cloud-init').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Graph' }).click();
      await page.getByRole('img', { name: /Graph of \d+ tasks/ }).waitFor();
      await lookAt('deployment-graph');
      await page.getByRole('tab', { name: 'Guest' }).click();
      await page.getByText('/etc/default/grub').waitFor();
      await page.getByRole('button', { name: 'Lines: /etc/default/grub' }).click();
      await page.getByText('+GRUB_CMDLINE_LINUX="console=tty0 console=ttyS0,115200"').waitFor();
      await page.getByRole('tab', { name: 'Guest' }).scrollIntoViewIfNeeded();
      await lookAt('deployment-guest');
      await page.getByRole('button', { name: 'Packages 3' }).click();
      await page.getByText('/etc/default/grub').waitFor({ state: 'detached' });
      await page.getByText('cloud-init', { exact: true }).waitFor();
      await page.getByRole('tab', { name: 'Console' }).click();
      await page.getByText('Captured when the boot check ended.').waitFor();
      await page.getByRole('button', { name: 'Refresh' }).click();
      await page.getByText('Current output.').waitFor();
      await page.getByRole('region', { name: 'VM console output' }).getByText('web login:').first().waitFor();
      await lookAt('deployment-console');
      await page.getByRole('tab', { name: /Resources/ }).click();
      await page
        .getByText(server?.id ?? 'no server')
        .last()
        .waitFor();
      await lookAt('deployment-resources');
    });

    it('says in the life of the replica that it is deployed', async () => {
      await page.getByRole('link', { name: 'Replica web-01' }).click();
      await page.getByRole('main').getByText('Deployed', { exact: true }).first().waitFor();
      await page.getByRole('link', { name: 'Deployment 1' }).waitFor();
      await page.getByRole('link', { name: 'View VM (web-01)' }).waitFor();
      await lookAt('replica-deployed');
    });

    it('shows a boot that failed with its console, and deploys again without a new copy', async () => {
      await go('Replicas');
      await page.getByRole('button', { name: 'Deploy… (web-02)' }).click();
      await page.getByLabel('Prepare the guest OS for the destination (OSMorphing)').uncheck();
      await choose(page.getByLabel('Success criterion'), 'The console shows a login prompt');
      await page.getByRole('button', { name: 'Deploy', exact: true }).click();
      await heading('Deployment 1 of web-02');
      await stateIs('Failed', 3 * minute);
      await page.getByRole('region', { name: 'Boot check' }).getByText('The guest did not boot').waitFor();
      await page
        .getByRole('region', { name: 'VM console output' })
        .getByText('Gave up waiting for root file system device')
        .first()
        .waitFor();
      await lookAt('deployment-failed');
      await page.getByRole('region', { name: 'VM console output' }).first().scrollIntoViewIfNeeded();
      await lookAt('deployment-failed-console');
      await page.getByRole('button', { name: 'Deploy again…' }).click();
      expect(await page.getByLabel('Prepare the guest OS for the destination (OSMorphing)').isChecked()).toBe(false);
      await page.getByLabel('Prepare the guest OS for the destination (OSMorphing)').check();
      preparation.before = async () => {
        throw new CausewayError('osmorphing.several-roots', '2 installations: UUID=aaaa, UUID=bbbb', {
          details: { candidates: [root('aaaa', 'Debian GNU/Linux 12'), root('bbbb', 'Debian GNU/Linux 11')] },
        });
      };
      await page.getByRole('button', { name: 'Deploy', exact: true }).click();
      await heading('Deployment 2 of web-02');
    });

    it('asks which of several installations is meant, and deploys with the answer', async () => {
      await page.getByText('Which installation should be prepared?').waitFor({ timeout: 3 * minute });
      await lookAt('deployment-several-roots');
      preparation.before = async () => undefined;
      await page.getByRole('button', { name: 'Deploy with Debian GNU/Linux 11 (UUID=bbbb)' }).click();
      expect(await page.getByLabel('OS installation').inputValue()).toBe('UUID=bbbb');
      await page.getByRole('button', { name: 'Deploy', exact: true }).click();
      await heading('Deployment 3 of web-02');
      await stateIs('Completed', 3 * minute);
      expect(preparation.requests.at(-1)?.options.root).toBe('UUID=bbbb');
      await page.getByRole('link', { name: 'Replica web-02' }).click();
      await page.getByRole('link', { name: 'Deployment 3' }).waitFor();
      await page.getByRole('link', { name: 'Execution 1' }).waitFor();
      expect(await page.getByRole('table', { name: 'Executions' }).getByRole('row').count()).toBe(2);
    });

    it('says by name what a cancel deletes, and leaves nothing behind', async () => {
      const reached = Promise.withResolvers<void>();
      preparation.before = async ({ signal }) => {
        reached.resolve();
        await new Promise((_resolve, reject) =>
          signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
        );
      };
      await go('Replicas');
      await page.getByRole('button', { name: 'Deploy… (web-03)' }).click();
      await page.getByRole('button', { name: 'Deploy', exact: true }).click();
      await heading('Deployment 1 of web-03');
      await reached.promise;
      await page.getByRole('region', { name: 'Steps' }).getByText('Mount the installation …').waitFor();
      const before = lab.cloud.world.servers.size;
      await page.getByRole('button', { name: 'Cancel deployment…' }).click();
      await page.getByText(/These \d+ resources are deleted/).waitFor();
      await lookAt('deployment-cancel');
      await page.getByRole('button', { name: 'Cancel deployment', exact: true }).click();
      await stateIs('Cancelled', 3 * minute);
      expect(lab.cloud.world.servers.size).toBe(before - 1);
      expect(replicaVolumes.every((id) => lab.cloud.world.volumes.has(id))).toBe(true);
    });

    it('lists what exists by what it belongs to', async () => {
      await go('Ledger');
      await page
        .getByRole('cell', { name: /Deployment \d of web-0/ })
        .first()
        .waitFor();
      await lookAt('ledger-deployments');
    });

    it('deletes a virtual machine after it has said what goes and what stays', async () => {
      await go('Replicas');
      await page.getByRole('link', { name: 'View VM (web-01)' }).click();
      await heading('Deployment 1 of web-01');
      const before = lab.cloud.world.servers.size;
      await page.getByRole('button', { name: 'Delete…' }).click();
      const list = page.getByRole('list', { name: /These 3 resources are deleted/ });
      await list.waitFor();
      expect((await list.getByRole('listitem').allInnerTexts()).map((line) => line.split(' ')[0]).sort()).toEqual([
        'Network',
        'Server',
        'Volume',
      ]);
      expect(await page.getByRole('button', { name: 'Delete virtual machine' }).isDisabled()).toBe(true);
      await lookAt('deployment-delete');
      expect(lab.cloud.world.servers.size).toBe(before);
      await page.getByLabel('Type web-01 to confirm').fill('web-01');
      await page.getByRole('button', { name: 'Delete virtual machine' }).click();
      await stateIs('Deleted', minute);
      expect(lab.cloud.world.servers.size).toBe(before - 1);
      expect(replicaVolumes.every((id) => lab.cloud.world.volumes.has(id))).toBe(true);
      await go('Replicas');
      await page.getByRole('button', { name: 'Deploy… (web-01)' }).waitFor();
    });

    it.runIf(process.env['CAUSEWAY_EVERY_STEP'] === '1')(
      'deploys several at once, as many at the same time as was said',
      async () => {
        preparation.before = async () => undefined;
        await page.getByLabel('Select web-01').check();
        await page.getByLabel('Select web-03').check();
        await page.getByRole('button', { name: 'Deploy 2 selected' }).click();
        await page.getByRole('heading', { name: 'Deploy 2 virtual machines' }).waitFor();
        await page.getByRole('textbox', { name: 'Parallel executions' }).fill('1');
        await choose(page.getByLabel('Success criterion'), 'The console shows a login prompt');
        await page.getByRole('button', { name: 'Deploy', exact: true }).click();
        await page.getByText('next in the queue').waitFor();
        await lookAt('replicas-deploying');
        await expectCount(page.getByRole('main').getByText('Deployed', { exact: true }), 3);
      },
    );

    it('never violates its content security policy and logs no error', () => {
      expect(workbench.complaints).toEqual([]);
    });
  },
);

/** A guest that stops on its new platform until it is prepared, with some data to copy. */
async function writeGuest(path: string): Promise<void> {
  const image = await open(path, 'w');
  const data = randomBytes(12 * MiB);
  await image.write(talkingBootSector('Gave up waiting for root file system device.\r\n(initramfs) '), 0, 512, 0);
  await image.write(data, 0, data.length, MiB);
  await image.close();
  await truncate(path, 64 * MiB);
}

function root(uuid: string, name: string) {
  return {
    path: '/dev/vdb1',
    kind: 'partition',
    content: 'ext4',
    uuid,
    id: `UUID=${uuid}`,
    distribution: 'debian',
    version: '12',
    name,
  };
}

/** The state in the screen's heading. */
async function stateIs(state: string, timeout = 60_000): Promise<void> {
  await page.locator('main h1 + div').getByText(state, { exact: true }).waitFor({ timeout });
}

async function expectCount(locator: Locator, count: number): Promise<void> {
  await locator.nth(count - 1).waitFor({ timeout: 2 * minute });
  expect(await locator.count()).toBe(count);
}
