import { text } from './text.ts';

/**
 * A file, folder or socket of this computer. What a program could take for an option (`-x`) or for another protocol
 * (`nbd://host`, `json:{…}`) is refused.
 */
export const localPath = () =>
  text()
    .regex(/^[^\u0000-\u001f\u007f]*$/, 'must not contain control characters')
    .regex(/^(?!\s*-)(?![A-Za-z][A-Za-z0-9+.-]+:)/, 'must be a path on this computer');

/** A name that becomes part of a path or an argument of a program. */
export const plainName = () => text().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]*$/, 'must consist of letters, digits, ".", "_" and "-"');
