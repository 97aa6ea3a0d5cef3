import { XMLParser } from 'fast-xml-parser';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';

/** What an OVF says about its VM, as far as it matters here. */
export interface OvfVm {
  readonly name: string | undefined;
  readonly osType: 'linux' | 'windows' | undefined;
  readonly firmware: 'bios' | 'uefi' | undefined;
  readonly secureBoot: boolean | undefined;
  readonly vcpus: number | undefined;
  readonly memoryMb: number | undefined;
  readonly disks: readonly OvfDisk[];
  readonly nics: readonly OvfNic[];
}

export interface OvfDisk {
  readonly diskId: string;
  /** Name of the file as the OVF refers to it. */
  readonly href: string;
  /** Bytes; undefined when the OVF doesn't say. */
  readonly capacityBytes: number | undefined;
  readonly bus: string | undefined;
}

export interface OvfNic {
  readonly network: string;
  readonly macAddress: string | undefined;
}

export const MAX_OVF_BYTES = 8 * 1024 * 1024;
const resourceType = { cpu: '3', memory: '4', ide: '5', scsi: '6', nic: '10', disk: '17', sata: '20' } as const;
const unitPrefixes: Readonly<Record<string, number>> = {
  '': 1,
  kilo: 2 ** 10,
  mega: 2 ** 20,
  giga: 2 ** 30,
  tera: 2 ** 40,
};

/**
 * Reads an OVF envelope with one VM. Entities of the document's own are not expanded, external ones not fetched.
 * @throws CausewayError source.description-invalid
 */
export function parseOvf(xml: string): OvfVm {
  const envelope = childOf(parseXml(xml), 'Envelope');
  if (envelope === undefined) throw invalid('it has no Envelope');
  const systems = [...collect(envelope, 'VirtualSystem')];
  const system = systems[0];
  if (system === undefined) throw invalid('it describes no VM');
  if (systems.length > 1) throw invalid(`it describes ${systems.length} VMs; one is supported`);
  const files = new Map(list(childOf(envelope, 'References'), 'File').map((file) => [attribute(file, 'id'), file]));
  const hardware = list(system, 'VirtualHardwareSection')[0];
  const items =
    hardware === undefined ? [] : ['Item', 'StorageItem', 'EthernetPortItem'].flatMap((name) => list(hardware, name));
  const controllers = new Map(items.map((item) => [text(item, 'InstanceID'), busOf(text(item, 'ResourceType'))]));
  const disksById = new Map(
    list(childOf(envelope, 'DiskSection'), 'Disk').map((disk) => [attribute(disk, 'diskId'), disk]),
  );
  const disks = items.flatMap((item) => {
    if (text(item, 'ResourceType') !== resourceType.disk) return [];
    const id = /^(?:ovf:)?\/?disk\/(.+)$/.exec(text(item, 'HostResource') ?? '')?.[1];
    const disk = id === undefined ? undefined : disksById.get(id);
    if (id === undefined || disk === undefined) throw invalid('a drive without a disk');
    return [ovfDisk(id, disk, files.get(attribute(disk, 'fileRef')), controllers.get(text(item, 'Parent')))];
  });
  const config = new Map(
    [...collect(system, 'Config')].map((entry) => [attribute(entry, 'key'), attribute(entry, 'value')]),
  );
  return {
    name: text(system, 'Name') ?? attribute(system, 'id'),
    osType: osTypeOf(list(system, 'OperatingSystemSection')[0]),
    firmware: firmwareOf(config.get('firmware') ?? attribute([...collect(system, 'Firmware')][0], 'type')),
    secureBoot: booleanOf(config.get('uefi.secureBoot.enabled') ?? config.get('bootOptions.efiSecureBootEnabled')),
    vcpus: positive(quantity(items, resourceType.cpu)),
    memoryMb: memoryMb(items.find((item) => text(item, 'ResourceType') === resourceType.memory)),
    disks,
    nics: items
      .filter((item) => text(item, 'ResourceType') === resourceType.nic)
      .map((item) => ({ network: text(item, 'Connection') ?? 'default', macAddress: macOf(text(item, 'Address')) })),
  };
}

type Element = Readonly<Record<string, unknown>>;

function parseXml(xml: string): Element {
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    removeNSPrefix: true,
    parseTagValue: false,
    parseAttributeValue: false,
    processEntities: false,
    allowBooleanAttributes: false,
  });
  try {
    const parsed: unknown = parser.parse(xml.replace(/^\ufeff/, ''), true);
    if (isElement(parsed)) return parsed;
  } catch (error) {
    throw new CausewayError(
      'source.description-invalid',
      `the OVF is not valid XML: ${error instanceof Error ? error.message.slice(0, 200) : ''}`,
    );
  }
  throw invalid('it is empty');
}

