/** A file with the path by which people know it: below the folder that was dropped or chosen, else its name. */
export interface NamedFile {
  readonly name: string;
  readonly file: File;
}

/** The files of a drop that have one of these endings: the files themselves, and those in dropped folders. */
export async function droppedFiles(transfer: DataTransfer, endings: readonly string[]): Promise<NamedFile[]> {
  // The entries must be taken before the first await: the browser empties the list when the event is over.
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  const nested = await Promise.all(entries.map(filesBelow));
  return nested.flat().filter(({ name }) => endings.some((ending) => name.toLowerCase().endsWith(ending)));
}

async function filesBelow(entry: FileSystemEntry): Promise<NamedFile[]> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    return [{ name: entry.fullPath.replace(/^\//, ''), file }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: NamedFile[] = [];
  for (;;) {
    // A reader gives at most a hundred entries a call, and an empty list at the end.
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (part.length === 0) return found;
    for (const child of part) found.push(...(await filesBelow(child)));
  }
}
