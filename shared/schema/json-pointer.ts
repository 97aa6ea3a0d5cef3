export type PathSegment = string | number;

/** RFC 6901: `~` and `/` inside a key are escaped; the empty path is the whole document. */
export function toPointer(segments: readonly PathSegment[]): string {
  let pointer = '';
  for (const segment of segments) {
    pointer +=
      '/' + (typeof segment === 'number' ? String(segment) : segment.replaceAll('~', '~0').replaceAll('/', '~1'));
  }
  return pointer;
}

/** The keys of a pointer, all as strings, because the pointer alone does not tell a list's index from a key. */
export function fromPointer(pointer: string): string[] {
  if (pointer === '') return [];
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Whether `key` is an own member of an object or an element of a list. */
export function hasMember(container: unknown, key: PathSegment): boolean {
  if (Array.isArray(container)) {
    const text = String(key);
    return /^(?:0|[1-9]\d*)$/.test(text) && Number(text) < container.length;
  }
  return typeof container === 'object' && container !== null && Object.hasOwn(container, key);
}

/** The value at a path, or undefined where there is none (JSON has no undefined of its own). */
export function valueAt(document: unknown, segments: readonly PathSegment[]): unknown {
  let current = document;
  for (const segment of segments) {
    if (!hasMember(current, segment)) return undefined;
    current = (current as Record<PathSegment, unknown>)[segment];
  }
  return current;
}
