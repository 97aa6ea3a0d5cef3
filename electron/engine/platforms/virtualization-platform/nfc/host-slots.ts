import { CausewayError } from '../../../../../shared/model/causeway-error.ts';

/** What this process may use of one host, all disks of all VMs together. */
export interface HostLimits {
  /** Open disks. A host serves about 50; some are left to others. */
  readonly connections: number;
  /** Memory of the host's buffers. All clients of a host share 48 MB (ESXi 6.x and 7). */
  readonly bufferBytes: number;
  /** Reads under way. */
  readonly reads: number;
}

const MIB = 2 ** 20;
export const usualHostLimits: HostLimits = { connections: 40, bufferBytes: 32 * MIB, reads: 32 };

const LARGEST_BUFFERS = 4 * MIB;
const SMALLEST_BUFFERS = MIB / 4;

/** A place on a host: held as long as a disk is open there. */
export interface HostSlot {
  /** What the buffers of this connection may take of the host's memory in total. */
  readonly bufferBytes: number;
  /** Lets the disk be asked for reads, in turn with the host's other disks. Ends with the slot. */
  serve(lane: ReadLane): void;
  /** A read may be possible now. */
  wake(): void;
  /** A read that was started has ended. */
  readEnded(): void;
  release(): void;
}

/** Starts reads of one disk when its host has room for them. */
export interface ReadLane {
  /** True while a read waits that could be started. */
  ready(): boolean;
  /** Starts one. */
  start(): void;
}

/** How much is in use on each host. */
export class HostSlots {
  readonly #limits: HostLimits;
  readonly #hosts = new Map<string, Host>();

  constructor(limits: Partial<HostLimits> = {}) {
    this.#limits = { ...usualHostLimits, ...limits };
  }

  /** A place if one is free and nobody waits for it. */
  tryAcquire(host: string): HostSlot | undefined {
    return this.#host(host).tryAcquire();
  }

  /** Waits for a place, first come, first served. */
  acquire(host: string, signal: AbortSignal): Promise<HostSlot> {
    return this.#host(host).acquire(signal);
  }

  /** Open disks of a host. */
  inUse(host: string): number {
    return this.#hosts.get(host.toLowerCase())?.connections ?? 0;
  }

  #host(name: string): Host {
    const key = name.toLowerCase();
    let host = this.#hosts.get(key);
    if (host === undefined) {
      host = new Host(this.#limits, () => this.#hosts.delete(key));
      this.#hosts.set(key, host);
    }
    return host;
  }
}

/** Shared by everything that this process reads. */
export const sharedHostSlots = new HostSlots();

class Host {
  readonly #limits: HostLimits;
  readonly #unused: () => void;
  readonly #waiting: ((slot: HostSlot) => void)[] = [];
  /** Disks in the order in which they get the next read. */
  readonly #lanes: ReadLane[] = [];
  connections = 0;
  #bufferBytes = 0;
  #reads = 0;
  #isPumping = false;

  constructor(limits: HostLimits, unused: () => void) {
    this.#limits = limits;
    this.#unused = unused;
  }

  tryAcquire(): HostSlot | undefined {
    return this.#waiting.length > 0 ? undefined : this.#take();
  }

  acquire(signal: AbortSignal): Promise<HostSlot> {
    if (signal.aborted) return Promise.reject(cancelled());
    const free = this.tryAcquire();
    if (free !== undefined) return Promise.resolve(free);
    return new Promise((resolve, reject) => {
      const give = (slot: HostSlot): void => {
        signal.removeEventListener('abort', onAbort);
        resolve(slot);
      };
      const onAbort = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(give), 1);
        this.#forgetIfUnused();
        reject(cancelled());
      };
      this.#waiting.push(give);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  #take(): HostSlot | undefined {
    const free = this.#limits.bufferBytes - this.#bufferBytes;
    if (this.connections >= this.#limits.connections || (free < SMALLEST_BUFFERS && this.connections > 0))
      return undefined;
    // The first disks get large buffers, and there is always something left for the next one.
    let bufferBytes = SMALLEST_BUFFERS;
    while (bufferBytes < LARGEST_BUFFERS && bufferBytes * 2 <= free / 4) bufferBytes *= 2;
    this.connections += 1;
    this.#bufferBytes += bufferBytes;
    return this.#slot(bufferBytes);
  }

  #slot(bufferBytes: number): HostSlot {
    let lane: ReadLane | undefined;
    let reads = 0;
    let isReleased = false;
    const counted: ReadLane = {
      ready: () => lane?.ready() === true,
      start: () => {
        reads += 1;
        lane?.start();
      },
    };
    return {
      bufferBytes,
      serve: (served) => {
        if (lane === undefined) this.#lanes.push(counted);
        lane = served;
        this.#pump();
      },
      wake: () => this.#pump(),
      readEnded: () => {
        if (isReleased) return;
        reads -= 1;
        this.#reads -= 1;
        this.#pump();
      },
      release: () => {
        if (isReleased) return;
        isReleased = true;
        this.#reads -= reads;
        this.connections -= 1;
        this.#bufferBytes -= bufferBytes;
        const at = this.#lanes.indexOf(counted);
        if (at >= 0) this.#lanes.splice(at, 1);
        this.#serveWaiting();
        this.#pump();
        this.#forgetIfUnused();
      },
    };
  }

  #serveWaiting(): void {
    while (this.#waiting.length > 0) {
      const slot = this.#take();
      if (slot === undefined) return;
      this.#waiting.shift()?.(slot);
    }
  }

  /** Gives free reads to the disks that wait for one, in turn. */
  #pump(): void {
    if (this.#isPumping) return;
    this.#isPumping = true;
    try {
      for (let idle = 0; this.#reads < this.#limits.reads && idle < this.#lanes.length;) {
        const lane = this.#lanes.shift() as ReadLane;
        this.#lanes.push(lane);
        if (!lane.ready()) {
          idle += 1;
          continue;
        }
        idle = 0;
        this.#reads += 1;
        lane.start();
      }
    } finally {
      this.#isPumping = false;
    }
  }

  #forgetIfUnused(): void {
    if (this.connections === 0 && this.#waiting.length === 0) this.#unused();
  }
}

function cancelled(): CausewayError {
  return new CausewayError('general.cancelled', 'waiting for a place on the host was cancelled');
}
