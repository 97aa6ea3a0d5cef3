import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../shared/model/json.ts';
import { ownVmKey, type OwnVmAccess } from '../ports/own-vm.ts';
import type { LedgerEntry } from '../ports/ledger.ts';
import type { CloudCalls, ResourceDeleter } from './cloud-api.ts';
import { attachVolume, detachVolume } from './volume-attachments.ts';

type OwnVmCloud = Pick<CloudCalls, 'volumes' | 'servers' | 'entryDetails' | 'timing' | 'clock' | 'random'>;

/**
 * Attaches volumes to VMs that Causeway did not make and whose labels do not tell what they are for. What is attached is recorded before it is
 * asked for: whoever continues, on whatever computer, knows from where to take the volume.
 */
export function ownVmAccess(cloudOf: (environment: JsonObject) => OwnVmCloud): OwnVmAccess {
  return {
    async check(environment, vmId, signal) {
      const server = await cloudOf(environment).servers.get(vmId, signal);
      if (server === undefined) throw new CausewayError('engine.own-vm-unusable', `the destination has no VM ${vmId}`);
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
      const intent = { kind: 'attachment', key: ownVmKey(volume.id), lifetime: 'temporary', details: { ...cloud.entryDetails, vmId, volumeId: volume.id } } as const;
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
      return { kind: 'serial', serial: volume.id, sizeBytes: volume.sizeBytes };
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

/** The same volume is attached to the same VM again and again: each time it is another one. */
function attachmentId({ entryId, details }: LedgerEntry): string {
  return `${String(details['vmId'])}/${String(details['volumeId'])}/${entryId}`;
}
