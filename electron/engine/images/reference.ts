import { refersOutside } from './image-errors.ts';

/** How an image's format writes names of files: with slashes, or as Windows does with either. */
export type ReferenceStyle = 'posix' | 'windows';

export interface FileReference {
  /** `absolute`: from the root, as on Linux. `windows`: an absolute name of Windows, which is a path there only. */
  readonly kind: 'relative' | 'absolute' | 'windows';
  /** What an absolute name of Windows starts with: a drive, or that of a share. Unset: a volume by its GUID, a device. */
  readonly root?: string;
  /** Names of folders and at last of the file; `..` only in relative ones. Never empty. */
  readonly parts: readonly string[];
}

const MAX_LENGTH = 1024;
// Control characters and Unicode's replacement character: bytes that were no valid text.
const INVALID = /[\u0000-\u001f\u007f\ufffd]/;

/**
 * Reads the name of a file in an image. Only plain paths are understood: no URL, no protocol, no device, no stream.
 * @throws CausewayError source.image-refers-outside
 */
export function parseReference(name: string, style: ReferenceStyle, image: string): FileReference {
  const refuse = (why: string) => refersOutside(image, name, why);
  if (name === '' || name.length > MAX_LENGTH) throw refuse('not a valid file name');
  if (INVALID.test(name)) throw refuse('the name contains invalid characters');
  let kind: FileReference['kind'] = 'relative';
  let rest = name;
  let root: string | undefined;
  // QEMU on Windows writes a name as it was given, with its drive.
  if (style === 'windows' || /^[a-z]:[\\/]/i.test(name)) {
    const prefix = /^\\\\\?\\(?:Volume\{[0-9a-f-]+\}\\|[a-z]:\\|UNC\\)?|^\\\\|^[a-z]:[\\/]/i.exec(name)?.[0];
    if (prefix !== undefined) {
      kind = 'windows';
      rest = name.slice(prefix.length);
      const drive = /[a-z]:(?=[\\/]$)/i.exec(prefix)?.[0];
      if (drive !== undefined) root = `${drive}\\`;
      else if (prefix === '\\\\' || /UNC\\$/i.test(prefix)) root = '\\\\';
    }
    rest = rest.replaceAll('\\', '/');
  }
  if (kind === 'relative' && rest.startsWith('/')) kind = 'absolute';
  if (/[:\\]/.test(rest)) throw refuse('only plain file names are allowed, not URLs, protocols or devices');
  const parts = rest.split('/').filter((part) => part !== '' && part !== '.');
  const last = parts.at(-1);
  if (last === undefined || last === '..' || rest.endsWith('/') || rest.endsWith('/.'))
    throw refuse('not a valid file name');
  if (kind !== 'relative' && parts.includes('..')) throw refuse('an absolute name with ".."');
  return { kind, parts, ...(root === undefined ? {} : { root }) };
}
