import type { JsonObject } from '../../../shared/model/json.ts';
import type { DestinationPlatform } from '../ports/destination-platform.ts';
import { isOwnVmAttachment } from '../ports/own-vm.ts';
import { ledgerScope } from '../store/ledger.ts';
import type { Store } from '../store/store.ts';

export interface AttachmentsOf {
  readonly store: Pick<Store, 'ledger' | 'replicas'>;
  readonly destination: Pick<DestinationPlatform, 'removeResource'>;
  readonly replicaId: string;
  readonly note: (message: string, details: JsonObject) => void;
}

/**
 * Detaches the volumes of a replica from VMs that engines run on, but for those that an execution keeps: what an engine that was killed, here or on
 * another computer, has left. Whoever still writes there loses the device.
 *
 * @returns the volumes that stay attached, or may, and what was detached
 */
export async function releaseAttachments(
  { store, destination, replicaId, note }: AttachmentsOf,
  kept: { readonly executionId: string; readonly vmId: string } | undefined,
  signal: AbortSignal,
): Promise<{ readonly kept: readonly string[]; readonly released: readonly JsonObject[] }> {
  const replica = store.replicas.find(replicaId);
  const isLeft = ({ executionId, details }: { readonly executionId?: string; readonly details: JsonObject }): boolean =>
    kept === undefined || executionId !== kept.executionId || details['vmId'] !== kept.vmId;
  const all = store.ledger
    .list()
    .filter(
      (entry) =>
        entry.replicaId === replicaId &&
        entry.endpointId === replica?.destinationEndpointId &&
        isOwnVmAttachment(entry) &&
        entry.state !== 'removed',
    );
  for (const entry of all.filter(isLeft)) {
    const { endpointId, executionId, details } = entry;
    note(
      `Detaching volume ${String(details['volumeId'])} from VM ${String(details['vmId'])}, on which Causeway runs`,
      details,
    );
    await destination.removeResource(
      entry,
      ledgerScope(store.ledger, { endpointId, replicaId, ...(executionId === undefined ? {} : { executionId }) }),
      signal,
    );
  }
  return {
    kept: all.filter((entry) => !isLeft(entry)).map(({ details }) => String(details['volumeId'])),
    released: all.filter(isLeft).map(({ details }) => details),
  };
}
