import { z } from 'zod';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { IscsiLogin } from '../ports/write-target.ts';
import type { WorkerDevice, WorkerSession, WorkerVolume } from '../ports/write-target.ts';
import type { AgentLink } from './agent-link.ts';
import { ByteBudget } from './byte-budget.ts';
import type { Codec, CompressionPolicy } from './compression.ts';
import { FlightWindow } from './flight-window.ts';
import { protocolVersion } from './protocol.ts';
import { VolumeWriter, type WriterLinks } from './volume-writer.ts';

const helloSchema = z.object({
  version: z.literal(protocolVersion),
  session: z.string(),
  features: z.array(z.string()),
  maxPayload: z.int(),
  python: z.string(),
});
export type AgentHello = z.infer<typeof helloSchema>;

const devicesSchema = z.object({
  devices: z.array(
    z.object({
      path: z.string(),
      serial: z.string(),
      lun: z
        .int()
        .nonnegative()
        .nullish()
        .transform((lun) => lun ?? undefined),
      byPath: z.array(z.string()).default([]),
      sizeBytes: z.int().nonnegative(),
      inUse: z.boolean(),
      sequence: z
        .int()
        .nonnegative()
        .nullish()
        .transform((sequence) => sequence ?? undefined),
    }),
  ),
});

/** Greets the agent on a new link; with `session`, joins the session that another link has begun. */
export async function sayHello(link: AgentLink, session: string | undefined, signal: AbortSignal): Promise<AgentHello> {
  const payload = Buffer.from(JSON.stringify(session === undefined ? {} : { session }));
  const answer = await link.request({ type: 'HELLO', payload }, signal);
  return parsed(helloSchema, answer.payload);
}

export interface AgentSessionParts {
  readonly mechanism: 'HTTPS' | 'SSH' | 'local';
  readonly control: AgentLink;
  readonly data: readonly AgentLink[];
  readonly compression: CompressionPolicy;
  readonly codec: Codec;
  /** Whether the agent keeps blocks that were written. Default: no. */
  readonly recalls?: boolean;
  /** Bytes of disks on their way at most; `auto`: as many as the link holds. */
  readonly inFlightBytes: number | 'auto';
  readonly throttle: WriterLinks['throttle'];
  /** Ends what carries the links; called once. */
  readonly release: () => Promise<void>;
}

/** A session over one or more links that have said hello. It is lost as soon as one of them is. */
export class AgentSession implements WorkerSession {
  readonly mechanism: 'HTTPS' | 'SSH' | 'local';
  readonly #parts: AgentSessionParts;
  readonly #lost = new AbortController();
  readonly #budget: ByteBudget;
  readonly #window: FlightWindow;
  #closing: Promise<void> | undefined;

  constructor(parts: AgentSessionParts) {
    this.mechanism = parts.mechanism;
    this.#parts = parts;
    this.#window = new FlightWindow(() => parts.control.roundTripMs);
    const { inFlightBytes } = parts;
    this.#budget = new ByteBudget(() => (inFlightBytes === 'auto' ? this.#window.bytes : inFlightBytes));
    for (const link of this.#links()) {
      if (link.lost.aborted) this.fail(link.lost.reason);
      // An agent that was asked to end may exit before its answer is read.
      else
        link.lost.addEventListener(
          'abort',
          () => this.fail(this.#closing === undefined ? link.lost.reason : closed()),
          { once: true },
        );
    }
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** How many connections carry data. */
  get dataLinks(): number {
    return this.#parts.data.length;
  }

  async devices(signal: AbortSignal, logins: readonly IscsiLogin[] = []): Promise<readonly WorkerDevice[]> {
    const payload = logins.length === 0 ? {} : { payload: Buffer.from(JSON.stringify({ logins })) };
    const answer = await this.#parts.control.request({ type: 'DEVICES', ...payload }, signal);
    return parsed(devicesSchema, answer.payload).devices;
  }

  async open(device: WorkerDevice, signal: AbortSignal): Promise<WorkerVolume> {
    const { control, data, compression, codec, recalls = false, throttle } = this.#parts;
    const answer = await control.request({ type: 'OPEN', payload: Buffer.from(device.path) }, signal);
    const links = { control, data, budget: this.#budget, window: this.#window, codec, recalls, throttle };
    return new VolumeWriter(device.path, answer.head.volume, answer.head.length, links, compression);
  }

  /** Ends the agent and the connection. Never rejects. */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  /** Closes the session with `reason`, immediately and for all links. */
  fail(reason: unknown): void {
    if (this.#lost.signal.aborted) return;
    this.#lost.abort(reason);
    for (const link of this.#links()) link.fail(reason);
    void this.close();
  }

  async #end(): Promise<void> {
    const { control } = this.#parts;
    if (!control.lost.aborted) {
      await control.request({ type: 'END' }, AbortSignal.timeout(3000)).catch(() => undefined);
    }
    this.fail(closed());
    await this.#parts.release().catch(() => undefined);
  }

  #links(): readonly AgentLink[] {
    return [...new Set([this.#parts.control, ...this.#parts.data])];
  }
}

function closed(): CausewayError {
  return new CausewayError('transport.closed', 'the session was closed');
}

function parsed<T>(schema: z.ZodType<T>, payload: Buffer): T {
  try {
    return schema.parse(JSON.parse(payload.toString('utf8')));
  } catch (error) {
    throw new CausewayError('transport.protocol', 'a response of the agent has an unexpected form', { cause: error });
  }
}
