import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { LibraryRelease } from './library-releases.ts';

/** nbdkit's plugin initializes every release of the library for this version, and has no parameter for another one. */
const PLUGIN_VERSION = '6.5';

/**
 * The folder that nbdkit loads the library from, so that it is initialized for a version. Where that is not the plugin's own,
 * the folder gets a library of one function, which stands before the vendor's: it hands each initialization on with the wanted
 * version. Everything else is the vendor's library, which it depends on; no file of the vendor is changed or copied.
 *
 * @param folder is made where it is needed
 * @throws CausewayError source.unsupported where the vendor's library does not exist either
 */
export async function initializedFor(
  release: LibraryRelease,
  version: string | undefined,
  folder: string,
): Promise<string> {
  if (version === undefined || version === PLUGIN_VERSION) return release.folder;
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new CausewayError('source.unsupported', 'the disk library exists for Linux on x86-64 only');
  const [major = 0, minor = 0] = version.split('.').map(Number);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(
    join(folder, `libvixDiskLib.so.${release.major}`),
    initializationLibrary({ major, minor, library: release.path, folder: release.folder }),
    { mode: 0o600 },
  );
  return folder;
}

interface Initialization {
  readonly major: number;
  readonly minor: number;
  /** Path of the vendor's library. */
  readonly library: string;
  /** The vendor's folder, which the library is told at its initialization. */
  readonly folder: string;
}

const FUNCTION = 'VixDiskLib_InitEx';
const PAGE = 0x1000;
const ENTRY = {
  null: 0,
  needed: 1,
  hash: 4,
  stringTable: 5,
  symbolTable: 6,
  rela: 7,
  relaSize: 8,
  relaEntry: 9,
  stringSize: 10,
  symbolEntry: 11,
} as const;
const SYMBOL_BYTES = 24;
const RELA_BYTES = 24;
const GLOB_DAT = 6n;
const SEGMENT = { load: 1, dynamic: 2, stack: 0x6474e551 } as const;
const READ_EXECUTE = 5;
const READ_WRITE = 6;

/**
 * An ELF shared object for x86-64 with one function. In C:
 *
 *     VixError VixDiskLib_InitEx(major, minor, log, warn, panic, libDir, configFile) {
 *       function = dlsym(dlopen(LIBRARY, RTLD_NOW), "VixDiskLib_InitEx");
 *       return function ? function(MAJOR, MINOR, log, warn, panic, FOLDER, configFile) : VIX_E_FAIL;
 *     }
 *
 * It depends on the vendor's library, so that all other functions are found there. Made here, since a compiler is more than a
 * user of the library has.
 */
export function initializationLibrary({ major, minor, library, folder }: Initialization): Buffer {
  const strings = stringTable('dlopen', 'dlsym', FUNCTION, library, folder);
  const headers = 64 + 4 * 56;
  const hashAt = headers;
  const hash = words(1, 4, 3, 0, 0, 0, 0);
  const symbolsAt = align(hashAt + hash.length, 8);
  const relocationsAt = symbolsAt + 4 * SYMBOL_BYTES;
  const stringsAt = relocationsAt + 2 * RELA_BYTES;
  const codeAt = align(stringsAt + strings.bytes.length, 16);
  const dynamicAt = align(codeAt + 128, PAGE);
  const at = (text: string) => stringsAt + strings.at(text);
  const dynamicEntries: readonly (readonly [number, number])[] = [
    [ENTRY.needed, strings.at(library)],
    [ENTRY.hash, hashAt],
    [ENTRY.stringTable, stringsAt],
    [ENTRY.symbolTable, symbolsAt],
    [ENTRY.stringSize, strings.bytes.length],
    [ENTRY.symbolEntry, SYMBOL_BYTES],
    [ENTRY.rela, relocationsAt],
    [ENTRY.relaSize, 2 * RELA_BYTES],
    [ENTRY.relaEntry, RELA_BYTES],
    [ENTRY.null, 0],
  ];
  const dynamic = Buffer.concat(dynamicEntries.map(([tag, value]) => longs(BigInt(tag), BigInt(value))));
  const dlopenAt = dynamicAt + dynamic.length;
  const dlsymAt = dlopenAt + 8;
  const code = machineCode(codeAt, {
    library: at(library),
    name: at(FUNCTION),
    folder: at(folder),
    dlopen: dlopenAt,
    dlsym: dlsymAt,
    major,
    minor,
  });

  const file = Buffer.alloc(dlsymAt + 8);
  fileHeader().copy(file);
  const segments = [
    segment(SEGMENT.load, READ_EXECUTE, 0, codeAt + code.length, PAGE),
    segment(SEGMENT.load, READ_WRITE, dynamicAt, file.length - dynamicAt, PAGE),
    segment(SEGMENT.dynamic, READ_WRITE, dynamicAt, dynamic.length, 8),
    segment(SEGMENT.stack, READ_WRITE, 0, 0, 16),
  ];
  Buffer.concat(segments).copy(file, 64);
  hash.copy(file, hashAt);
  symbol(strings.at('dlopen'), 0, 0).copy(file, symbolsAt + SYMBOL_BYTES);
  symbol(strings.at('dlsym'), 0, 0).copy(file, symbolsAt + 2 * SYMBOL_BYTES);
  symbol(strings.at(FUNCTION), codeAt, code.length).copy(file, symbolsAt + 3 * SYMBOL_BYTES);
  longs(BigInt(dlopenAt), (1n << 32n) | GLOB_DAT, 0n).copy(file, relocationsAt);
  longs(BigInt(dlsymAt), (2n << 32n) | GLOB_DAT, 0n).copy(file, relocationsAt + RELA_BYTES);
  strings.bytes.copy(file, stringsAt);
  code.copy(file, codeAt);
  dynamic.copy(file, dynamicAt);
  return file;
}

