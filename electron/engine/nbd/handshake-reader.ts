import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { ByteSink } from './link.ts';

const MAX_BUFFERED = 1024 * 1024;

/** Collects bytes and hands them out in exact counts: the negotiation is a few small messages. */
export class HandshakeReader implements ByteSink {
  readonly #target = Buffer.allocUnsafe(4096);
  #pending: Buffer = Buffer.alloc(0);
  #wanted: { readonly count: number; resolve(bytes: Buffer): void; reject(error: CausewayError): void } | undefined;
  #failed: CausewayError | undefined;

  get buffered(): number {
    return this.#pending.length;
  }

  nextTarget(): Uint8Array {
    return this.#target;
  }

  filled(count: number): void {
    if (this.#pending.length + count > MAX_BUFFERED)
      throw new CausewayError('source.protocol', 'the NBD server sent unrequested data');
    this.#pending = Buffer.concat([this.#pending, this.#target.subarray(0, count)]);
    this.#serve();
  }

  read(count: number): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      if (this.#failed !== undefined) return reject(this.#failed);
      this.#wanted = { count, resolve, reject };
      this.#serve();
    });
  }

  fail(error: CausewayError): void {
    this.#failed = error;
    this.#wanted?.reject(error);
    this.#wanted = undefined;
  }

  #serve(): void {
    const wanted = this.#wanted;
    if (wanted === undefined || this.#pending.length < wanted.count) return;
    const bytes = this.#pending.subarray(0, wanted.count);
    this.#pending = this.#pending.subarray(wanted.count);
    this.#wanted = undefined;
    wanted.resolve(bytes);
  }
}
