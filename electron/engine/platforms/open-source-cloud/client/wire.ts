/** A part of a path. */
export const segment = encodeURIComponent;

/** A query without what is not given. */
export function queryOf(given: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(given).filter((each): each is [string, string] => each[1] !== undefined));
}
