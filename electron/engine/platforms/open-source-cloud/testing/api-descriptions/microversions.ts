/** Whether a version such as `2.72` lies between two others; an end that is left out is open. */
export function isWithin(version: string, from: string | undefined, to: string | undefined): boolean {
  return (from === undefined || compare(from, version) <= 0) && (to === undefined || compare(version, to) <= 0);
}

function compare(one: string, other: string): number {
  const [major = 0, minor = 0] = one.split('.').map(Number);
  const [otherMajor = 0, otherMinor = 0] = other.split('.').map(Number);
  return major - otherMajor || minor - otherMinor;
}
