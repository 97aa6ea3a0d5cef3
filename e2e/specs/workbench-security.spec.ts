import { spawn, type ChildProcess } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { openWorkbenchInBrowser, type Workbench } from '../hosts/workbench-in-browser.ts';
import { closedAfterAll } from '../rigs/opened.ts';

let workbench: Workbench;
let settings: string;
let origin: string;
/** A page of somebody else, in the same browser and therefore with the same cookies. */
let foreign: Server;
let foreignOrigin: string;

const opened = closedAfterAll();
beforeAll(async () => {
  settings = await mkdtemp(join(tmpdir(), 'causeway-settings-'));
  opened.defer(() => rm(settings, { recursive: true, force: true }));
  workbench = opened.use(await openWorkbenchInBrowser(['--settings', settings]));
  origin = new URL(workbench.url).origin;
  foreign = createServer((request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(
      `<p>somebody else’s page ${request.url === '/framed' ? `<iframe src="${origin}/"></iframe>` : ''}</p>`,
    );
  });
  opened.defer(() => {
    foreign.close();
    foreign.closeAllConnections();
  });
  await new Promise<void>((resolve) => foreign.listen(0, '127.0.0.1', resolve));
  foreignOrigin = `http://127.0.0.1:${(foreign.address() as AddressInfo).port}`;
});

/** How a socket to the host ends up for the page that asks for it. */
const connect = (page: Page, host: string): Promise<string> =>
  page.evaluate(
    (address) =>
      new Promise<string>((resolve) => {
        // Each page has the secret that its own origin keeps; cookies come along from everywhere.
        const socket = new WebSocket(`ws://${address}/contract`, [
          'causeway.contract',
          `session.${localStorage.getItem('causeway-session') ?? 'none'}`,
        ]);
        socket.addEventListener('open', () => resolve('open'));
        socket.addEventListener('error', () => resolve('refused'));
      }),
    host,
  );

async function inForeignPage<T>(path: string, look: (page: Page) => Promise<T>): Promise<T> {
  const page = await workbench.context.newPage();
  try {
    await page.goto(`${foreignOrigin}${path}`);
    return await look(page);
  } finally {
    await page.close();
  }
}

describe('a foreign page in the same browser', () => {
  it('can’t connect, though our own page can', async () => {
    const { host } = new URL(origin);
    expect(await connect(workbench.page, host)).toBe('open');
    expect(await inForeignPage('/', (page) => connect(page, host))).toBe('refused');
    expect(await inForeignPage('/', (page) => connect(page, host.replace('127.0.0.1', 'localhost')))).toBe('refused');
  });

  it('can’t call by plain requests either, whether a browser asks before or sends them at once', async () => {
    const call = (page: Page, address: string): Promise<string> =>
      page.evaluate(async (url) => {
        const secret = localStorage.getItem('causeway-session') ?? 'none';
        const answers = await Promise.all(
          [{ 'content-type': 'application/json', 'x-causeway-session': secret }, { 'content-type': 'text/plain' }].map(
            (headers) =>
              fetch(`${url}/contract/open`, { method: 'POST', credentials: 'include', headers, body: '{}' }).then(
                ({ status }) => String(status),
                () => 'refused',
              ),
          ),
        );
        return answers.join(', ');
      }, address);
    expect(await call(workbench.page, origin)).toBe('200, 403');
    expect(await inForeignPage('/', (page) => call(page, origin))).toBe('refused, refused');
  });

  it('can’t show the workbench in a frame', async () => {
    const shown = await inForeignPage('/framed', async (page) => {
      await page.waitForLoadState('load');
      const [, frame] = page.frames();
      return { url: frame!.url(), root: await frame!.locator('#root').count() };
    });
    expect(shown).toEqual({ url: 'chrome-error://chromewebdata/', root: 0 });
  });

  it('can’t read what the host answers', async () => {
    const read = await inForeignPage('/', (page) =>
      page.evaluate(
        (address) =>
          fetch(address, { credentials: 'include' }).then(
            (answer) => answer.text(),
            () => 'refused',
          ),
        origin,
      ),
    );
    expect(read).toBe('refused');
  });

  it('that opens the workbench gets no hold of its window', async () => {
    const hold = await inForeignPage('/', (page) =>
      page.evaluate(async (address) => {
        const opened = window.open(address);
        for (let left = 100; left > 0 && opened?.closed === false; left -= 1)
          await new Promise((resolve) => setTimeout(resolve, 50));
        return opened?.closed ?? true;
      }, origin),
    );
    // By the opener policy the handle is cut off: it calls itself closed.
    expect(hold).toBe(true);
  });
});

