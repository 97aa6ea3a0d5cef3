import type { Extent } from '../../../shared/model/extent.ts';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { DiskReader } from '../ports/disk-reader.ts';

/** A part of the disk, with what the source says about it. `unchanged`: in sync since the base. */
export interface Piece {
  readonly offset: number;
  readonly length: number;
  readonly kind: 'data' | 'zero' | 'unchanged';
}

/**
 * The whole disk as pieces that join without a gap: the reader's extents, checked, and what lies between them. Between
 * changed extents nothing changed, but only as far as the base is known to be on the volume; beyond `settledBytes`
 * everything counts as data.
 * @param fromBytes where the first piece begins
 * @throws CausewayError replication.extents-invalid
 */
export async function* coverDisk(
  reader: DiskReader,
  settledBytes: number,
  signal: AbortSignal,
  fromBytes = 0,
): AsyncGenerator<Piece> {
  let at = fromBytes;
  for await (const extent of reader.extents(signal, fromBytes)) {
    signal.throwIfAborted();
    check(extent, at, reader);
    yield* gap(at, extent.offset, settledBytes);
    yield extent;
    at = extent.offset + extent.length;
  }
  if (at < reader.sizeBytes && reader.coverage === 'allocated') {
    throw invalid(`the allocated extents end at ${at} of ${reader.sizeBytes} bytes`, reader);
  }
  yield* gap(at, reader.sizeBytes, settledBytes);
}

function* gap(from: number, to: number, settledBytes: number): Generator<Piece> {
  const settled = Math.min(Math.max(settledBytes, from), to);
  if (settled > from) yield { offset: from, length: settled - from, kind: 'unchanged' };
  if (to > settled) yield { offset: settled, length: to - settled, kind: 'data' };
}

function check(extent: Extent, at: number, reader: DiskReader): void {
  const { offset, length } = extent;
  const end = offset + length;
  if (!Number.isSafeInteger(offset) || !Number.isSafeInteger(length) || length <= 0 || end > reader.sizeBytes) {
    throw invalid(
      `an extent of ${length} bytes at ${offset} is not within the disk of ${reader.sizeBytes} bytes`,
      reader,
    );
  }
  if (offset < at) throw invalid(`an extent starts at ${offset}, before the end of the one before it at ${at}`, reader);
  if (offset > at && reader.coverage === 'allocated') {
    throw invalid(`the allocated extents have a gap of ${offset - at} bytes at ${at}`, reader);
  }
}

function invalid(message: string, reader: DiskReader): CausewayError {
  return new CausewayError('replication.extents-invalid', message, {
    details: { coverage: reader.coverage, sizeBytes: reader.sizeBytes },
  });
}
