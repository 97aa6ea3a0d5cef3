import { isJsonObject, type JsonObject, type JsonValue } from '../../../../../shared/model/json.ts';

export type OsType = 'linux' | 'windows';

/** Properties of an image or of a volume that was made of one. */
export type ImageProperties = Readonly<Record<string, unknown>>;

/**
 * What runs in a server, by `os_type` and `os_distro` of its image: first as `custom_os_type_map` says (in whatever
 * case), then by what their values usually mean. Undefined when they say nothing.
 */
export function osTypeOf(properties: ImageProperties, environment: JsonObject): OsType | undefined {
  const given: JsonValue | undefined = environment['custom_os_type_map'];
  const map = new Map(
    Object.entries(given !== undefined && isJsonObject(given) ? given : {}).map(([name, type]) => [
      name.toLowerCase(),
      type,
    ]),
  );
  const said = [properties['os_type'], properties['os_distro']]
    .filter((value) => typeof value === 'string')
    .map((value) => value.toLowerCase());
  for (const name of said) {
    const type = map.get(name);
    if (type === 'linux' || type === 'windows') return type;
  }
  for (const name of said) {
    if (name.startsWith('win')) return 'windows';
    if (linuxNames.has(name)) return 'linux';
  }
  return undefined;
}

/** What the image says of its OS, as `property=value`. */
export function osNames(properties: ImageProperties): readonly string[] {
  return ['os_type', 'os_distro'].flatMap((key) => {
    const value = properties[key];
    return typeof value === 'string' && value.trim() !== '' ? [`${key}=${value}`] : [];
  });
}

/** `os_type` linux, and the names of distributions in libosinfo's spelling, which images carry. */
const linuxNames = new Set([
  'linux',
  'debian',
  'ubuntu',
  'centos',
  'rhel',
  'rocky',
  'almalinux',
  'fedora',
  'opensuse',
  'sles',
  'sled',
  'oraclelinux',
  'ol',
  'arch',
  'gentoo',
  'alpine',
  'cirros',
  'coreos',
  'fedora-coreos',
  'flatcar',
  'amzn',
]);
