/** Hands a text to the user as a file of the given name. */
export function saveFile(name: string, content: string | Uint8Array<ArrayBuffer>, type = 'text/plain'): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const anchor = document.createElement('a');
  anchor.href = url;
  anchor.download = name.replaceAll(/[^\p{L}\p{N}._ -]/gu, '_');
  anchor.click();
  URL.revokeObjectURL(url);
}
