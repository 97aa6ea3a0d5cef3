import type { Duplex } from 'node:stream';
import { crc32 } from 'node:zlib';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { abortReason } from '../concurrency/abortable.ts';
import { statusError } from './agent-status.ts';
import { FrameParser } from './frame-parser.ts';
import {
  encodeHead,
  frameFlags,
  headBytes,
  requestTypes,
  statuses,
  type FrameHead,
  type RequestType,
} from './protocol.ts';

/** One request to the agent; what is left out is zero. */
export interface AgentRequest {
  readonly type: RequestType;
  readonly flags?: number;
  readonly volume?: number;
  readonly offset?: number;
  readonly length?: number;
  readonly argument?: number;
  readonly payload?: Uint8Array;
}

export interface AgentAnswer {
  readonly head: FrameHead;
  readonly payload: Buffer;
}

export interface AgentLinkOptions {
  /** For messages: where the other side is. */
  readonly peer: string;
  /** Sends a checksum of each payload beside the one of each head. */
  readonly checksumPayloads: boolean;
  /** Silence after which the agent is asked for a sign of life, in milliseconds; 0 = never asked. */
  readonly pingAfterMs: number;
  /** How long that sign may take, in milliseconds. */
  readonly lostAfterMs: number;
  /** How long a request may stay without any answer on this link, in milliseconds. */
  readonly stalledAfterMs: number;
}

interface Pending {
  readonly request: AgentRequest;
  readonly signal: AbortSignal;
  readonly resolve: (answer: AgentAnswer) => void;
  readonly reject: (error: unknown) => void;
  state: 'queued' | 'sending' | 'sent';
  cleanUp: () => void;
}

// Up to here a payload is copied behind its head: one small write is cheaper than two.
const joinBelowBytes = 16 * 1024;

/**
 * One byte stream to the agent: sends requests in order, matches answers by their id, and notices when the agent is gone
 * any more. Requests may overlap in time.
 */
export class AgentLink {
  readonly #stream: Duplex;
  readonly #options: AgentLinkOptions;
  readonly #lost = new AbortController();
  readonly #pending = new Map<number, Pending>();
  readonly #queue: number[] = [];
  readonly #timer: NodeJS.Timeout;
  #nextId = 1;
  #pumping = false;
  #lastHeard = performance.now();
  #lastTick = performance.now();
  #pingSince: number | undefined;
  #outstandingBytes = 0;
  #roundTripMs = Number.POSITIVE_INFINITY;

