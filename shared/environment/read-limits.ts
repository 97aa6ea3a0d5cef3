/**
 * Bounds of what is read as a document. A real one has a few kilobytes and six levels; the bounds keep a file that is
 * none (a disk image by mistake, or one made to do harm) from taking memory or time.
 */
export const readLimits = {
  bytes: 2 * 1024 * 1024,
  depth: 100,
  /** Nodes that YAML aliases may add by repeating what they point to. */
  aliasNodes: 10_000,
} as const;
