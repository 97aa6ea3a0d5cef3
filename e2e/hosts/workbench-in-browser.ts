import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium, type BrowserContext, type Page } from 'playwright';
import { chromiumHere } from './chromium.ts';

// needs: chromium

/** How many times slower than this machine the page's processor is: `CAUSEWAY_THROTTLE`. */
const throttle = Number(process.env['CAUSEWAY_THROTTLE'] ?? 1);

/** How long a page may take for one step. What takes longer, e.g. a replication, gets a limit where it is awaited. */
export const stepTimeoutMs = 15_000 * throttle;

/** How long a host may take until it serves the page, and a browser until it shows it, beside whatever else starts. */
const openTimeoutMs = 60_000 * throttle;

/** How long a process may take to end by itself. */
const endTimeoutMs = 15_000;

const root = join(import.meta.dirname, '..', '..');

export interface OpenedPage extends AsyncDisposable {
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

/** What a stack holds, with the ways to close it. */
export function closedWith<T>(stack: AsyncDisposableStack, what: T): Omit<T, 'close'> & OpenedStack {
  return { ...what, close: () => stack.disposeAsync(), [Symbol.asyncDispose]: () => stack.disposeAsync() };
}
type OpenedStack = AsyncDisposable & { close(): Promise<void> };

/** The built workbench, served by the web host, open in Debian's Chromium. @param proxy the browser's, for everything */
export async function openWorkbenchInBrowser(
  hostArguments: readonly string[] = [],
  environment: NodeJS.ProcessEnv = process.env,
  proxy?: string,
): Promise<Workbench> {
  await using stack = new AsyncDisposableStack();
  const host = stack.adopt(
    spawn(process.execPath, [join(root, 'out/main/host.js'), '--no-open', ...hostArguments], {
      env: environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
    ended,
  );
  const url = await firstUrl(host);
  const opened = stack.use(await openInChromium(url, proxy));
  return closedWith(stack.move(), { ...opened, url, hostPid: host.pid! });
}

/**
 * An address in a Chromium of its own, Debian's. It keeps nothing on disk: a window of a profile on disk takes twice as much processor time to
 * open.
 */
export async function openInChromium(url: string, proxy?: string): Promise<OpenedPage> {
  const executablePath = chromiumHere();
  if (executablePath === undefined) throw new Error('Chromium is not on this machine');
  await using stack = new AsyncDisposableStack();
  const browser = stack.use(
    await chromium.launch({
      executablePath,
      headless: true,
      timeout: openTimeoutMs,
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
    }),
  );
  // Nothing is looked at in the middle of a transition.
  const context = stack.use(
    await browser.newContext({ viewport: { width: 1280, height: 860 }, reducedMotion: 'reduce' }),
  );
  context.setDefaultTimeout(stepTimeoutMs);
  // A page that closes again immediately is not slowed down.
  if (throttle > 1) context.on('page', (page) => void slowDown(page).catch(() => undefined));
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    // Interfaces come and go with the workers of other labs; the browser asks again.
    if (message.type() === 'error' && !message.text().endsWith('net::ERR_NETWORK_CHANGED'))
      complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(url, { timeout: openTimeoutMs });
  return closedWith(stack.move(), { page, context, complaints });
}

/** The session stays open, as the throttle ends with it. */
async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: throttle });
}

async function firstUrl(host: ChildProcess): Promise<string> {
  const url = Promise.withResolvers<string>();
  createInterface({ input: host.stdout! }).on('line', (line) => {
    const found = /http:\/\/127\.0\.0\.1:\d+\/\S*/.exec(line)?.[0];
    if (found !== undefined) url.resolve(found);
  });
  host.once('error', url.reject);
  host.once('exit', (code) => url.reject(new Error(`The host ended with ${code} before it said its address`)));
  const timer = setTimeout(
    () => url.reject(new Error(`The host said no address within ${openTimeoutMs} ms`)),
    openTimeoutMs,
  );
  try {
    return await url.promise;
  } finally {
    clearTimeout(timer);
  }
}

/** Its engines end with it. */
async function ended(host: ChildProcess): Promise<void> {
  if (host.pid === undefined || host.exitCode !== null || host.signalCode !== null) return;
  const exit = once(host, 'exit');
  const timer = setTimeout(() => host.kill('SIGKILL'), endTimeoutMs);
  host.kill('SIGTERM');
  await exit;
  clearTimeout(timer);
}
