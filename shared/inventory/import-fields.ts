/** What a table of an import is a list of. A list of machines may say everything; the others say more about them. */
export type TableRole = 'machines' | 'disks' | 'nics';

export interface ImportField {
  readonly id: string;
  readonly required?: boolean;
  /** Headings that mean it, in the order of preference, as letters and digits alone. */
  readonly headings: readonly string[];
  /** Whether the heading may say a unit, as in "Memory (GB)". */
  readonly isSize?: boolean;
}

const machine: readonly ImportField[] = [
  {
    id: 'name',
    required: true,
    headings: ['vm', 'vmname', 'name', 'virtualmachine', 'machine', 'server', 'servername', 'hostname', 'displayname'],
  },
  { id: 'id', headings: ['vmuuid', 'uuid', 'vmid', 'id', 'instanceid', 'biosuuid', 'machineid'] },
];

/** What a column can mean, by the role of its table. Headings are those of RVTools, of lists that the vSphere client exports, and of usual hand-made lists. */
export const importFields = {
  machines: [
    ...machine,
    {
      id: 'os',
      headings: ['osaccordingtothevmwaretools', 'os', 'ostype', 'operatingsystem', 'guestos', 'guest', 'platform'],
    },
    // What tools in the guest say is better, but they say nothing of a machine that is off.
    { id: 'os_configured', headings: ['osaccordingtotheconfigurationfile', 'configuredos', 'guestid'] },
    { id: 'power', headings: ['powerstate', 'power', 'state', 'status'] },
    {
      id: 'vcpus',
      headings: ['cpus', 'vcpus', 'cpu', 'vcpu', 'numcpu', 'numcpus', 'numberofcpus', 'cores', 'numberofcores'],
    },
    {
      id: 'memory',
      headings: [
        'memory',
        'memorymb',
        'memorymib',
        'memorygb',
        'memorygib',
        'ram',
        'rammb',
        'rammib',
        'ramgb',
        'ramgib',
        'memsize',
        'memorysize',
      ],
      isSize: true,
    },
    { id: 'firmware', headings: ['firmware', 'boottype', 'bios'] },
    { id: 'secure_boot', headings: ['efisecureboot', 'secureboot'] },
    // Headings that say "capacity" or a unit go first: "Disks" is a number of disks where another column has their size.
    {
      id: 'disks',
      headings: [
        'disksizes',
        'totaldiskcapacitymib',
        'totaldiskcapacitymb',
        'totaldiskcapacity',
        'disksgb',
        'disksgib',
        'disksmb',
        'disksmib',
        'diskgb',
        'diskgib',
        'diskmb',
        'diskmib',
        'disksize',
        'disksizegb',
        'capacitymib',
        'capacitymb',
        'capacitygb',
        'capacity',
        'provisionedmib',
        'provisionedmb',
        'provisionedgb',
        'provisioned',
        'provisionedspace',
        'storagegb',
        'storagegib',
        'storage',
        'disk',
        'disks',
      ],
      isSize: true,
    },
    { id: 'disk_count', headings: ['numvirtualdisks', 'numberofdisks', 'diskcount', 'disks'] },
    { id: 'storage', headings: ['datastore', 'storagebackend', 'storagename', 'datastores'] },
    { id: 'networks', headings: ['networks', 'network', 'portgroup', 'network1', 'vlan', 'primarynetwork'] },
    { id: 'macs', headings: ['macaddress', 'mac', 'macs', 'macaddresses'] },
    { id: 'addresses', headings: ['ipaddresses', 'ipaddress', 'ip', 'ips', 'primaryipaddress', 'ipv4address'] },
    { id: 'template', headings: ['template', 'istemplate'] },
    {
      id: 'application',
      headings: ['application', 'applicationname', 'app', 'service', 'businessservice', 'workload', 'system'],
    },
    { id: 'owner', headings: ['owner', 'applicationowner', 'businessowner', 'contact', 'responsible'] },
    { id: 'cluster', headings: ['cluster', 'clustername'] },
    { id: 'host', headings: ['host', 'esxhost', 'hypervisor'] },
    { id: 'folder', headings: ['folder', 'vmfolder', 'path'] },
    { id: 'tags', headings: ['tags', 'tag', 'vmtags', 'labels'] },
    { id: 'annotation', headings: ['annotation', 'annotations', 'notes', 'note', 'description', 'comment'] },
  ],
  disks: [
    ...machine,
    { id: 'disk', headings: ['diskkey', 'diskid', 'disk', 'label'] },
    {
      id: 'size',
      required: true,
      headings: ['capacitymib', 'capacitymb', 'capacity', 'size', 'sizegb', 'sizemb', 'disksize'],
      isSize: true,
    },
    { id: 'storage', headings: ['diskpath', 'path', 'datastore', 'storage'] },
    { id: 'bus', headings: ['controller', 'bus', 'sharedbus'] },
  ],
  nics: [
    ...machine,
    { id: 'nic', headings: ['niclabel', 'nicid', 'nic', 'adapter'] },
    { id: 'network', required: true, headings: ['network', 'portgroup', 'networkname', 'vlan'] },
    { id: 'mac', headings: ['macaddress', 'mac'] },
    { id: 'addresses', headings: ['ipv4address', 'ipaddress', 'ipaddresses', 'ip', 'ipv6address'] },
  ],
} as const satisfies Record<TableRole, readonly ImportField[]>;

