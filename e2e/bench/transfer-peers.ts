import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort, type SshdRig } from '../rigs/sshd.ts';

const run = promisify(execFile);

/** A server that the peers' tools copy to: NBD over mutual TLS, its export a file. */
export interface NbdServer {
  readonly pid: number;
  readonly port: number;
  stop(): Promise<void>;
}

/** An authority with a server's and a client's certificate, in the file names that nbdkit, libnbd and QEMU look for. */
export async function makeNbdCertificates(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const file = (name: string): string => join(folder, name);
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  await run('openssl', [
    'req',
    '-x509',
    ...key,
    '-keyout',
    file('ca-key.pem'),
    '-out',
    file('ca-cert.pem'),
    '-days',
    '2',
    '-subj',
    '/CN=bench',
  ]);
  await writeFile(file('names'), 'subjectAltName=DNS:localhost,IP:127.0.0.1\n');
  for (const side of ['server', 'client']) {
    await run('openssl', [
      'req',
      ...key,
      '-keyout',
      file(`${side}-key.pem`),
      '-out',
      file(`${side}.csr`),
      '-subj',
      '/CN=localhost',
    ]);
    const authority = ['-CA', file('ca-cert.pem'), '-CAkey', file('ca-key.pem'), '-CAcreateserial'];
    const names = ['-days', '2', '-extfile', file('names')];
    await run('openssl', [
      'x509',
      '-req',
      '-in',
      file(`${side}.csr`),
      ...authority,
      '-out',
      file(`${side}-cert.pem`),
      ...names,
    ]);
  }
}

/** Which peers they are and how they are set: as they come, but for TLS. */
export function peerSettings(): string {
  const version = (program: string): string =>
    execFileSync(program, ['--version'], { encoding: 'utf8' }).split('\n')[0] ?? program;
  return [
    `${version('nbdcopy')} with its defaults (up to 4 connections, a thread for each processor, 64 requests of 256 KiB, zeros from 4 KiB on left out)`,
    `${version('nbdkit')} with the file plugin`,
    `${version('qemu-img')} with its defaults (8 requests of 2 MiB), qemu-nbd for up to 8 clients`,
    'all with mutual TLS by X.509 and without a flush at the end',
  ].join('; ');
}

export async function startNbdServer(
  kind: 'nbdkit' | 'qemu-nbd',
  certificates: string,
  target: string,
): Promise<NbdServer> {
  const port = await freePort();
  const server =
    kind === 'nbdkit'
      ? spawn(
          'nbdkit',
          [
            '-f',
            '--tls=require',
            `--tls-certificates=${certificates}`,
            '--tls-verify-peer',
            '-i',
            '127.0.0.1',
            '-p',
            String(port),
            'file',
            target,
          ],
          { stdio: 'inherit' },
        )
      : spawn(
          'qemu-nbd',
          [
            '--object',
            `tls-creds-x509,id=t,dir=${certificates},endpoint=server,verify-peer=on`,
            '--tls-creds',
            't',
            '-f',
            'raw',
            '-b',
            '127.0.0.1',
            '-p',
            String(port),
            '-t',
            '-e',
            '8',
            '-x',
            '',
            target,
          ],
          { stdio: 'inherit' },
        );
  await accepting(port);
  return { pid: server.pid ?? 0, port, stop: () => ended(server) };
}

export async function nbdcopy(source: string, port: number, certificates: string): Promise<void> {
  await run('nbdcopy', [source, `nbds://localhost:${port}/?tls-certificates=${certificates}`]);
}

export async function qemuImgConvert(source: string, port: number, certificates: string): Promise<void> {
  const credentials = `tls-creds-x509,id=t,dir=${certificates},endpoint=client`;
  const target = `driver=nbd,host=localhost,port=${port},tls-creds=t`;
  await run('qemu-img', ['convert', '-n', '-f', 'raw', '--object', credentials, '--target-image-opts', source, target]);
}

/** `dd | ssh dd`, with the cipher that OpenSSH chooses or a given one. */
export async function ddOverSsh(
  source: string,
  target: string,
  sshd: SshdRig,
  cipher: string | undefined,
): Promise<void> {
  const options = ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'LogLevel=ERROR', 'BatchMode=yes']
    .map((option) => `-o ${option}`)
    .join(' ');
  const login = `-p ${sshd.port} -i ${sshd.privateKeyPath} -l ${sshd.username}${cipher === undefined ? '' : ` -c ${cipher}`}`;
  const remote = `dd of=${target} bs=1M conv=notrunc iflag=fullblock status=none`;
  await run('sh', ['-c', `dd if=${source} bs=1M status=none | ssh ${options} ${login} 127.0.0.1 ${remote}`]);
}

async function accepting(port: number): Promise<void> {
  for (const end = performance.now() + 10_000; performance.now() < end; await delay(50)) {
    const open = await new Promise<boolean>((resolve) => {
      const probe = connect({ host: '127.0.0.1', port });
      probe.once('connect', () => resolve(true)).once('error', () => resolve(false));
      probe.once('connect', () => probe.destroy());
    });
    if (open) return;
  }
  throw new Error(`nothing listens on port ${port}`);
}

function ended(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    server.once('exit', () => resolve());
    server.kill('SIGTERM');
  });
}
