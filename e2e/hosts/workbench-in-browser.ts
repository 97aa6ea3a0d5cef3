import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium, type BrowserContext, type Page } from 'playwright';

/** How long a page may take for anything, in milliseconds: a build machine that emulates guests beside it is slow at times. */
export const pagePatience = 120_000;

const root = join(import.meta.dirname, '..', '..');

/** The shell of the same engine without the browser's own windows, where it is installed, takes a quarter less processor time. */
const debianChromium =
  ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) => existsSync(path)) ?? '/usr/bin/chromium';

export interface OpenedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Violations of the content security policy and errors that the page logged, as they come in. */
  readonly complaints: readonly string[];
  close(): Promise<void>;
}

export interface Workbench extends OpenedPage {
  /** The address with the one-time token that was used to open the page. */
  readonly url: string;
  /** The process that serves the page; engines are its children. */
  readonly hostPid: number;
}

/** The built workbench, served by the web host, open in Debian's Chromium. @param proxy the browser's, for everything */
export async function openWorkbenchInBrowser(
  hostArguments: readonly string[] = [],
  environment: NodeJS.ProcessEnv = process.env,
  proxy?: string,
): Promise<Workbench> {
  const host = spawn(process.execPath, [join(root, 'out/main/host.js'), '--no-open', ...hostArguments], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await firstUrl(host);
  const opened = await openInChromium(url, proxy);
  return {
    ...opened,
    url,
    hostPid: host.pid!,
    async close() {
      await opened.close();
      const ended = new Promise((resolve) => host.once('exit', resolve));
      host.kill('SIGTERM');
      if (host.exitCode === null && host.signalCode === null) await ended;
    },
  };
}

/**
 * An address in a Chromium of its own, Debian's. It keeps nothing on disk: a window of a profile on disk takes twice as much processor time to
 * open.
 */
export async function openInChromium(url: string, proxy?: string): Promise<OpenedPage> {
  const browser = await chromium.launch({
    executablePath: process.env['CAUSEWAY_CHROMIUM'] ?? debianChromium,
    headless: true,
    // Browsers leave this computer's own addresses out otherwise.
    ...(proxy === undefined ? {} : { proxy: { server: proxy, bypass: '<-loopback>' } }),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  });
  // Nothing is looked at in the middle of a transition.
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, reducedMotion: 'reduce' });
  context.setDefaultTimeout(pagePatience);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(url);
  return {
    page,
    context,
    complaints,
    async close() {
      await context.close();
      await browser.close();
    },
  };
}

function firstUrl(host: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    createInterface({ input: host.stdout! }).on('line', (line) => {
      const url = /http:\/\/127\.0\.0\.1:\d+\/\S*/.exec(line)?.[0];
      if (url !== undefined) resolve(url);
    });
    host.once('exit', (code) => reject(new Error(`The host ended with ${code} before it said its address`)));
  });
}
