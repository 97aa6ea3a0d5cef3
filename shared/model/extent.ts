/** A run of bytes of a disk. `zero`: reads as zeros and needs no read. Offsets and lengths in bytes. */
export interface Extent {
  readonly offset: number;
  readonly length: number;
  readonly kind: 'data' | 'zero';
}
