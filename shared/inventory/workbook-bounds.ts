/** What an import may hold: far above an export of ten thousand machines, far below what exhausts a computer. */
export const tableBounds: TableBounds = {
  /** All parts of a workbook, inflated. */
  inflatedBytes: 256 * 1024 * 1024,
  /** Parts of a workbook (sheets, styles, pictures). */
  parts: 2_000,
  rows: 500_000,
  cells: 4_000_000,
};

export interface TableBounds {
  readonly inflatedBytes: number;
  readonly parts: number;
  readonly rows: number;
  readonly cells: number;
}

interface Part {
  readonly name: string;
  readonly method: number;
  readonly packed: Uint8Array;
  /** As the archive says. */
  readonly size: number;
}

/**
 * Inflates a workbook piece by piece, keeping nothing, and counts what it would become: the library that reads it
 * allocates everything at once. Compressed a thousand times, a few hundred kilobytes can become gigabytes.
 *
 * @throws Error that ends the sentence "<file>: …"
 */
export async function checkWorkbook(bytes: Uint8Array, bounds: TableBounds = tableBounds): Promise<void> {
  const parts = partsOf(bytes, bounds);
  const declared = parts.reduce((sum, { size }) => sum + size, 0);
  if (declared > bounds.inflatedBytes) throw tooLarge(bounds);
  let inflated = 0;
  let rows = 0;
  let cells = 0;
  for (const part of parts) {
    const isSheet = /(^|\/)worksheets\/[^/]*\.xml$/i.test(part.name);
    let size = 0;
    let rest = '';
    for await (const chunk of contentOf(part)) {
      size += chunk.length;
      inflated += chunk.length;
      if (size > part.size) throw new Error(`${part.name} is larger than the size that the archive declares`);
      if (inflated > bounds.inflatedBytes) throw tooLarge(bounds);
      if (!isSheet) continue;
      const text = rest + latin1.decode(chunk);
      rows += count(text, /<(?:\w+:)?row[\s>/]/g);
      cells += count(text, /<(?:\w+:)?c[\s>/]/g);
      // A tag may go on in the next piece; whatever ends here was counted.
      const open = text.lastIndexOf('<');
      rest = open >= 0 && text.length - open < 20 && !/[\s>/]/.test(text.slice(open + 1)) ? text.slice(open) : '';
      if (rows > bounds.rows) throw tooMany('rows', bounds.rows);
      if (cells > bounds.cells) throw tooMany('cells', bounds.cells);
    }
  }
}

export function tooMany(what: 'rows' | 'cells', limit: number): Error {
  return new Error(`it has more than ${limit.toLocaleString('en')} ${what}`);
}

function tooLarge({ inflatedBytes }: TableBounds): Error {
  return new Error(`it unpacks to more than ${Math.round(inflatedBytes / 2 ** 20)} MiB`);
}

const latin1 = new TextDecoder('latin1');

function count(text: string, pattern: RegExp): number {
  let found = 0;
  while (pattern.exec(text) !== null) found++;
  return found;
}

async function* contentOf({ name, method, packed }: Part): AsyncGenerator<Uint8Array> {
  if (method === 0) {
    yield packed;
    return;
  }
  if (method !== 8) throw new Error(`${name} uses a compression method that workbooks do not use`);
  const reader = new Blob([packed.slice()]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** The parts that the archive's directory lists. @throws Error */
function partsOf(bytes: Uint8Array, bounds: TableBounds): Part[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = endOfDirectory(view);
  const total = view.getUint16(end + 10, true);
  // Readers of archives take a second directory, of the ZIP64 form, or the other count instead: what is checked must be what is read.
  if (end >= 20 && view.getUint32(end - 20, true) === 0x07064b50)
    throw new Error('it is a ZIP64 archive: save it again in Excel or LibreOffice');
  if (view.getUint16(end + 8, true) !== total) throw damaged();
  if (total > bounds.parts) throw new Error(`it has more than ${bounds.parts} parts`);
  const parts: Part[] = [];
  let at = view.getUint32(end + 16, true);
  for (let index = 0; index < total; index++) {
    if (at + 46 > bytes.length || view.getUint32(at, true) !== 0x02014b50) throw damaged();
    const [packedSize, size, header] = [
      view.getUint32(at + 20, true),
      view.getUint32(at + 24, true),
      view.getUint32(at + 42, true),
    ];
    const nameLength = view.getUint16(at + 28, true);
    const name = latin1.decode(bytes.subarray(at + 46, at + 46 + nameLength));
    if (header + 30 > bytes.length || view.getUint32(header, true) !== 0x04034b50) throw damaged();
    const start = header + 30 + view.getUint16(header + 26, true) + view.getUint16(header + 28, true);
    if (start + packedSize > bytes.length) throw damaged();
    parts.push({
      name,
      method: view.getUint16(at + 10, true),
      packed: bytes.subarray(start, start + packedSize),
      size,
    });
    at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return parts;
}

function endOfDirectory(view: DataView): number {
  const lowest = Math.max(0, view.byteLength - 22 - 0xffff);
  for (let at = view.byteLength - 22; at >= lowest; at--) if (view.getUint32(at, true) === 0x06054b50) return at;
  throw damaged();
}

function damaged(): Error {
  return new Error('it is a damaged or incomplete Excel workbook');
}
