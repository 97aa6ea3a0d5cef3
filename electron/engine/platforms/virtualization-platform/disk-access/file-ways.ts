import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { ErrorCode } from '../../../../../shared/model/errors/catalogue.ts';
import type { Trust } from '../../../http/transport.ts';
import type { Clock } from '../../../time/clock.ts';
import { readObject } from '../client/properties.ts';
import { objectOf, value, type ManagedObject } from '../client/request.ts';
import type { VimSession } from '../client/session.ts';
import { atPath, childOf, childrenOf, flagAt, integerAt, textAt } from '../client/xml.ts';
import { openDatastoreDisk } from '../datastore-files/datastore-disk.ts';
import type { ExportCalls, LeaseDevice } from '../export-lease/export-calls.ts';
import { ExportedDisks } from '../export-lease/exported-disks.ts';
import type { DiskToOpen, DiskWay } from './disk-access.ts';

/** What the ways over HTTPS need to know of the endpoint. */
export interface FileServerOptions {
  readonly port: number;
  readonly trust: Trust;
  readonly clock: Clock;
  readonly note: (message: string) => void;
}

/**
 * Disks as flat files of their datastore, over the API's own port. Only files that nobody writes to: of a VM that is off, or the one that
 * the snapshot has frozen. Not for disks that stand on an earlier snapshot.
 */
export function datastoreFiles(session: VimSession, { port, trust, clock }: FileServerOptions): DiskWay {
  return {
    name: 'files of the datastore (HTTPS)',
    async obstacle(disk, signal) {
      const [frozen, live, { properties }] = await Promise.all([
        linkOf(session, disk.holder, disk.deviceKey, signal),
        linkOf(session, disk.vm, disk.deviceKey, signal),
        readObject(session, disk.vm, ['runtime.powerState'], signal),
      ]);
      if (frozen === undefined || live === undefined)
        return `${frozen === undefined ? 'its snapshot' : 'the VM'} no longer has it as a file`;
      if (frozen.hasParent) return 'it stands on an earlier snapshot, and only a host merges the files of such a chain';
      if (frozen.fileName === live.fileName && properties.get('runtime.powerState')?.text !== 'poweredOff')
        return 'the VM is not off, and writes to the file';
      return undefined;
    },
    async open(disk, signal) {
      if (disk.isEncrypted)
        throw new CausewayError(
          'source.unsupported',
          `${disk.label} of VM ${disk.vm.id} is encrypted, and its files have no readable content`,
          { details: { vmId: disk.vm.id, deviceKey: disk.deviceKey } },
        );
      const [datacenterPath, fileName] = await Promise.all([datacenterOf(session, disk.vm, signal), disk.path(signal)]);
      try {
        return await openDatastoreDisk(
          {
            server: { host: session.host, port, trust },
            cookie: (renew, within) => session.cookie(renew, within),
            datacenterPath,
            fileName,
            sizeBytes: disk.sizeBytes,
            clock,
          },
          signal,
        );
      } catch (error) {
        // What is no file that this way knows, a host may read all the same.
        if (!(error instanceof CausewayError) || !noPlainFile.has(error.code)) throw error;
        throw new CausewayError('source.unsupported', error.message, { details: error.details, cause: error });
      }
    },
    close: async () => undefined,
  };
}

/** The disk is there, but not as a flat file with a descriptor. */
const noPlainFile: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'source.disk-not-found',
  'source.image-unreadable',
  'source.image-refers-outside',
]);

/** The file that a disk of a VM, or of a snapshot, stands on. */
async function linkOf(
  session: VimSession,
  object: ManagedObject,
  deviceKey: number,
  signal: AbortSignal,
): Promise<{ readonly fileName: string; readonly hasParent: boolean } | undefined> {
  const path = 'config.hardware.device';
  const devices = (await readObject(session, object, [path], signal)).properties.get(path)?.children ?? [];
  const backing = childOf(
    devices.find((device) => integerAt(device, 'key') === deviceKey),
    'backing',
  );
  const fileName = textAt(backing, 'fileName');
  return fileName === undefined || fileName === ''
    ? undefined
    : { fileName, hasParent: childOf(backing, 'parent') !== undefined };
}

/** The path of the data center in the inventory, as file requests name it. */
async function datacenterOf(session: VimSession, vm: ManagedObject, signal: AbortSignal): Promise<string> {
  if ((await session.content(signal)).apiType === 'HostAgent') return 'ha-datacenter';
  const above: { readonly type: string; readonly name: string }[] = [];
  // A VM in a vApp has no folder.
  for (let at: ManagedObject | undefined = vm; at !== undefined && above.length < 100;) {
    const { properties } = await readObject(
      session,
      at,
      at.type === 'VirtualMachine' ? ['name', 'parent', 'resourcePool'] : ['name', 'parent'],
      signal,
    );
    above.unshift({ type: at.type, name: properties.get('name')?.text ?? '' });
    at =
      objectOf(properties.get('parent')) ??
      (at.type === 'VirtualMachine' ? objectOf(properties.get('resourcePool')) : undefined);
  }
  const last = above.findLastIndex(({ type }) => type === 'Datacenter');
  if (last === -1)
    throw new CausewayError('source.unsupported', `VM ${vm.id} is in no data center that the account can see`, {
      details: { vmId: vm.id },
    });
  // The first one is the root folder, which no path names.
  return above
    .slice(above[0]?.type === 'Datacenter' ? 0 : 1, last + 1)
    .map(({ name }) => name)
    .join('/');
}

