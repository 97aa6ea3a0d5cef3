import { ourLabel } from '../../../cloud-resources/managed-resources.ts';
import type { PlatformUse } from '../../../ports/platform-context.ts';
import type { SnapshotNode } from './vm-devices.ts';

const prefix = 'causeway-';
const [managedLabel] = Object.entries(ourLabel).map(([name, value]) => `${name}=${value}`);

/** The name in the platform's own client; a VM's snapshot is found again by it. */
export const snapshotName = (tag: string): string => `${prefix}${tag}`;

/** What the description says: for people first, then what a later process knows a leftover by. */
export function snapshotText(use: PlatformUse | undefined): string {
  const marks = [managedLabel, ...(use === undefined ? [] : [`replica=${use.replicaId}`]), ...(use?.executionId === undefined ? [] : [`execution=${use.executionId}`])];
  return `Temporary snapshot of Causeway, removed when its disks have been read. ${marks.join(' ')}`;
}

const markOf = ({ description }: SnapshotNode, name: string): string | undefined => new RegExp(`(?:^| )${name}=(\\S+)`).exec(description)?.[1];

/** Whether Causeway made the snapshot, and what for. */
export function ownSnapshot(node: SnapshotNode): { readonly tag: string; readonly replicaId: string | undefined; readonly executionId: string | undefined } | undefined {
  if (!node.name.startsWith(prefix) || managedLabel === undefined || !node.description.includes(managedLabel)) return undefined;
  return { tag: node.name.slice(prefix.length), replicaId: markOf(node, 'replica'), executionId: markOf(node, 'execution') };
}

/** One of this replica that belongs to another execution: that one is over, as there is one at a time. */
export function isLeftover(node: SnapshotNode, { replicaId, executionId }: PlatformUse, keepTag: string | undefined): boolean {
  const own = ownSnapshot(node);
  return own !== undefined && own.replicaId === replicaId && own.executionId !== executionId && own.tag !== keepTag;
}
