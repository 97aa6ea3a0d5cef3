import { lstat, open, realpath, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { BlockNode } from '../../nbd/block-node.ts';
import { detectFormat, type FileRange, type ImageFormat } from './image-format.ts';
import { readReferences, type ImageReferences } from './image-references.ts';

/** How an image is opened, and every file that is read by that. */
export interface OpenPlan {
  readonly node: BlockNode;
  readonly format: ImageFormat;
  /** Real paths, the image first. */
  readonly files: readonly string[];
}

/** An image in a file, or in a member of an archive. */
export interface ImageLocation {
  readonly path: string;
  /** Unset: the whole file. */
  readonly range?: FileRange;
  /** Name that tells the format when the path doesn't (archive members). */
  readonly name?: string;
}

const MAX_CHAIN = 32;
const formats: Readonly<Record<string, ImageFormat>> = { raw: 'raw', qcow2: 'qcow2', vmdk: 'vmdk', vpc: 'vpc', vhdx: 'vhdx', vdi: 'vdi' };

/**
 * Decides how an image is opened: its format by our own detection, its backing files named one by one. An image may
 * only refer to files in its own folder.
 * @throws CausewayError source.image-unreadable, source.image-refers-outside, source.disk-not-found
 */
export async function planOpen(location: ImageLocation, forcedFormat?: ImageFormat, depth = 0): Promise<OpenPlan> {
  const name = location.name ?? basename(location.path);
  if (depth > MAX_CHAIN) throw new CausewayError('source.image-unreadable', `${name}: more than ${MAX_CHAIN} backing files`);
  const path = await insideOwnFolder(location.path, name);
  const file = await openImage(path, name);
  try {
    const range = location.range ?? { offset: 0, size: (await file.stat()).size };
    const format = forcedFormat ?? (await detectFormat(file, name, range));
    if (format === undefined) throw new CausewayError('source.image-unreadable', `${name}: its content is not of the format that its name promises`);
    const references = await readReferences(file, name, format, range);
    return await planNode({ path, name, format, references, depth, ...(location.range === undefined ? {} : { range: location.range }) });
  } finally {
    await file.close();
  }
}

interface ImageFacts {
  readonly path: string;
  readonly name: string;
  readonly range?: FileRange;
  readonly format: ImageFormat;
  readonly references: ImageReferences;
  readonly depth: number;
}

async function planNode(image: ImageFacts): Promise<OpenPlan> {
  const { path, name, format, references, range } = image;
  const protocol: BlockNode = { driver: 'file', filename: path, 'read-only': true };
  // QEMU wants whole sectors here; tar pads its members with zeros to just that.
  const window = range === undefined ? undefined : { offset: range.offset, size: Math.ceil(range.size / 512) * 512 };
  const file: BlockNode = window === undefined ? protocol : { driver: 'raw', ...window, file: protocol, 'read-only': true };
  if (range !== undefined && (references.backing !== undefined || references.extents.length > 0)) {
    throw new CausewayError('source.image-refers-outside', `${name} refers to other files from within an archive`);
  }
  const files = [path];
  for (const extent of references.extents) {
    plainName(extent, name);
    const extentPath = await insideOwnFolder(join(dirname(path), extent), extent);
    const handle = await openImage(extentPath, extent);
    await handle.close();
    files.push(extentPath);
  }
  if (format === 'raw') return { node: { driver: 'raw', file, 'read-only': true }, format, files };
  if (format !== 'qcow2' && format !== 'vmdk') return { node: { driver: format, file, 'read-only': true }, format, files };
  if (references.backing === undefined) return { node: { driver: format, file, backing: null, 'read-only': true }, format, files };
  const backing = await planBacking(image, references.backing);
  return { node: { driver: format, file, backing: backing.node, 'read-only': true }, format, files: [...files, ...backing.files] };
}

async function planBacking(image: ImageFacts, backing: { readonly name: string; readonly format?: string }): Promise<OpenPlan> {
  // A raw disk can hold a qcow2 header that the guest wrote. Under a name that does not say qcow2 such a header is
  // believed as long as it reaches for nothing else.
  if (image.format === 'qcow2' && /\.(img|iso)$/i.test(image.name)) {
    throw new CausewayError('source.image-refers-outside', `${image.name} names the backing file ${backing.name}, but is not named like a qcow2 image`);
  }
  plainName(backing.name, image.name);
  const format = backing.format === undefined ? undefined : formats[backing.format];
  if (backing.format !== undefined && format === undefined) {
    throw new CausewayError('source.image-unreadable', `${image.name}: its backing file is of the format ${backing.format}`);
  }
  return planOpen({ path: join(dirname(image.path), backing.name) }, format, image.depth + 1);
}

/** QEMU understands much more than file names: URLs, JSON, host devices. Only a name in the same folder is accepted. */
function plainName(reference: string, image: string): void {
  if (reference === '' || reference === '.' || reference === '..' || /[/\\:\0]/.test(reference)) {
    throw new CausewayError('source.image-refers-outside', `${image} names ${JSON.stringify(reference.slice(0, 200))}`);
  }
}

/** The real path, when the last step is no symbolic link that leaves the folder. */
async function insideOwnFolder(path: string, name: string): Promise<string> {
  const [folder, real] = await Promise.all([realpath(dirname(path)), realpath(path)]).catch((error: unknown) => {
    throw new CausewayError('source.disk-not-found', `${name} is not there`, { cause: error });
  });
  if (dirname(real) !== folder && !real.startsWith(folder.endsWith(sep) ? folder : folder + sep)) {
    throw new CausewayError('source.image-refers-outside', `${name} is a symbolic link to ${real}`);
  }
  return real;
}

async function openImage(path: string, name: string): Promise<FileHandle> {
  const stats = await lstat(path);
  if (!stats.isFile()) throw new CausewayError('source.image-unreadable', `${name} is not a regular file`);
  return open(path, 'r').catch((error: unknown) => {
    throw new CausewayError('source.image-unreadable', `${name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  });
}
