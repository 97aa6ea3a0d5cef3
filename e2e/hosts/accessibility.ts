import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string | null;
    readonly help: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

/** Everything that axe finds on the page as it stands, one line each. */
export async function allFindings(page: Page): Promise<string[]> {
  return (await run(page)).flatMap(({ id, impact, help, nodes }) =>
    nodes.map(({ html }) => `${impact} ${id}: ${help}: ${html.slice(0, 200)}`),
  );
}

/** What axe finds serious or worse on the page as it stands, one line each. */
export async function seriousFindings(page: Page): Promise<string[]> {
  return (await run(page))
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 200)}`));
}

/** Through the browser's debugger, because the page's policy lets no script in. Not as each page loads: axe takes as long as a part of the page. */
async function prepareAxe(page: Page): Promise<void> {
  if (await page.evaluate(() => 'axe' in globalThis)) return;
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', { expression: axeSource });
  await session.detach();
}

/** All rules; what passes is only counted, because to describe each element of it takes longer than to check it. */
async function run(page: Page): Promise<AxeResult['violations']> {
  await prepareAxe(page);
  return (
    await page.evaluate(() =>
      (globalThis as never as { axe: { run(options: object): Promise<AxeResult> } }).axe.run({
        resultTypes: ['violations'],
      }),
    )
  ).violations;
}
