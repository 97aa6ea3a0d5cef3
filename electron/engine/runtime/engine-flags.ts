/**
 * What Node is started with where an engine runs in it. V8 lets its young generation grow to 128 MiB when many disks are copied in parallel, which brings
 * nothing: what is large lies outside of it.
 */
export const engineFlags = ['--max-semi-space-size=16'] as const;
