import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { hasImageExtension } from '../../images/detect.ts';
import { systemFiles } from '../../images/file-access.ts';
import { bytesAt } from '../../images/image-bytes.ts';
import type { ImageVm } from './image-vm.ts';
import { inspectImage } from './inspect-image.ts';
import { ovaVm, ovfVm } from './ovf-vm.ts';
import { readDescription } from './read-description.ts';
import { MAX_VM_YAML_BYTES, parseVmYaml, VM_YAML, type VmYaml } from './vm-yaml.ts';

/** A description that could not be used, with the reason. */
export interface InventoryProblem {
  readonly name: string;
  readonly error: CausewayError;
}

export interface Inventory {
  readonly vms: readonly ImageVm[];
  readonly problems: readonly InventoryProblem[];
}

const MAX_ENTRIES = 20_000;

/**
 * Finds the VMs of a path: an OVF, OVA or image file is one VM; in a folder every OVF, every OVA and every image that
 * none of them names is a VM, and every subfolder with images. A `vm.yaml` makes one VM of its folder.
 * @throws CausewayError source.unreachable when the path does not exist, general.cancelled
 */
export async function findVms(path: string, signal?: AbortSignal): Promise<Inventory> {
  const root = await endpointFolder(path);
  const found: Collected = { root, signal, vms: [], problems: [] };
  if (root !== path) {
    await collect(found, basename(path), () => fileVm(path, basename(path), root));
    return found;
  }
  const entries = await namesIn(path);
  await folderVms(found, path, '', entries.files);
  for (const name of entries.folders) {
    const sub = join(path, name);
    const { files } = await namesIn(sub);
    if (files.includes(VM_YAML)) await collect(found, name, () => describedVm(sub, name, files, found));
    else if (files.some((file) => isDescription(file))) await folderVms(found, sub, `${name}/`, files);
    else await collect(found, name, () => imagesVm(sub, name, files, found));
  }
  return found;
}

/**
 * The folder that an endpoint may read: its path, or the folder of the file at its path.
 * @throws CausewayError source.unreachable
 */
