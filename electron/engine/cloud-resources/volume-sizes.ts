const gib = 2 ** 30;

/** The unit of clouds' volumes is GiB, whole ones. */
export function sizeInGib(sizeBytes: number): number {
  return Math.max(1, Math.ceil(sizeBytes / gib));
}

export function bytesOfGib(size: number): number {
  return size * gib;
}
