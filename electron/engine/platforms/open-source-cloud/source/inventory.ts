import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../../../shared/model/json.ts';
import type { Vm } from '../../../../../shared/model/vm.ts';
import { labelKeys } from '../../../cloud-resources/labels.ts';
import type { VmSummary } from '../../../ports/source-platform.ts';
import type { Image } from '../client/image.ts';
import type { OpenStackCloud } from '../client/open-cloud.ts';
import type { Server } from '../client/servers.ts';
import type { CloudVolume } from '../client/volume.ts';
import { osNames, osTypeOf, type ImageProperties } from './os-type.ts';
import { GIB, type CloudDisk } from './source-context.ts';

/** A server with what it is made of. */
export interface ServerParts {
  readonly server: Server;
  /** In the order of their device names; the one that it boots from first. */
  readonly volumes: readonly CloudVolume[];
  /** The image that it was booted from; undefined for a server that boots from a volume, or when the image is gone. */
  readonly image: Image | undefined;
  readonly bootsFromVolume: boolean;
}

/** The servers of the project, without temporary workers. */
export async function listServers(cloud: OpenStackCloud, signal: AbortSignal): Promise<readonly VmSummary[]> {
  const [servers, volumes] = await Promise.all([
    cloud.compute.servers.list({}, signal),
    cloud.volume.volumes.list({}, signal),
  ]);
  const images = new Map<string, Image | undefined>();
  const summaries: VmSummary[] = [];
  // Workers are temporary and are not VMs to migrate.
  for (const server of servers.filter(({ metadata }) => metadata[labelKeys.role] === undefined)) {
    const id = imageIdOf(server);
    if (id !== undefined && !images.has(id)) images.set(id, await cloud.image.get(id, signal));
    const parts = partsOf(server, volumes, id === undefined ? undefined : images.get(id));
    const disks = disksOf(parts);
    summaries.push({
      id: server.id,
      name: server.name,
      os_type: osTypeOf(propertiesOf(parts), {}) ?? 'unknown',
      power: powerOf(server),
      diskCount: disks.length,
      totalBytes: disks.reduce((sum, disk) => sum + disk.sizeBytes, 0),
    });
  }
  return summaries;
}

/** @throws `source.vm-not-found` */
export async function readServer(cloud: OpenStackCloud, vmId: string, signal: AbortSignal): Promise<ServerParts> {
  const server = await cloud.compute.servers.get(vmId, signal);
  if (server === undefined) throw new CausewayError('source.vm-not-found', `the project has no server ${vmId}`);
  const attached = server['os-extended-volumes:volumes_attached'];
  const volumes = await Promise.all(attached.map(({ id }) => cloud.volume.volumes.get(id, signal)));
  const imageId = imageIdOf(server);
  const image = imageId === undefined ? undefined : await cloud.image.get(imageId, signal);
  return partsOf(
    server,
    volumes.filter((volume) => volume !== undefined),
    image,
  );
}

/**
 * @param environment for `custom_os_type_map`; without one, a guest OS that is not known counts as Linux
 * @throws `source.vm-not-found`, `source.os-type-unknown`
 */
export async function describeServer(
  cloud: OpenStackCloud,
  vmId: string,
  environment: JsonObject | undefined,
  signal: AbortSignal,
): Promise<Vm> {
  const parts = await readServer(cloud, vmId, signal);
  const { server } = parts;
  const properties = propertiesOf(parts);
  const osType = osTypeOf(properties, environment ?? {});
  if (osType === undefined && environment !== undefined) refuseUnknownOs(server.name, properties);
  const bus = textOf(properties['hw_disk_bus']);
  const firmware = textOf(properties['hw_firmware_type']);
  const secureBoot = textOf(properties['os_secure_boot']) ?? server.flavor?.['extra_specs.os:secure_boot'];
  const { vcpus, ram } = server.flavor ?? {};
  return {
    id: server.id,
    name: server.name,
    os_type: osType ?? 'linux',
    firmware: firmware === 'uefi' ? 'uefi' : 'bios',
    ...(secureBoot === undefined ? {} : { secure_boot: secureBoot === 'required' }),
    ...(vcpus === undefined ? {} : { vcpus }),
    ...(ram === undefined ? {} : { memory_mb: ram }),
    disks: disksOf(parts).map((disk, index) => {
      const type = parts.volumes.find((volume) => volume.id === disk.volumeId)?.volume_type;
      return {
        id: disk.id,
        size_bytes: disk.sizeBytes,
        bootable: index === 0,
        ...(bus === undefined ? {} : { bus }),
        ...(type === undefined || type === null ? {} : { storage_backend: type }),
      };
    }),
    nics: await nicsOf(cloud, server, signal),
  };
}

