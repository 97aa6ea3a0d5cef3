import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { Worker } from 'node:worker_threads';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { textStart } from '../../../shared/model/cut-text.ts';
import { scriptFunctions, threadProgram } from './proxy-script-thread.ts';

/** What a script may use: it comes from the network and may be anyone's. */
export interface ScriptBounds {
  /** Of one evaluation, look-ups of names not counted. */
  readonly timeMs: number;
  readonly memoryBytes: number;
  /** Names that it may have resolved. */
  readonly names: number;
}

export const usualBounds: ScriptBounds = { timeMs: 3000, memoryBytes: 16 * 1024 * 1024, names: 24 };
/** A look-up that takes longer counts as a name that does not resolve. */
const lookupMs = 3000;
const mostRounds = 12;
/** A busy computer starts threads slowly; nothing of the script has run by then. */
const startMs = 30_000;

interface Said {
  readonly answer?: string;
  readonly failure?: string;
  readonly missing: readonly string[];
}

export type ResolveName = (name: string) => Promise<string | undefined>;

/**
 * Evaluates a proxy script (PAC) for one host, by QuickJS in WebAssembly, in a thread of its own that is ended afterwards. The script sees
 * the name of the host and the port, no path and no request; it reaches no file, no network and nothing of this process. What it can ask
 * is the address of a name and of this computer. Names are looked up between evaluations: each starts from the beginning.
 *
 * @returns what it returned, e.g. `PROXY a:8080; DIRECT`
 * @throws CausewayError cloud.proxy-script-failed
 */
export async function evaluateScript(
  script: string,
  host: string,
  port: number,
  signal: AbortSignal,
  bounds = usualBounds,
  resolveName: ResolveName = addressOf,
): Promise<string> {
  const name = host.includes(':') ? `[${host}]` : host;
  const addresses = new Map<string, string | null>();
  const { address: engine, wasm } = await loadEngine();
  const worker = new Worker(threadProgram, {
    eval: true,
    name: 'proxy script',
    execArgv: [],
    env: {},
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16 },
    workerData: {
      engine,
      wasm,
      script,
      functions: scriptFunctions,
      url: `https://${name}${port === 443 ? '' : `:${port}`}/`,
      host,
      myAddress: await myAddress(),
      memoryLimit: bounds.memoryBytes,
    },
  });
  try {
    const { failure } = await nextOf(worker, startMs, signal);
    if (failure !== undefined) throw failed(failure);
    for (let round = 0; round < mostRounds; round += 1) {
      worker.postMessage(addresses);
      const said = await nextOf(worker, bounds.timeMs, signal);
      const missing = said.missing.filter((each) => !addresses.has(each));
      if (missing.length === 0) {
        if (said.answer === undefined) throw failed(said.failure ?? 'it gave no answer');
        return said.answer;
      }
      if (addresses.size + missing.length > bounds.names)
        throw failed(`it asks for the addresses of more than ${bounds.names} names`);
      const found = await Promise.all(missing.map((each) => resolveName(each)));
      for (const [index, each] of missing.entries()) addresses.set(each, found[index] ?? null);
    }
    throw failed('it asks for the addresses of ever more names');
  } finally {
    await worker.terminate();
  }
}

/** The next message of the thread. */
function nextOf(worker: Worker, timeMs: number, signal: AbortSignal): Promise<Said> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => end(() => reject(failed(`it did not end within ${timeMs} ms`))), timeMs);
    const onAbort = (): void => end(() => reject(signal.reason as Error));
    const onMessage = (said: Said): void => end(() => resolve(said));
    const onError = (error: unknown): void =>
      end(() => reject(failed(error instanceof Error ? error.message : 'its thread failed')));
    const onExit = (): void => end(() => reject(failed('its thread ended')));
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      settle();
    };
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    worker.once('message', onMessage).once('error', onError).once('exit', onExit);
  });
}

function failed(evidence: string): CausewayError {
  return new CausewayError('cloud.proxy-script-failed', `the proxy script: ${textStart(evidence, 300)}`);
}

let engine: Promise<{ readonly address: string; readonly wasm: WebAssembly.Module }> | undefined;

/** Compiled once. In a package the library lies beside the archive: threads read real files whatever they know of archives. */
function loadEngine(): Promise<{ readonly address: string; readonly wasm: WebAssembly.Module }> {
  engine ??= (async () => {
    const place = (name: string): string =>
      import.meta.resolve(name).replace(/([\\/])app\.asar([\\/])/, '$1app.asar.unpacked$2');
    return {
      address: place('quickjs-wasi'),
      wasm: await WebAssembly.compile(await readFile(new URL(place('quickjs-wasi/quickjs.wasm')))),
    };
  })();
  return engine;
}

async function addressOf(name: string): Promise<string | undefined> {
  if (!/^[a-z0-9_]([a-z0-9_.-]{0,251}[a-z0-9_.])?$/.test(name)) return undefined;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(resolve, lookupMs, undefined)));
  try {
    return await Promise.race([
      lookup(name, { family: 4 }).then(
        ({ address }) => address,
        () => undefined,
      ),
      late,
    ]);
  } finally {
    clearTimeout(timer);
  }
}

/** The address that this computer sends from, by its routes; nothing is sent to find it. */
async function myAddress(): Promise<string> {
  const socket = createSocket('udp4');
  try {
    return await new Promise<string>((resolve, reject) => {
      socket.once('error', reject);
      socket.connect(53, '192.0.2.1', () => resolve(socket.address().address));
    });
  } catch {
    return (
      Object.values(networkInterfaces())
        .flat()
        .find((each) => each?.family === 'IPv4' && !each.internal)?.address ?? '127.0.0.1'
    );
  } finally {
    socket.close();
  }
}
