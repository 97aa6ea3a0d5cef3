/** Names that Windows takes for devices in every folder, with any extension. */
const device = /^(?:con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³]|conin\$|conout\$) *(?:\.|$)/i;
/** Windows takes a colon for the beginning of a stream of another file, and drops dots and blanks at the end. */
const impossible = /[<>:"/\\|?*\p{Cc}]|^ |[. ]$/u;
const longestBytes = 255;

/** Whether Windows opens a device by this name, whatever the folder has. */
export function isDeviceName(name: string): boolean {
  return device.test(name);
}

/** Whether a file can have this name on Windows, macOS and Linux, and is the file of that name. */
export function isPortableFileName(name: string): boolean {
  return (
    name !== '' &&
    !impossible.test(name) &&
    !isDeviceName(name) &&
    new TextEncoder().encode(name).length <= longestBytes
  );
}

/** The same for two names that are one file where case does not matter or letters can be written in two ways. */
export function foldedFileName(name: string): string {
  return name.normalize('NFC').toLowerCase();
}
