import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CausewayError } from '../../shared/model/causeway-error.ts';

/** Programs that print by themselves, by name and by where their installers put them. */
const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge'];
const places: Partial<Readonly<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  ],
  win32: [
    'Program Files\\Google\\Chrome\\Application\\chrome.exe',
    'Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
    'Program Files\\Microsoft\\Edge\\Application\\msedge.exe',
  ].map((path) => `C:\\${path}`),
};
const deadlineMs = 120_000;
const mostSaid = 2_000;

/** A browser of this computer that can print without a window; undefined where there is none. */
export function printingBrowser(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const given = env['CAUSEWAY_CHROMIUM'];
  if (given !== undefined && given !== '') return given;
  const inPath = (env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .flatMap((folder) => names.map((name) => join(folder, name)));
  return [...inPath, ...(places[process.platform] ?? [])].find((path) => existsSync(path));
}

/**
 * Prints a report by a browser that is there: what people see is what is printed. Reports have no scripts, and begin with a policy that refuses them (`confinedPage`); without
 * scripts at all, Chromium prints nothing.
 *
 * @throws CausewayError `evidence.no-browser`, `evidence.not-printed`
 */
export async function pdfByBrowser(html: string, signal: AbortSignal, browser = printingBrowser()): Promise<Buffer> {
  if (browser === undefined)
    throw new CausewayError('evidence.no-browser', `none of ${names.join(', ')} is in the PATH`);
  const folder = await mkdtemp(join(tmpdir(), 'causeway-print-'));
  try {
    const [page, pdf] = [join(folder, 'report.html'), join(folder, 'report.pdf')];
    await writeFile(page, html, { mode: 0o600 });
    const said = await ended(
      browser,
      [
        '--headless',
        '--disable-gpu',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-sync',
        '--disable-component-update',
        // A sandbox is refused to root.
        ...(process.geteuid?.() === 0 ? ['--no-sandbox'] : []),
        `--user-data-dir=${join(folder, 'profile')}`,
        '--no-pdf-header-footer',
        `--print-to-pdf=${pdf}`,
        pathToFileURL(page).href,
      ],
      AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]),
    );
    const content = await readFile(pdf).catch(() => undefined);
    signal.throwIfAborted();
    if (content === undefined || content.subarray(0, 5).toString('latin1') !== '%PDF-')
      throw new CausewayError('evidence.not-printed', said.trim().slice(-300) || 'the browser wrote no file');
    return content;
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

/** What the program said, whatever its status: whether there is a file tells more. */
function ended(program: string, options: readonly string[], signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    let said = '';
    const child = spawn(program, options, { stdio: ['ignore', 'ignore', 'pipe'], signal });
    child.stderr.on('data', (piece: Buffer) => (said = (said + piece.toString()).slice(-mostSaid)));
    child.on('error', (error) => (said += error.message));
    child.on('close', () => resolve(said));
  });
}
