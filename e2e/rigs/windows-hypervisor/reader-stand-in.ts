// needs: python3, qemu-utils
import { spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type TLSSocket } from 'node:tls';
import { buildVhdx } from '../../../electron/engine/images/testing/build-vhdx.ts';
import { spawnBound } from '../machines/child-process.ts';
import type { CommandAnswer } from '../windows/winrm-stand-in/start.ts';
import { sectorBytes, type FrozenFile, type Layer } from './world.ts';

const program = join(import.meta.dirname, 'disk_reader.py');

/** Disks of checkpoints as files, for the readers of the rig: VHD and VHDX that qemu-img makes, and on them the differencing VHDX of what was written after each checkpoint of people. */
export class DiskFiles {
  readonly #folder = mkdtempSync(join(tmpdir(), 'causeway-hyperv-disks-'));
  /** By path of Windows. A file whose disk nobody has written to since is made once. */
  readonly #made = new Map<
    string,
    { readonly of: Layer; readonly parent: string | undefined; readonly type: string; readonly file: string }
  >();
  #count = 0;

  get folder(): string {
    return this.#folder;
  }

  get map(): string {
    return join(this.#folder, 'map.json');
  }

  /** Which files of Windows are found, and where they are. */
  made(): Readonly<Record<string, string>> {
    return JSON.parse(readFileSync(this.map, 'utf8')) as Record<string, string>;
  }

  /** Makes the files of checkpoints. Those of checkpoints that are gone are found no more. */
  keep(files: readonly FrozenFile[]): void {
    writeFileSync(this.map, JSON.stringify(Object.fromEntries(files.flatMap((file) => this.#chain(file)))));
  }

  /** Short, as the paths of sockets have to be. */
  socketPath(): string {
    return join(this.#folder, `${(this.#count += 1)}.sock`);
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Paths of Windows and the files that stand for them, the first file of the chain first. */
  #chain({ path, content, written, layers, format, type }: FrozenFile): readonly (readonly [string, string])[] {
    const found: (readonly [string, string])[] = [];
    for (const layer of [...layers, { path, content, written }]) {
      const below = found.at(-1);
      const known = this.#made.get(layer.path);
      if (
        known !== undefined &&
        known.of.content === layer.content &&
        known.parent === below?.[1] &&
        known.type === `${format} ${type}`
      ) {
        found.push([layer.path, known.file]);
        continue;
      }
      if (known !== undefined) rmSync(known.file, { force: true });
      const file = join(this.#folder, `disk-${(this.#count += 1)}.${format}`);
      if (below === undefined) this.#first(file, layer.content, format, type);
      else
        writeFileSync(
          file,
          buildVhdx(
            {
              sizeBytes: layer.content.length,
              bytes: layer.content,
              has: (at) => layer.written[at / sectorBytes] === 1,
            },
            {
              id: this.#count % 256,
              parent: { linkage: identityOf(below[1]), paths: { absolute_win32_path: below[0] } },
            },
          ),
        );
      this.#made.set(layer.path, { of: layer, parent: below?.[1], type: `${format} ${type}`, file });
      found.push([layer.path, file]);
    }
    return found;
  }

  #first(file: string, content: Buffer, format: string, type: string): void {
    const raw = join(this.#folder, 'raw');
    writeWithHoles(raw, content);
    const target =
      format === 'vhd'
        ? ['vpc', '-o', `subformat=${type},force_size=on`]
        : ['vhdx', '-o', `subformat=${type},block_size=1048576`];
    const { status, stderr } = spawnSync('qemu-img', ['convert', '-f', 'raw', '-O', ...target, raw, file]);
    rmSync(raw);
    if (status !== 0) throw new Error(String(stderr));
  }
}

/** What a VHDX is known by to those that build on it: it changes with the first write after a file was opened. */
function identityOf(path: string): string {
  const file = openSync(path, 'r');
  const heads = [64, 128].map((kib) => {
    const head = Buffer.alloc(80);
    readSync(file, head, 0, head.length, kib * 1024);
    return head;
  });
  closeSync(file);
  const [head] = heads
    .filter((each) => each.toString('latin1', 0, 4) === 'head')
    .sort((one, other) => Number(other.readBigUInt64LE(8) - one.readBigUInt64LE(8)));
  if (head === undefined) throw new Error(`${path} has no header`);
  const hex = (from: number, to: number): string => head.subarray(from, to).toString('hex');
  const little = (from: number, to: number): string => Buffer.from(head.subarray(from, to)).reverse().toString('hex');
  return [little(32, 36), little(36, 38), little(38, 40), hex(40, 42), hex(42, 48)].join('-');
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
  /** Where it listens. */
  readonly port: number;
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
export async function startReader(
  host: string,
  request: ReaderRequest,
  files: DiskFiles,
  rules: Set<string>,
): Promise<{ readonly reader: RigReader; readonly answer: CommandAnswer }> {
  const socketPath = files.socketPath();
  const child = spawnBound(
    'python3',
    ['-S', '-E', program, '--map', files.map, '--socket', socketPath, '--idle', String(request.idleSeconds)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const ended = once(child, 'exit');
  await Promise.race([once(child.stdout as NodeJS.ReadableStream, 'data'), ended]);
  const sockets = new Set<TLSSocket>();
  const server = createServer(
    {
      pfx: Buffer.from(request.pfx, 'base64'),
      passphrase: request.password,
      requestCert: true,
      rejectUnauthorized: false,
      maxVersion: 'TLSv1.2',
    },
    (socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      socket.on('error', () => socket.destroy());
      if (socket.getPeerX509Certificate()?.fingerprint256.replaceAll(':', '').toLowerCase() !== request.client)
        return void socket.destroy();
      const inner = connect(socketPath);
      inner.on('error', () => socket.destroy());
      inner.once('close', () => socket.destroy());
      socket.once('close', () => inner.destroy());
      socket.pipe(inner).pipe(socket);
    },
  );
  let isListening = false;
  // As the script does: the first port that nobody has, of those from the one that was asked for on.
  for (let attempt = 0; !isListening && attempt < (request.port === 0 ? 1 : 32); attempt += 1) {
    isListening = await new Promise<boolean>((resolve) => {
      const taken = (): void => resolve(false);
      server.once('error', taken).listen(request.port + attempt, host, () => {
        server.off('error', taken);
        resolve(true);
      });
    });
  }
  if (!isListening) {
    child.kill('SIGKILL');
    await ended;
    return {
      reader: { name: request.name, port: 0, process: child, gone: ended, kill: () => undefined, isKilled: () => true },
      answer: {
        stdout: `${JSON.stringify({ error: { code: 'source.request-refused', message: 'Only one usage of each socket address is normally permitted' } })}\r\n`,
        exitCode: 3,
      },
    };
  }
  rules.add(request.name);
  let isKilled = false;
  const over = ended.then(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
    if (!isKilled) rules.delete(request.name);
  });
  const { port } = server.address() as AddressInfo;
  async function* pieces(): AsyncGenerator<string> {
    yield `${JSON.stringify({ listening: port, firewall: '' })}\r\n`;
    await over;
    yield `${JSON.stringify({ ended: true })}\r\n`;
  }
  const kill = (): void => {
    isKilled = true;
    child.kill('SIGKILL');
  };
  return {
    reader: { name: request.name, port, process: child, gone: ended, kill, isKilled: () => isKilled },
    answer: { pieces: pieces(), stop: kill },
  };
}

/** The reader on standard input and output. */
export function startStreamReader(files: DiskFiles): ChildProcess {
  return spawnBound('python3', ['-S', '-E', program, '--map', files.map], { stdio: ['pipe', 'pipe', 'inherit'] });
}
