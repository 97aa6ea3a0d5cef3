import type { ImageFormat } from './detect.ts';
import type { ImageFile } from './image-bytes.ts';
import { unreadable } from './image-errors.ts';
import type { LayerContext, OpenedLayer, OpenNamed } from './layer.ts';
import { readQcow2Header } from './qcow2-header.ts';
import { qcow2Layer } from './qcow2.ts';
import { rawLayer } from './raw.ts';
import { vdiLayer } from './vdi.ts';
import { openVhd } from './vhd.ts';
import { openVhdx } from './vhdx.ts';
import { openVmdk } from './vmdk.ts';

const backingFormats: Readonly<Record<string, ImageFormat>> = {
  raw: 'raw',
  qcow2: 'qcow2',
  vmdk: 'vmdk',
  vpc: 'vhd',
  vhdx: 'vhdx',
  vdi: 'vdi',
};

/** @throws CausewayError source.image-unreadable, source.image-refers-outside, source.image-part-missing */
export async function openLayer(
  file: ImageFile,
  format: ImageFormat,
  open: OpenNamed,
  context: LayerContext,
): Promise<OpenedLayer> {
  switch (format) {
    case 'raw':
      return { file, format, layer: rawLayer(file) };
    case 'qcow2':
      return openQcow2(file, context);
    case 'vmdk':
      return openVmdk(file, open, context);
    case 'vhd':
      return openVhd(file, context);
    case 'vhdx':
      return openVhdx(file, context);
    case 'vdi':
      return { file, format, layer: await vdiLayer(file, context) };
  }
}

async function openQcow2(file: ImageFile, context: LayerContext): Promise<OpenedLayer> {
  const header = await readQcow2Header(file);
  const layer = await qcow2Layer(file, header, context);
  if (header.backing === undefined) return { file, format: 'qcow2', layer };
  const { name, format } = header.backing;
  const backingFormat = format === undefined ? undefined : backingFormats[format];
  if (format !== undefined && backingFormat === undefined)
    throw unreadable(file.name, `its backing file is of the format ${format}`);
  return {
    file,
    format: 'qcow2',
    layer,
    parent: { name, style: 'posix', ...(backingFormat === undefined ? {} : { format: backingFormat }) },
  };
}
