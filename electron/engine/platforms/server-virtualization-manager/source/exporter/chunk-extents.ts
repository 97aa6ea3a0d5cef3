import { CausewayError } from '../../../../../../shared/model/causeway-error.ts';
import type { Extent } from '../../../../../../shared/model/extent.ts';
import { appendExtent } from '../../../../nbd/status-extents.ts';
import type { Chunk } from '../../client/exporter.ts';

/** A chunk as this side uses it. */
interface Piece {
  readonly start: number;
  readonly end: number;
  /** Of the chunk's start, on the repository. */
  readonly place: number;
}

/**
 * What a file holds: data where it has chunks, zeros elsewhere. With the chunks of an earlier snapshot that still exists, only what differs
 * from it: a block that was written since lies at another place, because two files that share a block never write to it in place.
 * What was a chunk and is a hole now reads as zeros.
 */
export function chunkExtents(
  now: readonly Chunk[],
  base: readonly Chunk[] | undefined,
  sizeBytes: number,
  label: string,
): readonly Extent[] {
  const [own, former] = [
    pieces(now, sizeBytes, label),
    base === undefined ? undefined : pieces(base, sizeBytes, label),
  ];
  const edges = [
    ...new Set([0, sizeBytes, ...[...own, ...(former ?? [])].flatMap(({ start, end }) => [start, end])]),
  ].sort((one, other) => one - other);
  const extents: Extent[] = [];
  let [ownAt, formerAt] = [0, 0];
  for (const [index, offset] of edges.entries()) {
    const end = edges[index + 1];
    if (end === undefined) break;
    while ((own[ownAt]?.end ?? Infinity) <= offset) ownAt += 1;
    while ((former?.[formerAt]?.end ?? Infinity) <= offset) formerAt += 1;
    const place = placeAt(own[ownAt], offset);
    if (former !== undefined && place === placeAt(former[formerAt], offset)) continue;
    appendExtent(extents, { offset, length: end - offset, kind: place === undefined ? 'zero' : 'data' });
  }
  return extents;
}

function placeAt(piece: Piece | undefined, offset: number): number | undefined {
  return piece === undefined || piece.start > offset ? undefined : piece.place + (offset - piece.start);
}

/** In their order, cut at the end of the disk: the last cluster of a file may be longer. @throws `cloud.unexpected-answer` */
function pieces(chunks: readonly Chunk[], sizeBytes: number, label: string): readonly Piece[] {
  const sorted = chunks
    .map(({ start, length, physical_start: place }): Piece => ({
      start,
      end: Math.min(start + length, sizeBytes),
      place,
    }))
    .filter(({ start, end }) => end > start)
    .sort((one, other) => one.start - other.start);
  const wrong = sorted.find(
    ({ start, end, place }, index) =>
      ![start, end, place].every(Number.isSafeInteger) || start < (sorted[index - 1]?.end ?? 0),
  );
  if (wrong === undefined) return sorted;
  throw new CausewayError(
    'cloud.unexpected-answer',
    `${label}: the exporter lists overlapping or impossible chunks at ${wrong.start}`,
  );
}
