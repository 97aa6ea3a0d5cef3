import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { blockNodeName, type BlockNode } from './block-node.ts';
import { NbdClient } from './nbd-client.ts';
import { lastWords, toolEnvironment, toolMissing } from './run-tool.ts';

const START_DEADLINE = 15_000;
const MAX_STDERR = 16 * 1024;

export interface ServedImage {
  readonly client: NbdClient;
  /** Ends the server and removes its socket. The client is to be closed first. */
  stop(): Promise<void>;
}

/**
 * Serves one image read-only with qemu-nbd on a socket that only we can reach, and connects to it.
 *
 * The server is not `--persistent`: it ends by itself when its last client is gone. Since we hold a connection from
 * start to end, it can't outlive us, even after `kill -9`.
 *
 * @throws CausewayError source.tool-missing, source.image-unreadable, general.cancelled
 */
export async function serveImage(
  image: BlockNode,
  contexts: readonly string[],
  signal: AbortSignal,
): Promise<ServedImage> {
  // mkdtemp makes it 0700.
  const folder = await mkdtemp(join(tmpdir(), 'causeway-nbd-'));
  const path = join(folder, 'socket');
  const child = spawn('qemu-nbd', ['--read-only', '--shared=4', `--socket=${path}`, blockNodeName(image)], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: toolEnvironment(),
  });
  const end = watchEnd(child);
  const stop = async () => {
    child.kill('SIGTERM');
    const ended = await Promise.race([end.promise.then(() => true), delay(2000, false, { ref: false })]);
    if (!ended) child.kill('SIGKILL');
    await end.promise;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const client = await connectWhenReady(path, contexts, end, signal);
    // One connection is enough: with the socket removed, no other process can connect, and a crash leaves nothing behind.
    await rm(folder, { recursive: true, force: true });
    return { client, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface ChildEnd {
  readonly promise: Promise<void>;
  /** Why the process ended; undefined while it runs. */
  reason(): CausewayError | undefined;
}

function watchEnd(child: ChildProcess): ChildEnd {
  let reason: CausewayError | undefined;
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-MAX_STDERR);
  });
  const promise = new Promise<void>((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      reason =
        error.code === 'ENOENT'
          ? toolMissing('qemu-nbd', error)
          : new CausewayError('source.image-unreadable', error.message, { cause: error });
      resolve();
    });
    child.once('close', (code, killer) => {
      reason ??= new CausewayError(
        'source.image-unreadable',
        `qemu-nbd exited (${killer ?? code}): ${lastWords(stderr)}`,
      );
      resolve();
    });
  });
  return { promise, reason: () => reason };
}

async function connectWhenReady(
  path: string,
  contexts: readonly string[],
  end: ChildEnd,
  signal: AbortSignal,
): Promise<NbdClient> {
  const deadline = performance.now() + START_DEADLINE;
  for (let pause = 3; ; pause = Math.min(pause * 2, 200)) {
    const reason = end.reason();
    if (reason !== undefined) throw reason;
    if (signal.aborted) throw new CausewayError('general.cancelled', 'opening an image was cancelled');
    try {
      return await NbdClient.connect({ address: { kind: 'unix', path }, exportName: '', contexts }, signal);
    } catch (error) {
      if (!(error instanceof CausewayError) || error.code !== 'source.unreachable') throw end.reason() ?? error;
      if (performance.now() > deadline)
        throw new CausewayError('source.image-unreadable', `qemu-nbd was not ready after ${START_DEADLINE} ms`);
    }
    await Promise.race([delay(pause), end.promise]);
  }
}
