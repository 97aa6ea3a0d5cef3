import type { SourceContext } from '../../source-context.ts';
import type { ReadMechanism } from '../read-mechanism.ts';
import { AdaptiveLanes } from './adaptive-lanes.ts';
import { costOf, type RequestCount } from './request-count.ts';
import { SnapshotReader, blockBytes } from './snapshot-reader.ts';

/** `ebs_direct`: blocks of snapshots, and which of them changed, from the service itself. Creates nothing. */
export function ebsDirectMechanism(context: SourceContext): ReadMechanism {
  const lanes = new AdaptiveLanes(context);
  const count: RequestCount = { lists: 0, blocks: 0 };
  return {
    prepare: async () => undefined,
    open: ({ disk, base }, signal) => SnapshotReader.open({ context, lanes, count }, disk, base?.disk, signal),
    stop: async () => undefined,
    cost: () => (count.lists === 0 ? undefined : costOf(count, blockBytes)),
    forget: async () => undefined,
    close: async () => undefined,
  };
}