/** An export where nobody has asked for one: only for disks that are read as a whole anyway. */
export function exportOfFirstCopies(session: VimSession, options: FileServerOptions): DiskWay {
  return {
    ...snapshotExport(session, options),
    obstacle: async (disk) =>
      notExported(disk) ??
      (disk.readsOnlyChanges
        ? 'an export sends whole disks, and only what changed is needed. Set disk_access of the endpoint to export to accept that'
        : undefined),
  };
}

/** Disks as the compressed streams of an export of the snapshot: whole disks, in order. The slowest way, and one that needs nothing else. */
export function snapshotExport(session: VimSession, { port, trust, clock, note }: FileServerOptions): DiskWay {
  const exports = new Map<string, ExportedDisks>();
  const told = new Map<string, string>();
  return {
    name: 'an export of the snapshot (HTTPS)',
    obstacle: async (disk) => notExported(disk),
    async open(disk, signal) {
      // Once for each VM, and again when it is a disk of which less would be needed.
      if (exportCost(disk) !== told.get(disk.holder.id)) note(exportCost(disk));
      told.set(disk.holder.id, exportCost(disk));
      const disks =
        exports.get(disk.holder.id) ??
        new ExportedDisks({ calls: exportCalls(session, disk.holder), host: session.host, port, trust, clock, note });
      exports.set(disk.holder.id, disks);
      const { controllerType, busNumber, unitNumber } = disk.attachment;
      return disks.openDisk(
        {
          name: `${disk.label} of VM ${disk.vm.id}`,
          sizeBytes: disk.sizeBytes,
          attachment: { controllerType, busNumber, unitNumber },
        },
        signal,
      );
    },
    close: async () => undefined,
  };
}

const notExported = ({ holder }: DiskToOpen): string | undefined =>
  holder.type === 'VirtualMachineSnapshot' ? undefined : 'no snapshot contains it, and so no export of one';

/** What people are told before the first byte. */
function exportCost({ vm, readsOnlyChanges }: DiskToOpen): string {
  const whole = readsOnlyChanges
    ? 'Each disk is received as a whole although only its changes are needed'
    : 'Each disk is received as a whole, from its beginning';
  return `VM ${vm.id} is exported. ${whole}; after an interruption it is received again. Until the export ends, the platform does not start, move or delete the VM.`;
}

/** The calls of an export of one snapshot. */
export function exportCalls(session: VimSession, snapshot: DiskToOpen['holder']): ExportCalls {
  const lease = (id: string): ManagedObject => ({ type: 'HttpNfcLease', id });
  return {
    begin: async (signal) => (await session.callForObject('ExportSnapshot', snapshot, [], signal)).id,
    async state(id, signal) {
      const { properties } = await readObject(session, lease(id), ['state', 'info', 'error'], signal);
      const state = properties.get('state')?.text;
      const info = properties.get('info');
      if (state === 'ready')
        return {
          state,
          devices: childrenOf(info, 'deviceUrl').map(deviceOf),
          timeoutSeconds: integerAt(info, 'leaseTimeout') ?? 300,
        };
      if (state === 'error')
        return {
          state,
          reason:
            textAt(properties.get('error'), 'localizedMessage') ??
            atPath(properties.get('error'), 'fault')?.rawName ??
            'unknown',
        };
      return { state: state === 'done' ? 'done' : 'initializing' };
    },
    progress: async (id, percent, signal) =>
      void (await session.call('HttpNfcLeaseProgress', lease(id), [value('percent', Math.floor(percent))], signal, {
        repeatable: true,
      })),
    complete: async (id, signal) => void (await session.call('HttpNfcLeaseComplete', lease(id), [], signal)),
    abort: async (id, signal) => void (await session.call('HttpNfcLeaseAbort', lease(id), [], signal)),
  };
}

function deviceOf(element: Parameters<typeof textAt>[0]): LeaseDevice {
  const thumbprint = textAt(element, 'sslThumbprint');
  return {
    key: textAt(element, 'key') ?? '',
    url: textAt(element, 'url') ?? '',
    isDisk: flagAt(element, 'disk') ?? false,
    ...(thumbprint === undefined || thumbprint === '' ? {} : { sslThumbprint: thumbprint }),
  };
}
