import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { promisify } from 'node:util';
import { abortReason } from '../concurrency/abortable.ts';
import type { ThisComputer } from '../ports/own-vm.ts';
import { systemClock, type Clock } from '../time/clock.ts';
import { deadline, type Deadline } from '../time/deadline.ts';

/** Where clouds tell a VM about itself. Only the VM's own host answers there, unless somebody on its network does. */
const metadataUrl = 'http://169.254.169.254';
/** A host answers at once; elsewhere the address leads nowhere. */
const patienceMs = 2_000;
const mostBytes = 256 * 1024;
const mostIdBytes = 255;

/** Where things are on this computer; other places in tests. */
export interface ThisComputerPlaces {
  readonly metadataUrl?: string;
  readonly patienceMs?: number;
  readonly clock?: Clock;
  readonly cloudInitId?: string;
  readonly productUuid?: string;
  /** What reads a file that only root may read. */
  readonly asRoot?: readonly string[];
}

/** The computer that this process runs on. */
export function thisComputer(places: ThisComputerPlaces = {}): ThisComputer {
  const {
    cloudInitId = '/var/lib/cloud/data/instance-id',
    productUuid = '/sys/class/dmi/id/product_uuid',
    asRoot = ['sudo', '-n', 'cat'],
  } = places;
  return {
    metadata: (path, headers, signal, method = 'GET') =>
      answerOf(
        new URL(path, places.metadataUrl ?? metadataUrl),
        { method, headers },
        deadline(places.clock ?? systemClock, places.patienceMs ?? patienceMs),
        signal,
      ),
    cloudInitId: async (signal) => idIn(await textOf(cloudInitId, signal)),
    async productUuid(signal) {
      const known = (await textOf(productUuid, signal)) ?? (await rootsTextOf(asRoot, productUuid, signal));
      return idIn(known)?.toLowerCase();
    },
    bootId,
  };
}

function bootId(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return undefined;
  }
}

/** Straight to the address: a proxy would answer for its own VM. No redirect is followed, as none is expected. */
async function answerOf(
  url: URL,
  asking: { readonly method: string; readonly headers: Readonly<Record<string, string>> },
  { signal: late, callOff }: Deadline,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (signal.aborted) {
    callOff();
    throw abortReason(signal);
  }
  const within = AbortSignal.any([signal, late]);
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const asked = request(url, { ...asking, agent: new Agent({ keepAlive: false }), signal: within }, (answer) => {
    const parts: Buffer[] = [];
    let length = 0;
    answer.on('data', (part: Buffer) => {
      length += part.length;
      if (length > mostBytes) asked.destroy();
      else parts.push(part);
    });
    answer.on('end', () => resolve(answer.statusCode === 200 ? Buffer.concat(parts).toString('utf8') : undefined));
    answer.on('close', () => resolve(undefined));
    answer.on('error', () => resolve(undefined));
  });
  asked.on('error', () => resolve(undefined));
  asked.on('close', () => resolve(undefined));
  asked.end();
  const text = await promise;
  callOff();
  if (signal.aborted) throw abortReason(signal);
  return text;
}

async function textOf(path: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    return await readFile(path, { encoding: 'utf8', signal });
  } catch {
    if (signal.aborted) throw abortReason(signal);
    return undefined;
  }
}

/** The firmware's UUID is for root alone. */
async function rootsTextOf(
  [program = '', ...first]: readonly string[],
  path: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined;
  try {
    return (await promisify(execFile)(program, [...first, path], { signal, timeout: 5_000, maxBuffer: 4096 })).stdout;
  } catch {
    if (signal.aborted) throw abortReason(signal);
    return undefined;
  }
}

/** One word. */
function idIn(text: string | undefined): string | undefined {
  const id = text?.trim() ?? '';
  return id.length > 0 && id.length <= mostIdBytes && /^[\w.:/@-]+$/.test(id) ? id : undefined;
}