function ovfDisk(diskId: string, disk: Element, file: Element | undefined, bus: string | undefined): OvfDisk {
  const href = file === undefined ? undefined : attribute(file, 'href');
  if (href === undefined) throw invalid(`disk ${diskId} has no file (remove the disk if it is empty)`);
  const compression = attribute(file, 'compression');
  if (compression !== undefined && compression !== '' && compression !== 'identity') {
    throw new CausewayError(
      'source.unsupported',
      `the OVF contains ${href} with ${compression} compression; unpack the file first and remove compression from the OVF`,
    );
  }
  if (attribute(file, 'chunkSize') !== undefined)
    throw new CausewayError(
      'source.unsupported',
      `the OVF contains ${href} in chunks; join them first and remove chunkSize from the OVF`,
    );
  const capacity = Number(attribute(disk, 'capacity'));
  const unit = unitOf(attribute(disk, 'capacityAllocationUnits') ?? 'byte');
  const capacityBytes = Number.isSafeInteger(capacity * unit) && capacity > 0 ? capacity * unit : undefined;
  return { diskId, href, capacityBytes, bus };
}

/** `byte * 2^30`, `byte * 1024^3`, `GigaBytes`, `MB`. */
function unitOf(unit: string): number {
  const normal = unit.replaceAll(/\s/g, '').toLowerCase();
  const power = /^bytes?\*(\d{1,4})\^(\d{1,2})$/.exec(normal);
  if (power !== null) return Number(power[1]) ** Number(power[2]);
  const word = /^(kilo|mega|giga|tera|)bytes?$/.exec(normal) ?? /^(k|m|g|t|)b$/.exec(normal);
  const prefix = Object.keys(unitPrefixes).find(
    (name) => name === word?.[1] || (word?.[1] !== '' && name[0] === word?.[1]),
  );
  return prefix === undefined ? Number.NaN : (unitPrefixes[prefix] ?? Number.NaN);
}

function memoryMb(item: Element | undefined): number | undefined {
  if (item === undefined) return undefined;
  const bytes = Number(text(item, 'VirtualQuantity')) * unitOf(text(item, 'AllocationUnits') ?? 'MegaBytes');
  return positive(Math.round(bytes / 2 ** 20));
}

function quantity(items: readonly Element[], type: string): number {
  return Number(
    text(
      items.find((item) => text(item, 'ResourceType') === type),
      'VirtualQuantity',
    ),
  );
}

function positive(value: number): number | undefined {
  return Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

function osTypeOf(section: Element | undefined): 'linux' | 'windows' | undefined {
  if (section === undefined) return undefined;
  const words = [attribute(section, 'osType'), text(section, 'Description'), text(section, 'OSType')].join(' ');
  if (/windows|win\d/i.test(words)) return 'windows';
  return /linux|ubuntu|debian|centos|rhel|redhat|red hat|fedora|suse|sles|oracle|alma|rocky|photon|arch/i.test(words)
    ? 'linux'
    : undefined;
}

function firmwareOf(value: string | undefined): 'bios' | 'uefi' | undefined {
  if (value === undefined) return undefined;
  return /efi/i.test(value) ? 'uefi' : 'bios';
}

function booleanOf(value: string | undefined): boolean | undefined {
  return value === undefined ? undefined : value.toLowerCase() === 'true';
}

function macOf(value: string | undefined): string | undefined {
  return value !== undefined && /^([0-9a-f]{2}[:-]){5}[0-9a-f]{2}$/i.test(value)
    ? value.replaceAll('-', ':').toLowerCase()
    : undefined;
}

function busOf(type: string | undefined): string | undefined {
  if (type === resourceType.ide) return 'ide';
  if (type === resourceType.scsi) return 'scsi';
  return type === resourceType.sata ? 'sata' : undefined;
}

function isElement(value: unknown): value is Element {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Child elements of a name; an element that holds mere text counts as one without children. */
function list(parent: Element | undefined, name: string): readonly Element[] {
  const value = parent !== undefined && Object.hasOwn(parent, name) ? parent[name] : undefined;
  if (value === undefined) return [];
  return (Array.isArray(value) ? value : [value]).map((entry: unknown) =>
    isElement(entry) ? entry : { '#text': entry },
  );
}

function childOf(parent: Element, name: string): Element | undefined {
  return list(parent, name)[0];
}

/** All elements of a name at any depth. */
function* collect(parent: Element, name: string): Iterable<Element> {
  const open = [parent];
  for (let element = open.pop(); element !== undefined; element = open.pop()) {
    yield* list(element, name);
    for (const [key, value] of Object.entries(element)) {
      if (typeof value === 'object' && value !== null) open.push(...list({ [key]: value }, key));
    }
  }
}

function attribute(element: Element | undefined, name: string): string | undefined {
  const value = element !== undefined && Object.hasOwn(element, `@${name}`) ? element[`@${name}`] : undefined;
  return typeof value === 'string' ? decode(value) : undefined;
}

function text(parent: Element | undefined, name: string): string | undefined {
  const value = list(parent, name)[0]?.['#text'];
  return typeof value === 'string' && value.trim() !== '' ? decode(value.trim()) : undefined;
}

const namedEntities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** The five entities of XML itself and numeric ones: everything else stays as it is. */
function decode(value: string): string {
  return value.replaceAll(/&(amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9a-f]{1,6});/gi, (whole, body: string) => {
    if (!body.startsWith('#')) return namedEntities[body.toLowerCase()] ?? whole;
    const point = /^#x/i.test(body) ? Number.parseInt(body.slice(2), 16) : Number.parseInt(body.slice(1), 10);
    return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : whole;
  });
}

function invalid(why: string): CausewayError {
  return new CausewayError('source.description-invalid', `the OVF: ${why}`);
}
