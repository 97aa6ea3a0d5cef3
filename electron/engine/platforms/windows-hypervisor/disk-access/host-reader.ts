import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { ErrorCode } from '../../../../../shared/model/errors/catalogue.ts';
import type { LedgerEntry, LedgerScope } from '../../../ports/ledger.ts';
import type { WorkerVolume } from '../../../ports/write-target.ts';
import { refuseOutside } from '../../../ports/disk-reader.ts';
import { abortable, abortReason } from '../../../concurrency/abortable.ts';
import { AgentLink } from '../../../transport/agent-link.ts';
import { AgentSession, sayHello } from '../../../transport/agent-session.ts';
import { makeCertificate } from '../../../transport/certificates.ts';
import { dialAgent } from '../../../transport/https.ts';
import { pkcs12 } from '../../../transport/pkcs12.ts';
import { asSourceError, type HostLink } from '../control/host-link.ts';
import { hostFile, scriptInput, type RemotePowershell } from '../control/remote-powershell.ts';
import { removedSchema } from '../control/answers.ts';
import type { DiskAccess, DiskContent, FrozenDisk } from './disk-access.ts';

export interface HostReaderOptions {
  /** First of those that a reader on the host tries, to listen with TLS; 0: any. */
  readonly port: number;
  /** Of WinRM: who is connected there may connect to the reader. */
  readonly managementPort: number;
  readonly ledger: LedgerScope | undefined;
  readonly linkOf: (host: string) => HostLink;
  readonly note: (message: string) => void;
  /** Default: three minutes. */
  readonly startWithinMs?: number | undefined;
}

const idleSeconds = 120;
const dataLinks = 2;
const inFlightBytes = 8 * 2 ** 20;
/** How often a disk is opened again when the connection to the reader is lost while it is read. */
const reopenings = 3;
/** Compiling takes seconds on a host, and a minute on a busy one. */
const startTimeoutMs = 180_000;
/** A reader may work for as long as an execution takes. */
const lifetimeMs = 14 * 24 * 3_600_000;
const listeningSchema = z.object({ listening: z.int().positive(), firewall: z.string() });
const foundSchema = z.object({ found: z.boolean() });
const ledgerKind = 'other';
const keyPrefix = 'reader on ';

/** What the protocol's errors mean here: the same agent also writes. */
const sourceCodes: Readonly<Partial<Record<ErrorCode, ErrorCode>>> = {
  'transport.device-refused': 'source.snapshot-lost',
  'transport.device-in-use': 'source.read-failed',
  'transport.write-failed': 'source.read-failed',
  'transport.request-refused': 'source.read-failed',
  'transport.out-of-range': 'source.read-failed',
  'transport.protocol': 'source.protocol',
};

/** A reader that runs on a host, with what carries it. */
interface Running {
  readonly session: AgentSession;
  /** Waits until nothing of it is left on the host. */
  end(): Promise<void>;
}

/**
 * Causeway's own reader: a program that is sent to the host for the time of an execution and opens disks by Windows' own virtual disk API. It listens with a
 * certificate made for this one run, or answers on the SSH session. Digests are computed there.
 */
export class HostReader implements DiskAccess {
  readonly #options: HostReaderOptions;
  readonly #running = new Map<string, Promise<Running>>();

  constructor(options: HostReaderOptions) {
    this.#options = options;
  }

