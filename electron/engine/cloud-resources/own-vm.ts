import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../shared/model/json.ts';
import { isCopyAttachment, ownVmCopyKey, ownVmKey, type OwnVmAccess } from '../ports/own-vm.ts';
import type { LedgerEntry, LedgerScope } from '../ports/ledger.ts';
import type { CloudApi, ResourceDeleter, WorkerCloud } from './cloud-api.ts';
import { deleteResource } from './resource-deletion.ts';
import { attachVolume, detachVolume } from './volume-attachments.ts';

type OwnVmCloud = Omit<WorkerCloud, 'deleterFor'>;

export interface OwnVmOptions {
  /** Copies of a source's disks, instead of a destination's volumes: as they do, their attachments outlive an execution that could not clean up. */
  readonly areCopies?: boolean;
  /** What the device of a volume carries. Default: the volume's id. */
  readonly serialOf?: (volumeId: string) => string;
}

/**
 * Attaches volumes to VMs that Causeway did not make and whose labels do not tell what they are for. What is attached is recorded before it is
 * asked for: whoever continues, on whatever computer, knows from where to take the volume.
 */
export function ownVmAccess(cloudOf: (environment: JsonObject) => OwnVmCloud, { areCopies = false, serialOf = (id) => id }: OwnVmOptions = {}): OwnVmAccess {
  const recorded = areCopies ? { keyOf: ownVmCopyKey, lifetime: 'replica' } as const : { keyOf: ownVmKey, lifetime: 'temporary' } as const;
  return {
    async check(environment, vmId, signal) {
      const server = await cloudOf(environment).servers.get(vmId, signal);
      if (server === undefined) throw new CausewayError('engine.own-vm-unusable', `there is no VM ${vmId}`);
      if (server.state !== 'running') throw new CausewayError('engine.own-vm-unusable', `VM ${server.name} is in status ${server.status}`);
      return { name: server.name };
    },
    async attachVolume(run, vmId, volume, signal) {
      const cloud = cloudOf(run.environment);
      const isAttached = async (within: AbortSignal): Promise<boolean> => (await cloud.volumes.get(volume.id, within))?.serverId === vmId;
      const there = async (entry: LedgerEntry, within: AbortSignal) => ((await isAttached(within)) ? { id: attachmentId(entry) } : undefined);
      let isDone = false;
      const attach = async (within: AbortSignal): Promise<void> => {
        await attachVolume(cloud, run, vmId, volume.id, within);
        isDone = true;
      };
      const intent = { kind: 'attachment', key: recorded.keyOf(volume.id), lifetime: recorded.lifetime, details: { ...cloud.entryDetails, vmId, volumeId: volume.id } } as const;
      await run.ledger.ensure(intent, {
        find: there,
        get: (_id, entry, within) => there(entry, within),
        async create(entry, within) {
          await attach(within);
          return { id: attachmentId(entry) };
        },
      }, signal);
      // Of an earlier attempt: the cloud may still be at it.
      if (!isDone) await attach(signal);
      return { kind: 'serial', serial: serialOf(volume.id), sizeBytes: volume.sizeBytes };
    },
  };
}

/** How a volume is taken from a VM that an engine runs on. The VM itself stays as it is. */
export function attachmentDeleter(cloud: OwnVmCloud, entry: LedgerEntry): ResourceDeleter {
  const [vmId, volumeId] = [String(entry.details['vmId']), String(entry.details['volumeId'])];
  const isThere = async (signal: AbortSignal): Promise<boolean> => (await cloud.volumes.get(volumeId, signal))?.serverId === vmId;
  return {
    findId: async (signal) => ((await isThere(signal)) ? attachmentId(entry) : undefined),
    isThere: (_id, signal) => isThere(signal),
    async remove(_id, signal) {
      if (await isThere(signal)) await detachVolume(cloud, vmId, volumeId, signal);
    },
  };
}

/** Takes a copy of a disk from VMs that engines have attached it to, so that the copy can be deleted. */
export async function detachCopy(cloud: Pick<CloudApi, 'deleterFor'>, ledger: LedgerScope, copy: LedgerEntry, signal: AbortSignal): Promise<void> {
  if (copy.kind !== 'volume' || copy.resourceId === undefined) return;
  const left = ledger.list().filter((entry) => isCopyAttachment(entry) && entry.state !== 'removed' && entry.details['volumeId'] === copy.resourceId);
  for (const entry of left) await deleteResource(cloud, ledger, entry, signal);
}

/** The same volume is attached to the same VM again and again: each time it is another one. */
function attachmentId({ entryId, details }: LedgerEntry): string {
  return `${String(details['vmId'])}/${String(details['volumeId'])}/${entryId}`;
}