  constructor(stream: Duplex, options: AgentLinkOptions) {
    this.#stream = stream;
    this.#options = options;
    const parser = new FrameParser((head, payload) => this.#onAnswer(head, payload));
    stream.on('data', (piece: Buffer) => {
      this.#lastHeard = performance.now();
      try {
        parser.push(piece);
      } catch (error) {
        this.fail(error);
      }
    });
    stream.on('error', (error: Error) => this.fail(this.#lostError(error.message, error)));
    stream.on('close', () => this.fail(this.#lostError('the peer closed the connection')));
    stream.on('end', () => this.fail(this.#lostError('the peer ended the connection')));
    this.#timer = setInterval(() => this.#watch(), Math.max(20, Math.min(1000, options.lostAfterMs / 4)));
    this.#timer.unref();
  }

  /** Aborted with a `CausewayError` when the link is of no use any more. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Payload bytes that are queued or not yet answered. */
  get outstandingBytes(): number {
    return this.#outstandingBytes;
  }

  /** The shortest round trip of a request without payload so far, in milliseconds. */
  get roundTripMs(): number {
    return this.#roundTripMs;
  }

  /**
   * Sends a request. Rejects with the error for the agent's status, with the reason of `lost`, or with the
   * signal's reason; the latter immediately, except while the payload is on its way into the stream.
   */
  request(request: AgentRequest, signal: AbortSignal): Promise<AgentAnswer> {
    if (signal.aborted) return Promise.reject(abortReason(signal));
    if (this.lost.aborted) return Promise.reject(abortReason(this.lost));
    return new Promise((resolve, reject) => {
      const id = this.#newId();
      const bytes = request.payload?.length ?? 0;
      const begun = performance.now();
      const onAbort = (): void => {
        if (pending.state === 'sending') return;
        pending.cleanUp();
        reject(abortReason(signal));
      };
      const pending: Pending = {
        request,
        signal,
        resolve: (answer) => {
          if (bytes === 0) this.#roundTripMs = Math.min(this.#roundTripMs, performance.now() - begun);
          resolve(answer);
        },
        reject,
        state: 'queued',
        cleanUp: () => {
          if (this.#pending.delete(id)) this.#outstandingBytes -= bytes;
          signal.removeEventListener('abort', onAbort);
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      if (this.#pending.size === 0) this.#lastHeard = begun;
      this.#pending.set(id, pending);
      this.#outstandingBytes += bytes;
      this.#queue.push(id);
      void this.#pump();
    });
  }

  /** Closes the link: every waiting request rejects with `reason`. Does nothing the second time. */
  fail(reason: unknown): void {
    if (this.lost.aborted) return;
    clearInterval(this.#timer);
    this.#lost.abort(reason);
    for (const pending of [...this.#pending.values()]) {
      pending.cleanUp();
      pending.reject(reason);
    }
    this.#stream.destroy();
  }

  #newId(): number {
    do this.#nextId = this.#nextId >= 0xffff_ffff ? 1 : this.#nextId + 1;
    while (this.#pending.has(this.#nextId));
    return this.#nextId;
  }

  async #pump(): Promise<void> {
    if (this.#pumping) return;
    this.#pumping = true;
    try {
      for (let id = this.#queue.shift(); id !== undefined; id = this.#queue.shift()) {
        const pending = this.#pending.get(id);
        if (pending === undefined) continue;
        await this.#send(id, pending);
        if (this.lost.aborted) return;
      }
    } finally {
      this.#pumping = false;
    }
  }

  async #send(id: number, pending: Pending): Promise<void> {
    const { request, signal } = pending;
    const payload = request.payload ?? new Uint8Array(0);
    pending.state = 'sending';
    await this.#put(this.#encode(id, request, payload), payload);
    pending.state = 'sent';
    if (signal.aborted && this.#pending.has(id)) {
      pending.cleanUp();
      pending.reject(abortReason(signal));
    }
  }

  #encode(id: number, request: AgentRequest, payload: Uint8Array): Buffer {
    const joined = payload.length > 0 && payload.length <= joinBelowBytes;
    const head = Buffer.allocUnsafe(headBytes + (joined ? payload.length : 0));
    const checked = this.#options.checksumPayloads && payload.length > 0;
    encodeHead(
      {
        type: requestTypes[request.type],
        flags: (request.flags ?? 0) | (checked ? frameFlags.CHECKED : 0),
        request: id,
        volume: request.volume ?? 0,
        offset: request.offset ?? 0,
        length: request.length ?? 0,
        payloadLength: payload.length,
        argument: request.argument ?? 0,
        payloadChecksum: checked ? crc32(payload) : 0,
      },
      head,
    );
    if (joined) head.set(payload, headBytes);
    return head;
  }

  /**
   * Hands bytes to the stream and waits until it has taken them: that is the back-pressure, and until then the payload
   * must not change. Head and payload go as two writes, one after the other: TLS would copy a vector of buffers into a
   * fresh one.
   */
  #put(head: Buffer, payload: Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      const settle = (): void => {
        this.lost.removeEventListener('abort', settle);
        resolve();
      };
      this.lost.addEventListener('abort', settle, { once: true });
      if (head.length > headBytes || payload.length === 0) {
        this.#stream.write(head, settle);
      } else {
        this.#stream.write(head);
        this.#stream.write(payload, settle);
      }
    });
  }

  #onAnswer(head: FrameHead, payload: Buffer): void {
    if (head.request === 0 && head.argument !== statuses.OK) {
      this.fail(statusError(head.argument, payload.toString('utf8'), this.#options.peer));
      return;
    }
    const pending = this.#pending.get(head.request);
    // Its caller cancelled.
    if (pending === undefined) return;
    pending.cleanUp();
    if (head.argument === statuses.OK) pending.resolve({ head, payload });
    else pending.reject(statusError(head.argument, payload.toString('utf8'), this.#options.peer));
  }

  #watch(): void {
    const now = performance.now();
    // The whole machine slept: what is there to hear has had no chance to be heard.
    const slept = now - this.#lastTick > 5000;
    this.#lastTick = now;
    if (slept) {
      this.#lastHeard = now;
      if (this.#pingSince !== undefined) this.#pingSince = now;
      return;
    }
    const silent = now - this.#lastHeard;
    if (this.#pending.size > 0 && silent > this.#options.stalledAfterMs) {
      this.fail(this.#lostError(`no response for ${Math.round(silent / 1000)} s`));
    } else if (this.#options.pingAfterMs > 0) {
      this.#askForLife(now, silent);
    }
  }

  #askForLife(now: number, silent: number): void {
    if (this.#pingSince !== undefined) {
      const waited = now - Math.max(this.#pingSince, this.#lastHeard);
      if (waited > this.#options.lostAfterMs) {
        this.fail(this.#lostError(`no data for ${(waited / 1000).toFixed(1)} s`));
      }
    } else if (silent >= this.#options.pingAfterMs) {
      this.#pingSince = now;
      const done = (): void => {
        this.#pingSince = undefined;
      };
      this.request({ type: 'PING' }, this.lost).then(done, done);
    }
  }

  #lostError(evidence: string, cause?: unknown): CausewayError {
    return new CausewayError('transport.lost', `${this.#options.peer}: ${evidence}`, { cause });
  }
}
