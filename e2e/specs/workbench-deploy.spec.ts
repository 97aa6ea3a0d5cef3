// needs: native workers, booted volumes
import { randomBytes } from 'node:crypto';
import { open, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import type { InspectOutcome, inspectOnWorker } from '../../electron/engine/osmorphing/index.ts';
import { recordedInspection } from '../../electron/engine/core/testing/recording-morph.ts';
import { CausewayError } from '../../shared/model/causeway-error.ts';
import { openWorkbenchHere } from '../hosts/workbench-here.ts';
import { screenSteps, soon } from '../hosts/screen-steps.ts';
import type { OpenedPage } from '../hosts/workbench-in-browser.ts';
import { closing } from '../rigs/closing.ts';
import { closedAfterAll } from '../rigs/opened.ts';
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
    const opened = closedAfterAll();
    beforeAll(async () => {
      lab = opened.adopt(await startScreenLab(2 * MiB), closing);
      for (const name of names) await writeGuest(join(lab.images, `${name}.raw`));
      await makeScreenProject(lab, { replicas: names });
      workbench = opened.use(
        await openWorkbenchHere(
          engineHere({ guests: { ...preparation.guests, inspect }, bootPatience: quickBoot }),
          lab.project,
        ),
      );
      page = workbench.page;
    }, 3 * minute);

    it('runs several replicas with a limit of how many at once, and says who waits', async () => {
      await go('Replicas');
      await page.getByLabel('Passphrase', { exact: true }).fill(passphrase);
      await page.getByRole('button', { name: 'Unlock vault', exact: true }).click();
      await page.getByText('Vault unlocked', { exact: true }).waitFor();
      await page.getByLabel('Select all shown', { exact: true }).check();
      await page.getByText('3 selected', { exact: true }).waitFor();
      await soon(() => page.getByRole('button', { name: 'Deploy 0 selected', exact: true }).isDisabled()).toBe(true);
      await page.getByRole('button', { name: 'Replicate 3 selected', exact: true }).click();
      await page.getByRole('textbox', { name: 'Parallel executions', exact: true }).fill('1');
      await page.getByRole('textbox', { name: 'Bandwidth limit', exact: true }).fill('1M');
      await lookAt('start-several');
      await page.getByRole('button', { name: 'Start', exact: true }).click();
      await page.getByText('next in the queue', { exact: true }).waitFor();
      await page.getByText('1 ahead in the queue', { exact: true }).waitFor();
      await lookAt('replicas-queue');
      await page.getByRole('link', { name: 'Watch (web-02)', exact: true }).click();
      await page.getByText('Next in the queue. This project runs 1 in parallel.', { exact: true }).waitFor();
      await lookAt('run-waiting');
      await page.getByRole('button', { name: 'Change…', exact: true }).click();
      await page.getByRole('textbox', { name: 'Parallel executions', exact: true }).fill('3');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText(/^Copying · \d+ %$/).waitFor({ timeout: minute });
    });

    it('shows a run as a graph and with its rate, and changes its limit by time of day', async () => {
      await page.getByRole('button', { name: 'Bandwidth…', exact: true }).click();
      const limit = page.getByRole('textbox', { name: 'Bandwidth limit', exact: true });
      await soon(() => limit.inputValue()).toBe('1M');
      await limit.fill('mon-fry 08:00-18:00=2M; *=unlimited');
      await page.getByText(/^entry 1 of the bandwidth profile .*'fry' is not a day/).waitFor();
      await soon(() => page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true);
      await limit.fill('mon-fri 08:00-18:00=1500k; sat,sun=2M; *=1M');
      await page.getByRole('img', { name: 'Bandwidth by hour of the week', exact: true }).waitFor();
      await lookAt('bandwidth-profile');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('the bandwidth limit was changed', { exact: true }).waitFor();
      const chart = page.getByRole('figure', { name: /^Transfer rate chart: / });
      // Pressed again until a value is read out: a chart that has just appeared may not take keys yet.
      await expect
        .poll(async () => {
          await chart.locator('[tabindex="0"]:not(button)').first().press('ArrowRight');
          return chart.getByRole('img', { name: /; Processed; [\d.]+ \w*B\/s$/ }).count();
        })
        .toBe(1);
      await chart.scrollIntoViewIfNeeded();
      await lookAt('run-rate');
      await chart.getByRole('button', { name: 'Table', exact: true }).click();
      // 1M, which applied before it was changed.
      await chart
        .getByRole('table', { name: 'Transfer rate', exact: true })
        .getByRole('row')
        .filter({ hasText: /977 KiB\/s$/ })
        .first()
        .waitFor();
      await lookAt('run-rate-table');
      await page.getByRole('button', { name: 'Graph', exact: true }).click();
      await page.getByRole('img', { name: /^Graph of 12 tasks, / }).waitFor();
      await lookAt('run-graph');
      await choose(page.getByLabel('Level', { exact: true }), 'Warnings and errors');
      await page.getByText('No matching events.', { exact: true }).waitFor();
      await go('Replicas');
      await expectCount(page.getByText('In sync', { exact: true }), 3);
      await lookAt('replicas-in-sync');
      replicaVolumes = [...lab.cloud.world.volumes.keys()];
      expect(replicaVolumes).toHaveLength(3);
    });

    it('inspects a guest before it is deployed: can be cancelled, and says what a deployment would stop at, and why', async () => {
      await page.getByRole('link', { name: 'web-02', exact: true }).click();
      const guest = page.getByRole('region', { name: 'Guest', exact: true });
      await guest.getByRole('button', { name: 'Inspect guest', exact: true }).click();
      await guest.getByText('Inspecting the guest: Open disks and volumes', { exact: true }).waitFor();
      await lookAt('guest-inspection-running');
      await guest.getByRole('button', { name: 'Cancel inspection', exact: true }).click();
      await guest.getByRole('button', { name: 'Inspect guest', exact: true }).waitFor();
      found = {
        findings: [{ code: 'osmorphing.no-virtio', message: 'none of the kernels 3.10.0-1 has virtio_blk' }],
        doubts: [{ code: 'osmorphing.doubtful-network', message: 'bond0 is skipped' }],
        changes: [{ step: 'install-cloud-init', title: 'Install cloud-init', notes: ['install cloud-init'] }],
      };
      await guest.getByRole('button', { name: 'Inspect guest', exact: true }).click();
      await guest.getByText(/: a deployment would stop at 1 finding$/).waitFor();
      await guest.getByText('none of the kernels 3.10.0-1 has virtio_blk', { exact: true }).waitFor();
      await guest.getByText('bond0 is skipped', { exact: true }).waitFor();
      await guest.getByText('What OSMorphing would change (1 step)', { exact: true }).click();
      await lookAt('guest-inspected');
      expect(lab.cloud.world.servers.size).toBe(0);
      await guest.getByRole('link', { name: 'Learn more', exact: true }).first().click();
      await page.getByRole('heading', { name: /^No kernel supports the destination/ }).waitFor();
      await page.keyboard.press('Escape');
      await go('Replicas');
    });

    it('asks how to deploy, and refuses what makes no sense before it starts', async () => {
      await page.getByRole('button', { name: 'Deploy… (web-01)', exact: true }).click();
      await page.getByLabel(/^The replica’s own volumes/).check();
      await choose(page.getByLabel('If the guest does not boot', { exact: true }), 'Keep for troubleshooting');
      await page.getByText('1 option needs your attention', { exact: true }).waitFor();
      await soon(() => page.getByRole('button', { name: 'Deploy', exact: true }).isDisabled()).toBe(true);
      await lookAt('deploy-problem');
      await page.getByLabel(/^New volumes from snapshots of the replica/).check();
      await choose(page.getByLabel('If the guest does not boot', { exact: true }), 'Roll back');
      await choose(page.getByLabel('Success criterion', { exact: true }), 'The console shows a login prompt');
      await page.getByLabel('Timeout (s)', { exact: true }).fill('120');
      await page.getByRole('button', { name: /^User scripts/ }).click();
      await page
        .getByRole('group', { name: 'In the mounted guest', exact: true })
        .getByRole('button', { name: 'Add script', exact: true })
        .click();
      await page.getByRole('textbox', { name: 'Script', exact: true }).fill('#!/bin/sh\ntouch /root/was-here\n');
      await lookAt('deploy');
      await page.getByRole('button', { name: 'Deploy', exact: true }).click();
      await heading('Deployment 1 of web-01');
      expect(preparation.requests).toHaveLength(0);
    });

    it('shows every step while it goes on, then the machine, the verdict, the log, what changed in the guest and the console', async () => {
      await page.getByText('Create the network interfaces', { exact: true }).waitFor();
      await stateIs('Running');
      await lookAt('deployment-running');
      await stateIs('Completed', 3 * minute);
      expect(preparation.requests[0]?.options.scripts?.inGuest).toMatchObject([
        { name: 'script-1', content: '#!/bin/sh\ntouch /root/was-here\n' },
      ]);
      const server = [...lab.cloud.world.servers.values()][0];
      await page
        .getByRole('region', { name: 'Virtual machine', exact: true })
        .getByText(server?.id ?? 'no server', { exact: true })
        .waitFor();
      await page.getByText('The guest has booted', { exact: true }).waitFor();
      await page.getByText('Details: the console shows: web login:', { exact: true }).waitFor();
      await lookAt('deployment');
      await page.getByText(/^Setting up cloud-init /).waitFor();
      await page.getByRole('tab', { name: 'Log', exact: true }).scrollIntoViewIfNeeded();
      await page.getByLabel('Filter events', { exact: true }).scrollIntoViewIfNeeded();
      await lookAt('deployment-log');
      await choose(page.getByLabel('Level', { exact: true }), 'Without details');
      await page.getByText(/^Setting up cloud-init /).waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Graph', exact: true }).click();
      await page.getByRole('img', { name: /^Graph of \d+ tasks, / }).waitFor();
      await lookAt('deployment-graph');
      await page.getByRole('tab', { name: 'Guest', exact: true }).click();
      await page.getByText('/etc/default/grub', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Lines: /etc/default/grub', exact: true }).click();
      await page.getByText('+GRUB_CMDLINE_LINUX="console=tty0 console=ttyS0,115200"', { exact: true }).waitFor();
      await page.getByRole('tab', { name: 'Guest', exact: true }).scrollIntoViewIfNeeded();
      await lookAt('deployment-guest');
      await page.getByRole('button', { name: 'Packages 3', exact: true }).click();
      await page.getByText('/etc/default/grub', { exact: true }).waitFor({ state: 'detached' });
      await page.getByText('cloud-init', { exact: true }).waitFor();
      await page.getByRole('tab', { name: 'Console', exact: true }).click();
      await page.getByText('Captured when the boot check ended.', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Refresh', exact: true }).click();
      await page.getByText('Current output.', { exact: true }).waitFor();
      // Its last lines are in a region of the same name, which can be scrolled.
      const output = page.getByRole('region', { name: 'VM console output', exact: true }).last();
      await soon(() => output.innerText()).toContain('web login:');
      await lookAt('deployment-console');
      await page.getByRole('tab', { name: /^Resources \(\d+\)$/ }).click();
      await page
        .getByText(server?.id ?? 'no server', { exact: true })
        .last()
        .waitFor();
      await lookAt('deployment-resources');
    });

    it('says in the life of the replica that it is deployed', async () => {
      await page.getByRole('link', { name: 'Replica web-01', exact: true }).click();
      await page.getByRole('main').getByText('Deployed', { exact: true }).first().waitFor({ timeout: minute });
      await page.getByRole('link', { name: 'Deployment 1', exact: true }).waitFor();
      await page.getByRole('link', { name: 'View VM (web-01)', exact: true }).waitFor();
      await lookAt('replica-deployed');
    });

    it('shows a boot that failed with its console, and deploys again without a new copy', async () => {
      await go('Replicas');
      await page.getByRole('button', { name: 'Deploy… (web-02)', exact: true }).click();
      await page.getByLabel('Prepare the guest OS for the destination (OSMorphing)', { exact: true }).uncheck();
      await choose(page.getByLabel('Success criterion', { exact: true }), 'The console shows a login prompt');
      await page.getByRole('button', { name: 'Deploy', exact: true }).click();
      await heading('Deployment 1 of web-02');
      await stateIs('Failed', 3 * minute);
      await page
        .getByRole('region', { name: 'Boot check', exact: true })
        .getByText('The guest did not boot', { exact: true })
        .waitFor();
      await page
        .getByRole('region', { name: 'VM console output', exact: true })
        .getByText(/^Gave up waiting for root file system device\./)
        .first()
        .waitFor();
      await lookAt('deployment-failed');
      await page.getByRole('region', { name: 'VM console output', exact: true }).first().scrollIntoViewIfNeeded();
      await lookAt('deployment-failed-console');
      await page.getByRole('button', { name: 'Deploy again…', exact: true }).click();
      await soon(() =>
        page.getByLabel('Prepare the guest OS for the destination (OSMorphing)', { exact: true }).isChecked(),
      ).toBe(false);
      await page.getByLabel('Prepare the guest OS for the destination (OSMorphing)', { exact: true }).check();
      preparation.before = async () => {
        throw new CausewayError('osmorphing.several-roots', '2 installations: UUID=aaaa, UUID=bbbb', {
          details: { candidates: [root('aaaa', 'Debian GNU/Linux 12'), root('bbbb', 'Debian GNU/Linux 11')] },
        });
      };
      await page.getByRole('button', { name: 'Deploy', exact: true }).click();
      await heading('Deployment 2 of web-02');
    });

    it('asks which of several installations is meant, and deploys with the answer', async () => {
      await page.getByText('Which installation should be prepared?', { exact: true }).waitFor({ timeout: 3 * minute });
      await lookAt('deployment-several-roots');
      preparation.before = async () => undefined;
      await page.getByRole('button', { name: 'Deploy with Debian GNU/Linux 11 (UUID=bbbb)', exact: true }).click();
      await soon(() => page.getByLabel('OS installation', { exact: true }).inputValue()).toBe('UUID=bbbb');
      await page.getByRole('button', { name: 'Deploy', exact: true }).click();
      await heading('Deployment 3 of web-02');
      await stateIs('Completed', 3 * minute);
      expect(preparation.requests.at(-1)?.options.root).toBe('UUID=bbbb');
      await page.getByRole('link', { name: 'Replica web-02', exact: true }).click();
      await page.getByRole('link', { name: 'Deployment 3', exact: true }).waitFor();
      await page.getByRole('link', { name: 'Execution 1', exact: true }).waitFor();
      await soon(() => page.getByRole('table', { name: 'Executions', exact: true }).getByRole('row').count()).toBe(2);
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
      await page.getByRole('button', { name: 'Deploy… (web-03)', exact: true }).click();
      await page.getByRole('button', { name: 'Deploy', exact: true }).click();
      await heading('Deployment 1 of web-03');
      await reached.promise;
      await page
        .getByRole('region', { name: 'Steps', exact: true })
        .getByText('Mount the installation …', { exact: true })
        .waitFor();
      const before = lab.cloud.world.servers.size;
      await page.getByRole('button', { name: 'Cancel deployment…', exact: true }).click();
      await page.getByText(/^These \d+ resources are deleted/).waitFor();
      await lookAt('deployment-cancel');
      await page.getByRole('button', { name: 'Cancel deployment', exact: true }).click();
      await stateIs('Cancelled', 3 * minute);
      expect(lab.cloud.world.servers.size).toBe(before - 1);
      expect(replicaVolumes.every((id) => lab.cloud.world.volumes.has(id))).toBe(true);
    });

    it('lists what exists by what it belongs to', async () => {
      await go('Ledger');
      await page
        .getByRole('cell', { name: /^Deployment \d of web-0\d$/ })
        .first()
        .waitFor();
      await lookAt('ledger-deployments');
    });

    it('deletes a virtual machine after it has said what goes and what stays', async () => {
      await go('Replicas');
      await page.getByRole('link', { name: 'View VM (web-01)', exact: true }).click();
      await heading('Deployment 1 of web-01');
      const before = lab.cloud.world.servers.size;
      await page.getByRole('button', { name: 'Delete…', exact: true }).click();
      const list = page.getByRole('list', { name: /^These 3 resources are deleted/ });
      await list.waitFor();
      await soon(async () =>
        (await list.getByRole('listitem').allInnerTexts()).map((line) => line.split(' ')[0]).sort(),
      ).toEqual(['Network', 'Server', 'Volume']);
      await soon(() => page.getByRole('button', { name: 'Delete virtual machine', exact: true }).isDisabled()).toBe(
        true,
      );
      await lookAt('deployment-delete');
      expect(lab.cloud.world.servers.size).toBe(before);
      await page.getByLabel('Type web-01 to confirm', { exact: true }).fill('web-01');
      await page.getByRole('button', { name: 'Delete virtual machine', exact: true }).click();
      await stateIs('Deleted', minute);
      expect(lab.cloud.world.servers.size).toBe(before - 1);
      expect(replicaVolumes.every((id) => lab.cloud.world.volumes.has(id))).toBe(true);
      await go('Replicas');
      await page.getByRole('button', { name: 'Deploy… (web-01)', exact: true }).waitFor();
    });

    it.runIf(process.env['CAUSEWAY_EVERY_STEP'] === '1')(
      'deploys several at once, as many at the same time as was said',
      async () => {
        preparation.before = async () => undefined;
        await page.getByLabel('Select web-01', { exact: true }).check();
        await page.getByLabel('Select web-03', { exact: true }).check();
        await page.getByRole('button', { name: 'Deploy 2 selected', exact: true }).click();
        await page.getByRole('heading', { name: 'Deploy 2 virtual machines', exact: true }).waitFor();
        await page.getByRole('textbox', { name: 'Parallel executions', exact: true }).fill('1');
        await choose(page.getByLabel('Success criterion', { exact: true }), 'The console shows a login prompt');
        await page.getByRole('button', { name: 'Deploy', exact: true }).click();
        await page.getByText('next in the queue', { exact: true }).waitFor();
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
  await soon(() => locator.count()).toBe(count);
}
