import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { closeAll } from '../rigs/closing.ts';
import { runProgram } from '../../electron/cli/program.ts';

/** A server that somebody would like to see contacted: it writes down whoever comes and what they send. */
interface Listener {
  readonly url: string;
  readonly heard: { connections: number; text: string };
  close(): Promise<void>;
}

async function listen(): Promise<Listener> {
  const heard = { connections: 0, text: '' };
  const server: Server = createServer((request, response) => {
    request.on('data', (part: Buffer) => (heard.text += part.toString()));
    request.on('end', () =>
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":{"message":"no"}}'),
    );
  });
  server.on('connection', () => (heard.connections += 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v3`,
    heard,
    close: () => new Promise((resolve) => (server.closeAllConnections(), server.close(() => resolve()))),
  };
}

let root: string;
let project: string;
let named: Listener;
let other: Listener;
let marker: string;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'causeway-hostile-'));
  project = join(root, 'project');
  marker = join(root, 'command-ran');
  mkdirSync(join(project, 'endpoints'), { recursive: true });
  named = await listen();
  other = await listen();
  writeEndpoint('cloud', 'open-source-cloud', {
    auth_url: named.url,
    username: 'u',
    project_name: 'p',
    password: { $secret: 'production-password' },
  });
});
afterEach(() =>
  closeAll(
    () => named.close(),
    () => other.close(),
    () => rmSync(root, { recursive: true, force: true }),
  ),
);

function writeEndpoint(name: string, plugin: string, connection: object): void {
  const id = `ep-${name.replaceAll('-', '').padEnd(16, '2')}`;
  writeFileSync(
    join(project, 'endpoints', `${name}.json`),
    JSON.stringify({ id, name, plugin, connection, createdAt: '2026-01-01T00:00:00.000Z' }),
  );
}

async function causeway(...argv: string[]): Promise<{ status: number; output: string }> {
  const stdout = new PassThrough();
  let output = '';
  stdout.on('data', (piece: Buffer) => (output += piece.toString()));
  const env = { CAUSEWAY_KEY_FILE: join(root, 'key') };
  const status = await runProgram([...argv, '--project', project], {
    stdout,
    stderr: stdout,
    env,
    entry: import.meta.url,
    signal: new AbortController().signal,
  });
  return { status, output };
}

/** The person's own vault, with a secret that no endpoint of the folder was given. */
async function withSecret(): Promise<void> {
  await causeway('vault', 'init');
  const file = join(root, 'secret');
  writeFileSync(file, 'canary-production', { mode: 0o600 });
  await causeway('vault', 'set', 'production-password', '--file', file);
}

test('a folder from elsewhere contacts nobody, starts nothing and uses no secret; reading and checking it works', async () => {
  await withSecret();
  writeEndpoint('hypervisor', 'qemu-hypervisor', {
    libvirt_uri: `qemu+ext:///system?command=/usr/bin/touch&netcat=${marker}`,
    scratch_folder: root,
  });
  writeEndpoint('remote', 'qemu-hypervisor', {
    libvirt_uri: `qemu+ssh://127.0.0.1/system?command=${marker}`,
    scratch_folder: root,
  });
  for (const command of [
    ['endpoint', 'check', 'cloud'],
    ['endpoint', 'check', 'hypervisor'],
    ['endpoint', 'check', 'remote'],
    ['vm', 'list', 'hypervisor'],
    ['vm', 'list', 'cloud'],
  ]) {
    const { status, output } = await causeway(...command);
    expect([command, status]).toEqual([command, 1]);
    expect(output).toContain('This project is not trusted on this computer');
    expect(output).toContain('causeway trust accept');
  }
  expect((await causeway('endpoint', 'list')).status).toBe(0);
  const shown = await causeway('trust', 'show');
  expect(shown.status).toBe(1);
  for (const text of ['NOT TRUSTED', named.url, 'secret production-password', 'cannot be accepted: libvirt_uri'])
    expect(shown.output).toContain(text);
  expect(shown.output).not.toContain('canary');
  expect([named.heard.connections, other.heard.connections, existsSync(marker)]).toEqual([0, 0, false]);
});

test('after it is accepted, only what was shown is contacted, and what is unsafe never is', async () => {
  await withSecret();
  writeEndpoint('hypervisor', 'qemu-hypervisor', {
    libvirt_uri: `qemu+ext:///system?command=${marker}`,
    scratch_folder: root,
  });
  expect((await causeway('trust', 'accept')).output).toContain('needs a terminal');
  expect(named.heard.connections).toBe(0);
  await causeway('trust', 'accept', '--yes');
  await causeway('endpoint', 'check', 'cloud');
  expect(named.heard.text).toContain('canary-production');
  const refused = await causeway('endpoint', 'check', 'hypervisor');
  expect([refused.status, refused.output]).toEqual([1, expect.stringContaining('This endpoint is not trusted')]);
  expect([other.heard.connections, existsSync(marker)]).toEqual([0, false]);
});

test('a later change of address, certificate setting or secret is not used before it is accepted', async () => {
  await withSecret();
  await causeway('trust', 'accept', '--yes');
  const accepted = {
    auth_url: named.url,
    username: 'u',
    project_name: 'p',
    password: { $secret: 'production-password' },
  };
  for (const change of [
    { auth_url: other.url },
    { auth_url: other.url, allow_untrusted: true },
    { auth_url: other.url, ca_certificate: 'x' },
  ]) {
    writeEndpoint('cloud', 'open-source-cloud', { ...accepted, ...change });
    const before = named.heard.connections;
    await causeway('endpoint', 'check', 'cloud');
    expect(named.heard.connections).toBeGreaterThan(before);
    expect([other.heard.connections, other.heard.text]).toEqual([0, '']);
    expect((await causeway('trust', 'show')).output).toContain(`${named.url} -> ${other.url}`);
  }
  writeEndpoint('cloud', 'open-source-cloud', { ...accepted, auth_url: other.url });
  await causeway('trust', 'accept', '--yes');
  await causeway('endpoint', 'check', 'cloud');
  expect(other.heard.text).toContain('canary-production');
  await causeway('trust', 'revoke');
  const before = other.heard.connections;
  expect((await causeway('endpoint', 'check', 'cloud')).status).toBe(1);
  expect(other.heard.connections).toBe(before);
});

test('a project made here keeps its addresses out of the files, and works at once', async () => {
  rmSync(project, { recursive: true });
  mkdirSync(project);
  await withSecret();
  const added = await causeway(
    'endpoint',
    'add',
    'cloud',
    '--plugin',
    'open-source-cloud',
    '--set',
    `auth_url=${named.url}`,
    'username=u',
    'project_name=p',
    '--secret',
    'password=production-password',
  );
  expect(added.status).toBe(0);
  expect(readFileSync(join(project, 'endpoints', 'cloud.json'), 'utf8')).not.toContain('127.0.0.1');
  expect(readFileSync(join(project, '.causeway', 'vault.json'), 'utf8')).not.toContain('127.0.0.1');
  await causeway('endpoint', 'check', 'cloud');
  expect(named.heard.text).toContain('canary-production');
  await causeway('trust', 'sharing', 'on');
  expect(readFileSync(join(project, 'endpoints', 'cloud.json'), 'utf8')).toContain(named.url);
});
