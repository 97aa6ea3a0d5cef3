import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { isJsonObject, type JsonObject } from '../../../../../shared/model/json.ts';
import { ensureResource, entryLabel, nameOf, resourceTags } from '../../../cloud-resources/ledgered-resource.ts';
import { orRemoveFailed } from '../../../cloud-resources/resource-deletion.ts';
import { pollPlan } from '../../../cloud-resources/retry-context.ts';
import { isStatus } from '../../../http/http-error.ts';
import { waitForState } from '../../../http/wait-for-state.ts';
import type { Snapshot } from '../../../ports/source-platform.ts';
import { readByDownload, type PageAccess } from '../client/page-access.ts';
import { BlobContainer, blobPlaceOf, readAccount } from '../destination/page-blobs.ts';
import { deleterFor } from '../destination/remove-resource.ts';
import type { AccessPool } from './access-pool.ts';
import { targetOf } from './snapshots.ts';
import { ledgerOf, runOf, type SourceContext } from './source-context.ts';

/** Where snapshots are copied to. */
export interface CopyPlace {
  readonly group: string;
  readonly account: string;
  readonly container: string;
}

/** The address that is copied from must be good until the copy is complete, which is hours for a large disk. */
const copySeconds = 24 * 3600;

/** The storage account of the environment, which is in its resource group; undefined where it names none. */
export function copyPlaceOf(environment: JsonObject, groupOfVm: string): CopyPlace | undefined {
  const text = (key: string): string | undefined => {
    const value = environment[key];
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
  };
  const place = blobPlaceOf({
    storage_account_name: text('storage_account_name'),
    storage_container_name: text('storage_container_name'),
  });
  return place === undefined ? undefined : { ...place, group: text('resource_group') ?? groupOfVm };
}

/** The place as a snapshot's state has it. */
export function copyPlaceIn({ state }: Snapshot): CopyPlace | undefined {
  const { copies } = state;
  if (!isJsonObject(copies)) return undefined;
  const { group, account, container } = copies;
  return typeof group === 'string' && typeof account === 'string' && typeof container === 'string'
    ? { group, account, container }
    : undefined;
}

/** @throws `cloud.name-unknown`, or `general.invalid-input` for an account without page blobs */
export async function demandAccount(
  { session }: Pick<SourceContext, 'session'>,
  place: CopyPlace,
  signal: AbortSignal,
): Promise<void> {
  const { group, account } = place;
  const found = await readAccount(session, { group }, place, signal);
  const details = { parameter: 'storage_account_name', name: account };
  if (found === undefined)
    throw new CausewayError('cloud.name-unknown', `no storage account "${account}" in resource group ${group}`, {
      details,
    });
  if (found.problem !== undefined)
    throw new CausewayError('general.invalid-input', `storage_account_name: ${found.problem}`, {
      details: { ...details, problems: [found.problem] },
    });
}

interface CopyRequest {
  readonly snapshot: Snapshot;
  readonly diskId: string;
  readonly snapshotId: string;
  readonly sizeBytes: number;
  readonly place: CopyPlace;
}

/**
 * Copies of snapshots in a storage account of the user: the cloud copies them there itself, and they are read as page blobs by the identity
 * that is signed in. They are recorded as volumes of the execution and removed with it.
 */
export class BlobCopies {
  readonly #context: SourceContext;
  readonly #accesses: AccessPool;

  constructor(context: SourceContext, accesses: AccessPool) {
    this.#context = context;
    this.#accesses = accesses;
  }

  /** The pages of a copy, which is made if there is none, and complete when this resolves. */
  async open(
    { snapshot, diskId, snapshotId, sizeBytes, place }: CopyRequest,
    signal: AbortSignal,
  ): Promise<PageAccess> {
    const { cloud, session } = this.#context;
    const ledger = ledgerOf(this.#context);
    const container = new BlobContainer(session, { group: place.group, location: '' }, place);
    const target = targetOf(snapshotId);
    const access = this.#accesses.take(target, copySeconds);
    try {
      const { resource, entry } = await ensureResource<{ readonly id: string }>(
        cloud,
        ledger,
        {
          kind: 'volume',
          key: `${snapshot.tag}/${diskId}/blob`,
          lifetime: 'replica',
          details: {
            resourceGroup: place.group,
            location: '',
            storageAccount: place.account,
            storageContainer: place.container,
            diskId,
          },
        },
        {
          async find(given, within) {
            const [found] = await container.items(entryLabel(given), false, within);
            return found === undefined ? undefined : { id: found.blob.url };
          },
          get: async (id, _given, within) => ((await container.facts(id, within)) === undefined ? undefined : { id }),
          create: async (given, within) => ({
            id: await container.copy(
              nameOf(given),
              await access.name(within),
              resourceTags(runOf(this.#context), given),
              within,
            ),
          }),
        },
        signal,
      );
      const removing = { deleterFor: (each: Parameters<typeof deleterFor>[1]) => deleterFor(session, each) };
      await orRemoveFailed(
        removing,
        ledger,
        entry,
        () => this.#whenComplete(container, resource.id, { diskId, sizeBytes }, signal),
        signal,
      );
      return pagesOf(this.#context, container, resource.id);
    } finally {
      await this.#accesses.giveBack(target);
    }
  }

  #whenComplete(
    container: BlobContainer,
    id: string,
    { diskId, sizeBytes }: Pick<CopyRequest, 'diskId' | 'sizeBytes'>,
    signal: AbortSignal,
  ): Promise<void> {
    const { cloud } = this.#context;
    return waitForState(
      { operation: `copying the snapshot of disk ${diskId} to a blob` },
      async (within) => {
        const facts = await container.facts(id, within);
        const status = facts?.copy?.status ?? 'missing';
        if (facts !== undefined && status === 'pending') return { done: false, state: 'copied in part' };
        if (facts === undefined || status !== 'success' || facts.bytes < sizeBytes) {
          throw new CausewayError(
            'cloud.operation-failed',
            `copying the snapshot of disk ${diskId} to a blob: ${status} ${facts?.copy?.description ?? ''}`.trimEnd(),
            { details: { diskId, state: status } },
          );
        }
        return { done: true, value: undefined };
      },
      pollPlan(cloud.timing, copySeconds * 1000),
      cloud.clock,
      signal,
    );
  }
}

function pagesOf({ cloud }: Pick<SourceContext, 'cloud'>, container: BlobContainer, id: string): PageAccess {
  const use: PageAccess['use'] = async (operation, work, signal) => {
    const pages = await container.page(id, signal);
    return cloud.call(operation, (options) => work(pages, options), signal);
  };
  return {
    use,
    read: readByDownload(use),
    // Copies are blobs of their own: no list tells what differs between two of them.
    changes: () => Promise.reject(new CausewayError('general.bug', 'copies of snapshots are not compared')),
    name: async () => id,
    refused: async () => undefined,
  };
}

/** Whether the cloud tells no changes here: by roles, by the disk's network access policy, or as the address cannot be reached. */
export function isDenied(error: unknown): error is CausewayError {
  return (
    isStatus(error, 400, 403, 409) ||
    (error instanceof CausewayError && ['cloud.unreachable', 'cloud.no-answer'].includes(error.code))
  );
}