export async function endpointFolder(path: string): Promise<string> {
  const stats = await stat(path).catch((error: unknown) => {
    throw new CausewayError(
      'source.unreachable',
      `${path}: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    );
  });
  return stats.isDirectory() ? path : dirname(path);
}

interface Collected {
  readonly root: string;
  readonly signal: AbortSignal | undefined;
  readonly vms: ImageVm[];
  readonly problems: InventoryProblem[];
}

async function collect(
  found: Collected,
  name: string,
  make: () => Promise<ImageVm | undefined>,
): Promise<ImageVm | undefined> {
  if (found.signal?.aborted === true) throw new CausewayError('general.cancelled', 'listing the images was cancelled');
  try {
    const vm = await make();
    if (vm !== undefined) found.vms.push(vm);
    return vm;
  } catch (error) {
    if (!(error instanceof CausewayError)) throw error;
    found.problems.push({ name, error });
    return undefined;
  }
}

async function folderVms(found: Collected, folder: string, prefix: string, files: readonly string[]): Promise<void> {
  if (files.includes(VM_YAML)) {
    await collect(found, `${prefix}${VM_YAML}`, () =>
      describedVm(folder, prefix === '' ? basename(folder) : prefix.slice(0, -1), files, found),
    );
    return;
  }
  const taken = new Set<string>();
  for (const name of files.filter(isDescription)) {
    const vm = await collect(found, prefix + name, () => fileVm(join(folder, name), prefix + name, found.root));
    for (const disk of vm?.disks ?? []) taken.add(disk.location.path);
  }
  const rest = files.filter((name) => hasImageExtension(name) && !taken.has(join(folder, name)));
  for (const name of await topImages(folder, rest, found))
    await collect(found, prefix + name, () => fileVm(join(folder, name), prefix + name, found.root));
}

async function fileVm(path: string, id: string, root: string): Promise<ImageVm> {
  const extension = extname(path).toLowerCase();
  if (extension === '.ovf') return ovfVm(path, id, root);
  if (extension === '.ova') return ovaVm(path, id, root);
  return { id, name: basename(path, extname(path)), disks: [{ id: basename(path), location: { path } }] };
}

async function imagesVm(
  folder: string,
  id: string,
  files: readonly string[],
  found: Collected,
): Promise<ImageVm | undefined> {
  const images = await topImages(folder, files.filter(hasImageExtension), found);
  if (images.length === 0) return undefined;
  return {
    id,
    name: basename(folder),
    disks: images.map((name) => ({ id: name, location: { path: join(folder, name) } })),
  };
}

async function describedVm(folder: string, id: string, files: readonly string[], found: Collected): Promise<ImageVm> {
  const said: VmYaml = await readDescription(join(folder, VM_YAML), found.root, async (file) => {
    if (file.sizeBytes > MAX_VM_YAML_BYTES)
      throw new CausewayError('source.description-invalid', `${VM_YAML} is larger than ${MAX_VM_YAML_BYTES} bytes`);
    return parseVmYaml((await bytesAt(file, 0, file.sizeBytes)).toString('utf8'));
  });
  const names = said.disks ?? (await topImages(folder, files.filter(hasImageExtension), found));
  const missing = names.find((name) => !files.includes(name));
  if (missing !== undefined)
    throw new CausewayError(
      'source.description-invalid',
      `${VM_YAML} names ${JSON.stringify(missing)}, which is not in its folder`,
    );
  if (names.length === 0 || new Set(names).size < names.length) {
    throw new CausewayError('source.description-invalid', `${VM_YAML}: it lists no images, or one image twice`);
  }
  return {
    id,
    name: said.name ?? basename(folder),
    disks: names.map((name) => ({ id: name, location: { path: join(folder, name) } })),
    ...(said.os_type === undefined ? {} : { osType: said.os_type }),
    ...(said.firmware === undefined ? {} : { firmware: said.firmware }),
    ...(said.secure_boot === undefined ? {} : { secureBoot: said.secure_boot }),
    ...(said.vcpus === undefined ? {} : { vcpus: said.vcpus }),
    ...(said.memory_mb === undefined ? {} : { memoryMb: said.memory_mb }),
    ...(said.nics === undefined
      ? {}
      : {
          nics: said.nics.map((nic) => ({
            network: nic.network,
            ...(nic.mac_address === undefined ? {} : { macAddress: nic.mac_address }),
            ...(nic.ip_addresses === undefined ? {} : { addresses: nic.ip_addresses }),
          })),
        }),
  };
}

/** Images that no other image in the folder is built on: backing files and extents are no disks of their own. */
async function topImages(
  folder: string,
  names: readonly string[],
  { root, signal }: Collected,
): Promise<readonly string[]> {
  const real = await systemFiles.realpath(folder);
  const below = new Set<string>();
  for (const name of names) {
    if (signal?.aborted === true) throw new CausewayError('general.cancelled', 'listing the images was cancelled');
    const image = await inspectImage({ path: join(folder, name) }, root).catch(() => undefined);
    for (const file of image?.files.slice(1) ?? []) below.add(file);
  }
  return names.filter((name) => !below.has(join(real, name)) && !/-(?:flat|delta|ctk)\.vmdk$/i.test(name));
}

function isDescription(name: string): boolean {
  return ['.ovf', '.ova'].includes(extname(name).toLowerCase());
}

async function namesIn(
  folder: string,
): Promise<{ readonly files: readonly string[]; readonly folders: readonly string[] }> {
  const files: string[] = [];
  const folders: string[] = [];
  const entries = await readdir(folder, { withFileTypes: true });
  if (entries.length > MAX_ENTRIES)
    throw new CausewayError('source.unsupported', `${folder} contains more than ${MAX_ENTRIES} entries`);
  for (const entry of entries) {
    if (entry.name.startsWith('.')) continue;
    if (entry.isDirectory()) folders.push(entry.name);
    else if (entry.isFile() || entry.isSymbolicLink()) files.push(entry.name);
  }
  return { files: files.sort(), folders: folders.sort() };
}
