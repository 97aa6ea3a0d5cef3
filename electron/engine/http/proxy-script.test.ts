import { describe, expect, it, test } from 'vitest';
import { evaluateScript, usualBounds, type ResolveName } from './proxy-script.ts';
import { parseScriptAnswer } from './proxy-server.ts';

const signal = new AbortController().signal;
const names: Readonly<Record<string, string>> = { 'cloud.example': '198.51.100.7', 'intern.example': '10.1.2.3' };
const resolve: ResolveName = async (name) => names[name];
const find = (body: string, host = 'cloud.example', port = 443): Promise<string> =>
  evaluateScript(`function FindProxyForURL(url, host) { ${body} }`, host, port, signal, usualBounds, resolve);
/** What an expression is in a script. */
const value = async (expression: string): Promise<unknown> =>
  JSON.parse(await find(`return JSON.stringify(${expression}) || 'null'`)) as unknown;

test('a script is told the host and the port, nothing else of the request', async () => {
  expect(await find('return url + " " + host')).toBe('https://cloud.example/ cloud.example');
  expect(await find('return url + " " + host', '2001:db8::7', 5000)).toBe('https://[2001:db8::7]:5000/ 2001:db8::7');
});

test.each([
  ["[isPlainHostName('www'), isPlainHostName('www.example')]", [true, false]],
  ["[dnsDomainIs('www.example', '.example'), dnsDomainIs('www', '.example')]", [true, false]],
  [
    "[localHostOrDomainIs('www', 'www.example'), localHostOrDomainIs('www.example', 'www.example'), localHostOrDomainIs('home.example', 'www.example')]",
    [true, true, false],
  ],
  ["[isResolvable('cloud.example'), isResolvable('nothing.example')]", [true, false]],
  [
    "[isInNet('intern.example', '10.0.0.0', '255.0.0.0'), isInNet('192.0.2.9', '192.0.2.0', '255.255.255.0'), isInNet('cloud.example', '10.0.0.0', '255.0.0.0'), isInNet('x', 'y', 'z')]",
    [true, true, false, false],
  ],
  ["[dnsResolve('intern.example'), dnsResolve('nothing.example'), dnsDomainLevels('a.b.c')]", ['10.1.2.3', null, 2]],
  [
    "[shExpMatch('http://a.example/x', '*.example/*'), shExpMatch('abc', 'a?c'), shExpMatch('abc', 'b*'), shExpMatch('a+b', 'a+b')]",
    [true, true, false, true],
  ],
  [
    "[weekdayRange('SUN', 'SAT'), weekdayRange('SUN', 'SAT', 'GMT'), dateRange('JAN', 'DEC'), dateRange(1, 31), dateRange(1990), timeRange(0, 0, 0, 23, 59, 59), dateRange(2000, 2999)]",
    [true, true, true, true, false, true, true],
  ],
  ['/^\\d+\\.\\d+\\.\\d+\\.\\d+$/.test(myIpAddress())', true],
])('%s is %j in a script', async (expression, expected) => expect(await value(expression)).toEqual(expected));

test('names are looked up once each, one after the other where a script needs that', async () => {
  const asked: string[] = [];
  const script =
    "function FindProxyForURL() { var a = dnsResolve('one.example'); var b = a && dnsResolve('two.example'); return 'PROXY ' + a + ':1; PROXY ' + b + ':2' }";
  const answer = await evaluateScript(
    script,
    'x',
    443,
    signal,
    usualBounds,
    async (name) => `192.0.2.${asked.push(name)}`,
  );
  expect([answer, asked]).toEqual(['PROXY 192.0.2.1:1; PROXY 192.0.2.2:2', ['one.example', 'two.example']]);
});

