/** What can go wrong on a host. Each effect lasts until its `times` are used up; without them, for ever. */
export type NfcFault =
  /** Writes everything in pieces of this many bytes. */
  | Fault<'split', { readonly bytes: number }>
  /** What is sent crosses the network at this rate. */
  | Fault<'slow-link', { readonly bytesPerSecond: number }>
  /** Fragments of all reads that wait, not in their order. */
  | Fault<'order', { readonly order: 'reversed' | 'shuffled' }>
  /** Fragments no longer than this, whatever the session's buffers. */
  | Fault<'small-fragments', { readonly bytes: number }>
  /** Sends fragments as they are; `claims` with the compression that was asked for in the head. */
  | Fault<'raw', { readonly claims: boolean }>
  /** Refuses to open, with the usual reply full of zeros behind the error. */
  | Fault<'open-error', { readonly code: number; readonly text: string }>
  | Fault<'session-error', { readonly code: number; readonly text: string }>
  /** A read that touches this byte ends with a status, or with an error. */
  | Fault<'read-status', { readonly at: number; readonly status: number }>
  | Fault<'read-error', { readonly at: number; readonly text: string }>
  /** A read with a compression gets an error. */
  | Fault<'compression-error', object>
  /** A frame that breaks the rules, once this many bytes were sent. */
  | Fault<'tamper', { readonly how: Tamper; readonly afterBytes?: number }>
  /** Cuts the connection, or falls silent, once this many bytes of its data stream were sent. */
  | Fault<'cut', { readonly afterBytes: number }>
  | Fault<'silence', { readonly afterBytes: number }>
  /** Another certificate at the first or second handshake. */
  | Fault<'other-certificate', { readonly handshake: 1 | 2 }>
  | Fault<'wrong-sha2', object>
  /** A greeting that lacks a capability. */
  | Fault<'greeting-without', { readonly capability: 'SSL Required' | 'NFCSSL supported' | 'SHA256 supported' }>
  /** The banner within the login names every capability, whatever the greeting lacks: somebody on the way has taken it away. */
  | Fault<'full-banner', object>
  /** The login is refused with this line. */
  | Fault<'login-refused', { readonly line: string }>
  /** The session is ended, or an error sent, where this message is due. */
  | Fault<'classic-refused', { readonly type: number; readonly error?: string }>
  /** The first message of newer clients is not known. */
  | Fault<'no-token-message', object>
  | Fault<'no-block-map', object>;

export type Tamper =
  | 'overlap'
  | 'wrong-base'
  | 'wrong-length'
  | 'beyond'
  | 'short'
  | 'twice'
  | 'unknown-request'
  | 'magic'
  | 'long-payload'
  | 'long-wire'
  | 'empty'
  | 'garbage'
  | 'compression';

type Fault<K extends string, P> = { readonly kind: K; times?: number } & P;
type OfKind<K extends NfcFault['kind']> = Extract<NfcFault, { readonly kind: K }>;

export class NfcFaults {
  readonly #faults: NfcFault[] = [];

  add(...faults: readonly NfcFault[]): void {
    this.#faults.push(...faults.map((fault) => ({ ...fault })));
  }

  clear(): void {
    this.#faults.length = 0;
  }

  /** The first that fits, without using it up. */
  find<K extends NfcFault['kind']>(kind: K, fits: (fault: OfKind<K>) => boolean = () => true): OfKind<K> | undefined {
    return this.#faults.find(
      (fault): fault is OfKind<K> => fault.kind === kind && (fault.times ?? 1) > 0 && fits(fault as OfKind<K>),
    );
  }

  /** The first that fits, used once. */
  take<K extends NfcFault['kind']>(kind: K, fits: (fault: OfKind<K>) => boolean = () => true): OfKind<K> | undefined {
    const fault = this.find(kind, fits);
    if (fault?.times !== undefined) fault.times -= 1;
    return fault;
  }
}
