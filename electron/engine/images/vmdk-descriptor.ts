import { shown, unreadable } from './image-errors.ts';

export type ExtentKind = 'flat' | 'sparse' | 'zero';

export interface VmdkExtent {
  readonly kind: ExtentKind;
  readonly sectors: number;
  /** Undefined for zeros. */
  readonly file?: string;
  /** Where the data starts in a flat file, in sectors. */
  readonly offsetSectors: number;
}

export interface VmdkDescriptor {
  /** Eight lower-case hexadecimal digits that change with the content. */
  readonly cid: string;
  readonly parent?: { readonly cid: string; readonly name: string };
  readonly createType: string;
  readonly extents: readonly VmdkExtent[];
}

/** Descriptors are at most a few hundred KiB, even those of disks in thousands of extents. */
export const MAX_DESCRIPTOR_BYTES = 2 * 1024 * 1024;
const MAX_LINES = 20_000;
const NO_PARENT = 'ffffffff';
const kinds: Readonly<Record<string, ExtentKind>> = {
  FLAT: 'flat',
  VMFS: 'flat',
  SPARSE: 'sparse',
  VMFSSPARSE: 'sparse',
  ZERO: 'zero',
};
const unsupportedKinds: Readonly<Record<string, string>> = {
  SESPARSE: 'space-efficient sparse (seSparse): consolidate the snapshots or clone the disk on the ESXi host first',
  VMFSRDM: 'a raw device mapping: clone the disk on the ESXi host first',
  VMFSRAW: 'a raw device mapping: clone the disk on the ESXi host first',
};
const EXTENT = /^(RW|RDONLY|NOACCESS)[ \t]+(\d{1,15})[ \t]+([A-Z]+)(?:[ \t]+"([^"]*)"(?:[ \t]+(\d{1,15}))?)?[ \t]*$/;
const SETTING = /^[ \t]*([A-Za-z][A-Za-z0-9_.:-]*)[ \t]*=[ \t]*(.*?)[ \t]*$/;
/** Settings that decide what is read; each at most once. All others are ignored. */
const decisive = new Set(['version', 'cid', 'parentcid', 'createtype', 'parentfilenamehint', 'encoding']);

/**
 * Reads the text of a VMDK descriptor, in linear time. A line that is not understood completely is refused.
 * @throws CausewayError source.image-unreadable with the line
 */
