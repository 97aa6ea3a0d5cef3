import { connect, type AddressInfo } from 'node:net';
import ssh2 from 'ssh2';
import { generateKeyPairSync } from 'node:crypto';
import type { HypervRig } from './start.ts';
import { startStreamReader } from './reader-stand-in.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface RigSshServer {
  readonly port: number;
  readonly hostKey: string;
  /** Readers that run. */
  readonly streams: () => number;
  /** Where connections were passed on to, as jump hosts do. */
  readonly forwarded: readonly string[];
  /** Passwords that were sent. */
  readonly attempts: () => number;
  /** Breaks every connection. */
  cut(): void;
  close(): Promise<void>;
}

const assets = join(import.meta.dirname, '..', '..', '..', 'assets', 'worker', 'hyper-v');

/** `hostKey` is what clients know it by. */
export function makeHostKey(): { readonly privateKey: string; readonly hostKey: string } {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  const parsed = ssh2.utils.parseKey(privateKey);
  if (parsed instanceof Error) throw parsed;
  return { privateKey, hostKey: `${parsed.type} ${parsed.getPublicSSH().toString('base64')}` };
}

/** The OpenSSH server of a Windows host: takes the account's password, and command lines that start PowerShell with a script of the product. */
export async function startSshServer(rig: HypervRig, node: string): Promise<RigSshServer> {
  const { privateKey, hostKey } = makeHostKey();
  const clients = new Set<ssh2.Connection>();
  const forwarded: string[] = [];
  let [streams, attempts] = [0, 0];
  const program = readFileSync(join(assets, 'DiskReader.cs'));
  const server = new ssh2.Server({ hostKeys: [privateKey] }, (client) => {
    clients.add(client);
    client.on('error', () => undefined);
    client.once('close', () => clients.delete(client));
    client.on('authentication', (context) => {
      if (context.method !== 'password') return context.reject(['password']);
      attempts += 1;
      if (context.username === rig.username && context.password === rig.password) context.accept();
      else context.reject(['password']);
    });
    client.on('tcpip', (accept, reject, { destIP, destPort }) => {
      const socket = connect(destPort, destIP);
      socket.once('error', () => reject());
      socket.once('connect', () => {
        forwarded.push(`${destIP}:${destPort}`);
        const channel = accept();
        socket.on('error', () => undefined);
        socket.once('close', () => channel.end());
        channel.on('error', () => undefined);
        channel.once('close', () => socket.destroy());
        socket.pipe(channel).pipe(socket);
      });
    });
    client.on('session', (accept) =>
      accept().on('exec', (acceptExec, reject, { command }) => {
        const found =
          /^powershell\.exe -NoProfile -NonInteractive -InputFormat (Text|None) -ExecutionPolicy Bypass -EncodedCommand ([A-Za-z0-9+/=]+)$/.exec(
            command,
          );
        if (found === null || command.length > 8191) return void reject();
        const channel = acceptExec();
        const script = Buffer.from(found[2] ?? '', 'base64').toString('utf16le');
        if (found[1] === 'None') {
          if (
            script !==
            `$ProgressPreference = 'SilentlyContinue'\n${readFileSync(join(assets, 'stream-reader.ps1'), 'utf8')}`
          )
            return void channel.exit(1);
          // The program comes first, after its length.
          const head = String(program.length).padStart(8, '0').length + program.length;
          let skipped = 0;
          rig.files.keep(rig.world.frozenFiles);
          const reader = startStreamReader(rig.files);
          streams += 1;
          reader.once('exit', () => {
            streams -= 1;
            channel.exit(0);
            channel.end();
          });
          reader.stdin?.on('error', () => undefined);
          channel.on('data', (piece: Buffer) => {
            const drop = Math.min(piece.length, head - skipped);
            skipped += drop;
            reader.stdin?.write(piece.subarray(drop));
          });
          channel.once('close', () => reader.stdin?.end());
          channel.once('end', () => reader.stdin?.end());
          reader.stdout?.on('data', (piece: Buffer) => channel.write(piece));
          return;
        }
        const input: Buffer[] = [];
        channel.on('data', (piece: Buffer) => input.push(piece));
        channel.once('end', () => {
          const run = rig.runOn.get(node);
          const answer =
            run?.({ program: 'powershell.exe', script, input: Buffer.concat(input) }) ??
            Promise.reject(new Error(`no node ${node}`));
          answer.then(
            ({ stdout = '', exitCode = 0 }) => {
              channel.write(stdout);
              channel.exit(exitCode);
              channel.end();
            },
            () => channel.exit(1),
          );
        });
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, node, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    hostKey,
    forwarded,
    streams: () => streams,
    attempts: () => attempts,
    cut: () => {
      for (const client of clients) client.end();
    },
    close: () =>
      new Promise((resolve) => {
        for (const client of clients) client.end();
        server.close(() => resolve());
      }),
  };
}
