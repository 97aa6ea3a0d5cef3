import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { Command, nbdErrorName, type CommandType } from './protocol.ts';

/** One run of a block status reply: `length` bytes that share `flags` in one metadata context. */
export interface StatusRun {
  readonly length: number;
  readonly flags: number;
}

/** A request that was sent and waits for the rest of its reply. */
export class PendingRequest {
  readonly command: CommandType;
  readonly offset: number;
  readonly length: number;
  /** Where a read's bytes go; undefined once they are no longer needed. */
  into: Uint8Array | undefined;
  /** Runs of a block status reply by context id. */
  readonly statuses = new Map<number, readonly StatusRun[]>();
  /** Set when the reader was cancelled while its buffer is being filled: called at the end of the chunk. */
  cancelAfterChunk: (() => void) | undefined;
  readonly completion: Promise<void>;
  #failure: CausewayError | undefined;
  #contiguous = 0;
  #scattered: { start: number; end: number }[] | undefined;
  #resolve: () => void = () => undefined;
  #reject: (error: CausewayError) => void = () => undefined;

  constructor(command: CommandType, offset: number, length: number, into?: Uint8Array) {
    this.command = command;
    this.offset = offset;
    this.length = length;
    this.into = into;
    this.completion = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /**
   * Notes that a chunk covers [offset, offset + length) of the disk; returns its start within the request.
   * @throws CausewayError source.protocol when it lies outside of the request
   */
  cover(offset: number, length: number): number {
    const start = offset - this.offset;
    if (this.command !== Command.read || length === 0 || start < 0 || start + length > this.length) {
      throw new CausewayError(
        'source.protocol',
        `an NBD chunk [${offset}, +${length}) outside its request [${this.offset}, +${this.length})`,
      );
    }
    if (start === this.#contiguous && this.#scattered === undefined) this.#contiguous += length;
    else (this.#scattered ??= []).push({ start, end: start + length });
    if (this.#scattered !== undefined && this.#scattered.length > 65_536) {
      throw new CausewayError('source.protocol', 'an NBD reply in too many pieces');
    }
    return start;
  }

  noteError(number: number, offset?: number): void {
    this.#failure ??= requestError(this.command, number, offset ?? this.offset, this.length);
  }

  /** Gives up on the reply's content: rejects now, and what still arrives for it is thrown away. */
  abandon(reason: CausewayError): void {
    this.into = undefined;
    this.#reject(reason);
  }

  /** The reply is complete. @throws CausewayError source.protocol when its pieces do not make up the request */
  finish(): void {
    if (this.#failure !== undefined) return this.#reject(this.#failure);
    if (this.command === Command.read && !this.#isCovered()) {
      throw new CausewayError(
        'source.protocol',
        `an NBD read of [${this.offset}, +${this.length}) was answered with gaps or twice`,
      );
    }
    this.#resolve();
  }

  #isCovered(): boolean {
    let end = this.#contiguous;
    for (const piece of (this.#scattered ?? []).sort((a, b) => a.start - b.start)) {
      if (piece.start !== end) return false;
      end = piece.end;
    }
    return end === this.length;
  }
}

function requestError(command: CommandType, number: number, offset: number, length: number): CausewayError {
  const evidence = `NBD command ${command} at ${offset} (${length} bytes): ${nbdErrorName(number)}`;
  const details = { offset, length, nbdError: number };
  if (number === 108) return new CausewayError('source.connection-lost', evidence, { details });
  if (number === 1 || number === 95) return new CausewayError('source.request-refused', evidence, { details });
  return new CausewayError('source.read-failed', evidence, { details });
}
