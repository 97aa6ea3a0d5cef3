import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { extentsFrom, type Extent } from '../../../../../shared/model/extent.ts';
import type { DiskReader } from '../../../ports/disk-reader.ts';
import type { Snapshot } from '../../../ports/source-platform.ts';
import { changesSchema, usedSchema } from '../control/answers.ts';
import { DigestFile, digestFileName, forgetDigests } from '../../../workers/export/digest-store.ts';
import type { HostLink } from '../control/host-link.ts';
import type { DiskContent } from '../disk-access/disk-access.ts';
import { digestedReader } from '../disk-access/digested-disk.ts';
import { diskMark, type DiskMark } from './checkpoint-state.ts';
import { onNode } from './checkpoints.ts';
import type { SourceContext } from './source-context.ts';

/** What Windows tracks may be finer; nothing depends on it. */
const granularityBytes = 512;

/** Opens the frozen file of a disk. With a base whose tracking id is good, the reader yields what changed since; otherwise the whole disk, and people are told why. */
export async function openDisk(
  context: SourceContext,
  snapshot: Snapshot,
  diskId: string,
  base: Snapshot | undefined,
  signal: AbortSignal,
): Promise<DiskReader> {
  const mark = diskMark(snapshot, diskId);
  if (mark === undefined)
    throw new CausewayError('source.disk-not-found', `snapshot ${snapshot.tag} has no disk ${diskId}`, {
      details: { diskId },
    });
  const opened = await onNode(
    context,
    snapshot.vmId,
    async (link) => {
      const changes =
        base !== undefined && snapshot.state['base'] === base.tag
          ? await changesOf(context, link, snapshot, mark, signal)
          : undefined;
      const content = await context.access.open(
        { link, path: mark.path, sizeBytes: mark.sizeBytes, verifyServer: snapshot.state['verifyServer'] !== false },
        signal,
      );
      return {
        changes,
        content,
        used: changes === undefined && content.digests === undefined ? await usedBlocks(link, mark, signal) : undefined,
      };
    },
    signal,
  );
  if (opened === undefined)
    throw new CausewayError('source.snapshot-lost', `VM ${snapshot.vmId} no longer exists`, {
      details: { vmId: snapshot.vmId },
    });
  const { changes, content } = opened;
  if (content.digests === undefined) return readerOf(opened);
  const digestsOf = (of: Snapshot): DigestFile =>
    new DigestFile(context.digestFolder, digestFileName(of.tag, diskId), mark.sizeBytes);
  const former =
    base !== undefined && snapshot.state['base'] === base.tag && diskMark(base, diskId)?.sizeBytes === mark.sizeBytes
      ? digestsOf(base)
      : undefined;
  return digestedReader({
    content: { ...content, digests: content.digests },
    changes,
    own: digestsOf(snapshot),
    base: (await former?.isComplete()) === true ? former : undefined,
  });
}

/** Drops the digests of a snapshot. */
export async function dropDigests(context: SourceContext, { tag, disks }: Snapshot): Promise<void> {
  for (const { diskId } of disks) await forgetDigests(context.digestFolder, digestFileName(tag, diskId));
}

interface OpenedDisk {
  readonly content: DiskContent;
  readonly changes: readonly Extent[] | undefined;
  /** Of the whole disk, where neither changes nor digests tell. */
  readonly used: readonly Extent[] | undefined;
}

function readerOf({ content, changes, used }: OpenedDisk): DiskReader {
  let closing: Promise<void> | undefined;
  return {
    sizeBytes: content.sizeBytes,
    coverage: changes === undefined ? 'allocated' : 'changed',
    granularityBytes,
    extents: (_signal, fromBytes = 0) =>
      extentsFrom(changes ?? used ?? [{ offset: 0, length: content.sizeBytes, kind: 'data' }], fromBytes),
    read: (offset, into, signal) => content.read(offset, into, signal),
    close: () => (closing ??= content.close()),
  };
}

/** The whole disk by the blocks that its files have; undefined where the host cannot tell. */
async function usedBlocks(
  link: HostLink,
  { path, sizeBytes }: DiskMark,
  signal: AbortSignal,
): Promise<readonly Extent[] | undefined> {
  const answer = await link.ask('used-blocks', { path }, usedSchema, signal);
  if ('reason' in answer) return undefined;
  const extents: Extent[] = [];
  let end = 0;
  for (const range of joined(rangesOf(answer.ranges, sizeBytes))) {
    if (range.offset > end) extents.push({ offset: end, length: range.offset - end, kind: 'zero' });
    extents.push(range);
    end = range.offset + range.length;
  }
  if (end < sizeBytes) extents.push({ offset: end, length: sizeBytes - end, kind: 'zero' });
  return extents;
}

/** What was written since the base; undefined when the host does not know. */
async function changesOf(
  context: SourceContext,
  link: HostLink,
  snapshot: Snapshot,
  mark: DiskMark,
  signal: AbortSignal,
): Promise<readonly Extent[] | undefined> {
  const { trackingId, sizeBytes, path } = mark;
  if (trackingId === undefined) return undefined;
  const found: Extent[] = [];
  for (let offset = 0; offset < sizeBytes;) {
    const answer = await link.ask(
      'changed-ranges',
      { path, trackingId, offset, end: sizeBytes },
      changesSchema,
      signal,
    );
    if ('refused' in answer) {
      context.note(
        `VM ${snapshot.vmId}, disk ${mark.slot}: Windows does not know what changed since the last execution (${answer.refused}). The whole disk is compared.`,
      );
      return undefined;
    }
    if (answer.next <= offset)
      throw new CausewayError(
        'source.tracking-incomplete',
        `${path}: the list of changes ends at ${answer.next} of ${sizeBytes} bytes`,
        { details: { path } },
      );
    found.push(...rangesOf(answer.ranges, sizeBytes));
    offset = answer.next;
  }
  return joined(found);
}

function rangesOf(text: string, sizeBytes: number): readonly Extent[] {
  return text
    .split(' ')
    .filter((each) => each !== '')
    .map((each): Extent => {
      const [, offset, length] = (/^(\d+)\+(\d+)$/.exec(each) ?? []).map(Number);
      if (offset === undefined || length === undefined || !Number.isSafeInteger(offset + length))
        throw new CausewayError('source.protocol', `"${each.slice(0, 60)}" is not a range of changes`);
      return { offset, length: Math.max(0, Math.min(offset + length, sizeBytes) - offset), kind: 'data' };
    })
    .filter(({ length }) => length > 0);
}

/** In ascending order, widened to sectors, neighbours joined. */
function joined(ranges: readonly Extent[]): readonly Extent[] {
  const result: Extent[] = [];
  for (const range of [...ranges].sort((one, other) => one.offset - other.offset)) {
    const offset = Math.floor(range.offset / granularityBytes) * granularityBytes;
    const end = Math.ceil((range.offset + range.length) / granularityBytes) * granularityBytes;
    const last = result.at(-1);
    if (last !== undefined && last.offset + last.length >= offset)
      result[result.length - 1] = { ...last, length: Math.max(last.offset + last.length, end) - last.offset };
    else result.push({ offset, length: end - offset, kind: 'data' });
  }
  return result;
}