  async open({ link, path, sizeBytes }: FrozenDisk, signal: AbortSignal): Promise<DiskContent> {
    let opening: Promise<WorkerVolume> | undefined;
    const openVolume = async (within: AbortSignal): Promise<WorkerVolume> => {
      const { session } = await this.#start(link, within);
      const volume = await session.open({ path, serial: '', byPath: [], sizeBytes, inUse: false }, within);
      if (volume.sizeBytes === sizeBytes) return volume;
      await volume.close();
      throw new CausewayError(
        'source.snapshot-lost',
        `${path} has ${volume.sizeBytes} bytes where its checkpoint has ${sizeBytes}`,
        { details: { path } },
      );
    };
    const current = (within: AbortSignal): Promise<WorkerVolume> => {
      if (opening === undefined) {
        const attempt = openVolume(within);
        opening = attempt;
        attempt.catch(() => (opening === attempt ? (opening = undefined) : undefined));
      }
      return opening;
    };
    let left = reopenings;
    const lost = new WeakSet<Promise<WorkerVolume>>();
    const withVolume = async <T>(work: (volume: WorkerVolume) => Promise<T>, within: AbortSignal): Promise<T> => {
      for (;;) {
        const used = current(within);
        try {
          return await work(await used);
        } catch (error) {
          if (within.aborted) throw abortReason(within);
          // Cancelled was another read, which opened the disk for this one as well.
          const isLost =
            error instanceof CausewayError &&
            ['transport.lost', 'transport.closed', 'transport.unreachable', 'general.cancelled'].includes(error.code);
          if (!isLost || left <= 0) throw explained(error);
          // Several reads may have been lost together: the disk is opened again once.
          if (!lost.has(used)) {
            lost.add(used);
            left -= 1;
            if (opening === used) opening = undefined;
            this.#options.note(
              `The connection to the reader on ${link.host} was lost (${error.message}). It is started again.`,
            );
          }
        }
      }
    };
    await withVolume(async () => undefined, signal);
    return {
      sizeBytes,
      async read(offset, into, within) {
        refuseOutside({ sizeBytes }, offset, into.length);
        await withVolume((volume) => volume.read(offset, into, within), within);
      },
      digests: (offset, length, blockBytes, within) =>
        withVolume((volume) => volume.digests(offset, length, blockBytes, within), within),
      close: async () => {
        await (await opening?.catch(() => undefined))?.close().catch(() => undefined);
      },
    };
  }

  async check(link: HostLink, signal: AbortSignal): Promise<string> {
    try {
      const { session } = await this.#start(link, signal).catch((error: unknown) => {
        throw explained(error);
      });
      return `the reader runs on ${link.host} and was removed again (${session.mechanism === 'SSH' ? 'over the SSH session' : 'over TLS'})`;
    } finally {
      await this.close();
    }
  }

  async release(signal: AbortSignal): Promise<void> {
    await this.close();
    const { ledger, linkOf } = this.#options;
    // What a process that was killed has started for this execution: where nothing is read any more, nobody else comes across it.
    for (const entry of ledger?.list({ kind: ledgerKind, lifetime: 'temporary' }) ?? []) {
      if (ledger === undefined || entry.state === 'removed' || !entry.key.startsWith(keyPrefix)) continue;
      await this.removeResource(entry, ledger, linkOf, signal).catch(() => signal.throwIfAborted());
    }
  }

  async close(): Promise<void> {
    const running = [...this.#running.values()];
    this.#running.clear();
    for (const each of running) await (await each.catch(() => undefined))?.end();
  }

  /** Of a process that was killed: the reader ends by itself when nobody speaks to it, and this sees to the rest. */
  async removeResource(
    entry: LedgerEntry,
    ledger: LedgerScope,
    linkOf: (host: string) => HostLink,
    signal: AbortSignal,
  ): Promise<void> {
    // Another host would say that there is nothing, while the right one may be down.
    const link = linkOf(String(entry.details['host']));
    await ledger.release(
      entry,
      {
        findId: async ({ name }, within) =>
          (await link.ask('find-reader', { name }, foundSchema, within)).found ? name : undefined,
        remove: removeBy(link),
      },
      signal,
    );
  }

  #start(link: HostLink, signal: AbortSignal): Promise<Running> {
    const known = this.#running.get(link.host);
    if (known !== undefined) return known;
    const starting = this.#launch(link, signal);
    this.#running.set(link.host, starting);
    const forget = (): void => {
      if (this.#running.get(link.host) === starting) this.#running.delete(link.host);
    };
    starting.then(
      ({ session, end }) =>
        session.lost.addEventListener(
          'abort',
          () => {
            forget();
            void end();
          },
          { once: true },
        ),
      forget,
    );
    return starting;
  }

  async #launch(link: HostLink, signal: AbortSignal): Promise<Running> {
    const powershell = link.connect();
    try {
      return powershell.open === undefined
        ? await this.#launchOnPort(link, powershell, signal)
        : await overSsh(link, powershell, signal);
    } catch (error) {
      await powershell.close();
      if (signal.aborted) throw abortReason(signal);
      throw error;
    }
  }

  async #launchOnPort(link: HostLink, powershell: RemotePowershell, signal: AbortSignal): Promise<Running> {
    const { ledger, port } = this.#options;
    const key = `${keyPrefix}${link.host}`;
    // What an earlier process left has its port.
    const left = ledger?.find(ledgerKind, key);
    if (ledger !== undefined && left !== undefined) await this.removeResource(left, ledger, () => link, signal);
    let running: Running | undefined;
    let entryId: string | undefined;
    const launch = async (name: string, within: AbortSignal): Promise<{ readonly id: string }> => {
      running = await overTls(link, powershell, { ...this.#options, name }, within);
      return { id: name };
    };
    if (ledger === undefined) await launch(`causeway-reader-${randomBytes(6).toString('hex')}`, signal);
    else {
      const { entry } = await ledger
        .ensure(
          { kind: ledgerKind, key, lifetime: 'temporary', details: { host: link.host, what: 'reader' } },
          {
            // One that runs belongs to a connection that is gone: only a new one is of use.
            find: async () => undefined,
            get: async () => undefined,
            create: ({ name }, within) => launch(name, within),
          },
          signal,
        )
        .catch(async (error: unknown) => {
          // Nothing of it goes on, and a host shows at once what it has. What can't be seen to now stays on record.
          const planned = ledger.find(ledgerKind, key);
          const removed =
            planned === undefined
              ? undefined
              : ledger.release(
                  planned,
                  { findId: async ({ name }) => name, remove: removeBy(link) },
                  AbortSignal.timeout(20_000),
                );
          await removed?.catch(() => undefined);
          throw error;
        });
      ({ entryId } = entry);
    }
    if (running === undefined) throw new CausewayError('general.bug', `no reader was started on ${link.host}:${port}`);
    const { session, end } = running;
    let ending: Promise<void> | undefined;
    return {
      session,
      end: () =>
        (ending ??= (async () => {
          await end();
          const entry = ledger?.find(ledgerKind, key);
          // Another one may have been started meanwhile.
          if (ledger !== undefined && entry !== undefined && entry.entryId === entryId)
            await this.removeResource(entry, ledger, () => link, AbortSignal.timeout(60_000));
          // What can't be removed now stays on record, and is removed by the clean-up of the ledger.
        })().catch(() => undefined)),
    };
  }
}

