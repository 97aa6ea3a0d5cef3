import type { Readable } from 'node:stream';
import type { PageBlobClient } from '@azure/storage-blob';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { isStatus } from '../../../http/http-error.ts';
import { abortable } from '../../../concurrency/abortable.ts';
import type { AzureCloud } from './open-azure.ts';
import { readBytes, type ListedPages, type PageAccess, type PageOptions } from './page-access.ts';
import type { AnswerPlace } from './sdk-http.ts';

/** A managed disk or a snapshot of one. */
export interface AccessTarget {
  readonly kind: 'disk' | 'snapshot';
  readonly group: string;
  readonly name: string;
}

/** Short, because an address that outlives this process is good until then; it is renewed as long as somebody reads. */
const usualSeconds = 3600;
/** An access that is refused twice right after it was granted is refused for another reason than its age. */
const mostRenewals = 2;

/**
 * The signed address of a disk or snapshot: granted when it is first needed, renewed when it has expired, and revoked in the end.
 * Shared by all who use the disk at the same time, as the cloud revokes all addresses of a disk at once.
 */
export class DiskAccess implements PageAccess {
  readonly #cloud: AzureCloud;
  readonly #target: AccessTarget;
  readonly #access: 'Read' | 'Write';
  readonly #seconds: number;
  #granted: Promise<string> | undefined;

  /** @param seconds for how long an address is good: a copy within the cloud cannot be given another one */
  constructor(cloud: AzureCloud, target: AccessTarget, access: 'Read' | 'Write' = 'Read', seconds = usualSeconds) {
    this.#cloud = cloud;
    this.#target = target;
    this.#access = access;
    this.#seconds = seconds;
  }

  /** Does something by the address, again with a new one if it has expired meanwhile. */
  async use<T>(
    operation: string,
    work: (blob: PageBlobClient, options: PageOptions) => Promise<T>,
    signal: AbortSignal,
    place?: AnswerPlace,
  ): Promise<T> {
    for (let renewals = 0; ; renewals += 1) {
      const granted = this.#grant();
      const url = await abortable(granted, signal);
      const blob = await this.#cloud.pageBlob(url, place);
      try {
        return await this.#cloud.call(operation, (options) => work(blob, options), signal);
      } catch (error) {
        if (!isExpired(error) || renewals >= mostRenewals) throw error;
        if (this.#granted === granted) await this.#renew(url, signal);
      }
    }
  }

  /** By as few requests as can be, whose answers go to their places. */
  async read(operation: string, offset: number, into: Uint8Array, signal: AbortSignal): Promise<void> {
    for (let at = 0; at < into.length; at += readBytes) {
      const place: AnswerPlace = { into: into.subarray(at, at + readBytes), isFilled: false };
      await this.use(
        operation,
        async (blob, { abortSignal }) => {
          const { readableStreamBody } = await blob.download(offset + at, place.into.length, {
            abortSignal,
            maxRetryRequests: 0,
          });
          (readableStreamBody as Readable | undefined)?.destroy();
        },
        signal,
        place,
      );
      if (!place.isFilled)
        throw new CausewayError(
          'cloud.unexpected-answer',
          `${operation}: the answer is not the part that was asked for`,
          { details: { operation } },
        );
    }
  }

  changes(
    pages: PageBlobClient,
    offset: number,
    length: number,
    former: string,
    options: PageOptions,
  ): Promise<ListedPages> {
    return pages.getPageRangesDiffForManagedDisks(offset, length, former, options);
  }

  /** The address itself: lists of changes name two of them. */
  name(signal: AbortSignal): Promise<string> {
    return abortable(this.#grant(), signal);
  }

  /** Forgets an address that was refused. */
  async refused(url: string, signal: AbortSignal): Promise<void> {
    if ((await this.#granted?.catch(() => undefined)) === url) await this.#renew(url, signal);
  }

  /** Ends all addresses, also those of an earlier process. What is gone has none. */
  async revoke(signal: AbortSignal): Promise<void> {
    const pending = this.#granted;
    this.#granted = undefined;
    // One that is still being granted would outlive a revocation that the cloud carries out before it.
    if (pending !== undefined)
      await abortable(
        pending.catch(() => undefined),
        signal,
      );
    await revokeAccess(this.#cloud, this.#target, signal);
  }

  /** Ends them if there are any of this process. */
  async end(signal: AbortSignal): Promise<void> {
    if (this.#granted !== undefined) await this.revoke(signal);
  }

  #grant(): Promise<string> {
    // Shared by all readers: the one who gives up must not fail the others.
    this.#granted ??= this.#ask().catch((error: unknown) => {
      this.#granted = undefined;
      throw error;
    });
    return this.#granted;
  }

  /** The cloud may answer with the address that it gave before, as long as it thinks that this is good. */
  async #renew(refused: string, signal: AbortSignal): Promise<void> {
    this.#granted = undefined;
    const next = this.#grant();
    if ((await abortable(next, signal)) !== refused) return;
    if (this.#granted === next) await this.revoke(signal);
  }

  async #ask(): Promise<string> {
    const { kind, group, name } = this.#target;
    const compute = await this.#cloud.compute();
    const wish = { access: this.#access, durationInSeconds: this.#seconds };
    const answer = await this.#cloud.finish(
      `grant access to ${kind} ${name}`,
      (options) =>
        kind === 'disk'
          ? compute.disks.grantAccess(group, name, wish, options)
          : compute.snapshots.grantAccess(group, name, wish, options),
      new AbortController().signal,
    );
    if (answer.accessSAS === undefined)
      throw new CausewayError('cloud.unexpected-answer', `access to ${kind} ${name} was granted without an address`);
    return answer.accessSAS;
  }
}

/**
 * Ends all addresses of a disk or snapshot; one that is gone has none. An account that may not end them may hardly ask for them either, and
 * those that there are end by themselves.
 */
export async function revokeAccess(
  cloud: AzureCloud,
  { kind, group, name }: AccessTarget,
  signal: AbortSignal,
): Promise<void> {
  const compute = await cloud.compute();
  try {
    await cloud.finish(
      `revoke access to ${kind} ${name}`,
      (options) =>
        kind === 'disk'
          ? compute.disks.revokeAccess(group, name, options)
          : compute.snapshots.revokeAccess(group, name, options),
      signal,
    );
  } catch (error) {
    if (!isStatus(error, 404) && !(error instanceof CausewayError && error.code === 'cloud.permission-denied'))
      throw error;
  }
}

/** Storage answers this to a signature that has expired or was revoked, as well as to a wrong one. */
export function isExpired(error: unknown): boolean {
  return isStatus(error, 403) && error instanceof CausewayError && error.details['code'] === 'AuthenticationFailed';
}
