/** Key-value pairs of an environment as they stand in it; values may have any type. */
export type InstanceTags = Readonly<Record<string, unknown>>;

/** Servers keep key-value pairs as metadata, with these limits of the compute service. */
const longestText = 255;
const metadataKey = /^[A-Za-z0-9_:. -]+$/;
/** By these the product finds its own servers again. */
const reservedKey = /^(managed-by|causeway-.*)$/;

/** Plain tags of servers are texts, with limits of their own. */
const longestTag = 60;
const mostTags = 50;

/** The pairs as a server's metadata, which takes them whole: texts as they are, anything else as JSON. */
export function tagMetadata(tags: InstanceTags): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(tags).map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}

/** The same as plain tags `key=value`, by which servers can be listed: those that fit the service's rules for tags. */
export function plainTags(tags: InstanceTags): readonly string[] {
  return fittingTags(tags).map(([, tag]) => tag);
}

/** The keys of the pairs that are metadata alone, because they don't fit the rules for plain tags or are too many. */
export function keysWithoutPlainTag(tags: InstanceTags): readonly string[] {
  const fitting = new Set(fittingTags(tags).map(([key]) => key));
  return Object.keys(tags).filter((key) => !fitting.has(key));
}

function fittingTags(tags: InstanceTags): readonly (readonly [key: string, tag: string])[] {
  return Object.entries(tagMetadata(tags))
    .map(([key, value]) => [key, value === '' ? key : `${key}=${value}`] as const)
    .filter(([, tag]) => tag.length <= longestTag && !/[/,]/.test(tag))
    .slice(0, mostTags);
}

/** What of the pairs can't be set, in a sentence each. */
export function refusedTags(tags: InstanceTags): readonly { readonly key: string; readonly reason: string }[] {
  return Object.entries(tagMetadata(tags)).flatMap(([key, value]) => {
    if (key === '' || key.length > longestText)
      return [{ key, reason: `a key must have 1 to ${longestText} characters` }];
    if (!metadataKey.test(key))
      return [
        {
          key,
          reason: `the key ${JSON.stringify(key)} contains an unsupported character: use letters, digits, spaces and - _ : . only`,
        },
      ];
    if (reservedKey.test(key)) return [{ key, reason: `the key ${key} is reserved for Causeway` }];
    if (value.length > longestText)
      return [{ key, reason: `the value of ${key} has ${value.length} characters, and the limit is ${longestText}` }];
    return [];
  });
}
