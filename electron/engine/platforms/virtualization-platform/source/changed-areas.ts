import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { Extent } from '../../../../../shared/model/extent.ts';
import { value, refer, type ManagedObject } from '../client/request.ts';
import type { VimSession } from '../client/session.ts';
import { childrenOf, integerAt } from '../client/xml.ts';
import { snapshotObject } from './snapshots.ts';

/** So many separate areas are kept in memory; with more, neighbours are joined over ever larger gaps. */
const mostAreas = 500_000;
const sector = 512;

export interface AreaRequest {
  readonly vm: ManagedObject;
  readonly snapshotId: string;
  readonly deviceKey: number;
  readonly sizeBytes: number;
  /** `uuid/number`, or `*` for what is in use at all. */
  readonly changeId: string;
}

/**
 * The areas of a disk that were written since a change id, to the disk's end: one answer covers a part of it only.
 *
 * @throws `source.tracking-incomplete` when the server stops before that; its faults
 */
export async function changedAreas(
  session: VimSession,
  request: AreaRequest,
  signal: AbortSignal,
): Promise<readonly Extent[]> {
  const { vm, snapshotId, deviceKey, sizeBytes, changeId } = request;
  const areas = new AreaList(sizeBytes);
  for (let at = 0; at < sizeBytes;) {
    const answer = await session.callFor(
      'QueryChangedDiskAreas',
      vm,
      [
        refer('snapshot', snapshotObject(snapshotId)),
        value('deviceKey', deviceKey),
        value('startOffset', at),
        value('changeId', changeId),
      ],
      signal,
    );
    const [start, length] = [integerAt(answer, 'startOffset'), integerAt(answer, 'length')];
    const incomplete = (problem: string): CausewayError =>
      new CausewayError(
        'source.tracking-incomplete',
        `QueryChangedDiskAreas of disk ${deviceKey} at ${at}: ${problem}`,
        {
          details: { vmId: vm.id, deviceKey, startOffset: at, changeId },
        },
      );
    if (start === undefined || length === undefined || start > at)
      throw incomplete('the answer begins after what was asked for');
    if (length <= 0 || start + length <= at)
      throw incomplete(`the answer ends at ${start + length} of ${sizeBytes} bytes`);
    for (const area of childrenOf(answer, 'changedArea')) {
      const [from, bytes] = [integerAt(area, 'start'), integerAt(area, 'length')];
      if (from === undefined || bytes === undefined || from < 0 || bytes < 0) throw incomplete('an area has no place');
      areas.add(from, bytes);
    }
    at = start + length;
  }
  return areas.extents();
}

/** Areas in any order, joined where they touch, in whole sectors. Its memory is bounded. */
class AreaList {
  readonly #size: number;
  #areas: { start: number; end: number }[] = [];
  #gap = 0;

  constructor(size: number) {
    this.#size = size;
  }

  add(offset: number, length: number): void {
    const start = Math.floor(offset / sector) * sector;
    const end = Math.min(this.#size, Math.ceil((offset + length) / sector) * sector);
    if (start >= end) return;
    this.#areas.push({ start, end });
    while (this.#areas.length > mostAreas) {
      this.#join();
      if (this.#areas.length > mostAreas / 2) this.#gap = Math.max(64 * 1024, this.#gap * 2);
    }
  }

  extents(): readonly Extent[] {
    this.#join();
    return this.#areas.map(({ start, end }) => ({ offset: start, length: end - start, kind: 'data' }));
  }

  #join(): void {
    const joined: { start: number; end: number }[] = [];
    for (const area of this.#areas.toSorted((one, other) => one.start - other.start)) {
      const last = joined.at(-1);
      if (last !== undefined && area.start <= last.end + this.#gap) last.end = Math.max(last.end, area.end);
      else joined.push({ ...area });
    }
    this.#areas = joined;
  }
}
