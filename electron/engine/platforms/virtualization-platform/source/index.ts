import type { z } from 'zod';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { connection as connectionSchema } from '../../../../../shared/plugins/virtualization-platform/connection.ts';
import type { PlatformContext } from '../../../ports/platform-context.ts';
import type { SourcePlatform } from '../../../ports/source-platform.ts';
import { defaultBackOff } from '../../../http/retry-after.ts';
import { removeAbandonedToolFolders } from '../../../nbd/tool-folder.ts';
import type { BackOff } from '../../../time/back-off.ts';
import { systemClock, type Clock } from '../../../time/clock.ts';
import { VimSession } from '../client/session.ts';
import { readVmTags } from '../client/vm-tags.ts';
import { dataPort } from '../disk-access/data-port.ts';
import { inFirstWay, type DiskAccess, type DiskWay } from '../disk-access/disk-access.ts';
import {
  datastoreFiles,
  exportOfFirstCopies,
  snapshotExport,
  type FileServerOptions,
} from '../disk-access/file-ways.ts';
import type { NfcDiskOptions } from '../nfc/nfc-disk.ts';
import { vendorLibrary } from '../disk-access/vendor-library-way.ts';
import { VsphereSource } from './vsphere-source.ts';

export type VsphereConnection = z.infer<typeof connectionSchema>;

/** What tests and other hosts of the engine bring of their own. */
export interface VsphereOptions {
  readonly access?: (session: VimSession) => DiskAccess;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly backOff?: BackOff;
  readonly timeoutMs?: number;
}

/** Where hosts serve the bytes of disks. */
const nfcPort = 902;

/** The source for the VMs of an endpoint. Opens nothing yet. */
export function createVsphereSource(
  connection: VsphereConnection,
  { scratchFolder, use, ledger }: PlatformContext,
  options: VsphereOptions = {},
): SourcePlatform {
  const {
    host,
    port,
    username,
    password,
    ca_certificate: caCertificate,
    allow_untrusted: allowUntrusted = false,
    disk_access: diskAccess = 'auto',
    disk_access_encryption: encryption = 'required',
    disk_library_folder: folder,
  } = connection;
  if (typeof password !== 'string')
    throw new CausewayError('general.bug', 'the password of the endpoint was not resolved');
  const [clock, random, backOff] = [
    options.clock ?? systemClock,
    options.random ?? Math.random,
    options.backOff ?? defaultBackOff,
  ];
  const session = new VimSession({
    host,
    port: port ?? 443,
    username,
    password,
    caCertificate,
    allowUntrusted,
    clock,
    random,
    backOff,
    ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
  });
  const readTags = (vmIds: readonly string[], signal: AbortSignal) =>
    readVmTags(
      {
        host,
        port: port ?? 443,
        username,
        password,
        caCertificate,
        allowUntrusted,
        ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
      },
      vmIds,
      signal,
    );
  const library =
    folder === undefined
      ? undefined
      : vendorLibrary(session, { folder, port: port ?? 443, user: username, password, caCertificate, allowUntrusted });
  // A process that was killed has left them.
  if (library !== undefined) void removeAbandonedToolFolders();
  const note = (message: string): void => use?.note?.(message);
  const access =
    options.access?.(session) ??
    inFirstWay(
      waysOf(
        diskAccess,
        session,
        { port: port ?? 443, trust: { caCertificate, allowUntrusted }, clock, note, encryption },
        library,
      ),
      note,
    );
  return new VsphereSource(
    { session, access, readTags, clock, random, backOff, use, owner: ledger?.owner?.mark, note },
    { allowUntrusted, nfcPort, mayBeUnencrypted: encryption === 'preferred', libraryFolder: folder },
    scratchFolder,
  );
}

/** All ways, the fastest first, or the one that the endpoint names. An export takes the time and traffic of whole disks: of itself only a first copy uses one. */
function waysOf(
  choice: NonNullable<VsphereConnection['disk_access']>,
  session: VimSession,
  options: FileServerOptions & Pick<NfcDiskOptions, 'encryption'>,
  library: DiskWay | undefined,
): readonly DiskWay[] {
  const ways = {
    data_port: dataPort(session, options.note, { encryption: options.encryption ?? 'required' }),
    vendor_library: library,
    datastore_files: datastoreFiles(session, options),
    export: snapshotExport(session, options),
  };
  if (choice === 'vendor_library' && library === undefined) {
    throw new CausewayError(
      'general.invalid-input',
      'disk_access is vendor_library, but disk_library_folder does not say where the library is',
      { details: { parameter: 'disk_library_folder' } },
    );
  }
  return (
    choice === 'auto'
      ? [ways.data_port, ways.vendor_library, ways.datastore_files, exportOfFirstCopies(session, options)]
      : [ways[choice]]
  ).filter((way) => way !== undefined);
}
