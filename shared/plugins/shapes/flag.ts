import { z } from 'zod';

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