const removeBy =
  (link: HostLink) =>
  async (name: string, _entry: LedgerEntry, within: AbortSignal): Promise<void> =>
    void (await link.ask('remove-reader', { name }, removedSchema, within));

/** Starts the reader by a script that goes on as long as it reads, and connects to its port. */
async function overTls(
  link: HostLink,
  powershell: RemotePowershell,
  options: HostReaderOptions & { readonly name: string },
  signal: AbortSignal,
): Promise<Running> {
  const { name, port, managementPort, note, startWithinMs = startTimeoutMs } = options;
  const [server, client] = await Promise.all([
    makeCertificate('causeway reader', undefined, 'server'),
    makeCertificate('causeway'),
  ]);
  const password = randomBytes(24).toString('base64url');
  const [bootstrap, common, script, program] = await Promise.all([
    hostFile('bootstrap.ps1'),
    hostFile('common.ps1'),
    hostFile('run-reader.ps1'),
    hostFile('DiskReader.cs'),
  ]);
  const request = {
    name,
    program,
    port,
    managementPort,
    pfx: pkcs12(server, password).toString('base64'),
    password,
    client: client.fingerprint,
    idleSeconds,
  };
  const over = new AbortController();
  const listening = Promise.withResolvers<z.infer<typeof listeningSchema>>();
  let said = '';
  const ended = powershell.run(bootstrap, scriptInput(`${common}\n${script}`, request), {
    signal: over.signal,
    timeoutMs: lifetimeMs,
    onOutput: (piece) => {
      said = (said + piece.toString('utf8')).slice(-4000);
      for (const line of said.split('\n').slice(0, -1)) {
        const started = listeningSchema.safeParse(jsonOf(line));
        if (started.success) listening.resolve(started.data);
      }
    },
  });
  ended.then(
    ({ exitCode, stderr }) =>
      listening.reject(
        new CausewayError(
          'source.reader-failed',
          `${link.host}: the reader ended with ${exitCode}: ${messageIn(said) || stderr.trim().slice(-600)}`,
          { details: { host: link.host } },
        ),
      ),
    (error: unknown) => listening.reject(error),
  );
  const links: AgentLink[] = [];
  try {
    const late = AbortSignal.timeout(startWithinMs);
    const { firewall, listening: actual } = await abortable(
      listening.promise,
      AbortSignal.any([signal, late]),
      abortReason,
    ).catch((error: unknown) => {
      if (!late.aborted || signal.aborted) throw error;
      throw new CausewayError(
        'source.reader-failed',
        `${link.host}: the reader did not start within ${startWithinMs / 1000} s`,
        { cause: error, details: { host: link.host } },
      );
    });
    if (firewall !== '')
      note(`Host ${link.host}: no rule of the firewall could be added for the reader (${firewall}).`);
    const dial = async (): Promise<AgentLink> => {
      const socket = await dialAgent(link.host, actual, server, client, true, signal).catch((error: unknown) => {
        if (signal.aborted || !(error instanceof CausewayError) || error.code !== 'transport.unreachable') throw error;
        throw new CausewayError(
          'source.reader-failed',
          `${error.message}. Open TCP ${actual} of the host for this computer, use PowerShell over SSH (management: ssh), or the RCT service`,
          { cause: error, details: { host: link.host } },
        );
      });
      const made = new AgentLink(socket, {
        peer: `${link.host}:${actual}`,
        checksumPayloads: false,
        pingAfterMs: links.length === 0 ? 2000 : 0,
        lostAfterMs: 20_000,
        stalledAfterMs: 120_000,
      });
      links.push(made);
      return made;
    };
    const control = await dial();
    const hello = await sayHello(control, undefined, signal);
    const data: AgentLink[] = [];
    for (let index = 0; index < dataLinks; index += 1) {
      const made = await dial();
      await sayHello(made, hello.session, signal);
      data.push(made);
    }
    const release = async (): Promise<void> => {
      // It was asked to end; the script then removes what it needed on the host.
      await abortable(ended, AbortSignal.timeout(15_000)).catch(() => undefined);
      over.abort();
      await powershell.close();
    };
    const session = new AgentSession({
      mechanism: 'HTTPS',
      control,
      data,
      compression: 'never',
      codec: 'deflate',
      inFlightBytes: inFlightBytes * data.length,
      throttle: undefined,
      release,
    });
    return { session, end: () => session.close() };
  } catch (error) {
    for (const made of links) made.fail(error);
    const remove = (): Promise<unknown> =>
      link.ask('remove-reader', { name }, removedSchema, AbortSignal.timeout(15_000)).catch(() => undefined);
    // Who ends its process keeps it from removing what it needed on the host: it is asked to end first. What it added in between is removed last.
    await remove();
    over.abort();
    await abortable(ended, AbortSignal.timeout(15_000)).catch(() => undefined);
    await remove();
    throw error;
  }
}

