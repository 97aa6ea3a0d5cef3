import { ourLabel } from '../../../cloud-resources/managed-resources.ts';
import type { PlatformUse } from '../../../ports/platform-context.ts';
import type { SnapshotNode } from './vm-devices.ts';

const prefix = 'causeway-';
const [managedLabel] = Object.entries(ourLabel).map(([name, value]) => `${name}=${value}`);

/** The name in the platform's own client; a VM's snapshot is found again by it. */
export const snapshotName = (tag: string): string => `${prefix}${tag}`;

/** The snapshot that makes change tracking take effect. It lives for seconds, and no record has it. */
const stunPrefix = 'tracking-';

export const stunTag = (id: string): string => `${stunPrefix}${id}`;

/** What the description says: for people first, then what a later process knows a leftover by. */
export function snapshotText(use: PlatformUse | undefined, owner: string | undefined): string {
  const marks = [
    managedLabel,
    ...(owner === undefined ? [] : [`owner=${owner}`]),
    ...(use === undefined ? [] : [`replica=${use.replicaId}`]),
    ...(use?.executionId === undefined ? [] : [`execution=${use.executionId}`]),
  ];
  return `Temporary snapshot of Causeway, removed when its disks have been read. ${marks.join(' ')}`;
}

const markOf = ({ description }: SnapshotNode, name: string): string | undefined =>
  new RegExp(`(?:^| )${name}=(\\S+)`).exec(description)?.[1];

export interface OwnSnapshot {
  readonly tag: string;
  readonly replicaId: string | undefined;
  readonly executionId: string | undefined;
  /** The project data that it belongs to: see `Ownership`. */
  readonly owner: string | undefined;
}

/** Whether Causeway made the snapshot, and what for. */
export function ownSnapshot(node: SnapshotNode): OwnSnapshot | undefined {
  if (!node.name.startsWith(prefix) || managedLabel === undefined || !node.description.includes(managedLabel))
    return undefined;
  return {
    tag: node.name.slice(prefix.length),
    replicaId: markOf(node, 'replica'),
    executionId: markOf(node, 'execution'),
    owner: markOf(node, 'owner'),
  };
}

/** One of this replica that belongs to another execution: that one is over, as there is one at a time. */
export function isLeftover(
  node: SnapshotNode,
  { replicaId, executionId }: PlatformUse,
  keepTag: string | undefined,
): boolean {
  const own = ownSnapshot(node);
  return own !== undefined && own.replicaId === replicaId && own.executionId !== executionId && own.tag !== keepTag;
}

/** A stun of this replica; with `ofExecution`, only one of the same execution. */
export function isStun(node: SnapshotNode, { replicaId, executionId }: PlatformUse, ofExecution: boolean): boolean {
  const own = ownSnapshot(node);
  return (
    own !== undefined &&
    own.tag.startsWith(stunPrefix) &&
    own.replicaId === replicaId &&
    (!ofExecution || own.executionId === executionId)
  );
}