export type FieldId<R extends TableRole> = (typeof importFields)[R][number]['id'];
/** The column that each field is taken from, by position; a field without one is not taken. */
export type ColumnMap<R extends TableRole = TableRole> = { readonly [F in FieldId<R>]?: number };

/** Sizes are told in bytes of 1024 powers, whatever the heading calls them: that is how hypervisors count. */
export const sizeUnits = { MiB: 1024 ** 2, GiB: 1024 ** 3, TiB: 1024 ** 4, bytes: 1 } as const;
export type SizeUnit = keyof typeof sizeUnits;

function letters(heading: string): string {
  return heading.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** The columns whose headings are known, each taken once. */
export function guessColumns<R extends TableRole>(role: R, header: readonly string[]): ColumnMap<R> {
  const names = header.map(letters);
  const taken = new Set<number>();
  const found: Record<string, number> = {};
  for (const { id, headings } of importFields[role] as readonly ImportField[]) {
    for (const heading of headings) {
      const column = names.findIndex((name, index) => name === heading && !taken.has(index));
      if (column < 0) continue;
      taken.add(column);
      found[id] = column;
      break;
    }
  }
  return found as ColumnMap<R>;
}

/**
 * What a table lists, from its name (RVTools calls its sheets vInfo, vDisk and vNetwork) or from what its headings say.
 * Undefined for the many other sheets of an export.
 */
export function guessRole({
  name,
  header,
}: {
  readonly name: string;
  readonly header: readonly string[];
}): TableRole | undefined {
  const known = /v(info|disk|network)$/i.exec(name)?.[1]?.toLowerCase();
  if (known !== undefined)
    return ({ info: 'machines', disk: 'disks', network: 'nics' } as const)[known as 'info' | 'disk' | 'network'];
  // A workbook of RVTools has a sheet for everything; only three of them are about what is imported.
  if (/^(.*tab)?v[A-Z]/.test(name)) return undefined;
  return guessColumns('machines', header).name === undefined ? undefined : 'machines';
}

/** The unit that a heading says, e.g. "Capacity MiB" or "RAM (GB)". */
export function unitOf(heading: string): SizeUnit | undefined {
  const unit =
    /(?:^|[^a-z])([kmgt]i?b|bytes)(?:$|[^a-z])/i.exec(heading)?.[1]?.toLowerCase() ??
    /(gb|mb|gib|mib)$/i.exec(heading)?.[1]?.toLowerCase();
  if (unit === undefined) return undefined;
  if (unit === 'bytes') return 'bytes';
  return ({ m: 'MiB', g: 'GiB', t: 'TiB' } as Record<string, SizeUnit>)[unit[0]!];
}
