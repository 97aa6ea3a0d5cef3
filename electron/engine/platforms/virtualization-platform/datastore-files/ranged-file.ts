import type { IncomingMessage } from 'node:http';
import { copyBytes } from '../../../concurrency/copy-bytes.ts';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { backOffMs, type BackOff } from '../../../time/back-off.ts';
import { systemClock, type Clock } from '../../../time/clock.ts';
import { linkFailure, throwIfCancelled, type FileServer } from '../disk-access/file-server.ts';

/** Gives the value of the `cookie` header of the session; `renew` after the server refused the former one. */
export type SessionCookie = (renew: boolean, signal: AbortSignal) => Promise<string>;

export interface RangedFileOptions {
  readonly server: FileServer;
  readonly cookie: SessionCookie;
  readonly clock?: Clock;
  /** Attempts without a single new byte before a read fails. */
  readonly backOff?: BackOff;
}

export const patientBackOff: BackOff = { attempts: 6, firstMs: 500, capMs: 15_000 };

/** Statuses after which the same request may succeed a little later. */
const PASSING = [408, 429, 502, 503, 504];

/** What a HEAD request tells of a file; it must be the same in each later response. */
export interface FileFacts {
  readonly sizeBytes: number;
  readonly lastModified: string | undefined;
}

/**
 * A file on the platform's file server, read by ranges. A read whose connection breaks goes on at the byte where it was; every
 * response is checked against the range that was asked for and the size that the file had first.
 */
export class RangedFile {
  readonly #name: string;
  readonly #path: string;
  readonly #options: RangedFileOptions;

  /** @param name the file in messages @param path its path and query on the server */
  constructor(name: string, path: string, options: RangedFileOptions) {
    this.#name = name;
    this.#path = path;
    this.#options = options;
  }

