import { spawn, type ChildProcess } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { NbdClient } from '../../../nbd/nbd-client.ts';
import { BASE_ALLOCATION, NbdDiskReader } from '../../../nbd/nbd-disk-reader.ts';
import { lastWords, runTool, toolEnvironment, toolMissing } from '../../../nbd/run-tool.ts';
import { makeToolFolder } from '../../../nbd/tool-folder.ts';
import type { DiskContent } from '../disk-access/disk-content.ts';
import { throwIfCancelled } from '../disk-access/file-server.ts';
import { initializedFor } from './initialization-library.ts';
import { chooseRelease, findReleases, type LibraryRelease } from './library-releases.ts';

export interface VendorDiskRequest {
  /** The vendor's distribution, or a folder of several releases of it. */
  readonly libraryFolder: string;
  /** `disklib_compatibility_version`: `<major>.<minor>`. */
  readonly compatibilityVersion?: string;
  readonly server: string;
  readonly port?: number;
  readonly nfcHostPort?: number;
  readonly user: string;
  readonly password: string;
  /** SHA-1 of the server's certificate. */
  readonly thumbprint: string;
  /** Managed object ids. */
  readonly vm: string;
  readonly snapshot?: string;
  /** `[datastore] folder/name.vmdk`. */
  readonly fileName: string;
  readonly sizeBytes: number;
  /** The plugin of nbdkit: its name, or the path of its file. */
  readonly plugin?: string;
}

/** Connecting to a platform through the library takes many seconds. */
const START_DEADLINE_MS = 120_000;
const MAX_STDERR = 32 * 1024;
const PASSWORD_FD = 3;

/**
 * Opens a disk through the vendor's library, in a process of its own: nbdkit with its vddk plugin, which serves the disk on a
 * socket that only this user can reach. It ends with the last connection, and with this process, however that ends.
 *
 * @throws CausewayError source.tool-missing, source.unsupported, source.request-refused, general.cancelled
 */
export async function openVendorDisk(request: VendorDiskRequest, signal: AbortSignal): Promise<DiskContent> {
  throwIfCancelled(signal);
  const release = chooseRelease(await findReleases(request.libraryFolder), request.compatibilityVersion);
  const folder = await makeToolFolder('vddk');
  const started: { server?: Server } = {};
  try {
    const loaded = await initializedFor(release, request.compatibilityVersion, join(folder, 'library'));
    await writeFile(join(folder, 'config'), configuration(folder), { mode: 0o600 });
    const server = startServer(request, release, loaded, folder);
    started.server = server;
    const client = await connected(server, join(folder, 'socket'), signal);
    const reader = new NbdDiskReader(client, { onClose: () => ended(server, folder) });
    if (reader.sizeBytes !== request.sizeBytes) {
      await reader.close();
      throw new CausewayError(
        'source.image-unreadable',
        `${request.fileName}: the library opened a disk of ${reader.sizeBytes} bytes instead of ${request.sizeBytes}`,
      );
    }
    return {
      sizeBytes: reader.sizeBytes,
      ...(client.info.contexts.has(BASE_ALLOCATION)
        ? { allocated: (ends: AbortSignal, fromBytes: number) => reader.extents(ends, fromBytes) }
        : {}),
      read: (offset, into, ends) => reader.read(offset, into, ends),
      close: () => reader.close(),
    };
  } catch (error) {
    if (started.server === undefined) await rm(folder, { recursive: true, force: true });
    else await ended(started.server, folder);
    throw error;
  }
}

/**
 * What this computer has of what the library needs, in words.
 * @throws CausewayError source.tool-missing
 */
export async function describeLibrary(folder: string, signal: AbortSignal, plugin = 'vddk'): Promise<string> {
  const releases = await findReleases(folder);
  const said = await runTool('nbdkit', [plugin, '--dump-plugin'], 'source.request-refused', signal).catch(
    (error: unknown) => {
      throw error instanceof CausewayError && error.code === 'source.request-refused'
        ? toolMissing('nbdkit-vddk-plugin', error)
        : error;
    },
  );
  const version = /^version=(.+)$/m.exec(said)?.[1] ?? 'unknown';
  return `${releases.length === 1 ? 'release' : 'releases'} ${releases.map((release) => release.version.join('.')).join(', ')}; nbdkit's plugin ${version}`;
}

/** Settings of the library: its temporary files in our folder, and buffers that keep a fast line busy. */
function configuration(folder: string): string {
  return [
    `tmpDirectory="${folder}"`,
    'vixDiskLib.nfcAio.Session.BufSizeIn64KB=16',
    'vixDiskLib.nfcAio.Session.BufCount=4',
    '',
  ].join('\n');
}