/** Runs the reader on the standard input and output of an SSH session: no port is opened and no key leaves this computer. */
async function overSsh(link: HostLink, powershell: RemotePowershell, signal: AbortSignal): Promise<Running> {
  const [script, program] = await Promise.all([hostFile('stream-reader.ps1'), hostFile('DiskReader.cs')]);
  if (powershell.open === undefined) throw new CausewayError('general.bug', 'no stream to the host');
  const channel = await powershell.open(script, signal);
  const bytes = Buffer.from(program, 'utf8');
  channel.stream.write(Buffer.concat([Buffer.from(String(bytes.length).padStart(8, '0'), 'latin1'), bytes]));
  const control = new AgentLink(channel.stream, {
    peer: link.host,
    checksumPayloads: false,
    pingAfterMs: 10_000,
    lostAfterMs: startTimeoutMs,
    stalledAfterMs: startTimeoutMs,
  });
  try {
    await sayHello(control, undefined, signal);
  } catch (error) {
    control.fail(error);
    const words = channel.errorTail();
    if (words === '' || signal.aborted) throw error;
    throw new CausewayError('source.reader-failed', `${link.host}: ${words}`, {
      cause: error,
      details: { host: link.host },
    });
  }
  const session = new AgentSession({
    mechanism: 'SSH',
    control,
    data: [control],
    compression: 'never',
    codec: 'deflate',
    inFlightBytes,
    throttle: undefined,
    release: () => powershell.close(),
  });
  return { session, end: () => session.close() };
}

function explained(error: unknown): unknown {
  if (!(error instanceof CausewayError)) return error;
  const code = sourceCodes[error.code];
  return code === undefined
    ? asSourceError(error)
    : new CausewayError(code, error.message, { cause: error, details: error.details });
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** The message of a refusal among what a script printed. */
function messageIn(said: string): string {
  const refused = z
    .object({ error: z.object({ message: z.string() }) })
    .safeParse(jsonOf(said.trim().split('\n').at(-1) ?? ''));
  return refused.success ? refused.data.error.message : '';
}
