import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { ErrorCode } from '../../../../../shared/model/errors/catalogue.ts';
import type { ManagedObject } from '../client/request.ts';
import type { DiskContent } from './disk-content.ts';

/** One disk of one snapshot, as every way to its bytes needs it. */
export interface DiskToOpen {
  readonly vm: ManagedObject;
  /** Whose configuration names the file: the snapshot, or the VM, which is off, for a disk that no snapshot contains. */
  readonly holder: ManagedObject;
  /** Key of the device, the same in the VM and in all of its snapshots. */
  readonly deviceKey: number;
  /** As people know it, e.g. `Hard disk 1`. */
  readonly label: string;
  readonly sizeBytes: number;
  /** Its files have ciphertext: only ways through a host, which has the keys, give its content. */
  readonly isEncrypted: boolean;
  /** Where it is attached: by this an export names it. */
  readonly attachment: { readonly controllerType: string; readonly busNumber: number; readonly unitNumber: number };
  /** The frozen file of the disk, where it lies now: storage migration moves it while it is read. */
  path(signal: AbortSignal): Promise<string>;
  readonly environment: Readonly<Record<string, unknown>>;
  /** What changed since a base is known: most of the disk is not read. */
  readonly readsOnlyChanges: boolean;
}

/** One way to the bytes of disks. */
export interface DiskWay {
  /** As people are told it, e.g. `the data port of its host`. */
  readonly name: string;
  /** Why the way must not be taken for this disk, asked before it is opened: the end of a sentence about the disk. Undefined when it may be taken. */
  obstacle?(disk: DiskToOpen, signal: AbortSignal): Promise<string | undefined>;
  /** @throws CausewayError when the disk can't be read in this way */
  open(disk: DiskToOpen, signal: AbortSignal): Promise<DiskContent>;
  /** No way has worked: forgets what it remembers to save time, so that another attempt really tries it. */
  startOver?(): void;
  close(): Promise<void>;
}

/** The ways to the bytes of disks: one is chosen for each disk. */
export interface DiskAccess {
  open(disk: DiskToOpen, signal: AbortSignal): Promise<DiskContent>;
  close(): Promise<void>;
}

/** After these, another way may work. Never after a certificate that does not match: the other way would hide an attack. */
const otherWays: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'source.host-unreachable',
  'source.host-too-old',
  'source.host-encryption-missing',
  'source.data-session-refused',
  'source.permission-denied',
  'source.unsupported',
  'source.request-refused',
  'source.not-licensed',
  'source.tool-missing',
  'source.protocol',
]);

/**
 * Opens each disk in the first way that may be taken and works, and tells people why the ones before it did not. When none does, the
 * error has the code of the best way, and all reasons.
 */
export function inFirstWay(ways: readonly DiskWay[], note: (message: string) => void): DiskAccess {
  const used = new Map<string, string>();
  return {
    async open(disk, signal) {
      const refusals: string[] = [];
      let first: CausewayError | undefined;
      for (const way of ways) {
        try {
          const obstacle = await way.obstacle?.(disk, signal);
          if (obstacle !== undefined)
            throw new CausewayError('source.unsupported', `${disk.label} of VM ${disk.vm.id}: ${obstacle}`, {
              details: { vmId: disk.vm.id },
            });
          const content = await way.open(disk, signal);
          const reason = refusals.length === 0 ? '' : `, because ${refusals.join('; ')}`;
          // Once for each VM and way, not for each of its disks.
          if (used.get(disk.vm.id) !== `${way.name}${reason}`)
            note(`VM ${disk.vm.id}: disks are read through ${way.name}${reason}.`);
          used.set(disk.vm.id, `${way.name}${reason}`);
          return content;
        } catch (error) {
          if (!(error instanceof CausewayError) || !otherWays.has(error.code)) throw error;
          first ??= error;
          refusals.push(`${way.name} cannot be used (${error.message})`);
        }
      }
      for (const way of ways) way.startOver?.();
      if (first === undefined)
        throw new CausewayError('source.unsupported', 'there is no way to the disks of this platform');
      throw refusals.length === 1
        ? first
        : new CausewayError(first.code, refusals.join('; '), { details: first.details, cause: first });
    },
    close: async () => void (await Promise.allSettled(ways.map((way) => way.close()))),
  };
}
