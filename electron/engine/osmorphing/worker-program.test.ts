// needs: python3
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ssh2 from 'ssh2';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../shared/model/json.ts';
import { createEd25519KeyPair } from '../ssh-keys/ed25519-key-pair.ts';
import { SshConnection } from '../transport/ssh-connection.ts';
import { programArchive } from './program-archive.ts';
import { WorkerProgram, type ProgramCommand } from './worker-program.ts';

const signal = new AbortController().signal;
let folder: string;
let server: ssh2.Server;
let ssh: SshConnection;
/** Starts of the program on the worker. */
let starts: ChildProcess[];
let logged: string[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-program-'));
  mkdirSync(join(folder, 'bin'));
  // What the tests do needs no rights.
  writeFileSync(join(folder, 'bin', 'sudo'), '#!/bin/sh\nshift\nexec "$@"\n');
  chmodSync(join(folder, 'bin', 'sudo'), 0o755);
  starts = [];
  logged = [];
  const keys = createEd25519KeyPair('test');
  server = new ssh2.Server({ hostKeys: [createEd25519KeyPair('host').privateKeyPem] }, (connection) => {
    connection.on('error', () => undefined);
    connection.on('authentication', (context) => context.accept());
    connection.on('ready', () =>
      connection.on('session', (accept) =>
        accept().on('exec', (take, _, { command }) => {
          const channel = take();
          const isProgram = command.endsWith(' serve');
          const child = spawn('sh', ['-c', isProgram ? `exec ${command}` : command], {
            env: { ...process.env, PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`, TMPDIR: folder },
          });
          if (isProgram) starts.push(child);
          channel.pipe(child.stdin);
          child.stdin.on('error', () => undefined);
          child.stdout.pipe(channel, { end: false });
          child.stderr.pipe(channel.stderr, { end: false });
          child.on('close', (code) => {
            channel.exit(code ?? 1);
            channel.end();
          });
        }),
      ),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { readonly port: number };
  ssh = await SshConnection.connect(
    { host: '127.0.0.1', port, username: 'causeway', privateKeyPem: keys.privateKeyPem },
    {},
    signal,
  );
});

afterEach(async () => {
  await ssh.close();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function placed(): Promise<
  (command: ProgramCommand, request?: JsonObject, stop?: AbortSignal) => Promise<unknown>
> {
  program = await WorkerProgram.place(
    ssh,
    await programArchive(),
    { onStep: () => undefined, onLog: (line) => logged.push(line), onWarning: () => undefined },
    signal,
  );
  return (command, request = {}, stop = signal) =>
    program.run(command, { ...request, folder: join(folder, 'sessions') }, stop, 60_000);
}

let program: WorkerProgram;
/** As long as the program is there. */
const waits = '#!/bin/sh\nwhile kill -0 $PPID; do sleep 0.1; done\n';
const script = (content: string): JsonObject => ({
  devices: [],
  scripts: [{ name: 'mine', content, timeoutSeconds: 60 }],
});

describe('the program on a worker', () => {
  it('takes all commands by one start, also after one has failed', async () => {
    const run = await placed();
    expect(await run('script', script('#!/bin/sh\necho one\n'))).toMatchObject({
      outputs: [{ output: expect.stringContaining('one') as string }],
    });
    await expect(run('diff')).rejects.toMatchObject({ code: 'osmorphing.not-mounted' });
    expect(await run('unmount')).toEqual({ left: [] });
    expect(starts).toHaveLength(1);
    await program.remove();
    expect([starts[0]?.exitCode, existsSync(program.folder)]).toEqual([0, false]);
  });

  it('stops what it does when it is asked to, and cleans up by another start', async () => {
    const run = await placed();
    const stop = new AbortController();
    const stopped = run('script', script(waits), stop.signal);
    await expect.poll(() => logged.join('\n'), { timeout: 30_000 }).toContain('running the script');
    stop.abort(new Error('enough'));
    await expect(stopped).rejects.toMatchObject({ code: 'general.cancelled' });
    expect(starts[0]?.exitCode ?? starts[0]?.signalCode).not.toBeNull();
    expect(await run('unmount')).toEqual({ left: [] });
    expect(starts).toHaveLength(2);
  });

  it('is started again when it was ended in between', async () => {
    const run = await placed();
    await run('unmount', { keepFolder: true });
    starts[0]?.stdin?.end();
    await once(starts[0] as ChildProcess, 'close');
    // The end of its channel may come behind.
    expect(await run('unmount')).toEqual({ left: [] });
    expect(starts).toHaveLength(2);
  });

  it('says what it printed when it ends without an answer', async () => {
    const run = await placed();
    const command = run('script', script(waits));
    await expect.poll(() => logged.join('\n'), { timeout: 30_000 }).toContain('running the script');
    starts[0]?.kill('SIGKILL');
    await expect(command).rejects.toMatchObject({ code: 'osmorphing.program-failed' });
  });
});
