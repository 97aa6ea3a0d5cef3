import { z } from 'zod';
import { CausewayError, isErrorCode } from '../../../../../shared/model/causeway-error.ts';
import type { ErrorCode } from '../../../../../shared/model/errors/catalogue.ts';
import { retryDelayMs } from '../../../http/retry-after.ts';
import type { BackOff } from '../../../time/back-off.ts';
import type { Clock } from '../../../time/clock.ts';
import { hostFile, scriptInput, type HostScript, type RemotePowershell } from './remote-powershell.ts';

export interface LinkContext {
  readonly clock: Clock;
  readonly random: () => number;
  readonly backOff: BackOff;
  readonly timeoutMs?: number | undefined;
}

const minute = 60_000;
const timeouts: Readonly<Partial<Record<HostScript, number>>> = {
  'take-checkpoint': 30 * minute,
  'convert-checkpoint': 30 * minute,
  'remove-checkpoint': 30 * minute,
  'changed-ranges': 30 * minute,
};
const refusedSchema = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

/** What connections say, in terms of a source. */
const sourceCodes: Readonly<Partial<Record<ErrorCode, ErrorCode>>> = {
  'transport.unreachable': 'source.unreachable',
  'transport.proxy-refused': 'source.unreachable',
  'transport.proxy-not-trusted': 'source.unreachable',
  'transport.lost': 'source.connection-lost',
  'transport.closed': 'source.connection-lost',
  'transport.command-failed': 'source.connection-lost',
  'transport.login-refused': 'source.login-refused',
  'transport.certificate-mismatch': 'source.tls-refused',
  'transport.host-key-mismatch': 'source.tls-refused',
  'transport.winrm-protocol': 'source.protocol',
};
const passing = new Set<ErrorCode>(['source.unreachable', 'source.connection-lost', 'source.protocol']);

/** One host and the scripts that run there. */
export class HostLink {
  readonly host: string;
  readonly #powershell: () => RemotePowershell;
  readonly #context: LinkContext;
  #shared: RemotePowershell | undefined;

  constructor(host: string, powershell: () => RemotePowershell, context: LinkContext) {
    this.host = host;
    this.#powershell = powershell;
    this.#context = context;
  }

  /**
   * Runs a script and reads its answer, the last line that it prints. Each script finds what an earlier call of it has done, so that it is sent again
   * after a lost answer; it is told that it is.
   */
  async ask<Schema extends z.ZodType>(
    name: HostScript,
    request: Readonly<Record<string, unknown>>,
    schema: Schema,
    signal: AbortSignal,
  ): Promise<z.infer<Schema>> {
    const { clock, backOff, random } = this.#context;
    for (let attempt = 1; ; attempt += 1) {
      signal.throwIfAborted();
      try {
        return await this.#once(name, { ...request, attempt }, schema, signal);
      } catch (thrown) {
        signal.throwIfAborted();
        const error = asSourceError(thrown);
        if (!(error instanceof CausewayError) || !passing.has(error.code) || attempt >= backOff.attempts) throw error;
        await clock.sleep(retryDelayMs(backOff, attempt, undefined, random), signal);
      }
    }
  }

  /** A connection of its own, for what goes on beside the scripts. */
  connect(): RemotePowershell {
    return this.#powershell();
  }

  async close(): Promise<void> {
    await this.#shared?.close();
    this.#shared = undefined;
  }

  async #once<Schema extends z.ZodType>(
    name: HostScript,
    request: Readonly<Record<string, unknown>>,
    schema: Schema,
    signal: AbortSignal,
  ): Promise<z.infer<Schema>> {
    const [bootstrap, common, script] = await Promise.all([
      hostFile('bootstrap.ps1'),
      hostFile('common.ps1'),
      hostFile(`${name}.ps1`),
    ]);
    this.#shared ??= this.#powershell();
    const timeoutMs = this.#context.timeoutMs ?? timeouts[name] ?? 5 * minute;
    const { exitCode, stdout, stderr } = await this.#shared.run(
      bootstrap,
      scriptInput(`${common}\n${script}`, request),
      { signal, timeoutMs },
    );
    const answer = lastLine(stdout);
    const refused = refusedSchema.safeParse(answer);
    if (refused.success) {
      const { code, message } = refused.data.error;
      throw new CausewayError(isErrorCode(code) ? code : 'source.request-refused', `${this.host}: ${message}`, {
        details: { host: this.host, script: name },
      });
    }
    if (exitCode !== 0)
      throw new CausewayError(
        'source.request-refused',
        `${this.host}: ${name} exited with ${exitCode}: ${stderr.trim().slice(-600) || stdout.trim().slice(-300)}`,
        { details: { host: this.host, script: name, exitCode } },
      );
    const parsed = schema.safeParse(answer);
    if (parsed.success) return parsed.data;
    throw new CausewayError(
      'source.protocol',
      `${this.host}: the response to ${name} is not valid: ${z.prettifyError(parsed.error).slice(0, 500)}`,
      { details: { script: name } },
    );
  }
}

/** An error of a connection as one of a source. */
export function asSourceError(error: unknown): unknown {
  if (!(error instanceof CausewayError)) return error;
  const code = sourceCodes[error.code];
  return code === undefined ? error : new CausewayError(code, error.message, { cause: error, details: error.details });
}

function lastLine(stdout: string): unknown {
  try {
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  } catch {
    return undefined;
  }
}
