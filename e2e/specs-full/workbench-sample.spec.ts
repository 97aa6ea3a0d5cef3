// lease: the shipped lab
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, it } from 'vitest';
import { screenSteps, soon } from '../hosts/screen-steps.ts';
import { openWorkbench, type Workbench } from '../hosts/open-workbench.ts';
import { closedAfterAll } from '../rigs/opened.ts';

const minute = 60_000;
let root: string;
let workbench: Workbench;
const { go, heading, lookAt } = screenSteps(() => workbench.page);

/** Its virtual machine boots in an emulator, so it is run when it is asked for. */
describe.runIf(process.env['CAUSEWAY_SAMPLE'] === '1')(
  'the sample',
  () => {
    const opened = closedAfterAll();
    beforeAll(async () => {
      root = mkdtempSync(join(tmpdir(), 'causeway-sample-'));
      opened.defer(() => rmSync(root, { recursive: true, force: true }));
      workbench = opened.use(await openWorkbench({ settings: root }));
    });

    it('comes up by one button, with what is needed to replicate', async () => {
      const { page } = workbench;
      await page.getByRole('button', { name: 'Start sample', exact: true }).click();
      await page
        .getByText(/^The sample is starting\./)
        .first()
        .waitFor();
      await lookAt('sample-starting');
      await page.getByRole('heading', { level: 1, name: 'Lab', exact: true }).waitFor({ timeout: 8 * minute });
      await page.getByText(/^The vault is unlocked\./).waitFor();
      await lookAt('sample-open');
    });

    it('replicates its virtual machine', async () => {
      const { page } = workbench;
      await go('Replicas');
      await page.getByRole('link', { name: 'web-01', exact: true }).click();
      await heading('web-01');
      await page
        .getByRole('button', { name: /^Replicate/ })
        .first()
        .click();
      await lookAt('sample-execute');
      await page
        .getByRole('button', { name: /^(Start|Replicate)/ })
        .last()
        .click();
      await page
        .locator('main h1 + div')
        .getByText('Completed', { exact: true })
        .waitFor({ timeout: 5 * minute });
      await lookAt('sample-replicated');
    });

    it('is ended by another, and leaves nothing', async () => {
      const { page } = workbench;
      await go('Project', 'Lab');
      await page.getByRole('button', { name: 'Close project', exact: true }).first().click();
      // Nothing runs: nobody is asked.
      await page.getByRole('button', { name: 'Stop sample', exact: true }).click();
      await lookAt('sample-end');
      await page.getByRole('dialog').getByRole('button', { name: 'Stop sample', exact: true }).click();
      await page.getByRole('button', { name: 'Start sample', exact: true }).waitFor({ timeout: minute });
      await soon(() => page.getByText('Lab', { exact: true }).count()).toBe(0);
    });
  },
  12 * minute,
);
