const mebibyte = 1024 * 1024;
const smallestBytes = 16 * mebibyte;
const largestBytes = 48 * mebibyte;
/** What waits in queues on both sides, beside what is on the link itself. */
const queuedBytes = 8 * mebibyte;
const smallestOnLinkBytes = 4 * mebibyte;
const measureMs = 250;
/** How much of a former, higher rate is still counted with after each measurement. */
const fading = 0.95;

/**
 * How many bytes of disks should be on their way: twice what crosses during a round trip, which fills the link and finds out
 * whether it carries more, within bounds of memory. A short way is full with the least; on a slow one more would only wait.
 */
export class FlightWindow {
  readonly #roundTripMs: () => number;
  readonly #now: () => number;
  #begun: number | undefined;
  readonly #disk = new PeakRate();
  readonly #link = new PeakRate();

  /** `roundTripMs`: the shortest so far. */
  constructor(roundTripMs: () => number, now: () => number = () => performance.now()) {
    this.#roundTripMs = roundTripMs;
    this.#now = now;
  }

  get bytes(): number {
    const roundTripMs = this.#roundTripMs();
    const wanted = Number.isFinite(roundTripMs) ? 2 * this.#disk.bytesPerMs * roundTripMs + queuedBytes : smallestBytes;
    return Math.min(largestBytes, Math.max(smallestBytes, wanted));
  }

  /** So many bytes on the link keep it busy until more are ready. */
  get linkBytes(): number {
    const roundTripMs = this.#roundTripMs();
    return Math.max(smallestOnLinkBytes, Number.isFinite(roundTripMs) ? 1.5 * this.#link.bytesPerMs * roundTripMs : 0);
  }

  /** Tells that the worker has so many more bytes of the disk, for which so many crossed the link. */
  acknowledged(bytes: number, linkBytes: number): void {
    const now = this.#now();
    this.#begun ??= now;
    this.#disk.add(bytes);
    this.#link.add(linkBytes);
    const elapsed = now - this.#begun;
    if (elapsed < measureMs) return;
    this.#disk.conclude(elapsed);
    this.#link.conclude(elapsed);
    this.#begun = now;
  }
}

class PeakRate {
  bytesPerMs = 0;
  #bytes = 0;

  add(bytes: number): void {
    this.#bytes += bytes;
  }

  conclude(elapsedMs: number): void {
    this.bytesPerMs = Math.max(this.#bytes / elapsedMs, this.bytesPerMs * fading);
    this.#bytes = 0;
  }
}
