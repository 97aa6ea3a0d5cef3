import { z } from 'zod';
import { isLoopbackHost } from '../../model/ip-address.ts';

/** A name, an ID or another text that means nothing when it is blank. */
export const text = () => z.string().regex(/\S/, 'must not be blank');

/** A mapping of non-blank texts to values; `__proto__` never gets this far, the reader refuses it. */
export const mappingOf = <V extends z.ZodType>(value: V) => z.record(text(), value);

/** Free key-value pairs. Platforms store texts; numbers and booleans are taken and sent as text. */
export const keyValuePairs = () =>
  z.record(
    text(),
    z.union([z.string(), z.number(), z.boolean()], { error: 'must be a string, a number or a boolean' }),
  );

/**
 * A file, folder or socket of this computer. What a program could take for an option (`-x`) or for another protocol
 * (`nbd://host`, `json:{…}`) is refused.
 */
export const localPath = () =>
  text()
    .regex(/^[^\u0000-\u001f\u007f]*$/, 'must not contain control characters')
    .regex(/^(?!\s*-)(?![A-Za-z][A-Za-z0-9+.-]+:)/, 'must be a path on this computer');

/** A name that becomes part of a path or an argument of a program. */
export const plainName = () =>
  text().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]*$/, 'must consist of letters, digits, ".", "_" and "-"');

/**
 * A flag that the interface lists as a string while its example is a boolean: both are taken, and of strings only the
 * usual words in any case. The pattern spells the cases out, because JSON Schema knows no flags.
 */
export const flag = () => z.union([z.boolean(), z.string().regex(words, expected)], { error: expected });

const expected = 'must be true, false, "yes" or "no"';
const words = /^(?:[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]|[Yy][Ee][Ss]|[Nn][Oo])$/;

/** The boolean that a flag stands for; undefined when it is none. */
export function readFlag(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return undefined;
  const word = value.toLowerCase();
  if (word === 'true' || word === 'yes') return true;
  return word === 'false' || word === 'no' ? false : undefined;
}

const insecure =
  'must be an https:// address: http:// would expose passwords and tokens, and is only accepted for loopback addresses';

/** Whether what is sent there is encrypted, or stays on this computer. */
export function isProtectedUrl(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname));
}

/** URL of an interface that gets a password or a token: https, or http on loopback. No user and password inside it. */
export const protectedUrl = () =>
  z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
    .refine(isProtectedUrl, { error: insecure, abort: true })
    .refine((url) => new URL(url).username === '' && new URL(url).password === '', {
      error: 'must not contain a user name or password',
    });

/** URL of a program that a guest installs: https, or http with the digest that the download must have. */
export const programUrl = () =>
  z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
    .refine((url) => isProtectedUrl(url) || /#sha256=[0-9a-f]{64}$/i.test(url), {
      error:
        'must be an https:// address, or end with #sha256= and the digest of the download: over http://, anyone on the network path can replace the program',
    });
