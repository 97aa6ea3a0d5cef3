import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../shared/model/json.ts';
import { turnsByKey } from '../concurrency/in-turn.ts';
import type { DestinationRun, Volume } from '../ports/destination-run.ts';
import { isCopyAttachment, ownVmCopyKey, ownVmKey, type OwnVmAccess, type OwnVmDevice } from '../ports/own-vm.ts';
import type { LedgerEntry, LedgerScope } from '../ports/ledger.ts';
import type { CloudApi, CloudServer, ResourceDeleter, WorkerCloud } from './cloud-api.ts';
import { deleteResource } from './resource-deletion.ts';
import { attachVolume, detachVolume } from './volume-attachments.ts';

type OwnVmCloud = Omit<WorkerCloud, 'deleterFor'>;

/** What a platform adds to the shared steps. */
export interface OwnVmRules extends Pick<OwnVmAccess, 'whyNone' | 'hints'> {
  /** Copies of a source's disks, instead of a destination's volumes: as they do, their attachments outlive an execution that could not clean up. */
  readonly areCopies?: boolean;
  /** What the device of a volume carries. Default: the volume's id. */
  readonly serialOf?: (volumeId: string) => string;
  /** How many more volumes a VM takes. @throws `engine.own-vm-unusable` when those of the environment can't be attached to it */
  room?(environment: JsonObject, vmId: string, signal: AbortSignal): Promise<number | undefined>;
  /** Before a volume is attached. @throws `engine.own-vm-unusable` */
  prepare?(run: DestinationRun, vmId: string, volume: Volume, signal: AbortSignal): Promise<void>;
  /** The device of a volume that is attached. Default: the volume's id is its serial. */
  deviceOf?(run: DestinationRun, vmId: string, volume: Volume, signal: AbortSignal): Promise<OwnVmDevice>;
}

/** A VM's numbers for volumes are given away by who attaches: two at once would choose the same. */
const inTurn = turnsByKey();

/**
 * Attaches volumes to VMs that Causeway did not make and whose labels do not tell what they are for. What is attached is recorded before it is
 * asked for: whoever continues, on whatever computer, knows from where to take the volume.
 */
export function ownVmAccess(
  cloudOf: (environment: JsonObject, vmId: string, signal: AbortSignal) => OwnVmCloud | Promise<OwnVmCloud>,
  rules: OwnVmRules = {},
): OwnVmAccess {
  const { areCopies = false, serialOf = (id) => id } = rules;
  const recorded = areCopies
    ? ({ keyOf: ownVmCopyKey, lifetime: 'replica' } as const)
    : ({ keyOf: ownVmKey, lifetime: 'temporary' } as const);
  return {
    bySerial: rules.deviceOf === undefined,
    ...(rules.whyNone === undefined ? {} : { whyNone: rules.whyNone }),
    ...(rules.hints === undefined ? {} : { hints: rules.hints }),
    async check(environment, vmId, signal) {
      const { name } = await runningVm(await cloudOf(environment, vmId, signal), vmId, signal);
      const room = await rules.room?.(environment, vmId, signal);
      return { name, ...(room === undefined ? {} : { room }) };
    },
    async attachVolume(run, vmId, volume, signal) {
      const cloud = await cloudOf(run.environment, vmId, signal);
      const isAttached = async (within: AbortSignal): Promise<boolean> =>
        (await cloud.volumes.get(volume.id, within))?.serverId === vmId;
      const there = async (entry: LedgerEntry, within: AbortSignal) =>
        (await isAttached(within)) ? { id: attachmentId(entry) } : undefined;
      let isDone = false;
      const attach = (within: AbortSignal): Promise<void> =>
        inTurn(vmId, async () => {
          await rules.prepare?.(run, vmId, volume, within);
          await attachVolume(cloud, run, vmId, volume.id, within);
          isDone = true;
        });
      const intent = {
        kind: 'attachment',
        key: recorded.keyOf(volume.id),
        lifetime: recorded.lifetime,
        details: { ...cloud.entryDetails, vmId, volumeId: volume.id },
      } as const;
      await run.ledger.ensure(
        intent,
        {
          find: there,
          get: (_id, entry, within) => there(entry, within),
          async create(entry, within) {
            await attach(within);
            return { id: attachmentId(entry) };
          },
        },
        signal,
      );
      // Of an earlier attempt: the cloud may still be at it.
      if (!isDone) await attach(signal);
      return (
        (await rules.deviceOf?.(run, vmId, volume, signal)) ?? {
          kind: 'serial',
          serial: serialOf(volume.id),
          sizeBytes: volume.sizeBytes,
        }
      );
    },
  };
}

async function runningVm({ servers }: OwnVmCloud, vmId: string, signal: AbortSignal): Promise<CloudServer> {
  const server = await servers.get(vmId, signal);
  if (server === undefined || server.state === 'gone') throw unusable(`there is no VM ${vmId}`, vmId);
  if (server.state !== 'running') throw unusable(`VM ${server.name} is in status ${server.status}`, vmId);
  return server;
}

/** Why a VM of the user's own can't have volumes attached. */
export function unusable(why: string, vmId: string): CausewayError {
  return new CausewayError('engine.own-vm-unusable', why, { details: { vmId } });
}

/** How a volume is taken from a VM that an engine runs on. The VM itself stays as it is. */
export function attachmentDeleter(cloud: OwnVmCloud, entry: LedgerEntry): ResourceDeleter {
  const [vmId, volumeId] = [String(entry.details['vmId']), String(entry.details['volumeId'])];
  const isThere = async (signal: AbortSignal): Promise<boolean> =>
    (await cloud.volumes.get(volumeId, signal))?.serverId === vmId;
  return {
    findId: async (signal) => ((await isThere(signal)) ? attachmentId(entry) : undefined),
    isThere: (_id, signal) => isThere(signal),
    async remove(_id, signal) {
      if (await isThere(signal)) await detachVolume(cloud, vmId, volumeId, signal);
    },
  };
}

/** Takes a copy of a disk from VMs that engines have attached it to, so that the copy can be deleted. */
export async function detachCopy(
  cloud: Pick<CloudApi, 'deleterFor'>,
  ledger: LedgerScope,
  copy: LedgerEntry,
  signal: AbortSignal,
): Promise<void> {
  if (copy.kind !== 'volume' || copy.resourceId === undefined) return;
  const left = ledger
    .list()
    .filter(
      (entry) => isCopyAttachment(entry) && entry.state !== 'removed' && entry.details['volumeId'] === copy.resourceId,
    );
  for (const entry of left) await deleteResource(cloud, ledger, entry, signal);
}

/** The same volume is attached to the same VM again and again: each time it is another one. */
function attachmentId({ entryId, details }: LedgerEntry): string {
  return `${String(details['vmId'])}/${String(details['volumeId'])}/${entryId}`;
}
