// needs: python3
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WorkerAccess } from '../../electron/engine/ports/destination-platform.ts';
import { defaultAgentPath } from '../../electron/engine/transport/agent-launch.ts';
import { AgentLink } from '../../electron/engine/transport/agent-link.ts';
import { sayHello } from '../../electron/engine/transport/agent-session.ts';
import { makeCertificate, type Certificate } from '../../electron/engine/transport/certificates.ts';
import { connectWorker } from '../../electron/engine/transport/connect-worker.ts';
import { inProcessHostKeys } from '../../electron/engine/transport/host-keys.ts';
import { dialAgent } from '../../electron/engine/transport/https.ts';
import { loginToWorker } from '../../electron/engine/transport/ssh-login.ts';
import { closeAll } from '../rigs/closing.ts';
import { startCutProxy } from '../rigs/cut-proxy.ts';
import { startMorphLab } from '../rigs/guests/morph-lab.ts';
import { freePort, startSshd } from '../rigs/sshd.ts';
import { canRun } from '../../scripts/test/needs.ts';

const never = new AbortController().signal;
const linkOptions = { peer: 'agent', checksumPayloads: false, pingAfterMs: 0, lostAfterMs: 5000, stalledAfterMs: 5000 };

describe('trust in a worker', () => {
  let folder: string;
  const stops: (() => void)[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'causeway-trust-'));
  });
  afterEach(() => closeAll(...stops.splice(0), () => rm(folder, { recursive: true, force: true })));

  async function startAgent(server: Certificate, client: Certificate): Promise<number> {
    await Promise.all([
      writeFile(join(folder, 'crt'), server.certPem),
      writeFile(join(folder, 'key'), server.keyPem),
      writeFile(join(folder, 'ca'), client.certPem),
    ]);
    const parameters = ['--listen', '0', '--host', '127.0.0.1', '--cert', 'crt', '--key', 'key', '--client-ca', 'ca'];
    const agent = spawn('python3', [defaultAgentPath(), ...parameters], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    stops.push(() => agent.kill('SIGKILL'));
    return firstPort(agent);
  }

  it('lets exactly the caller with the pinned certificate in', async () => {
    const [server, client, stranger] = await Promise.all([
      makeCertificate('a'),
      makeCertificate('b'),
      makeCertificate('b'),
    ]);
    const port = await startAgent(server, client);
    const socket = await dialAgent('127.0.0.1', port, server, client, true, never);
    const link = new AgentLink(socket, linkOptions);
    expect((await sayHello(link, undefined, never)).version).toBe(1);
    link.fail(new Error('done'));
    // In TLS 1.3 the client is done before the server has looked at its certificate: the refusal comes as an alert.
    const greet = async (): Promise<unknown> => {
      const other = new AgentLink(await dialAgent('127.0.0.1', port, server, stranger, true, never), linkOptions);
      return sayHello(other, undefined, never);
    };
    await expect(greet()).rejects.toMatchObject({ code: 'transport.lost' });
  });

  it('sends nothing to a server with another certificate, even one for the same name', async () => {
    const [server, impostor, client] = await Promise.all([
      makeCertificate('a'),
      makeCertificate('a'),
      makeCertificate('b'),
    ]);
    let received = 0;
    const fake = createServer({ cert: impostor.certPem, key: impostor.keyPem }, (socket) => {
      socket.on('data', (piece) => (received += piece.length));
      socket.on('error', () => undefined);
    });
    stops.push(() => fake.close());
    const port = await listening(fake);
    await expect(dialAgent('127.0.0.1', port, server, client, true, never)).rejects.toMatchObject({
      code: 'transport.certificate-mismatch',
    });
    expect(received).toBe(0);
  });

  it('remembers the host key that a worker first showed, and refuses another one for the same worker', async () => {
    const first = await startSshd();
    const hostKeys = inProcessHostKeys();
    const access: WorkerAccess = {
      workerId: randomUUID(),
      host: '127.0.0.1',
      sshPort: first.port,
      httpsPort: 1,
      username: first.username,
      privateKeyPem: first.privateKeyPem,
    };
    const options = { hostKeys, allowPaths: [folder], deadlineMs: 60_000, loginGraceMs: 0 };
    try {
      await (await connectWorker(access, 'SSH', options, never)).close();
      expect(hostKeys.get(access.workerId)).toBe(first.hostKey);
      await (await connectWorker(access, 'SSH', options, never)).close();
    } finally {
      await first.stop();
    }
    const second = await startSshd({ port: first.port });
    try {
      await expect(connectWorker(access, 'SSH', options, never)).rejects.toMatchObject({
        code: 'transport.host-key-mismatch',
      });
      expect(second.log()).not.toMatch(/Accepted|Failed/);
      // A new worker at the same address is another story.
      const anew = { ...access, workerId: randomUUID(), privateKeyPem: second.privateKeyPem };
      await (await connectWorker(anew, 'SSH', options, never)).close();
    } finally {
      await second.stop();
    }
  });

  it.runIf(canRun('native workers'))(
    'has a worker make a host key of its own after the first login, and then refuses the one that was in its user data',
    async () => {
      const lab = await startMorphLab('native');
      try {
        const { host, port, user, keyPath } = lab.worker.ssh.access;
        const notes: string[] = [];
        const access: WorkerAccess = {
          workerId: randomUUID(),
          host,
          sshPort: port,
          httpsPort: 1,
          username: user,
          privateKeyPem: await readFile(keyPath, 'utf8'),
          hostKey: lab.worker.hostKey,
        };
        const options = {
          hostKeys: inProcessHostKeys(),
          deadlineMs: 60_000,
          loginGraceMs: 0,
          note: (message: string) => void notes.push(message),
        };
        await lab.worker.ssh.text('sudo cp -p /etc/ssh/ssh_host_ed25519_key /root/of-user-data');
        const first = await loginToWorker(access, options, never);
        expect(first.hostKey).not.toBe(lab.worker.hostKey);
        await first.close();
        const second = await loginToWorker(access, options, never);
        expect(second.hostKey).toBe(first.hostKey);
        expect(
          (
            await second.exec('ls /etc/ssh | grep -e first -e next; sudo cat /etc/ssh/ssh_host_ed25519_key.pub', {
              signal: never,
              timeoutMs: 60_000,
            })
          ).stdout.trim(),
        ).toBe(`${first.hostKey} causeway`);
        // The link was cut between the change and the login that shows it: the key that was made is known, the change is not.
        const cut = inProcessHostKeys();
        cut.remember(`${access.workerId} ${lab.worker.hostKey} next`, first.hostKey);
        const after = await loginToWorker(access, { ...options, hostKeys: cut }, never);
        expect(after.hostKey).toBe(first.hostKey);
        await after.close();
        await second.exec(
          'sudo cp -p /root/of-user-data /etc/ssh/ssh_host_ed25519_key; sudo kill -HUP "$(cat /run/sshd.pid)"',
          { signal: never, timeoutMs: 60_000 },
        );
        await second.close();
        // Whoever has the user data can show its key, and no more.
        await expect(loginToWorker(access, options, never)).rejects.toMatchObject({
          code: 'transport.host-key-mismatch',
        });
        expect(notes).toEqual([]);
      } finally {
        await lab.close();
      }
    },
  );

  it('says once that a worker cannot change its host key, and goes on expecting the first one', async () => {
    const sshd = await startSshd();
    try {
      const notes: string[] = [];
      const access: WorkerAccess = {
        workerId: randomUUID(),
        host: '127.0.0.1',
        sshPort: sshd.port,
        httpsPort: 1,
        username: sshd.username,
        privateKeyPem: sshd.privateKeyPem,
        hostKey: sshd.hostKey,
      };
      const options = {
        hostKeys: inProcessHostKeys(),
        deadlineMs: 60_000,
        loginGraceMs: 0,
        note: (message: string) => void notes.push(message),
      };
      for (let login = 0; login < 2; login += 1) {
        const connection = await loginToWorker(access, options, never);
        expect(connection.hostKey).toBe(sshd.hostKey.split(' ').slice(0, 2).join(' '));
        await connection.close();
      }
      expect(notes).toEqual([
        expect.stringMatching(
          /^The worker keeps the SSH host key from its user data: the worker cannot change its SSH host key: /,
        ),
      ]);
    } finally {
      await sshd.stop();
    }
  });

  it('says who refused when the key pair is not the one of the worker', async () => {
    const [sshd, other] = [await startSshd(), await startSshd()];
    try {
      const access: WorkerAccess = {
        workerId: randomUUID(),
        host: '127.0.0.1',
        sshPort: sshd.port,
        httpsPort: 1,
        username: sshd.username,
        privateKeyPem: other.privateKeyPem,
        hostKey: sshd.hostKey,
      };
      const attempt = connectWorker(
        access,
        'SSH',
        { allowPaths: [folder], deadlineMs: 60_000, loginGraceMs: 0 },
        never,
      );
      await expect(attempt).rejects.toMatchObject({ code: 'transport.login-refused' });
    } finally {
      await Promise.all([sshd.stop(), other.stop()]);
    }
  });

  it('waits for a worker that still starts, gives up at the deadline, and at once when it is cancelled', async () => {
    const sshd = await startSshd();
    let isUp = false;
    const closedPort = await freePort();
    const proxy = await startCutProxy(() => (isUp ? sshd.port : closedPort));
    const access: WorkerAccess = {
      workerId: randomUUID(),
      host: '127.0.0.1',
      sshPort: proxy.port,
      httpsPort: 1,
      username: sshd.username,
      privateKeyPem: sshd.privateKeyPem,
      hostKey: sshd.hostKey,
    };
    const connect = (deadlineMs: number, signal = never): ReturnType<typeof connectWorker> =>
      connectWorker(access, 'SSH', { allowPaths: [folder], deadlineMs }, signal);
    try {
      await expect(connect(300)).rejects.toMatchObject({ code: 'transport.unreachable' });
      const cancel = new AbortController();
      const cancelled = connect(30_000, cancel.signal);
      const connecting = connect(30_000);
      cancel.abort();
      await expect(cancelled).rejects.toMatchObject({ code: 'general.cancelled' });
      isUp = true;
      await (await connecting).close();
    } finally {
      await Promise.all([sshd.stop(), proxy.stop()]);
    }
  });
});

function firstPort(agent: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    agent.once('exit', (code) => reject(new Error(`the agent ended with ${code}`)));
    agent.stdout?.once('data', (piece: Buffer) => {
      const { ports } = JSON.parse(piece.toString('utf8')) as { ports: number[] };
      resolve(ports[0] ?? 0);
    });
  });
}

function listening(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}
