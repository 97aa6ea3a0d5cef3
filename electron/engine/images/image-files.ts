import { isDeviceName } from '../../../shared/model/file-names.ts';
import { NotRegular, type FileAccess } from './file-access.ts';
import { ImageFile, type FileRange } from './image-bytes.ts';
import { partMissing, refersOutside, shown, unreadable } from './image-errors.ts';
import { parseReference, type FileReference, type ReferenceStyle } from './reference.ts';

/** A disk of a VM in a path of the endpoint: a file, or a member of an archive. */
export interface ImageLocation {
  readonly path: string;
  /** Unset: the whole file. */
  readonly range?: FileRange;
  /** Name that tells the format when the path doesn't (members of archives). */
  readonly name?: string;
}

/** Bounds what one disk may hold open; a disk of 16 TiB in extents of 2 GB stays below it. */
const MAX_FILES = 10_000;

/**
 * The files of one disk. It alone decides what is opened: regular files whose real path is within the real path of the
 * endpoint's folder, under names that are understood completely.
 */
export class ImageFiles {
  readonly #access: FileAccess;
  /** The folder as it was given, and its real path. */
  readonly #folders: readonly [given: string, real: string];
  readonly #opened = new Map<string, ImageFile>();

  private constructor(access: FileAccess, folders: readonly [string, string]) {
    this.#access = access;
    this.#folders = folders;
  }

  /** @throws CausewayError source.image-part-missing when the folder does not exist */
  static async within(folder: string, access: FileAccess): Promise<ImageFiles> {
    const real = await access.realpath(folder).catch(() => undefined);
    if (real === undefined) throw partMissing('the endpoint', folder);
    return new ImageFiles(access, [access.path.resolve(folder), real]);
  }

  /** Real paths of the files that are open, in the order of their opening. */
  get paths(): readonly string[] {
    return [...this.#opened.keys()];
  }

  /**
   * Opens the image of a location.
   * @throws CausewayError source.disk-not-found, source.image-refers-outside, source.image-unreadable
   */
  async openLocation(location: ImageLocation): Promise<ImageFile> {
    const name = location.name ?? this.#access.path.basename(location.path);
    const real = await this.#realInside(location.path, name, location.path);
    if (real === undefined) throw partMissing(name, location.path);
    return this.#open(real, name, location.range);
  }

  /**
   * Opens the file that `from` names: relative to its folder, or absolute. An absolute name that leads elsewhere stands
   * for the file of the same name beside `from`: images keep the paths of the machine where they were made.
   * @throws CausewayError source.image-refers-outside, source.image-part-missing, source.image-unreadable
   */
  async openReference(from: ImageFile, name: string, style: ReferenceStyle): Promise<ImageFile> {
    const reference = parseReference(name, style, from.name);
    const { basename, dirname, join, sep } = this.#access.path;
    if (sep === '\\' && reference.parts.some(isDeviceName))
      throw refersOutside(from.name, name, 'it is the name of a device');
    let real: string | undefined;
    if (reference.kind === 'relative')
      real = await this.#realInside(join(dirname(from.path), ...reference.parts), from.name, name);
    else {
      const named = this.#absolute(reference);
      if (named !== undefined && this.#isInside(named)) real = await this.#realInside(named, from.name, name);
      real ??= await this.#realInside(join(dirname(from.path), reference.parts.at(-1) ?? ''), from.name, name);
      if (real === undefined)
        throw refersOutside(from.name, name, `put ${reference.parts.at(-1)} in the folder of the image`);
    }
    if (real === undefined) throw partMissing(from.name, name);
    return this.#opened.get(real) ?? this.#open(real, basename(real));
  }

  /** An absolute name as a path of this system; undefined for one of another system. */
  #absolute({ kind, parts, root }: FileReference): string | undefined {
    const { sep, resolve } = this.#access.path;
    if (sep === '/') return kind === 'absolute' ? `/${parts.join('/')}` : undefined;
    return root === undefined ? undefined : resolve(root + parts.join('\\'));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#opened.values()].map((file) => file.close()));
  }

  /** The real path; undefined when there is no such file. Nothing outside of the folder is asked for. */
  async #realInside(path: string, name: string, reference: string): Promise<string | undefined> {
    const absolute = this.#access.path.resolve(path);
    if (!this.#isInside(absolute)) throw refersOutside(name, reference, 'it is outside the folder of the endpoint');
    const real = await this.#access.realpath(absolute).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
      throw unreadable(name, `${shown(reference)}: ${error.message}`, error);
    });
    if (real !== undefined && !this.#isWithin(this.#folders[1], real))
      throw refersOutside(name, reference, `it is a symbolic link to ${real}`);
    return real;
  }

  #isInside(path: string): boolean {
    return this.#folders.some((folder) => this.#isWithin(folder, path));
  }

  /** As the system compares paths: on Windows case does not matter. */
  #isWithin(folder: string, path: string): boolean {
    const { isAbsolute, relative, sep } = this.#access.path;
    const way = relative(folder, path);
    return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
  }

  async #open(path: string, name: string, range?: FileRange): Promise<ImageFile> {
    if (this.#opened.size >= MAX_FILES) throw unreadable(name, `the disk consists of more than ${MAX_FILES} files`);
    const opened = await this.#access.open(path).catch((error: unknown) => {
      if (error instanceof NotRegular) throw unreadable(name, 'it is not a regular file', error);
      throw unreadable(name, error instanceof Error ? error.message : String(error), error);
    });
    try {
      const file = new ImageFile(opened, path, name, range);
      this.#opened.set(path, file);
      return file;
    } catch (error) {
      await opened.close();
      throw error;
    }
  }
}
