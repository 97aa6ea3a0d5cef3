// needs: mono-mcs, mono-runtime, gcc, libc6-dev
import { spawn, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Duplex } from 'node:stream';

const sources = import.meta.dirname;
const program = join(sources, '..', '..', '..', '..', 'assets', 'worker', 'hyper-v', 'DiskReader.cs');

/** The C# program that hosts run, compiled as C# 5, with a library that stands in for the calls of Windows. */
export async function buildReader(folder: string): Promise<string> {
  const [library, built] = [join(folder, 'windows-calls.so'), join(folder, 'reader.exe')];
  made('cc', [
    '-shared',
    '-fPIC',
    '-O1',
    '-Wall',
    '-Wextra',
    '-Werror',
    '-o',
    library,
    join(sources, 'windows-calls.c'),
  ]);
  made('mcs', [
    '-langversion:5',
    '-warnaserror',
    '-r:System.dll',
    '-r:System.Core.dll',
    `-out:${built}`,
    program,
    join(sources, 'Main.cs'),
  ]);
  const maps = ['virtdisk.dll', 'kernel32.dll', 'advapi32.dll'].map(
    (name) => `<dllmap dll="${name}" target="${library}"/>`,
  );
  await writeFile(`${built}.config`, `<configuration>${maps.join('')}</configuration>\n`);
  return built;
}

export interface RunningReader {
  /** Its standard input and output. */
  readonly stream: Duplex;
  readonly ended: Promise<number | null>;
  kill(): void;
}

export interface ReaderOptions {
  /** Default: 60. */
  readonly idleSeconds?: number;
  /** Over TLS instead of standard input and output, which then is for ending it. */
  readonly tls?: { readonly pfx: string; readonly password: string; readonly client: string };
}

export function runReader(built: string, { idleSeconds = 60, tls }: ReaderOptions = {}): RunningReader {
  const child = spawn(
    'mono',
    [built, ...(tls === undefined ? [] : [tls.pfx, tls.password, tls.client]), String(idleSeconds)],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  // A program that ends in the middle of a request breaks its pipes: who reads and writes learns that by the end of the stream.
  for (const pipe of [child.stdin, child.stdout]) pipe.on('error', () => undefined);
  const stream = Duplex.from({ readable: child.stdout, writable: child.stdin }).on('error', () => undefined);
  return { stream, ended, kill: () => child.kill('SIGKILL') };
}

function made(command: string, args: readonly string[]): void {
  const { status, stderr, stdout } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command}: ${stderr}${stdout}`);
}
