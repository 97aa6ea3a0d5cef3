// needs: native workers
import { join } from 'node:path';
import type { Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../shared/model/json.ts';
import { pluginIds } from '../../shared/model/plugin-id.ts';
import { plugins } from '../../shared/plugins/registry.ts';
import { pseudoLanguage } from '../../renderer/text/pseudo.ts';
import { buildPseudoPage, followData, textsOf } from '../hosts/pseudo-page.ts';
import { takePictures } from '../hosts/pictures.ts';
import { openWorkbenchHere, type WorkbenchHere } from '../hosts/workbench-here.ts';
import { closing } from '../rigs/closing.ts';
import { closedAfterAll } from '../rigs/opened.ts';
import { engineHere } from '../rigs/project/engine-here.ts';
import { makeScreenProject, passphrase } from '../rigs/project/make-screen-project.ts';
import { startScreenLab, type ScreenLab } from '../rigs/project/screen-lab.ts';
import { soon } from '../hosts/screen-steps.ts';

const minute = 60_000;
const MiB = 1024 * 1024;
const { text } = pseudoLanguage();
let lab: ScreenLab;
let workbench: WorkbenchHere;
let page: Page;
let data: ReadonlySet<string>;

/**
 * What is written without brackets and is no text of the catalogue: the product's name, values and examples of settings, names of keys on a
 * keyboard, commands to copy. Whatever came from the engine is data too (`followData`), but for single words in lower case: states and
 * kinds that somebody forgot to put into words.
 */
const listed = [
  /^Causeway$/,
  /^(Ctrl|Shift|Alt|Esc|F8|\+| )+\w?$/,
  /^npm run lab$/,
  /^\w\b.{0,3}$/,
  /^UTC$/,
  ...pluginIds.map((id) => new RegExp(`^${id}$`)),
  // Examples of values, and findings: the engine and the command line say them too, in English (docs/translations.md).
  /^(debian|VM Network|Ubuntu 24\.04|Windows Server 2022)$/,
  /^The disk has [\d.]+ \w+ \(\d+ bytes\)\. Its volume is rounded up to \d+ GiB\.$/,
  // Dates, durations, sizes and rates.
  /^(\d[\d.,:]*|[KMGT]i?B|B|AM|PM|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|d|h|min|s|\/s|[\s,./:()–·%-])+$/,
  // Values of settings, keys of documents, identities, addresses, paths.
  /^[\w.-]*[\d_./:@-][\w./:@,=-]*$/,
];

describe.runIf(process.geteuid?.() === 0)(
  'the workbench in a language that nobody wrote by hand',
  { timeout: 10 * minute },
  () => {
    const opened = closedAfterAll();
    beforeAll(async () => {
      lab = opened.adopt(await startScreenLab(2 * MiB, { images: ['web-01', 'web-02'] }), closing);
      await Promise.all([
        buildPseudoPage(join(lab.settings, 'page')),
        makeScreenProject(lab, { replicas: ['web-01', 'web-02'] }),
      ]);
      workbench = opened.use(
        await openWorkbenchHere(engineHere({}), lab.project, {
          page: join(lab.settings, 'page'),
          language: 'en-XA',
        }),
      );
      page = workbench.page;
      data = followData(page);
      await page.reload();
    }, 5 * minute);

    it('shows nothing but texts of the catalogue and data while the vault is locked', async () => {
      const problems: string[] = [];
      for (const path of ['', 'endpoints', 'inventory', 'replicas', 'ledger'])
        problems.push(...(await problemsOf(path)));
      expect(problems).toEqual([]);
    });

    it('shows nothing else on any screen once there is something to show', async () => {
      await workbench.ask('vault.unlock', { passphrase });
      const endpoints = await list('endpoint.list');
      const source = endpoints.find(({ name }) => name === 'Images');
      const destination = endpoints.find(({ name }) => name === 'Cloud');
      const replicas = await list('replica.list');
      await workbench.ask('catalog.capture', { endpoint: destination!.id });
      await workbench.ask('defaults.save', { wave: 'Night 1', environments: {} });
      const machines = await list('vm.list', { endpoint: source!.id });
      const execution = (await workbench.ask('replica.execute', { replica: replicas[0]!.id })) as unknown as Identified;
      await over('execution.show', { execution: execution.id });
      const deployment = (await workbench.ask('deployment.create', {
        replica: replicas[0]!.id,
        options: { prepare: false, bootCheck: { mode: 'none' } },
      })) as unknown as Identified;
      await over('deployment.show', { deployment: deployment.id });
      const problems: string[] = [];
      for (const path of [
        '',
        'settings',
        'check',
        'trust',
        'defaults',
        'defaults/Night%201',
        'ledger',
        'no-such-screen',
        'endpoints',
        'endpoints/new',
        ...endpoints.map(({ id }) => `endpoints/${id}`),
        `endpoints/new/${destination!.id}`,
        'inventory',
        'inventory/lists',
        'inventory/import',
        `inventory/import/${source!.id}`,
        'replicas',
        ...replicas.map(({ id }) => `replicas/${id}`),
        `replicas/${replicas[0]!.id}/configure`,
        `replicas/new/${source!.id}/${machines[0]!.id}`,
        `runs/${execution.id}`,
        `deployments/${deployment.id}`,
      ])
        problems.push(...(await problemsOf(path)));
      expect(problems).toEqual([]);
    });

    it('shows nothing else in dialogs, menus and lists', async () => {
      const replicas = await list('replica.list');
      const open = async (path: string, button: string): Promise<void> => {
        await goTo(path);
        await page.getByRole('button', { name: button, exact: true }).first().click();
        await page.getByRole('dialog').or(page.getByRole('menu')).first().waitFor();
        problems.push(...(await problemsHere(`${path} > ${button}`)));
        await page.keyboard.press('Escape');
      };
      const problems: string[] = [];
      await open(`replicas/${replicas[0]!.id}`, text.replicas.delete);
      await goTo('settings');
      for (const keys of ['Control+k', 'Control+/']) {
        await page.keyboard.press(keys);
        await page.getByRole('dialog').waitFor();
        problems.push(...(await problemsHere(keys)));
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
      }
      await goTo('replicas');
      await page.getByLabel(text.replicas.chooseAll, { exact: true }).check();
      await page.getByRole('button', { name: text.replicas.runChosenOf(2), exact: true }).click();
      await page.getByRole('dialog').waitFor();
      problems.push(...(await problemsHere('replicate')));
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.getByLabel(text.replicas.chooseAll, { exact: true }).uncheck();
      await page.getByLabel(text.replicas.chooseOne('web-01'), { exact: true }).check();
      await page.getByRole('button', { name: text.replicas.deployChosenOf(1), exact: true }).click();
      await page.getByRole('dialog').waitFor();
      problems.push(...(await problemsHere('deploy')));
      expect(problems).toEqual([]);
    });

    it('finds a text that is not in the catalogue, and one that is cut off', async () => {
      await goTo('settings');
      await page.locator('h1').evaluate((title) => {
        title.textContent = 'Hard-coded by somebody';
        Object.assign(title.style, { width: '60px', overflow: 'hidden', whiteSpace: 'nowrap' });
      });
      const problems = await problemsHere('settings');
      expect(problems.filter((problem) => problem.includes('Hard-coded by somebody'))).toEqual([
        expect.stringContaining('hard-coded in h1'),
        expect.stringContaining('cut off in h1'),
      ]);
    });
  },
);

interface Identified {
  readonly id: string;
  readonly name?: string;
}

async function list(call: string, input: JsonObject = {}): Promise<readonly Identified[]> {
  return (await workbench.ask(call, input)) as unknown as readonly Identified[];
}

/** Awaits the end of something that runs. */
async function over(call: string, input: JsonObject): Promise<void> {
  await expect
    .poll(async () => ((await workbench.ask(call, input)) as { readonly state: string }).state, { timeout: 3 * minute })
    .toMatch(/completed|failed/);
}

async function goTo(path: string): Promise<void> {
  await page.evaluate((hash) => {
    location.hash = hash;
  }, `#/${path}`);
  await page.locator('main h1, main h2, main p').first().waitFor();
  await soon(() => page.getByLabel(text.app.loading, { exact: true }).count()).toBe(0);
}

async function problemsOf(path: string): Promise<string[]> {
  await goTo(path);
  await takePictures(page, `pseudo-${path.replaceAll(/\W+/g, '-')}`);
  return problemsHere(path === '' ? 'project' : path);
}

/** What is neither of the catalogue nor data, and what is cut off, one line each. */
async function problemsHere(screen: string): Promise<string[]> {
  const { written, cutOff } = await textsOf(page);
  return [
    ...written
      .filter((found) => !isData(found.text))
      .map(({ where, text: found }) => `${screen}: hard-coded in ${where}: ${found}`),
    ...cutOff.map((found) => `${screen}: cut off in ${found}`),
  ];
}

function isData(found: string): boolean {
  // The dot that ends a sentence, and the brackets around a product.
  const bare = (part: string): string => part.replace(/^\(/, '').replace(/\)?\.?$/, '');
  const isKnown = (part: string): boolean =>
    !/\p{L}{2}/u.test(part) ||
    listed.some((pattern) => pattern.test(part)) ||
    (data.has(part) && !/^[a-z]+(-[a-z]+)*$/.test(part)) ||
    names.has(bare(part));
  return isKnown(found) || found.split(/ · | → |, |: | \(|\)|“|”/).every((part) => isKnown(part.trim()));
}

/** Words in lower case that somebody gave as a name, and names of products, which no language translates. */
const names: ReadonlySet<string> = new Set([
  'default',
  'production',
  'migration',
  'web',
  ...Object.values(plugins).flatMap(({ productName }) => productName ?? []),
]);
