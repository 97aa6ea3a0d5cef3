import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../shared/model/json.ts';
import { ImageDiskReader } from '../images/image-disk-reader.ts';
import { openImage } from '../images/open-image.ts';
import { inspectionOf, inspectionRequest, type InspectOptions, type InspectOutcome } from './inspection.ts';
import { runLocally, unnamedFile } from './local-program.ts';
import { windowsPlanRequest } from './windows/offline-guest.ts';

export interface ImageInspection {
  /** The disks of one VM, the boot disk first. */
  readonly images: readonly string[];
  readonly options: InspectOptions;
  /** The disc with drivers for a Windows, to see which it would get. */
  readonly virtioDisc?: string | undefined;
  readonly onLog?: (line: string) => void;
  readonly signal: AbortSignal;
}

const pieceSize = 2 ** 20;

/**
 * Inspects disk images on this computer, without a cloud and without writing to them: raw ones where they are, others as a
 * copy that has no name and is gone with the processes. Needs Linux and root, as mounting does.
 *
 * @throws `osmorphing.*`, `source.*`, or the signal's reason
 */
export async function inspectImages({
  images,
  options,
  virtioDisc,
  onLog,
  signal,
}: ImageInspection): Promise<InspectOutcome> {
  if (process.platform !== 'linux' || process.geteuid?.() !== 0) {
    throw new CausewayError(
      'osmorphing.local-inspection',
      process.platform === 'linux' ? 'this command does not run as root' : `this computer runs ${process.platform}`,
    );
  }
  const files: FileHandle[] = [];
  const warnings: string[] = [];
  const listener = {
    onLog: (line: string) => onLog?.(line),
    onStep: () => undefined,
    onWarning: (message: string) => {
      if (!warnings.includes(message)) warnings.push(message);
    },
  };
  try {
    for (const image of images) files.push(await readable(resolve(image), signal));
    const request: JsonObject = { ...inspectionRequest(options), devices: [], local: true };
    const numbers = files.map(({ fd }) => fd);
    const found = await runLocally('inspect', request, numbers, listener, signal).catch(async (error: unknown) => {
      if (!(error instanceof CausewayError) || error.details['otherSystem'] !== 'windows') throw error;
      return runLocally(
        'windows-inspect',
        { ...request, ...(await windowsPlanRequest(options)), ...given(virtioDisc) },
        numbers,
        listener,
        signal,
      );
    });
    return inspectionOf(found, warnings);
  } finally {
    for (const file of files) await file.close();
  }
}

const given = (virtioDisc: string | undefined): JsonObject =>
  virtioDisc === undefined ? {} : { virtioDisc: { path: resolve(virtioDisc) } };

/** A file with the bytes that a guest sees. */
async function readable(path: string, signal: AbortSignal): Promise<FileHandle> {
  const image = await openImage({ path }, { folder: dirname(path) });
  const reader = new ImageDiskReader(image);
  try {
    if (image.format === 'raw' && image.files.length === 1) return await open(path, constants.O_RDONLY);
    const copy = await unnamedFile();
    try {
      await copy.truncate(reader.sizeBytes);
      const piece = Buffer.alloc(pieceSize);
      for await (const { offset, length, kind } of reader.extents(signal)) {
        for (let at = offset; kind !== 'zero' && at < offset + length; at += pieceSize) {
          const part = piece.subarray(0, Math.min(pieceSize, offset + length - at));
          await reader.read(at, part, signal);
          await copy.write(part, 0, part.length, at);
        }
      }
      return copy;
    } catch (error) {
      await copy.close();
      throw error;
    }
  } finally {
    await reader.close();
  }
}
