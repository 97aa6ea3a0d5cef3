import { CausewayError, toErrorRecord } from '../../../shared/model/causeway-error.ts';
import type { PluginId } from '../../../shared/model/plugin-id.ts';
import type { Vm } from '../../../shared/model/vm.ts';
import type { Finding } from '../../../shared/schema/finding.ts';
import type { MachineSize } from './instance-type.ts';
import { shortages, shortageText, type QuotaNeeds, type Quotas, type QuotaWords } from './quota-needs.ts';
import { unresolvedText, type Resolution } from './resolve-reference.ts';
import { sizeInGib } from './volume-sizes.ts';
import type { StorageMapping } from './volume-type.ts';

/** Takes one result of the on-line check; `name` is the rule's, without its area. */
export type Report = (severity: Finding['severity'], path: string, name: string, message: string) => void;

/** @param plugin that checks */
export function reportInto(plugin: PluginId, findings: Finding[]): Report {
  return (severity, path, name, message) =>
    void findings.push({ severity, path, rule: `${plugin}/online-${name}`, message });
}

/** RFC 6901. */
export function pointer(...segments: readonly (string | number)[]): string {
  return segments.map((each) => `/${String(each).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** Reads an environment to check it; if its shape is wrong, that is the only finding. */
export function readForCheck<E>(read: () => E, report: Report): E | undefined {
  try {
    return read();
  } catch (error) {
    report('error', '', 'shape', toErrorRecord(error).message);
    return undefined;
  }
}

/** Reports a name in an environment that matches no resource, or more than one. */
export function reportUnresolved(
  report: Report,
  path: string,
  kind: string,
  wanted: string,
  resolution: Resolution<unknown>,
): void {
  if (resolution.outcome === 'found') return;
  report(
    'error',
    path,
    resolution.outcome === 'ambiguous' ? 'name-ambiguous' : 'name-unknown',
    unresolvedText(kind, wanted, resolution),
  );
}

/** Every source network of the VM's NICs is in the map. @param path of the map in the environment */
export function checkNetworksMapped(
  networkMap: Readonly<Record<string, string>>,
  path: string,
  vm: Vm,
  report: Report,
): void {
  for (const network of new Set(vm.nics.map((nic) => nic.network))) {
    if (networkMap[network] === undefined)
      report('error', path, 'network-not-mapped', `source network "${network}" is not mapped`);
  }
}

/** The map has the worker images that the VM needs: Linux always, for the disk copy. @param path of the map in the environment */
export function checkImagesGiven(images: Readonly<Record<string, string>>, path: string, vm: Vm, report: Report): void {
  if (images['linux'] === undefined)
    report(
      'error',
      path,
      'image-missing',
      `the worker image for linux is missing: the disk copy worker always uses it`,
    );
  if (vm.os_type === 'windows' && images['windows'] === undefined) {
    report(
      'warning',
      path,
      'image-missing',
      'the worker image for windows is missing: the Linux worker prepares the guest offline',
    );
  }
}

/** A worker image, as far as its own description says what it needs. */
interface DescribedImage {
  readonly name: string;
  readonly system: unknown;
  readonly architecture?: 'arm64' | 'x86_64';
  /** MiB. */
  readonly memory: number | undefined;
}

/**
 * An image for workers of a system fits that system and the machine that it will run on.
 *
 * @param at where the environment names the image and the machine
 * @param system undefined where one image serves for all
 */
export function checkWorkerImage(
  image: DescribedImage,
  system: string | undefined,
  machine: (MachineSize & { readonly architecture?: 'arm64' | 'x86_64' }) | undefined,
  at: { readonly image: string; readonly machine: string },
  report: Report,
): void {
  if (system !== undefined && typeof image.system === 'string' && image.system !== system)
    report('error', at.image, 'image-system', `image ${image.name} is a ${image.system} image`);
  if (machine === undefined) return;
  if ((image.memory ?? 0) > machine.ram) {
    report(
      'error',
      at.machine,
      'worker-memory',
      `image ${image.name} needs ${image.memory} MB of memory, but ${machine.name} has ${machine.ram} MB`,
    );
  }
  if (image.architecture !== machine.architecture) {
    report(
      'error',
      at.machine,
      'worker-architecture',
      `image ${image.name} (${image.architecture}) does not run on machine type ${machine.name} (${machine.architecture})`,
    );
  }
}

/** No disk is larger than a volume can be. @param largestGib undefined: volumes of any size are possible */
export function checkDiskSizes(vm: Vm, largestGib: number | undefined, report: Report): void {
  for (const disk of vm.disks) {
    const size = sizeInGib(disk.size_bytes);
    if (largestGib !== undefined && size > largestGib)
      report(
        'error',
        '',
        'disk-too-large',
        `disk ${disk.id} needs ${size} GiB, and the limit for a volume is ${largestGib} GiB`,
      );
  }
}

/** The types that a storage mapping names, each with its place in the environment. @param parameter the environment's name of the mapping */
export function namedTypes(
  mappings: StorageMapping,
  parameter: string,
): readonly (readonly [path: string, name: string])[] {
  const all: readonly (readonly [string, string | undefined])[] = [
    [pointer(parameter, 'default'), mappings.default],
    ...(mappings.backend_mappings ?? []).map(
      (each, index) => [pointer(parameter, 'backend_mappings', index, 'destination'), each.destination] as const,
    ),
    ...(mappings.disk_mappings ?? []).map(
      (each, index) => [pointer(parameter, 'disk_mappings', index, 'destination'), each.destination] as const,
    ),
  ];
  return all.filter((each): each is readonly [string, string] => each[1] !== undefined && each[1] !== '');
}

/**
 * What the disk copy worker will need. A worker that can't be planned needs nothing here: what is wrong with its names
 * is reported at their own places.
 *
 * @param addressParameter where it stands that workers are reached by an address that is not known
 */
export async function plannedNeeds(
  plan: () => Promise<QuotaNeeds>,
  addressParameter: string,
  report: Report,
  signal: AbortSignal,
): Promise<QuotaNeeds> {
  try {
    return await plan();
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof CausewayError)) throw error;
    if (error.code === 'cloud.caller-address-unknown')
      report('error', addressParameter, 'caller-address', error.message);
    else if (error.code === 'cloud.parameter-missing') report('error', '', 'parameter-missing', error.message);
    else if (error.retryable) throw error;
    return {};
  }
}

export function reportShortages(needs: QuotaNeeds, quotas: Quotas, words: QuotaWords, report: Report): void {
  const short = shortages(needs, quotas);
  if (short.length > 0)
    report(
      'error',
      '',
      'quota',
      `the project's quotas are too small: ${short.map((each) => shortageText(each, words)).join('; ')}`,
    );
}
