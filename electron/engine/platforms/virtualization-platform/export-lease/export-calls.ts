import { CausewayError } from '../../../../../shared/model/causeway-error.ts';

/** A disk or another file that a lease offers. */
export interface LeaseDevice {
  /** `/<VM>/<class of the controller><bus>:<unit>`. */
  readonly key: string;
  /** Its host may be `*`: the one that was logged in to. */
  readonly url: string;
  /** SHA-1 of the certificate of the URL's host. */
  readonly sslThumbprint?: string;
  readonly isDisk: boolean;
}

export interface LeaseState {
  readonly state: 'initializing' | 'ready' | 'done' | 'error';
  /** Of `error`. */
  readonly reason?: string;
  /** Of `ready`. */
  readonly devices?: readonly LeaseDevice[];
  /** Of `ready`: so many seconds without progress end the lease. */
  readonly timeoutSeconds?: number;
}

/** What the platform is asked for an export, by its API: ExportVm or ExportSnapshot, and the methods of the lease. */
export interface ExportCalls {
  /** Begins an export; the lease's id. */
  begin(signal: AbortSignal): Promise<string>;
  state(lease: string, signal: AbortSignal): Promise<LeaseState>;
  /** Renews the lease. */
  progress(lease: string, percent: number, signal: AbortSignal): Promise<void>;
  complete(lease: string, signal: AbortSignal): Promise<void>;
  abort(lease: string, signal: AbortSignal): Promise<void>;
}

/** Where a disk is attached, as the VM's description says. */
export interface DiskAttachment {
  /** Class of the controller, e.g. `ParaVirtualSCSIController`. */
  readonly controllerType: string;
  readonly busNumber: number;
  readonly unitNumber: number;
}

/** The device of a disk, by where it is attached; by nothing else, since order and size could mean another disk. @throws CausewayError source.disk-not-found */
export function deviceOf(
  devices: readonly LeaseDevice[],
  { controllerType, busNumber, unitNumber }: DiskAttachment,
): LeaseDevice {
  const wanted = `/${controllerType}${busNumber}:${unitNumber}`;
  const disks = devices.filter(({ isDisk }) => isDisk);
  const found = disks.filter(({ key }) => key.endsWith(wanted));
  if (found.length === 1 && found[0] !== undefined) return found[0];
  throw new CausewayError(
    'source.disk-not-found',
    `the export has ${found.length === 0 ? 'no' : found.length} disks at ${wanted.slice(1)}: ${disks.map(({ key }) => key).join(', ') || 'none at all'}`,
  );
}