/** An image with an unknown OS must not pass for Linux. @throws `source.os-type-unknown` */
function refuseUnknownOs(name: string, properties: ImageProperties): void {
  const said = osNames(properties);
  if (said.length === 0) return;
  throw new CausewayError('source.os-type-unknown', `the image of ${name} has ${said.join(' and ')}`, {
    details: { parameter: 'custom_os_type_map', names: said.map((each) => each.slice(each.indexOf('=') + 1)) },
  });
}

/** A note for a server with an image that does not say what its guest is; undefined where it does. */
export function silentOs(parts: ServerParts): string | undefined {
  if (osNames(propertiesOf(parts)).length > 0) return undefined;
  return `${parts.server.name}: its image has neither os_type nor os_distro, so the guest is assumed to be Linux. If it is Windows, set os_type=windows on the image (openstack image set, or openstack volume set --image-property)`;
}

/** The disks of a server, its root first. Disks that a flavor adds on the compute host (ephemeral, swap) are not among them. */
export function disksOf({ server, volumes, image, bootsFromVolume }: ServerParts): readonly CloudDisk[] {
  const attached = volumes.map((volume): CloudDisk => ({
    id: volume.id,
    sizeBytes: volume.size * GIB,
    volumeId: volume.id,
    serverId: server.id,
    encrypted: volume.encrypted === true,
  }));
  if (bootsFromVolume) return attached;
  return [
    {
      id: `root-${server.id}`,
      sizeBytes: rootGib(server, image) * GIB,
      volumeId: undefined,
      serverId: server.id,
      encrypted: false,
    },
    ...attached,
  ];
}

/** The disks that a flavor adds on the compute host, one sentence each: they are not volumes and cannot be copied from outside. */
export function ephemeralDisks({ name, flavor }: Pick<Server, 'name' | 'flavor'>): readonly string[] {
  const { ephemeral = 0, swap = 0 } = flavor ?? {};
  return [
    ...(ephemeral > 0
      ? [
          `${name} has ephemeral disks of ${ephemeral} GiB, which are not replicated: copy needed data to a volume first`,
        ]
      : []),
    ...(swap > 0
      ? [`${name} has a swap disk of ${swap} MiB, which is not replicated: the migrated VM has no swap disk`]
      : []),
  ];
}

/** GiB. A flavor without a disk gives its server one as large as the image. */
function rootGib(server: Server, image: Image | undefined): number {
  const fromFlavor = server.flavor?.disk ?? 0;
  if (fromFlavor > 0) return fromFlavor;
  return Math.max(1, image?.min_disk ?? 0, Math.ceil((image?.virtual_size ?? image?.size ?? 0) / GIB));
}

function partsOf(server: Server, known: readonly CloudVolume[], image: Image | undefined): ServerParts {
  const ids = new Set(server['os-extended-volumes:volumes_attached'].map(({ id }) => id));
  const device = (volume: CloudVolume): string =>
    volume.attachments.find((one) => one.server_id === server.id)?.device ?? '~';
  // By length first: vdz comes before vdaa.
  const volumes = known
    .filter((volume) => ids.has(volume.id))
    .sort((one, other) => device(one).length - device(other).length || (device(one) < device(other) ? -1 : 1));
  return { server, volumes, image, bootsFromVolume: imageIdOf(server) === undefined };
}

function propertiesOf({ volumes, image, bootsFromVolume }: ServerParts): ImageProperties {
  return bootsFromVolume ? (volumes[0]?.volume_image_metadata ?? {}) : (image ?? {});
}

function imageIdOf({ image }: Server): string | undefined {
  return typeof image === 'object' && image !== null ? image.id : undefined;
}

function powerOf(server: Server): VmSummary['power'] {
  if (server.status === 'ACTIVE') return 'running';
  return server.status === 'SHUTOFF' ? 'stopped' : 'unknown';
}

async function nicsOf(cloud: OpenStackCloud, server: Server, signal: AbortSignal): Promise<Vm['nics']> {
  const interfaces = await cloud.compute.servers.interfaces(server.id, signal);
  const names = new Map<string, string>();
  for (const id of new Set(interfaces.flatMap(({ net_id: net }) => (net === undefined ? [] : [net])))) {
    names.set(id, (await cloud.network.network(id, signal))?.name ?? id);
  }
  return interfaces.map((nic) => ({
    id: nic.port_id,
    network: names.get(nic.net_id ?? '') ?? nic.net_id ?? 'unknown',
    mac_address: nic.mac_addr.toLowerCase(),
    ip_addresses: (nic.fixed_ips ?? []).map(({ ip_address: address }) => address),
  }));
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
