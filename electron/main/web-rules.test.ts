import { beforeEach, describe, expect, test } from 'vitest';
import { applyWebRules, refusePermissions, type WebRules } from './web-rules.ts';
import { createElectron, preventable, WebContentsStandIn } from './testing/electron-stand-in.ts';

let log: string[];
let went: string[];
let contents: WebContentsStandIn;
beforeEach(() => {
  log = [];
  went = [];
  contents = new WebContentsStandIn();
  const { app } = createElectron();
  const rules: WebRules = { log: (message) => log.push(message), openOutside: async (url) => void went.push(url) };
  applyWebRules(app as never, rules);
  app.emit('web-contents-created', {}, contents);
});

const navigate = (kind: string, url: string): boolean => {
  const event = preventable({ url });
  contents.emit(kind, event);
  return !event.defaultPrevented;
};

describe('navigation', () => {
  const kinds = ['will-navigate', 'will-frame-navigate', 'will-redirect'];

  test.each(kinds)('%s is let through to our own page only', (kind) => {
    const urls = [
      'causeway://app/index.html',
      'causeway://app.example.invalid/',
      'https://example.invalid/?next=causeway://app',
      'file:///etc/passwd',
      'javascript:alert(1)',
      'about:blank',
      'data:text/html,x',
      'blob:causeway://app/1',
      'http://127.0.0.1/',
    ];
    expect(urls.filter((url) => navigate(kind, url))).toEqual(['causeway://app/index.html']);
    expect(log).toHaveLength(urls.length - 1);
  });

  test('a refusal is logged without what the address carries', () => {
    navigate('will-navigate', 'https://user:secret@example.invalid/path?token=secret');
    expect(log).toEqual(['refused to navigate to https://example.invalid']);
  });
});

describe('new windows', () => {
  const open = (url: string) => contents.windowOpenHandler!({ url } as never);

  test("are never opened; an https link goes to the system's browser", () => {
    expect(open('https://example.invalid/manual')).toEqual({ action: 'deny' });
    expect(went).toEqual(['https://example.invalid/manual']);
    expect(log).toEqual([]);
  });

  test.each([
    'http://example.invalid/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'ms-msdt:/id',
    'smb://host/share',
    'https://u:p@example.invalid/',
    'nonsense',
  ])('%s goes nowhere, and that is logged', (url) => {
    expect(open(url)).toEqual({ action: 'deny' });
    expect(went).toEqual([]);
    expect(log).toHaveLength(1);
    expect(log[0]).toMatch(/^refused to open/);
  });

  test('a browser that does not start is logged and breaks nothing', async () => {
    const { app } = createElectron();
    const second = new WebContentsStandIn();
    applyWebRules(app as never, {
      log: (message) => log.push(message),
      openOutside: () => Promise.reject(new Error('no browser')),
    });
    app.emit('web-contents-created', {}, second);
    second.windowOpenHandler!({ url: 'https://example.invalid/' } as never);
    await Promise.resolve();
    await Promise.resolve();
    expect(log).toEqual(['could not open https://example.invalid: no browser']);
  });
});

test('a webview is never embedded', () => {
  const event = preventable({});
  contents.emit('will-attach-webview', event);
  expect(event.defaultPrevented).toBe(true);
});

test('every permission is refused, asked for or looked up', () => {
  const { session, seen } = createElectron();
  refusePermissions(session.defaultSession as never);
  const answers: boolean[] = [];
  (seen.permissions.request as (...args: unknown[]) => void)({}, 'media', (granted: boolean) => answers.push(granted));
  expect(answers).toEqual([false]);
  expect((seen.permissions.check as () => boolean)()).toBe(false);
  expect((seen.permissions.device as () => boolean)()).toBe(false);
});