export function parseVmdkDescriptor(bytes: Buffer, name: string): VmdkDescriptor {
  const settings = new Map<string, string>();
  const extentLines: [text: string, line: number][] = [];
  let line = 0;
  for (const text of linesOf(bytes)) {
    line += 1;
    if (line > MAX_LINES) throw unreadable(name, `its descriptor has more than ${MAX_LINES} lines`);
    if (/^[ \t]*(?:#|$)/.test(text)) continue;
    const setting = SETTING.exec(text);
    if (setting === null) {
      if (!EXTENT.test(text)) throw damaged(name, line, text);
      extentLines.push([text, line]);
      continue;
    }
    const key = (setting[1] ?? '').toLowerCase();
    if (!decisive.has(key)) continue;
    if (settings.has(key)) throw unreadable(name, `line ${line} of its descriptor sets ${setting[1]} a second time`);
    settings.set(key, valueOf(setting[2] ?? '', name, line));
  }
  const decode = decoderOf(settings.get('encoding'), name);
  const version = settings.get('version') ?? '1';
  if (!/^[1-4]$/.test(version)) throw unreadable(name, `descriptor version ${shown(version)} is not supported`);
  const parent = parentOf(settings, decode, name);
  return {
    cid: hexId(settings.get('cid') ?? NO_PARENT, name),
    createType: settings.get('createtype') ?? '',
    extents: extentLines.map(([text, at]) => extentOf(text, at, decode, name)),
    ...(parent === undefined ? {} : { parent }),
  };
}

/** The lines up to the first zero byte (descriptors within images are padded), as Latin-1: a byte is a character. */
function* linesOf(bytes: Buffer): Iterable<string> {
  const nul = bytes.indexOf(0);
  const end = nul === -1 ? bytes.length : nul;
  for (let at = 0; at < end;) {
    const found = bytes.indexOf(0x0a, at);
    const stop = found === -1 || found > end ? end : found;
    yield bytes.toString('latin1', at, stop > at && bytes[stop - 1] === 0x0d ? stop - 1 : stop);
    at = stop + 1;
  }
}

function valueOf(text: string, name: string, line: number): string {
  const value = text.startsWith('"') && text.endsWith('"') && text.length >= 2 ? text.slice(1, -1) : text;
  if (value.includes('"')) throw damaged(name, line, text);
  return value;
}

function parentOf(
  settings: ReadonlyMap<string, string>,
  decode: (text: string) => string,
  name: string,
): VmdkDescriptor['parent'] {
  const cid = hexId(settings.get('parentcid') ?? NO_PARENT, name);
  const hint = settings.get('parentfilenamehint');
  if (cid === NO_PARENT) {
    if (hint !== undefined)
      throw unreadable(
        name,
        `its descriptor names the parent ${shown(hint)}, but parentCID=${NO_PARENT} means that it has no parent`,
      );
    return undefined;
  }
  if (hint === undefined)
    throw unreadable(name, `it has a parent (parentCID=${cid}), but no parentFileNameHint names it`);
  return { cid, name: decode(hint) };
}

function extentOf(text: string, line: number, decode: (text: string) => string, name: string): VmdkExtent {
  const [, access = '', sectors = '', type = '', file, offset] = EXTENT.exec(text) ?? [];
  const kind = Object.hasOwn(kinds, type) ? kinds[type] : undefined;
  if (kind === undefined)
    throw unreadable(
      name,
      `line ${line} of its descriptor: extents of type ${type} are not supported (${unsupportedKinds[type] ?? 'FLAT, SPARSE, VMFS, VMFSSPARSE and ZERO are'})`,
    );
  if (access === 'NOACCESS' && kind !== 'zero')
    throw unreadable(name, `line ${line} of its descriptor: an extent that must not be read (NOACCESS)`);
  if (kind === 'zero') {
    if (file !== undefined) throw damaged(name, line, text);
    return { kind, sectors: Number(sectors), offsetSectors: 0 };
  }
  if (file === undefined) throw unreadable(name, `line ${line} of its descriptor: an extent without a file name`);
  if (kind === 'sparse' && offset !== undefined && Number(offset) !== 0) throw damaged(name, line, text);
  if (type === 'FLAT' && offset === undefined)
    throw unreadable(name, `line ${line} of its descriptor: a flat extent without an offset`);
  return { kind, sectors: Number(sectors), file: decode(file), offsetSectors: Number(offset ?? 0) };
}

function hexId(text: string, name: string): string {
  if (!/^[0-9a-f]{1,8}$/i.test(text))
    throw unreadable(name, `its descriptor has the invalid content ID ${shown(text)}`);
  return text.toLowerCase().padStart(8, '0');
}

/** How text is written that is not ASCII. */
function decoderOf(encoding: string | undefined, name: string): (text: string) => string {
  const label = (encoding ?? 'UTF-8').toLowerCase();
  return (text) => {
    if (/^[\x20-\x7e]*$/.test(text)) return text;
    try {
      if (label === 'utf-8' || label === 'windows-1252')
        return new TextDecoder(label, { fatal: true, ignoreBOM: true }).decode(Buffer.from(text, 'latin1'));
    } catch {
      // Told below.
    }
    throw unreadable(name, `its descriptor has a name that is not valid in the encoding ${shown(encoding ?? 'UTF-8')}`);
  };
}

function damaged(name: string, line: number, text: string): Error {
  return unreadable(name, `line ${line} of its descriptor is not valid: ${shown(text)}`);
}