  /** @throws CausewayError source.disk-not-found, source.request-refused, source.unsupported, source.unreachable … */
  async facts(signal: AbortSignal): Promise<FileFacts> {
    let facts: FileFacts | undefined;
    await this.#patiently(signal, async () => {
      const answer = await this.#send('HEAD', {}, signal);
      answer.resume();
      if (answer.statusCode !== 200) throw this.#refusal(answer, 'HEAD');
      const sizeBytes = wholeNumber(answer.headers['content-length']);
      if (sizeBytes === undefined)
        throw new CausewayError('source.unsupported', `${this.#name}: the server does not tell the size of the file`);
      if (answer.headers['accept-ranges'] === 'none')
        throw new CausewayError('source.unsupported', `${this.#name}: the server does not serve parts of files`);
      facts = { sizeBytes, lastModified: answer.headers['last-modified'] };
      return true;
    });
    return facts as FileFacts;
  }

  /** The whole file. @throws also source.image-unreadable when it is larger than `limitBytes` */
  async readWhole(limitBytes: number, signal: AbortSignal): Promise<Buffer> {
    const facts = await this.facts(signal);
    if (facts.sizeBytes > limitBytes)
      throw new CausewayError(
        'source.image-unreadable',
        `${this.#name} has ${facts.sizeBytes} bytes; a descriptor has at most ${limitBytes}`,
      );
    const bytes = Buffer.alloc(facts.sizeBytes);
    if (bytes.length > 0) await this.read(facts, 0, bytes, signal);
    return bytes;
  }

  /** Fills `into` with the bytes at `at`. Never resolves short; after it ended nothing writes to `into`. */
  async read(facts: FileFacts, at: number, into: Uint8Array, signal: AbortSignal): Promise<void> {
    let got = 0;
    await this.#patiently(signal, async () => {
      const before = got;
      try {
        await this.#readFrom(facts, at + got, into.subarray(got), signal, (count) => (got += count));
      } catch (error) {
        if (got > before && error instanceof CausewayError && error.retryable) return false;
        throw error;
      }
      return got === into.length;
    });
  }

  async #readFrom(
    facts: FileFacts,
    at: number,
    into: Uint8Array,
    signal: AbortSignal,
    advanced: (count: number) => void,
  ): Promise<void> {
    const end = at + into.length;
    const answer = await this.#send('GET', { range: `bytes=${at}-${end - 1}` }, signal);
    try {
      this.#checkHead(answer, facts, at, end);
      let filled = 0;
      for await (const part of answer as AsyncIterable<Buffer>) {
        if (filled + part.length > into.length)
          throw this.#violation(`more than the ${into.length} bytes that were asked for`);
        copyBytes(part, into, filled);
        filled += part.length;
        advanced(part.length);
      }
      if (filled < into.length)
        throw new CausewayError(
          'source.connection-lost',
          `${this.#name}: the response ended after ${filled} of ${into.length} bytes`,
        );
    } catch (error) {
      throwIfCancelled(signal);
      throw linkFailure(this.#options.server.name, error);
    } finally {
      if (!answer.complete) answer.destroy();
    }
  }

  #checkHead(answer: IncomingMessage, facts: FileFacts, at: number, end: number): void {
    const { statusCode, headers } = answer;
    if (statusCode === 416) throw this.#changed(`it no longer has the bytes from ${at} to ${end}`);
    if (statusCode === 200)
      throw new CausewayError(
        'source.unsupported',
        `${this.#name}: the server sent the whole file instead of a part of it`,
      );
    if (statusCode !== 206) throw this.#refusal(answer, 'GET');
    const [, first, last, total] =
      /^bytes (\d{1,16})-(\d{1,16})\/(\d{1,16})$/.exec(headers['content-range'] ?? '') ?? [];
    if (Number(first) !== at || Number(last) !== end - 1)
      throw this.#violation(
        `the range ${JSON.stringify(headers['content-range'] ?? '')} instead of bytes ${at}-${end - 1}`,
      );
    if (Number(total) !== facts.sizeBytes) throw this.#changed(`it has ${total} bytes instead of ${facts.sizeBytes}`);
    const length = wholeNumber(headers['content-length']);
    if (length !== undefined && length !== end - at)
      throw this.#violation(`a length of ${length} instead of ${end - at} bytes`);
    if (headers['last-modified'] !== facts.lastModified)
      throw this.#changed(`it was modified at ${headers['last-modified']}`);
  }

  /** Tries until `attempt` says that all is done; one that made progress starts the count anew. */
  async #patiently(signal: AbortSignal, attempt: () => Promise<boolean>): Promise<void> {
    const { clock = systemClock, backOff = patientBackOff } = this.#options;
    for (let failures = 0; ;) {
      throwIfCancelled(signal);
      try {
        if (await attempt()) return;
        failures = 0;
      } catch (error) {
        throwIfCancelled(signal);
        failures += 1;
        if (!(error instanceof CausewayError) || !error.retryable || failures >= backOff.attempts) throw error;
        await clock.sleep(backOffMs(backOff, failures), signal);
      }
    }
  }

  /** Sends with the session's cookie; once with a new session where the server does not know the former one any more. */
  async #send(
    method: 'GET' | 'HEAD',
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const { server, cookie } = this.#options;
    const first = await server.send(
      { method, path: this.#path, headers: { ...headers, cookie: await cookie(false, signal) } },
      signal,
    );
    if (first.statusCode !== 401) return first;
    first.resume();
    return server.send(
      { method, path: this.#path, headers: { ...headers, cookie: await cookie(true, signal) } },
      signal,
    );
  }

  #refusal(answer: IncomingMessage, method: string): CausewayError {
    const status = answer.statusCode ?? 0;
    const said = `${this.#name}: HTTP ${status}`;
    const details = { status, method };
    if (status === 404) return new CausewayError('source.disk-not-found', said, { details });
    if (PASSING.includes(status)) return new CausewayError('source.connection-lost', said, { details });
    // Hosts answer like this while another program, such as a running VM or a second reader, has the file locked.
    if (status === 500 || status === 423)
      return new CausewayError(
        'source.request-refused',
        `${said}: the file is locked, e.g. by a running VM or another reader`,
        { details },
      );
    if (status === 401 || status === 403)
      return new CausewayError(
        'source.request-refused',
        `${said}: the user may not download files of this datastore (privilege Datastore.FileManagement or Datastore.Browse)`,
        { details },
      );
    return new CausewayError('source.request-refused', said, { details });
  }

  #violation(what: string): CausewayError {
    return new CausewayError('source.protocol', `${this.#name}: the server sent ${what}`);
  }

  #changed(what: string): CausewayError {
    return new CausewayError('source.changed-while-reading', `${this.#name}: ${what}`, { retryable: false });
  }
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
