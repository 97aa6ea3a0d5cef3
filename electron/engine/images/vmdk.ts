import { SESPARSE_MAGIC } from './detect.ts';
import { bytesAt, bytesUpTo, type ImageFile } from './image-bytes.ts';
import { unreadable } from './image-errors.ts';
import type { Layer, LayerContext, OpenedLayer, OpenNamed, Run } from './layer.ts';
import { MAX_DESCRIPTOR_BYTES, parseVmdkDescriptor, type VmdkDescriptor, type VmdkExtent } from './vmdk-descriptor.ts';
import { openSparseExtent } from './vmdk-sparse.ts';

const SECTOR = 512;
const MAX_EXTENTS = 16_384;

interface PlacedExtent {
  /** Where it starts on the disk, in bytes. */
  readonly start: number;
  readonly length: number;
  runs(offset: number, length: number): Promise<readonly Run[]>;
}

/**
 * A VMDK: a sparse extent with a descriptor inside, or a descriptor that names its extents. What an extent file says of
 * other files does not matter: its own data is read, nothing else.
 * @throws CausewayError source.image-unreadable, source.image-refers-outside, source.image-part-missing
 */
export async function openVmdk(file: ImageFile, open: OpenNamed, context: LayerContext): Promise<OpenedLayer> {
  const magic = (await bytesUpTo(file, 0, 8)).toString('latin1');
  if (SESPARSE_MAGIC.equals(Buffer.from(magic, 'latin1')))
    throw unreadable(
      file.name,
      'space-efficient sparse extents (seSparse) are not supported: consolidate the snapshots or clone the disk on the ESXi host first',
    );
  if (magic.startsWith('KDMV') || magic.startsWith('COWD')) return openSparse(file, context);
  if (file.sizeBytes > MAX_DESCRIPTOR_BYTES)
    throw unreadable(file.name, `a descriptor of ${file.sizeBytes} bytes is not valid`);
  const descriptor = parseVmdkDescriptor(await bytesAt(file, 0, file.sizeBytes), file.name);
  if (descriptor.extents.length === 0) throw unreadable(file.name, 'its descriptor has no extents');
  if (descriptor.extents.length > MAX_EXTENTS)
    throw unreadable(file.name, `its descriptor has more than ${MAX_EXTENTS} extents`);
  if (/^(?:fullDevice|partitionedDevice|vmfsRDM|vmfsRaw|vmfsPassthrough)/i.test(descriptor.createType))
    throw unreadable(
      file.name,
      `VMDKs of the type ${descriptor.createType} refer to host devices: clone the disk on the host first`,
    );
  const placed: PlacedExtent[] = [];
  let start = 0;
  for (const extent of descriptor.extents) {
    const length = extent.sectors * SECTOR;
    if (!Number.isSafeInteger(start + length))
      throw unreadable(file.name, 'the total size of its extents is not valid');
    if (length > 0) placed.push({ start, length, runs: await openExtent(extent, length, open, context) });
    start += length;
  }
  return opened(file, extentsLayer(placed, start), descriptor);
}

async function openSparse(file: ImageFile, context: LayerContext): Promise<OpenedLayer> {
  const extent = await openSparseExtent(file, context);
  const layer: Layer = { sizeBytes: extent.sizeBytes, runs: (offset, length) => extent.runs(offset, length) };
  if (extent.descriptor === undefined && extent.isCompressed) return { file, format: 'vmdk', layer };
  if (extent.descriptor === undefined)
    throw unreadable(file.name, 'it is an extent of another VMDK: open the one with the descriptor');
  const { at, length } = extent.descriptor;
  if (length > MAX_DESCRIPTOR_BYTES) throw unreadable(file.name, `a descriptor of ${length} bytes is not valid`);
  return opened(file, layer, parseVmdkDescriptor(await bytesAt(file, at, length), file.name));
}

function opened(file: ImageFile, layer: Layer, descriptor: VmdkDescriptor): OpenedLayer {
  const { cid, parent } = descriptor;
  if (parent === undefined) return { file, format: 'vmdk', layer, identity: cid };
  return {
    file,
    format: 'vmdk',
    layer,
    identity: cid,
    parent: {
      name: parent.name,
      style: 'windows',
      format: 'vmdk',
      verify: (other) => {
        if (other.identity !== parent.cid)
          throw unreadable(
            file.name,
            `its parent ${other.file.name} has the content ID ${other.identity} instead of ${parent.cid}: it was changed after the snapshot, or is a different disk`,
          );
      },
    },
  };
}

async function openExtent(
  extent: VmdkExtent,
  length: number,
  open: OpenNamed,
  context: LayerContext,
): Promise<PlacedExtent['runs']> {
  if (extent.file === undefined) return (_offset, wanted) => Promise.resolve([{ kind: 'zero', length: wanted }]);
  const file = await open(extent.file, 'windows');
  if (extent.kind === 'flat') {
    const from = extent.offsetSectors * SECTOR;
    if (from + length > file.sizeBytes)
      throw unreadable(
        file.name,
        `it has ${file.sizeBytes} bytes, but its descriptor specifies ${from + length} (possibly cut short)`,
      );
    return (offset, wanted) =>
      Promise.resolve([{ kind: 'stored', length: wanted, file, at: from + offset, mayBeHoles: true }]);
  }
  const sparse = await openSparseExtent(file, context);
  if (sparse.sizeBytes < length)
    throw unreadable(file.name, `its capacity is ${sparse.sizeBytes} bytes, but its descriptor specifies ${length}`);
  return (offset, wanted) => sparse.runs(offset, wanted);
}

function extentsLayer(extents: readonly PlacedExtent[], sizeBytes: number): Layer {
  return {
    sizeBytes,
    runs(offset, length) {
      let low = 0;
      for (let high = extents.length - 1; low < high;) {
        const middle = Math.ceil((low + high) / 2);
        if ((extents[middle]?.start ?? 0) <= offset) low = middle;
        else high = middle - 1;
      }
      const extent = extents[low];
      if (extent === undefined) return Promise.resolve([{ kind: 'zero', length }]);
      return extent.runs(offset - extent.start, Math.min(length, extent.start + extent.length - offset));
    },
  };
}
