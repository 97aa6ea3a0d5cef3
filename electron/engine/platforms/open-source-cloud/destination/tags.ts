const longestTag = 60;
const mostTags = 50;

/** Key-value pairs as a server's metadata, which takes them whole: texts as they are, anything else as JSON. */
export function tagMetadata(tags: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(tags).map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]));
}

/** The same as plain tags `key=value`, by which servers can be listed: those that fit the service's rules for tags. */
export function plainTags(tags: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(tagMetadata(tags))
    .map(([key, value]) => (value === '' ? key : `${key}=${value}`))
    .filter((tag) => tag.length <= longestTag && !/[/,]/.test(tag))
    .slice(0, mostTags);
}

/** Longer keys and values are refused by the service. */
const longestText = 255;

/** What of the tags the cloud would refuse, in a sentence each. */
export function refusedTags(tags: Readonly<Record<string, unknown>>): readonly { readonly key: string; readonly reason: string }[] {
  return Object.entries(tagMetadata(tags)).flatMap(([key, value]) => {
    if (key === '' || key.length > longestText) return [{ key, reason: `a key has 1 to ${longestText} characters` }];
    if (value.length > longestText) return [{ key, reason: `the value of ${key} has ${value.length} characters, at most ${longestText} are taken` }];
    return [];
  });
}
