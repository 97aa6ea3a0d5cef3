import { z } from 'zod';
import type { JsonObject } from '../../../../shared/model/json.ts';

/** Settings that mean something on the old platform alone, and what may keep Windows from loading drivers. As the Linux worker's old_platform.py. */

const list = <Item extends z.ZodType>(item: Item) =>
  z.preprocess(
    (value) => (value === null || value === undefined ? [] : Array.isArray(value) ? value : [value]),
    z.array(item),
  );

export const oldPlatformSchema = z.object({
  /** As the registry has them, e.g. `D:\pagefile.sys 0 0`. */
  pagingFiles: list(z.string()),
  /** What Windows knows the volume of a letter by, as hexadecimal digits. */
  letters: list(z.object({ letter: z.string().regex(/^[A-Za-z]:$/), place: z.string().regex(/^(?:[0-9a-f]{2})*$/) })),
  /** Partitions of the guest's disks: an identifier, or the signature of the disk and where on it they begin. */
  partitions: list(
    z.object({
      guid: z.string().nullable(),
      signature: z.number().int().nonnegative().nullable(),
      offset: z.number().int().nonnegative(),
    }),
  ),
  /** Servers that Windows asks for its activation, with the keys below SOFTWARE. */
  activation: list(z.object({ key: z.string(), server: z.string() })),
  denied: list(z.string()),
  isUniversal: z.boolean(),
});
export type OldPlatform = z.infer<typeof oldPlatformSchema>;

export interface OldPlatformChanges {
  /** For the registry. */
  readonly values: readonly JsonObject[];
  readonly notes: readonly string[];
  readonly warnings: readonly string[];
}

/** Servers for activation that clouds have for their own machines. */
export const cloudServers =
  /^((az)?kms\.core\.(windows\.net|chinacloudapi\.cn|usgovcloudapi\.net)|169\.254\.169\.25[01]|kms\.windows\.googlecloud\.com)$/i;
export const denials: readonly string[] = ['DenyUnspecified', 'DenyDeviceIDs', 'DenyDeviceClasses'];
/** Services of programs that may refuse new drivers, or the start of the system behind them. */
export const guards: Readonly<Record<string, string>> = {
  CSAgent: 'CrowdStrike Falcon',
  SentinelMonitor: 'SentinelOne',
  CylanceDrv: 'Cylance',
  SophosED: 'Sophos',
  SymEFASI: 'Symantec',
  mfehidk: 'McAfee',
  klif: 'Kaspersky',
  eamonm: 'ESET',
  tmcomm: 'Trend Micro',
  cbk7: 'Carbon Black',
  Parity: 'Carbon Black App Control',
  bdprivmon: 'Bitdefender',
};
const disabled = 4;

/** What has to change in a guest that was found so. */
export function settleOldPlatform(
  found: OldPlatform,
  services: Readonly<Record<string, number>>,
  datasources: readonly string[] = [],
): OldPlatformChanges {
  const all = [pageFiles(found), activation(found)];
  return {
    values: all.flatMap(({ values }) => values),
    notes: all.flatMap(({ notes }) => notes),
    warnings: [...all.flatMap(({ warnings }) => warnings), ...doubts(found, services, datasources)],
  };
}

/** A page file on a disk that is gone (a cloud's temporary one) leaves Windows with none. */
function pageFiles({ pagingFiles, letters, partitions }: OldPlatform): OldPlatformChanges {
  const there = new Set(partitions.map(placeOf));
  const lettersHere = new Map(
    letters.map(({ letter, place }) => [letter.toUpperCase(), there.has(readablePlace(place) ?? '')]),
  );
  const nothing = { values: [], notes: [], warnings: [] };
  // The partitions are told otherwise than Windows knows them.
  if (lettersHere.get('C:') !== true) return nothing;
  const isHere = (one: string): boolean => lettersHere.get(one.slice(0, 2).toUpperCase()) ?? true;
  const kept = pagingFiles.filter(isHere);
  const gone = pagingFiles.filter((one) => !isHere(one));
  if (gone.length === 0) return nothing;
  const value = kept.some((one) => /^[C?]:/i.test(one)) ? kept : [...kept, 'C:\\pagefile.sys 0 0'];
  const files = (each: readonly string[]): string => each.map((one) => one.split(' ')[0]).join(', ');
  return {
    values: [{ key: 'Control\\Session Manager\\Memory Management', name: 'PagingFiles', type: 'MultiString', value }],
    notes: [`the page file is on ${files(value)} instead of ${files(gone)}, which is not among the disks`],
    warnings: [],
  };
}

const placeOf = ({ guid, signature, offset }: OldPlatform['partitions'][number]): string =>
  guid === null
    ? `${(signature ?? 0).toString(16).padStart(8, '0')} ${offset}`
    : guid.replace(/[{}]/g, '').toLowerCase();

/** The same of a letter: the signature of its disk and its offset, or the identifier of its partition. */
function readablePlace(hex: string): string | undefined {
  const bytes = Buffer.from(hex, 'hex');
  if (bytes.length === 12) return `${bytes.readUInt32LE(0).toString(16).padStart(8, '0')} ${bytes.readBigUInt64LE(4)}`;
  if (bytes.length !== 24 || bytes.toString('latin1', 0, 8) !== 'DMIO:ID:') return undefined;
  const part = (start: number, end: number, isReversed: boolean): string =>
    (isReversed ? Buffer.from(bytes.subarray(start, end)).reverse() : bytes.subarray(start, end)).toString('hex');
  return [part(8, 12, true), part(12, 14, true), part(14, 16, true), part(16, 18, false), part(18, 24, false)].join(
    '-',
  );
}

function activation({ activation: asked }: OldPlatform): OldPlatformChanges {
  const clouds = asked.filter(({ server }) => cloudServers.test(server));
  return {
    values: clouds.map(({ key }) => ({ hive: 'SOFTWARE', key, name: 'KeyManagementServiceName', isRemoved: true })),
    notes: [...new Set(clouds.map(({ server }) => `Windows no longer asks ${server} for its activation`))].sort(),
    warnings:
      clouds.length === 0
        ? []
        : ["Windows was activated by a server of the source's cloud; activate it again on the destination"],
  };
}

function doubts(
  { denied, isUniversal }: OldPlatform,
  services: Readonly<Record<string, number>>,
  datasources: readonly string[],
): string[] {
  const starting = new Set(
    Object.entries(services)
      .filter(([, start]) => start !== disabled)
      .map(([name]) => name.toLowerCase()),
  );
  const found = [
    ...new Set(
      Object.entries(guards)
        .filter(([service]) => starting.has(service.toLowerCase()))
        .map(([, product]) => product),
    ),
  ].sort();
  return [
    ...(isUniversal && !datasources.includes('Azure')
      ? [
          "Windows takes the machine's clock for universal time (RealTimeIsUniversal), as on the source; where the destination's hosts have another time zone, its clock is wrong after each cold start until Windows has asked a time server",
        ]
      : []),
    ...(denied.length > 0
      ? [
          `a policy of this Windows forbids the installation of devices (${denied.join(', ')}): drivers of the destination may not be installed at the first boot`,
        ]
      : []),
    ...(found.length > 0
      ? [
          `${found.join(', ')} may refuse the destination's drivers or what runs at the first boot; where it does, pause its protection before the last execution`,
        ]
      : []),
  ];
}