describe('the workbench’s page', () => {
  /** What the policy stopped while `act` ran. */
  const stopped = async (act: string): Promise<string[]> =>
    workbench.page.evaluate(async (code) => {
      const violations: string[] = [];
      const note = (event: SecurityPolicyViolationEvent): void => void violations.push(event.effectiveDirective);
      document.addEventListener('securitypolicyviolation', note);
      try {
        const acts: Readonly<Record<string, () => void>> = {
          script() {
            const script = document.createElement('script');
            script.append('globalThis.wasRun = true');
            document.body.append(script);
          },
          markup() {
            document.body.insertAdjacentHTML('beforeend', '<img src="data:," onerror="globalThis.wasRun = true">');
          },
          handler() {
            const button = document.createElement('button');
            button.setAttribute('onclick', 'globalThis.wasRun = true');
            document.body.append(button);
            button.click();
            button.remove();
          },
          remote() {
            const script = document.createElement('script');
            script.setAttribute('src', 'https://example.invalid/x.js');
            document.body.append(script);
          },
          connection() {
            void fetch('https://example.invalid/').catch(() => undefined);
          },
          frame() {
            const frame = document.createElement('iframe');
            frame.src = 'https://example.invalid/';
            document.body.append(frame);
          },
          style() {
            const style = document.createElement('style');
            style.append('body { display: none }');
            document.head.append(style);
          },
          form() {
            const form = document.createElement('form');
            form.action = 'https://example.invalid/';
            document.body.append(form);
            form.submit();
          },
          base() {
            const base = document.createElement('base');
            base.href = 'https://example.invalid/';
            document.head.append(base);
          },
        };
        acts[code]?.();
      } catch (error) {
        violations.push((error as Error).name);
      }
      for (let left = 100; left > 0 && violations.length === 0; left -= 1)
        await new Promise((resolve) => setTimeout(resolve, 20));
      document.removeEventListener('securitypolicyviolation', note);
      return violations;
    }, act);

  it.each([
    ['a script that was put into it', 'script', /^(script-src|script-src-elem|require-trusted-types-for|TypeError)/],
    ['markup from a string', 'markup', /^(require-trusted-types-for|TypeError)/],
    ['a handler in an attribute', 'handler', /^(script-src-attr|require-trusted-types-for|TypeError)/],
    ['a script from elsewhere', 'remote', /^(script-src-elem|require-trusted-types-for|TypeError)/],
    ['a request to elsewhere', 'connection', /^connect-src/],
    ['a frame', 'frame', /^(frame-src|child-src)/],
    ['a style without the nonce', 'style', /^style-src-elem/],
    ['a form that sends elsewhere', 'form', /^form-action/],
    ['another base for its links', 'base', /^base-uri/],
  ])('does not let in %s', async (_what, act, directive) => {
    expect((await stopped(act))[0]).toMatch(directive);
    expect(await workbench.page.evaluate(() => 'wasRun' in globalThis)).toBe(false);
    expect(await workbench.page.evaluate(() => getComputedStyle(document.body).display)).not.toBe('none');
  });

  it('gives a window that it opens no way back', async () => {
    const { page, context } = workbench;
    const [popup] = await Promise.all([
      context.waitForEvent('page'),
      page.evaluate((address) => void window.open(address), foreignOrigin),
    ]);
    await popup.waitForLoadState();
    expect(await popup.evaluate(() => window.opener === null)).toBe(true);
    expect(await popup.evaluate(() => document.referrer)).toBe('');
    await popup.close();
  });

  it('can’t be left by a javascript: address', async () => {
    const { page } = workbench;
    await page.evaluate(() => {
      const link = document.createElement('a');
      link.setAttribute('href', 'javascript:globalThis.wasRun = true');
      document.body.append(link);
      link.click();
      link.remove();
    });
    expect(await page.evaluate(() => 'wasRun' in globalThis)).toBe(false);
    expect(new URL(page.url()).origin).toBe(origin);
  });

  it('is not served to anybody without the session', async () => {
    expect((await fetch(`${origin}/`)).status).toBe(403);
    expect((await fetch(`${origin}/index.html`)).status).toBe(403);
    expect((await fetch(`${origin}/`, { method: 'POST' })).status).toBe(405);
  });
});

describe('the one-time link', () => {
  it('is worth nothing the second time, and leaves no token in the address or the history', async () => {
    expect((await fetch(workbench.url, { redirect: 'manual' })).status).toBe(403);
    expect(workbench.page.url()).not.toMatch(/token|session=/);
    expect(
      await workbench.page.evaluate(() =>
        performance
          .getEntriesByType('navigation')
          .map(({ name }) => name)
          .join(),
      ),
    ).not.toContain('token');
  });

  it('is out of reach for scripts: the session is not in document.cookie', async () => {
    expect(await workbench.page.evaluate(() => document.cookie)).toBe('');
    const cookies = await workbench.context.cookies(origin);
    expect(cookies).toMatchObject([{ name: 'causeway-session', httpOnly: true, sameSite: 'Strict' }]);
  });
});

it('Enter on the terminal gives a fresh link that works once, and the first one is worth nothing any more', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-settings-'));
  const host = spawn(
    process.execPath,
    [join(import.meta.dirname, '../../out/main/host.js'), '--no-open', '--settings', folder],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const ended = new Promise((resolve) => host.once('exit', resolve));
  try {
    const urls = urlsOf(host);
    const first = (await urls.next()).value!;
    host.stdin.write('\n');
    const second = (await urls.next()).value!;
    const status = async (url: string): Promise<number> => (await fetch(url, { redirect: 'manual' })).status;
    expect(await status(first)).toBe(403);
    expect(await status(second)).toBe(303);
    expect(await status(second)).toBe(403);
  } finally {
    host.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true, force: true });
  }
});

async function* urlsOf(host: ChildProcess): AsyncGenerator<string, undefined> {
  for await (const line of createInterface({ input: host.stdout! })) {
    const url = /http:\/\/127\.0\.0\.1:\d+\/\S*/.exec(line)?.[0];
    if (url !== undefined) yield url;
  }
  return undefined;
}