describe('a hostile script', () => {
  const quick = { timeMs: 1000, memoryBytes: 8 * 1024 * 1024, names: 5 };
  const refusal = (script: string, bounds = quick): Promise<unknown> =>
    evaluateScript(script, 'cloud.example', 443, signal, bounds, resolve).then(
      () => 'an answer',
      (error: unknown) => error,
    );
  const failure = (evidence: RegExp) =>
    expect.objectContaining({
      code: 'cloud.proxy-script-failed',
      message: expect.stringMatching(evidence) as string,
    }) as unknown;

  it.each([
    ['runs for ever', 'for (;;);', /did not end within 1000 ms/],
    ['runs for ever inside of one call', 'Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)', /did not end/],
    ['backtracks', "/^(a+)+$/.test('a'.repeat(40) + 'b')", /did not end|interrupted|InternalError/],
    [
      'takes all memory',
      "var all = []; for (;;) all.push('x'.repeat(100000) + all.length)",
      /memory|did not end|ended/,
    ],
    ['has no bottom', 'function f() { return f() + 1 } f()', /stack|InternalError|did not end/],
    ['is no script', 'this is no script', /SyntaxError/],
    ['is a page', '<html>Sign in</html>', /SyntaxError/],
    ['has no function', 'var a = 1', /ReferenceError/],
    ['returns no text', 'function FindProxyForURL() { return { toString() { for (;;); } } }', /returned no text/],
    [
      'throws what it likes',
      'function FindProxyForURL() { throw { get message() { for (;;); } } }',
      /did not end|it failed|undefined/,
    ],
    [
      'asks for many names',
      "function FindProxyForURL() { for (var i = 0; i < 100; i++) dnsResolve(i + '.example'); return 'DIRECT' }",
      /more than 5 names/,
    ],
    [
      'asks for ever more names',
      "function FindProxyForURL() { return dnsResolve(Math.random() + '.example') || dnsResolve(Date.now() + Math.random() + '.example') || 'DIRECT' }",
      /names/,
    ],
  ])('that %s is ended', async (_what, script, evidence) => expect(await refusal(script)).toEqual(failure(evidence)));

  it('finds nothing of this process', async () => {
    const found =
      '[typeof process, typeof require, typeof fetch, typeof WebSocket, typeof setTimeout, typeof Buffer, typeof navigator, typeof std, typeof os]';
    expect(new Set((await value(found)) as string[])).toEqual(new Set(['undefined']));
    expect(await refusal("import('node:fs'); function FindProxyForURL() { return 'DIRECT' }")).toEqual('an answer');
    const ofTheLanguage = Object.getOwnPropertyNames(globalThis).filter((name) =>
      /^(decode|encode|escape|eval|is(Finite|NaN)|parse|unescape)/.test(name),
    );
    const ours =
      'alert atob btoa convert_addr dateRange dnsDomainIs dnsDomainLevels dnsResolve isInNet isPlainHostName isResolvable localHostOrDomainIs myIpAddress queueMicrotask shExpMatch timeRange weekdayRange';
    const functions = await value(
      "Object.getOwnPropertyNames(globalThis).filter((name) => /^[a-z]/.test(name) && typeof globalThis[name] === 'function').sort()",
    );
    expect(functions).toEqual([...ofTheLanguage, ...ours.split(' ')].sort());
  });

  it('is ended by a signal', async () => {
    const stop = new AbortController();
    const running = evaluateScript('for (;;);', 'x', 443, stop.signal);
    stop.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
  });
});

test.each([
  [
    'PROXY a.example:8080; SOCKS5 b.example; DIRECT',
    [{ kind: 'http', host: 'a.example', port: 8080 }, { kind: 'socks5', host: 'b.example', port: 1080 }, 'direct'],
  ],
  [
    'https c.example:8443 ; SOCKS [2001:db8::1]:1081',
    [
      { kind: 'https', host: 'c.example', port: 8443 },
      { kind: 'socks5', host: '2001:db8::1', port: 1081 },
    ],
  ],
  ['', ['direct']],
  [' ; ', ['direct']],
  ['SOCKS4 d.example:1080', []],
  ['PROXY me:word@e.example:1; PROXY ; PROXY x y; PROXY f.example:99999', [{ kind: 'http', host: 'x', port: 80 }]],
])('%s names %j', (answer, ways) => expect(parseScriptAnswer(answer)).toEqual(ways));
