import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type TLSSocket } from 'node:tls';
import type { CommandAnswer } from '../windows/winrm-stand-in/start.ts';
import type { FrozenFile } from './world.ts';

const program = join(import.meta.dirname, 'disk_reader.py');

/** Disks of checkpoints as VHD and VHDX files, dynamic and fixed, that qemu-img makes, for the readers of the rig. */
export class DiskFiles {
  readonly #folder = mkdtempSync(join(tmpdir(), 'causeway-hyperv-disks-'));
  readonly #paths: Record<string, string> = {};
  #count = 0;

  get folder(): string {
    return this.#folder;
  }

  get map(): string {
    return join(this.#folder, 'map.json');
  }

  /** Makes the files of a checkpoint, and forgets those of checkpoints that are gone. */
  keep(files: readonly FrozenFile[]): void {
    const wanted = new Map(files.map((file) => [file.path, file]));
    for (const [path, made] of Object.entries(this.#paths)) {
      if (wanted.has(path) && wanted.get(path) === this.#made.get(made)) continue;
      rmSync(made, { force: true });
      delete this.#paths[path];
    }
    for (const [path, file] of wanted) this.#paths[path] ??= this.#make(file);
    writeFileSync(this.map, JSON.stringify(this.#paths));
  }

  /** Short, as the paths of sockets have to be. */
  socketPath(): string {
    return join(this.#folder, `${(this.#count += 1)}.sock`);
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  readonly #made = new Map<string, FrozenFile>();

  #make(file: FrozenFile): string {
    const raw = join(this.#folder, 'raw');
    const made = join(this.#folder, `disk-${(this.#count += 1)}.${file.format}`);
    writeWithHoles(raw, file.content);
    const target = file.format === 'vhd' ? ['vpc', '-o', `subformat=${file.type},force_size=on`] : ['vhdx', '-o', `subformat=${file.type},block_size=1048576`];
    const { status, stderr } = spawnSync('qemu-img', ['convert', '-f', 'raw', '-O', ...target, raw, made]);
    rmSync(raw);
    if (status !== 0) throw new Error(String(stderr));
    this.#made.set(made, file);
    return made;
  }
}

const pieceBytes = 2 ** 20;

/** Zeros take no room, and no write has more bytes than one call takes. */
function writeWithHoles(path: string, content: Buffer): void {
  const zeros = Buffer.alloc(pieceBytes);
  const file = openSync(path, 'w');
  ftruncateSync(file, content.length);
  for (let at = 0; at < content.length; at += pieceBytes) {
    const piece = content.subarray(at, at + pieceBytes);
    if (!piece.equals(zeros.subarray(0, piece.length))) writeSync(file, piece, 0, piece.length, at);
  }
  closeSync(file);
}

/** A reader that a script has started. */
export interface RigReader {
  readonly name: string;
  readonly process: ChildProcess;
  /** Settles when its process has ended. */
  readonly gone: Promise<unknown>;
  /** Ends it as somebody who kills its process: nothing is tidied. */
  kill(): void;
  isKilled(): boolean;
}

export interface ReaderRequest {
  readonly name: string;
  readonly port: number;
  readonly pfx: string;
  readonly password: string;
  readonly client: string;
  readonly idleSeconds: number;
}

/** Listens as the script does: TLS with the certificate of the request, for the one client certificate; what goes over it is answered by the program in Python. */
export async function startReader(host: string, request: ReaderRequest, files: DiskFiles, rules: Set<string>): Promise<{ readonly reader: RigReader; readonly answer: CommandAnswer }> {
  const socketPath = files.socketPath();
  const child = spawn('python3', [program, '--map', files.map, '--socket', socketPath, '--idle', String(request.idleSeconds)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  await Promise.race([once(child.stdout, 'data'), ended]);
  const sockets = new Set<TLSSocket>();
  const server = createServer({ pfx: Buffer.from(request.pfx, 'base64'), passphrase: request.password, requestCert: true, rejectUnauthorized: false, maxVersion: 'TLSv1.2' }, (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    if (socket.getPeerX509Certificate()?.fingerprint256.replaceAll(':', '').toLowerCase() !== request.client) return void socket.destroy();
    const inner = connect(socketPath);
    inner.on('error', () => socket.destroy());
    inner.once('close', () => socket.destroy());
    socket.once('close', () => inner.destroy());
    socket.pipe(inner).pipe(socket);
  });
  const isListening = await new Promise<boolean>((resolve) => server.once('error', () => resolve(false)).listen(request.port, host, () => resolve(true)));
  if (!isListening) {
    child.kill('SIGKILL');
    await ended;
    return { reader: { name: request.name, process: child, gone: ended, kill: () => undefined, isKilled: () => true }, answer: { stdout: `${JSON.stringify({ error: { code: 'source.request-refused', message: 'Only one usage of each socket address is normally permitted' } })}\r\n`, exitCode: 3 } };
  }
  rules.add(request.name);
  let isKilled = false;
  const over = ended.then(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
    if (!isKilled) rules.delete(request.name);
  });
  async function* pieces(): AsyncGenerator<string> {
    yield `${JSON.stringify({ listening: (server.address() as AddressInfo).port, firewall: '' })}\r\n`;
    await over;
    yield `${JSON.stringify({ ended: true })}\r\n`;
  }
  const kill = (): void => {
    isKilled = true;
    child.kill('SIGKILL');
  };
  return { reader: { name: request.name, process: child, gone: ended, kill, isKilled: () => isKilled }, answer: { pieces: pieces(), stop: kill } };
}

/** The reader on standard input and output. */
export function startStreamReader(files: DiskFiles): ChildProcess {
  return spawn('python3', [program, '--map', files.map], { stdio: ['pipe', 'pipe', 'inherit'] });
}
