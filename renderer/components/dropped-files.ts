/** The files of a drop that have one of these endings: the files themselves, and those in dropped folders. */
export async function droppedFiles(transfer: DataTransfer, endings: readonly string[]): Promise<File[]> {
  // The entries must be taken before the first await: the browser empties the list when the event is over.
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  const nested = await Promise.all(entries.map(filesBelow));
  return nested.flat().filter(({ name }) => endings.some((ending) => name.toLowerCase().endsWith(ending)));
}

async function filesBelow(entry: FileSystemEntry): Promise<File[]> {
  if (entry.isFile) return [await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))];
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: File[] = [];
  for (;;) {
    // A reader gives at most a hundred entries a call, and an empty list at the end.
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (part.length === 0) return found;
    for (const child of part) found.push(...(await filesBelow(child)));
  }
}
