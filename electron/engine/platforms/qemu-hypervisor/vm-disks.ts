import { isJsonObject, type JsonObject, type JsonValue } from '../../../../shared/model/json.ts';
import type { QmpCarrier } from '../../qmp/qmp-carrier.ts';
import { queryBlockNodes } from './block-nodes.ts';
import { isFilterNode } from './names.ts';
import { numberAt, objectAt, objectsOf, textAt } from './qmp-values.ts';

/** A dirty bitmap as QEMU reports it. */
export interface Bitmap {
  readonly name: string;
  readonly recording: boolean;
  readonly busy: boolean;
  readonly persistent: boolean;
  /** Not closed properly: it can't be trusted. */
  readonly inconsistent: boolean;
  readonly granularity: number;
}

/** A disk that is attached to the VM. */
export interface VmDisk {
  /** Stable over restarts as far as the VM's configuration names its devices. */
  readonly id: string;
  /** QOM path of the device. */
  readonly qdev: string;
  /** The block node that the disk's content is in, below any filter of Causeway; bitmaps belong to this node. */
  readonly node: string;
  /** Our copy-before-write filter, when one is inserted. */
  readonly filter?: string;
  readonly driver: string;
  readonly readOnly: boolean;
  readonly sizeBytes: number;
  /** Whether bitmaps on the node can outlive QEMU. */
  readonly keepsBitmaps: boolean;
  readonly bitmaps: readonly Bitmap[];
}

/** The disks of a VM in the order of QEMU's list: no CD-ROM, no floppy, no firmware flash. */
export async function readDisks(qmp: QmpCarrier, signal: AbortSignal): Promise<readonly VmDisk[]> {
  const devices = objectsOf(await qmp.execute('query-block', {}, signal));
  const nodes = new Map((await queryBlockNodes(qmp, signal)).map((node) => [textAt(node, 'node-name'), node]));
  let edges: ReadonlyMap<string, string> | undefined;
  const disks: VmDisk[] = [];
  for (const device of devices) {
    const qdev = qomPath(textAt(device, 'qdev'));
    const top = textAt(objectAt(device, 'inserted'), 'node-name');
    if (qdev === undefined || top === undefined || device['removable'] === true || isFlash(device, qdev)) continue;
    let node = top;
    if (isFilterNode(top)) {
      edges ??= await fileEdges(qmp, signal);
      node = edges.get(top) ?? top;
    }
    const details = nodes.get(node);
    const image = objectAt(details, 'image');
    disks.push({
      id: diskId(device, qdev, node),
      qdev,
      node,
      ...(node === top ? {} : { filter: top }),
      driver: textAt(details, 'drv') ?? 'unknown',
      readOnly: details?.['ro'] === true,
      sizeBytes: numberAt(image, 'virtual-size') ?? 0,
      keepsBitmaps: keepsBitmaps(details, image),
      bitmaps: objectsOf(details?.['dirty-bitmaps']).flatMap(toBitmap),
    });
  }
  return disks;
}

/** QEMU names a device by its id where it has one, and by its place otherwise. */
function qomPath(qdev: string | undefined): string | undefined {
  return qdev === undefined || qdev.startsWith('/') ? qdev : `/machine/peripheral/${qdev}`;
}

/** Node name to the name of the node that it filters. */
async function fileEdges(qmp: QmpCarrier, signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const graph: JsonValue = await qmp.execute('x-debug-query-block-graph', {}, signal);
  const object = isJsonObject(graph) ? graph : {};
  const names = new Map(objectsOf(object['nodes']).map((node) => [node['id'], textAt(node, 'name')]));
  const edges = new Map<string, string>();
  for (const edge of objectsOf(object['edges'])) {
    const parent = names.get(edge['parent'] ?? null);
    const child = names.get(edge['child'] ?? null);
    if (edge['name'] === 'file' && parent !== undefined && child !== undefined) edges.set(parent, child);
  }
  return edges;
}

function isFlash(device: JsonObject, qdev: string): boolean {
  return /^pflash\d/.test(textAt(device, 'device') ?? '') || /flash\d*$/.test(qdev);
}

/** The device's own id, else the id of its -drive, else the name of its node, else its place. */
function diskId(device: JsonObject, qdev: string, node: string): string {
  const own = /^\/machine\/peripheral\/([^/]+)/.exec(qdev)?.[1];
  return own ?? textAt(device, 'device') ?? (node.startsWith('#') ? qdev : node);
}

function keepsBitmaps(node: JsonObject | undefined, image: JsonObject | undefined): boolean {
  if (textAt(node, 'drv') !== 'qcow2' || node?.['ro'] === true) return false;
  return textAt(objectAt(objectAt(image, 'format-specific'), 'data'), 'compat') !== '0.10';
}

function toBitmap(entry: JsonObject): readonly Bitmap[] {
  const name = textAt(entry, 'name');
  if (name === undefined) return [];
  return [
    {
      name,
      recording: entry['recording'] === true,
      busy: entry['busy'] === true,
      persistent: entry['persistent'] === true,
      inconsistent: entry['inconsistent'] === true,
      granularity: numberAt(entry, 'granularity') ?? 65_536,
    },
  ];
}
