import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createTcpServer, type AddressInfo, type Server } from 'node:net';
import ssh2 from 'ssh2';
import { afterEach, describe, expect, test } from 'vitest';
import type { AfterBootCheck } from '../../../../shared/model/after-boot-check.ts';
import { createEd25519KeyPair } from '../../ssh-keys/ed25519-key-pair.ts';
import { systemClock, type Clock } from '../../time/clock.ts';
import { makeCertificate } from '../../transport/certificates.ts';
import { hostKeyText } from '../../transport/host-keys.ts';
import { runChecks } from './run-checks.ts';

const closers: (() => void)[] = [];
afterEach(() => closers.splice(0).forEach((close) => close()));

async function listening(server: Server & { closeAllConnections?(): void }): Promise<number> {
  closers.push(() => {
    server.close();
    server.closeAllConnections?.();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
const site = (answer: RequestListener): Promise<number> => listening(createServer(answer));

/** Pauses take no time, and after some of them every time limit has passed. */
function hurried(turns = 3): Clock {
  let now = 0;
  return { ...systemClock, monotonic: () => now, sleep: async () => void (now += 120_000 / turns) };
}

const run = (
  check: AfterBootCheck,
  more: { credential?: string; console?: string; clock?: Clock; addresses?: string[]; signal?: AbortSignal } = {},
) =>
  runChecks(
    [check],
    {
      addresses: more.addresses ?? ['127.0.0.1'],
      console: more.console === undefined ? undefined : () => Promise.resolve(more.console ?? ''),
      credential: () => more.credential ?? '',
    },
    { clock: more.clock ?? hurried(), clean: (text) => text.replaceAll('hunter2', '[secret]') },
    more.signal ?? new AbortController().signal,
  ).then(([result]) => result!);

describe('a check of a port', () => {
  test('passes as soon as connections are accepted', async () => {
    const port = await listening(createTcpServer((socket) => void socket.on('error', () => undefined).end()));
    expect(await run({ kind: 'port', port })).toMatchObject({ name: `Port ${port}`, outcome: 'passed', attempts: 1 });
  });

  test('fails, or warns, when its time is over', async () => {
    const port = await site(() => undefined);
    closers.splice(0).forEach((close) => close());
    expect(await run({ kind: 'port', port })).toMatchObject({ outcome: 'failed', attempts: 4 });
    expect(await run({ kind: 'port', port, onFailure: 'warn' })).toMatchObject({ outcome: 'warned' });
    expect(await run({ kind: 'port', port }, { addresses: [] })).toMatchObject({
      outcome: 'failed',
      evidence: 'the VM has no address',
    });
  });
});

describe('a check of a site', () => {
  test('compares status and text, and is repeated until they are there', async () => {
    let asked = 0;
    const port = await site((request, response) => {
      asked += 1;
      response
        .writeHead(asked < 3 ? 503 : 200)
        .end(`starting ${asked}: ${request.headers.host ?? ''} ${request.url ?? ''}`);
    });
    expect(
      await run({ kind: 'http', port, path: '/health', host: 'shop.example.com', text: 'shop.example.com /health' }),
    ).toMatchObject({ outcome: 'passed', attempts: 3 });
    expect(await run({ kind: 'http', port, text: 'ready' })).toMatchObject({
      outcome: 'failed',
      evidence: expect.stringContaining('without "ready"') as string,
    });
    expect(await run({ kind: 'http', port, status: 404 })).toMatchObject({
      outcome: 'failed',
      evidence: expect.stringContaining('status 200 instead of 404') as string,
    });
  });

  test('follows no redirect, reads no endless answer, and keeps control characters and secrets out of the evidence', async () => {
    const elsewhere = await site((_request, response) => void response.end('never asked'));
    const redirect = await site(
      (_request, response) => void response.writeHead(302, { location: `http://127.0.0.1:${elsewhere}/` }).end(),
    );
    expect(await run({ kind: 'http', port: redirect, status: 200 })).toMatchObject({
      outcome: 'failed',
      evidence: expect.stringContaining('status 302') as string,
    });
    const endless = await site((_request, response) => {
      const more = (): void =>
        void (response.write('x'.repeat(65_536)) && !response.destroyed
          ? setImmediate(more)
          : response.once('drain', more));
      response.on('error', () => undefined);
      more();
    });
    expect(await run({ kind: 'http', port: endless, text: 'y' })).toMatchObject({ outcome: 'failed' });
    const hostile = await site(
      (_request, response) =>
        void response.writeHead(500).end('\u001b]0;title\u0007\u001b[31mred\u202e hunter2\r\n<script>'),
    );
    const { evidence } = await run({ kind: 'http', port: hostile });
    const echo = await site((_request, response) => void response.writeHead(500).end(`${'x'.repeat(295)}hunter2`));
    expect((await run({ kind: 'http', port: echo })).evidence).not.toContain('hunt');
    expect(evidence).toContain('red [secret] <script>');
    expect(evidence).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  test('records the certificate, and verifies it when the site has a name', async () => {
    const { certPem, keyPem } = await makeCertificate('shop.example.com');
    const port = await listening(
      createTlsServer({ cert: certPem, key: keyPem }, (_request, response) => void response.end('ok')),
    );
    expect(await run({ kind: 'http', scheme: 'https', port })).toMatchObject({
      outcome: 'passed',
      evidence: expect.stringMatching(/certificate SHA-256 [0-9a-f]{64}, not verified/) as string,
    });
    expect(await run({ kind: 'http', scheme: 'https', port, host: 'shop.example.com' })).toMatchObject({
      outcome: 'failed',
      evidence: expect.stringContaining('self-signed') as string,
    });
  });

  test('asks the next address of the VM when one does not answer', async () => {
    const port = await site((request, response) => {
      // The first request gets no answer.
      if (request.headers.host === '127.0.0.1') return;
      response.end('ok');
    });
    const result = await run(
      { kind: 'http', port, timeoutSeconds: 1 },
      { addresses: ['127.0.0.1', 'localhost'], clock: systemClock },
    );
    expect(result).toMatchObject({
      outcome: 'passed',
      attempts: 1,
      evidence: expect.stringContaining('http://localhost') as string,
    });
  });

  test('ends with the signal', async () => {
    const port = await site(() => undefined);
    const stop = new AbortController();
    const result = run({ kind: 'http', port }, { clock: systemClock, signal: stop.signal });
    stop.abort(new Error('cancelled'));
    await expect(result).rejects.toThrow('cancelled');
  });
});

describe('a check of the console', () => {
  test('wants a login prompt', async () => {
    expect(
      await run({ kind: 'login-prompt' }, { console: 'Debian GNU/Linux 13 web ttyS0\n\nweb login: ' }),
    ).toMatchObject({ outcome: 'passed', evidence: expect.stringContaining('web login:') as string });
    expect(await run({ kind: 'login-prompt' }, { console: 'Kernel panic - not syncing: no init' })).toMatchObject({
      outcome: 'failed',
      evidence: expect.stringContaining('Kernel panic') as string,
    });
    expect(await run({ kind: 'login-prompt' })).toMatchObject({
      outcome: 'failed',
      evidence: 'the destination provides no console log',
      attempts: 1,
    });
  });
});

describe('a check by SSH', () => {
  const pair = createEd25519KeyPair('host');
  const parsed = ssh2.utils.parseKey(pair.privateKeyPem);
  const hostKey = hostKeyText(
    Array.isArray(parsed) || parsed instanceof Error ? Buffer.alloc(8) : parsed.getPublicSSH(),
  );

  async function guest(): Promise<{ readonly port: number; readonly users: string[] }> {
    const users: string[] = [];
    const server = new ssh2.Server({ hostKeys: [pair.privateKeyPem] }, (connection) => {
      connection.on('error', () => undefined);
      connection.on('authentication', (context) => {
        users.push(context.username);
        if (context.method === 'password' && context.password === 'hunter2') context.accept();
        else context.reject(['password']);
      });
      connection.on('session', (accept) =>
        accept().on('exec', (run_, _reject, { command }) => {
          const channel = run_();
          if (/^\/bin\/|^cat/.test(command)) {
            const shell = spawn('/bin/sh', ['-c', command]);
            channel.pipe(shell.stdin);
            shell.stdout.on('data', (piece: Buffer) => void channel.write(piece));
            shell.stderr.on('data', (piece: Buffer) => void channel.stderr.write(piece));
            shell.once('close', (code) => {
              channel.exit(code ?? 1);
              channel.end();
            });
            return;
          }
          channel.write(command === 'systemctl is-active app' ? 'active\n' : 'hunter2 inactive\n');
          channel.exit(command === 'systemctl is-active app' ? 0 : 3);
          channel.end();
        }),
      );
    });
    closers.push(() => server.close());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { port: (server.address() as AddressInfo).port, users };
  }
  const check = (port: number, command: string, more = {}) => ({
    kind: 'ssh' as const,
    username: 'root',
    secret: 'guest',
    hostKey,
    port,
    command,
    ...more,
  });

  test('compares exit status and output', async () => {
    const { port } = await guest();
    expect(
      await run(check(port, 'systemctl is-active app', { text: 'active' }), { credential: 'hunter2' }),
    ).toMatchObject({ outcome: 'passed', evidence: 'root@127.0.0.1: the command ended with status 0: active' });
    expect(await run(check(port, 'false'), { credential: 'hunter2' })).toMatchObject({
      outcome: 'failed',
      evidence: 'root@127.0.0.1: the command ended with status 3 instead of 0: [secret] inactive',
    });
    expect(await run(check(port, 'false', { exitStatus: 3 }), { credential: 'hunter2' })).toMatchObject({
      outcome: 'passed',
    });
  });

  const script = (port: number, text: string, more = {}) => ({
    kind: 'script' as const,
    via: 'ssh' as const,
    username: 'root',
    secret: 'guest',
    hostKey,
    port,
    script: text,
    ...more,
  });

  test('sends a script to a shell; the last lines of its output are the evidence, without control characters and secrets', async () => {
    const { port } = await guest();
    const long = Array.from({ length: 40 }, (_, number) => `echo "line ${number}"`).join('\r\n');
    const passed = await run(
      script(port, `\ufeff# Database\r\n${long}\r\nprintf '\\033[31mhun\\033[0mter2 hunter2\\n'`, { text: 'line 3' }),
      { credential: 'hunter2' },
    );
    expect(passed).toMatchObject({
      name: 'Script by SSH: echo "line 0"',
      kind: 'script',
      outcome: 'passed',
      evidence: expect.stringMatching(
        /^root@127.0.0.1: the script ended with status 0: line 31 \| line 32 .* \| line 39 \| \[secret\] \[secret\]$/,
      ) as string,
    });
    expect(
      await run(script(port, 'echo almost; echo "disk is full" >&2; exit 7'), { credential: 'hunter2' }),
    ).toMatchObject({
      outcome: 'failed',
      evidence: 'root@127.0.0.1: the script ended with status 7 instead of 0: almost | disk is full',
    });
    expect(await run(script(port, 'echo no', { text: 'yes' }), { credential: 'hunter2' })).toMatchObject({
      outcome: 'failed',
      evidence: expect.stringContaining('does not contain "yes": no') as string,
    });
    const { evidence } = await run(
      script(port, 'i=0; while [ $i -lt 300 ]; do printf "wwwwwwwww "; i=$((i+1)); done; echo end'),
      { credential: 'hunter2' },
    );
    expect(evidence).toMatch(/: … w.* end$/);
    expect(evidence.length).toBeLessThan(1000);
    // Cut in the middle of the secret, a part of it would stay.
    const cut = await run(script(port, `printf hunter2; printf ${'w'.repeat(795)}`), { credential: 'hunter2' });
    expect(cut.evidence).toMatch(/w{790}/);
    expect(cut.evidence).not.toContain('er2');
  });

  test('sends a script to another program that the check names', async () => {
    const { port } = await guest();
    expect(
      await run(script(port, 'not a shell script (', { interpreter: 'cat -' }), { credential: 'hunter2' }),
    ).toMatchObject({ outcome: 'passed', evidence: expect.stringContaining('not a shell script (') as string });
  });

  test('asks the service manager of the guest for a service', async () => {
    const { port } = await guest();
    const agent = {
      kind: 'agent' as const,
      via: 'ssh' as const,
      username: 'root',
      secret: 'guest',
      hostKey,
      port,
      service: 'causeway-no-such-service',
    };
    expect(await run(agent, { credential: 'hunter2' })).toMatchObject({
      name: 'Service causeway-no-such-service runs',
      outcome: 'failed',
      evidence: expect.stringContaining('root@127.0.0.1: service causeway-no-such-service does not run') as string,
    });
  });

  test('gives a guest with another host key neither a name nor a password, and does not ask again', async () => {
    const { port, users } = await guest();
    const other = `ssh-ed25519 ${Buffer.from('another key').toString('base64')}`;
    expect(await run(check(port, 'true', { hostKey: other }), { credential: 'hunter2' })).toMatchObject({
      outcome: 'failed',
      attempts: 1,
      evidence: expect.stringContaining('has the host key') as string,
    });
    expect(users).toEqual([]);
  });
});
