/** What the VirtIO drivers disc has, and which of its folders fit a version of Windows. As the Linux worker's drivers.py. */

/** Without these Windows does not start. */
export const storageDrivers = ['viostor', 'vioscsi'] as const;
export const requiredDrivers = [...storageDrivers, 'NetKVM'] as const;
/** `fwcfg` takes the place of `qemufwcfg`. */
export const discDrivers = [
  ...requiredDrivers,
  'Balloon',
  'vioserial',
  'viorng',
  'pvpanic',
  'qxl',
  'qxldod',
  'viogpudo',
  'qemufwcfg',
  'fwcfg',
  'qemupciserial',
  'vioinput',
] as const;
/** Folders of processors, by Windows' names in small letters. */
export const discArchitectures: Readonly<Record<string, string>> = { amd64: 'amd64', x86: 'x86', arm64: 'ARM64' };

type Version = readonly [major: number, minor: number, build: number];

/** Newest first, with the oldest version that each is for. */
const folders: readonly {
  readonly name: string;
  readonly from: Version;
  readonly edition: 'server' | 'client' | 'both';
}[] = [
  { name: '2k25', from: [10, 0, 26100], edition: 'server' },
  { name: 'w11', from: [10, 0, 22000], edition: 'client' },
  { name: '2k22', from: [10, 0, 20348], edition: 'server' },
  { name: '2k19', from: [10, 0, 17763], edition: 'server' },
  { name: '2k16', from: [10, 0, 14393], edition: 'server' },
  { name: 'w10', from: [10, 0, 0], edition: 'both' },
  { name: '2k12R2', from: [6, 3, 0], edition: 'server' },
  { name: 'w8.1', from: [6, 3, 0], edition: 'client' },
  { name: '2k12', from: [6, 2, 0], edition: 'server' },
  { name: 'w8', from: [6, 2, 0], edition: 'client' },
  { name: '2k8R2', from: [6, 1, 0], edition: 'server' },
  { name: 'w7', from: [6, 1, 0], edition: 'client' },
];

/** Best first. */
export function discFolders(version: Version, isServer: boolean): readonly string[] {
  const editions = ['both', isServer ? 'server' : 'client'];
  return folders
    .filter(({ from, edition }) => editions.includes(edition) && compareVersions(version, from) >= 0)
    .map(({ name }) => name);
}

export function compareVersions(one: readonly number[], other: readonly number[]): number {
  for (let index = 0; index < Math.max(one.length, other.length); index += 1) {
    const difference = (one[index] ?? 0) - (other[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
