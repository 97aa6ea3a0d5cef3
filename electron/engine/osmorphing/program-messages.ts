import { z } from 'zod';
import { CausewayError, isErrorCode } from '../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../shared/model/json.ts';

/** A line of the program. */
const messageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('log'), line: z.string() }),
  z.object({ type: z.literal('warning'), message: z.string() }),
  z.object({
    type: z.literal('step'),
    step: z.string(),
    title: z.string(),
    state: z.enum(['running', 'done', 'failed']),
    seconds: z.number().optional(),
    changed: z.boolean().optional(),
    notes: z.array(z.string()).optional(),
  }),
  z.object({ type: z.literal('result'), result: z.json() }),
  z.object({
    type: z.literal('error'),
    code: z.string(),
    message: z.string(),
    details: z.record(z.string(), z.json()),
  }),
]);

export type ProgramMessage = z.infer<typeof messageSchema>;

/** A line as a message; what is none (a warning of Python itself) is a log line. */
export function programMessage(line: string): ProgramMessage {
  try {
    return messageSchema.parse(JSON.parse(line));
  } catch {
    return { type: 'log', line: line.slice(0, 2000) };
  }
}

export function programError(message: Extract<ProgramMessage, { type: 'error' }>): CausewayError {
  const code = isErrorCode(message.code) ? message.code : 'osmorphing.program-failed';
  return new CausewayError(code, message.message, { details: message.details as JsonObject });
}

// A diff of a large guest has thousands of files; a longer answer is not from this program.
const longestLine = 64 * 2 ** 20;

/** Cuts a stream of bytes into lines. Throws `osmorphing.program-failed` on an endless one. */
export class LineSplitter {
  #pieces: Buffer[] = [];
  #length = 0;

  push(piece: Buffer): string[] {
    const lines: string[] = [];
    let from = 0;
    for (let end = piece.indexOf(10); end >= 0; end = piece.indexOf(10, from)) {
      this.#pieces.push(piece.subarray(from, end));
      lines.push(Buffer.concat(this.#pieces).toString('utf8'));
      this.#pieces = [];
      this.#length = 0;
      from = end + 1;
    }
    if (from < piece.length) this.#pieces.push(piece.subarray(from));
    this.#length += piece.length - from;
    if (this.#length > longestLine)
      throw new CausewayError('osmorphing.program-failed', 'the program printed an endless line');
    return lines;
  }
}
