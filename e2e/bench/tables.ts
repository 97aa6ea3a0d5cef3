/**
 * Our table beside the data grid of the same makers as our components, with as many machines as a large inventory has:
 * the same columns in the same page under the same content security policy, turn by turn in one browser. Costs are
 * processor time of the page's main thread, so that what else the computer does counts little. Ratios above 1: the
 * grid needs more.
 *
 * Usage: node e2e/bench/tables.ts [machines] [--json]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import type { CDPSession, Page } from 'playwright';
import { build } from 'vite';
import { pageFile } from '../../electron/page/page-files.ts';
import { allFindings } from '../hosts/accessibility.ts';
import { openInChromium } from '../hosts/workbench-in-browser.ts';
import { startReport, wayOf } from './results.ts';

const machines = Number(process.argv.slice(2).find((argument) => argument !== '--json') ?? 10_000);
const report = startReport('tables');
report.version('Chromium', 'chromium', '--version');
const rounds = 5;
const variants = ['paged', 'grid'] as const;
type Variant = (typeof variants)[number];
type Measured = Readonly<Record<string, number>>;

const found = new Set<string>();
const folder = mkdtempSync(join(tmpdir(), 'causeway-tables-'));
try {
  await build({
    root: join(import.meta.dirname, 'tables'),
    plugins: [react()],
    logLevel: 'warn',
    configFile: false,
    build: { outDir: folder, emptyOutDir: true, chunkSizeWarningLimit: 4096 },
  });
  const server = createServer((request, response) => {
    void pageFile(folder, new URL(request.url ?? '/', 'http://127.0.0.1').pathname).then(({ status, headers, body }) =>
      response.writeHead(status, headers).end(body),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const opened = await openInChromium('about:blank');
  try {
    const all: Record<Variant, Measured[]> = { paged: [], grid: [] };
    for (let round = 0; round < rounds; round += 1) {
      // Neither of them is always the one that finds the browser warm.
      for (const variant of round % 2 === 0 ? variants : variants.toReversed())
        all[variant].push(await measure(opened.page, `${address}?table=${variant}&rows=${machines}`));
    }
    print(all);
    report.finish();
    for (const complaint of new Set(opened.complaints))
      if (!complaint.includes('404')) console.log(`The page complained: ${complaint}`);
    for (const finding of found) console.log(finding);
  } finally {
    await opened.close();
    server.closeAllConnections();
    server.close();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measure(page: Page, address: string): Promise<Measured> {
  await page.goto('about:blank');
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const result: Record<string, number> = {};
  const cost = async (what: string, work: () => Promise<void>): Promise<void> => {
    const before = await busy(session);
    await work();
    await settle(page);
    result[`${what}, ms`] = (await busy(session)) - before;
  };
  const search = page.getByRole('searchbox');
  await cost('first rows', async () => {
    await page.goto(address);
    await page
      .getByRole('button', { name: /^Create replica of/ })
      .first()
      .waitFor();
  });
  result['elements'] = await page.evaluate(() => document.querySelectorAll('*').length);
  await session.send('HeapProfiler.collectGarbage');
  result['memory, MB'] = (await session.send('Runtime.getHeapUsage')).usedSize / 1e6;
  await page.mouse.move(700, 500);
  await cost('scrolling', async () => {
    for (let step = 0; step < 20; step += 1) {
      await page.mouse.wheel(0, step < 10 ? 300 : -300);
      await page.evaluate(() => new Promise(requestAnimationFrame));
    }
  });
  await cost('sorting', () => page.getByRole('columnheader', { name: 'Memory', exact: true }).click());
  await cost('next page', () => page.getByRole('button', { name: 'Go to next page', exact: true }).click());
  await cost('typing', async () => {
    await search.pressSequentially('0007', { delay: 30 });
    for (let key = 0; key < 4; key += 1) await search.press('Backspace');
  });
  const findings = await allFindings(page);
  for (const finding of findings) found.add(`${new URL(address).searchParams.get('table')} ${finding}`);
  result['axe findings'] = findings.length;
  await search.focus();
  result['tab stops'] = await tabStops(page);
  await session.detach();
  return result;
}

/** Milliseconds of processor time that the page's main thread has used for tasks. */
async function busy(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return 1000 * metrics.find(({ name }) => name === 'TaskDuration')!.value;
}

/** How many times Tab is pressed between the search field and the end of the page's content. */
async function tabStops(page: Page): Promise<number> {
  for (let stops = 0; ; stops += 1) {
    await page.keyboard.press('Tab');
    if (!(await page.evaluate(() => document.querySelector('main')!.contains(document.activeElement)))) return stops;
  }
}

/** After what was started has been drawn. */
async function settle(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (let frame = 0; frame < 3; frame += 1)
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  });
}

function print(all: Record<Variant, readonly Measured[]>): void {
  const median = (variant: Variant, what: string): number =>
    all[variant].map((one) => one[what]!).sort((a, b) => a - b)[Math.floor(rounds / 2)]!;
  console.log(`${machines} machines, 50 a page, median of ${rounds}`);
  console.log(`  ${''.padEnd(20)} ${'ours'.padStart(8)} ${'grid'.padStart(8)}   grid / ours`);
  for (const what of Object.keys(all.paged[0]!)) {
    const [name, unit = ''] = what.split(', ');
    const way = (as: string, variant: Variant) =>
      wayOf(
        as,
        all[variant].map((one) => one[what]!),
      );
    report.add({
      group: `${machines} machines`,
      what: name!,
      unit,
      ways: [way('causeway', 'paged'), way('data grid', 'grid')],
      peer: 'data grid',
    });
    const [ours, grid] = [median('paged', what), median('grid', what)];
    console.log(
      `  ${what.padEnd(20)} ${ours.toFixed(0).padStart(8)} ${grid.toFixed(0).padStart(8)}   ${ours === 0 ? '' : (grid / ours).toFixed(2)}`,
    );
  }
}