interface Places {
  readonly library: number;
  readonly name: number;
  readonly folder: number;
  readonly dlopen: number;
  readonly dlsym: number;
  readonly major: number;
  readonly minor: number;
}

function machineCode(start: number, places: Places): Buffer {
  const parts: Buffer[] = [];
  let length = 0;
  const emit = (...bytes: number[]): void => {
    parts.push(Buffer.from(bytes));
    length += bytes.length;
  };
  /** An instruction whose last four bytes are the distance from its end to a place. */
  const emitTo = (place: number, ...bytes: number[]): void => {
    emit(...bytes, ...int32(place - (start + length + bytes.length + 4)));
  };
  emit(0xf3, 0x0f, 0x1e, 0xfa); // endbr64
  emit(0x52, 0x51, 0x41, 0x50); // push rdx, rcx, r8: the callbacks; the stack is aligned for calls then
  emitTo(places.library, 0x48, 0x8d, 0x3d); // lea rdi, [library]
  emit(0xbe, ...int32(2)); // mov esi, RTLD_NOW
  emitTo(places.dlopen, 0xff, 0x15); // call [dlopen]
  emit(0x48, 0x89, 0xc7); // mov rdi, rax
  emitTo(places.name, 0x48, 0x8d, 0x35); // lea rsi, [name]
  emitTo(places.dlsym, 0xff, 0x15); // call [dlsym]
  emit(0x41, 0x58, 0x59, 0x5a); // pop r8, rcx, rdx
  emit(0x48, 0x85, 0xc0, 0x74, 19); // test rax, rax; jz to the last two instructions
  emit(0xbf, ...int32(places.major)); // mov edi, major
  emit(0xbe, ...int32(places.minor)); // mov esi, minor
  emitTo(places.folder, 0x4c, 0x8d, 0x0d); // lea r9, [folder]
  emit(0xff, 0xe0); // jmp rax: the last argument is on the stack already
  emit(0xb8, ...int32(1), 0xc3); // mov eax, VIX_E_FAIL; ret
  return Buffer.concat(parts);
}

function fileHeader(): Buffer {
  const header = Buffer.alloc(64);
  Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]).copy(header);
  header.writeUInt16LE(3, 16); // shared object
  header.writeUInt16LE(62, 18); // x86-64
  header.writeUInt32LE(1, 20);
  header.writeBigUInt64LE(64n, 32); // segments follow
  header.writeUInt16LE(64, 52);
  header.writeUInt16LE(56, 54);
  header.writeUInt16LE(4, 56);
  header.writeUInt16LE(64, 58);
  return header;
}

function segment(type: number, flags: number, offset: number, length: number, alignment: number): Buffer {
  const [place, size] = [BigInt(offset), BigInt(length)];
  return Buffer.concat([words(type, flags), longs(place, place, place, size, size, BigInt(alignment))]);
}

/** A global function; not defined here where it has no place. */
function symbol(name: number, place: number, size: number): Buffer {
  const entry = Buffer.alloc(SYMBOL_BYTES);
  entry.writeUInt32LE(name, 0);
  entry.writeUInt8(0x12, 4);
  entry.writeUInt16LE(place === 0 ? 0 : 1, 6);
  entry.writeBigUInt64LE(BigInt(place), 8);
  entry.writeBigUInt64LE(BigInt(size), 16);
  return entry;
}

function stringTable(...texts: readonly string[]): { readonly bytes: Buffer; at(text: string): number } {
  const places = new Map<string, number>();
  const parts = [Buffer.alloc(1)];
  let length = 1;
  for (const text of texts) {
    const bytes = Buffer.from(`${text}\0`);
    places.set(text, length);
    parts.push(bytes);
    length += bytes.length;
  }
  return { bytes: Buffer.concat(parts), at: (text) => places.get(text) ?? 0 };
}

function words(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => bytes.writeUInt32LE(value, index * 4));
  return bytes;
}

function longs(...values: readonly bigint[]): Buffer {
  const bytes = Buffer.alloc(values.length * 8);
  values.forEach((value, index) => bytes.writeBigUInt64LE(value, index * 8));
  return bytes;
}

function int32(value: number): number[] {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return [...bytes];
}

function align(value: number, to: number): number {
  return Math.ceil(value / to) * to;
}
