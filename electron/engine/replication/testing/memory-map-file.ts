import type { MapFile, OpenMapFile } from '../map-file.ts';
import type { Step } from './memory-disks.ts';

interface StoredFile {
  content: Buffer;
  durable: Buffer;
  pending: { readonly position: number; readonly bytes: Buffer }[];
}

/** Files whose unsynced writes a crash loses or tears, in any part of a sector. */
export class MemoryFiles {
  readonly #files = new Map<string, StoredFile>();
  step: Step = () => {};

  readonly open: OpenMapFile = (path, create) => {
    this.step('open');
    if (create) this.#files.set(path, { content: Buffer.alloc(0), durable: Buffer.alloc(0), pending: [] });
    const file = this.#files.get(path);
    return file === undefined ? undefined : this.#handle(file);
  };

  /** The machine dies. */
  crash(survives: () => boolean): void {
    for (const file of this.#files.values()) {
      for (const { position, bytes } of file.pending) {
        for (let at = 0; at < bytes.length; at += 512) {
          if (survives()) bytes.copy(file.durable, position + at, at, Math.min(at + 512, bytes.length));
        }
      }
      file.pending = [];
      file.content = Buffer.from(file.durable);
    }
  }

  removeAll(): void {
    this.#files.clear();
  }

  /** Some bytes of one page of a map go bad on the storage; only of pages that were written. */
  damagePage(random: () => number): void {
    for (const file of this.#files.values()) {
      const at = 4096 + Math.floor(random() * Math.max(0, file.durable.length - 4096 - 600));
      for (const bytes of [file.content, file.durable])
        bytes.fill(9, Math.min(at, bytes.length), Math.min(at + 600, bytes.length));
    }
  }

  #handle(file: StoredFile): MapFile {
    const step = (what: string): void => this.step(what);
    return {
      get size() {
        return file.content.length;
      },
      read(into, position) {
        step('map read');
        file.content.copy(into, 0, position, position + into.length);
      },
      write(bytes, position) {
        step('map write');
        const copy = Buffer.from(bytes);
        copy.copy(file.content, position);
        file.pending.push({ position, bytes: copy });
      },
      resize(size) {
        step('map resize');
        for (const key of ['content', 'durable'] as const) {
          const resized = Buffer.alloc(size);
          file[key].copy(resized);
          file[key] = resized;
        }
      },
      async sync() {
        step('map sync');
        const upTo = file.pending.length;
        await Promise.resolve();
        for (const { position, bytes } of file.pending.splice(0, upTo)) bytes.copy(file.durable, position);
        step('map sync answer');
      },
      close() {},
    };
  }
}