interface Server {
  readonly child: ChildProcess;
  readonly end: Promise<void>;
  /** Resolves when it has said something. */
  readonly said: Promise<void>;
  /** Why it ended; undefined while it runs. */
  failure(): CausewayError | undefined;
  /** What it said last, as an error. */
  complaint(): CausewayError | undefined;
}

function startServer(
  request: VendorDiskRequest,
  release: LibraryRelease,
  libraryFolder: string,
  folder: string,
): Server {
  const { port, nfcHostPort, snapshot } = request;
  const child = spawn(
    'nbdkit',
    [
      '--foreground',
      '--exit-with-parent',
      '--readonly',
      '--newstyle',
      `--unix=${join(folder, 'socket')}`,
      '--filter=exitlast',
      request.plugin ?? 'vddk',
      `libdir=${libraryFolder}`,
      `config=${join(folder, 'config')}`,
      `server=${request.server}`,
      `user=${request.user}`,
      `password=-${PASSWORD_FD}`,
      `thumbprint=${request.thumbprint}`,
      `vm=moref=${request.vm}`,
      `file=${request.fileName}`,
      'transports=nbdssl',
      ...(port === undefined ? [] : [`port=${port}`]),
      ...(nfcHostPort === undefined ? [] : [`nfchostport=${nfcHostPort}`]),
      ...(snapshot === undefined ? [] : [`snapshot=${snapshot}`]),
    ],
    {
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      // The library brings libraries of its own; with their folder set from the start, the plugin need not start itself again.
      env: {
        ...toolEnvironment(),
        LD_LIBRARY_PATH: [...new Set([libraryFolder, dirname(release.path)])].join(':'),
        HOME: folder,
      },
    },
  );
  const passwordPipe = child.stdio[PASSWORD_FD] as Writable;
  // A server that ends before it reads the password says so itself.
  passwordPipe.on('error', () => undefined);
  passwordPipe.end(request.password);
  let failure: CausewayError | undefined;
  let stderr = '';
  const said = Promise.withResolvers<void>();
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-MAX_STDERR);
    said.resolve();
  });
  const end = new Promise<void>((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      failure =
        error.code === 'ENOENT'
          ? toolMissing('nbdkit', error)
          : new CausewayError('source.request-refused', error.message, { cause: error });
      resolve();
    });
    child.once('close', (code, killer) => {
      failure ??= explained(stderr, `nbdkit exited (${killer ?? code})`, request.password);
      resolve();
    });
  });
  return {
    child,
    end,
    said: said.promise,
    failure: () => failure,
    complaint: () => (stderr.trim() === '' ? undefined : explained(stderr, 'nbdkit', request.password)),
  };
}

/** What nbdkit said at its end, as an error. */
function explained(stderr: string, otherwise: string, password: string): CausewayError {
  const words = lastWords(stderr).replaceAll(password === '' ? '\u0000' : password, '[…]');
  if (/cannot open plugin|plugin not found|nbdkit-vddk-plugin\.so/i.test(words))
    return toolMissing('nbdkit-vddk-plugin');
  if (/VixDiskLib|libvixDiskLib|vddk/i.test(words))
    return new CausewayError('source.request-refused', `the disk library: ${words}`);
  return new CausewayError('source.request-refused', words === '' ? otherwise : `${otherwise}: ${words}`);
}

async function connected(server: Server, path: string, signal: AbortSignal): Promise<NbdClient> {
  const deadline = performance.now() + START_DEADLINE_MS;
  const options = {
    address: { kind: 'unix', path },
    exportName: '',
    contexts: [BASE_ALLOCATION],
    handshakeTimeoutMs: START_DEADLINE_MS,
  } as const;
  for (let pause = 5; ; pause = Math.min(pause * 2, 200)) {
    const failure = server.failure();
    if (failure !== undefined) throw failure;
    throwIfCancelled(signal);
    try {
      return await NbdClient.connect(options, signal);
    } catch (error) {
      throwIfCancelled(signal);
      if (!(error instanceof CausewayError)) throw error;
      if (error.code !== 'source.unreachable') {
        // The disk is opened when somebody connects: why that failed is the server's to say.
        await Promise.race([server.end, server.said, delay(5000, undefined, { ref: false })]);
        throw server.failure() ?? server.complaint() ?? error;
      }
      if (performance.now() > deadline)
        throw new CausewayError('source.request-refused', `nbdkit was not ready after ${START_DEADLINE_MS} ms`);
    }
    await Promise.race([delay(pause), server.end]);
  }
}

async function ended({ child, end }: Server, folder: string): Promise<void> {
  child.kill('SIGTERM');
  const done = await Promise.race([end.then(() => true), delay(5000, false, { ref: false })]);
  if (!done) child.kill('SIGKILL');
  await end;
  await rm(folder, { recursive: true, force: true });
}
