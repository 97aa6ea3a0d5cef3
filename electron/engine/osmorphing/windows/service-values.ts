import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { GuestDiff } from '../../../../shared/model/guest-preparation.ts';
import type { JsonObject } from '../../../../shared/model/json.ts';
import { initAgentFolder } from './init-agent.ts';

/** What the destination's machines run on. */
export type GuestPlatform = 'kvm' | 'hyperv' | 'xen';

/** Services of source hypervisors that are safe to remove. Drivers stay: without their devices they do nothing. */
export const sourceServices = [
  'VMTools',
  'VGAuthService',
  'vm3dservice',
  'VMware Physical Disk Helper Service',
  'VMMemCtl',
  'VBoxService',
  'xenagent',
  'XenSvc',
  'prl_tools_service',
  'prl_service',
  'Nutanix Guest Agent',
  'NutanixGuestAgent',
  'WindowsAzureGuestAgent',
  'RdAgent',
  'WindowsAzureTelemetryService',
  'WindowsAzureNetAgentSvc',
  'AmazonSSMAgent',
  'Ec2Config',
  'Amazon EC2Launch',
  'AmazonCloudWatchAgent',
  'AWSLiteAgent',
  'GCEAgent',
  'google_osconfig_agent',
  'OracleCloudAgent',
  'OCAU',
] as const;

const serviceCommand = [
  `"${initAgentFolder}\\Bin\\OpenStackService.exe"`,
  'cloudbase-init',
  `"${initAgentFolder}\\Python\\Python.exe"`,
  `"${initAgentFolder}\\Python\\Scripts\\cloudbase-init.exe"`,
  '--config-file',
  `"${initAgentFolder}\\conf\\cloudbase-init.conf"`,
].join(' ');

/** Those of the platform itself, which a guest on its way there keeps. */
const ownServices: Readonly<Record<GuestPlatform, readonly string[]>> = {
  kvm: [],
  xen: ['xenagent', 'XenSvc'],
  hyperv: ['WindowsAzureGuestAgent', 'RdAgent', 'WindowsAzureTelemetryService', 'WindowsAzureNetAgentSvc'],
};
/** Agents of a cloud that manage machines elsewhere as well, where they were registered for that. */
export const hybridServices: readonly string[] = ['AmazonSSMAgent', 'AmazonCloudWatchAgent'];

/** What the guest comes from and goes to, as far as it decides on services. */
export interface ServiceFacts {
  readonly platform: GuestPlatform;
  /** Whether its cloud's agent was registered for machines elsewhere. */
  readonly isRegistered?: boolean | undefined;
}

function removedServices({ platform, isRegistered = false }: ServiceFacts): readonly string[] {
  const staying = [...ownServices[platform], ...(isRegistered ? hybridServices : [])];
  return sourceServices.filter((name) => !staying.includes(name));
}

/** Names of products that the first boot does not uninstall. */
export const stayingTools: Readonly<Record<GuestPlatform, string>> = {
  kvm: '',
  hyperv: '',
  xen: '^(Citrix|XenServer) ',
};

/** When the drivers start that Windows has for Hyper-V: 0 with the boot loader. The first two drive the disk that the system is on. */
const hypervStarts = [
  ['vmbus', 0],
  ['storvsc', 0],
  ['storflt', 0],
  ['netvsc', 3],
] as const;

/** @throws `osmorphing.drivers-missing` for a Windows that is too old to have them */
export function hypervValues(services: Readonly<Record<string, number>>): JsonObject[] {
  const there = new Set(Object.keys(services).map((name) => name.toLowerCase()));
  const lacking = ['vmbus', 'storvsc'].filter((name) => !there.has(name));
  if (lacking.length > 0)
    throw new CausewayError(
      'osmorphing.drivers-missing',
      `this Windows has no drivers for Hyper-V (${lacking.join(', ')})`,
    );
  return hypervStarts.flatMap(([key, start]) => startValues(key, start));
}

/** VirtIO's drivers of disks, which an earlier installation may have disabled. */
export function virtioDiskValues(drivers: readonly string[]): JsonObject[] {
  return drivers.flatMap((key) => startValues(key, 0));
}

/** When a driver that is there starts. As the Linux worker's driver_start.py. */
function startValues(key: string, start: number): JsonObject[] {
  return [
    { key, name: 'Start', type: 'DWord', value: start, onlyIfThere: true },
    // Since Windows 8, what was not needed at the first start is held back by these: one for each configuration of the hardware.
    ...(start === 0
      ? [{ key: `${key}\\StartOverride`, isEvery: true, type: 'DWord', value: 0, onlyIfThere: true }]
      : []),
  ];
}

/** Drivers of disks that are no VirtIO disks. Which of them is needed depends on the type of the machine and on the version of Windows. As the Linux worker's emulated_disks.py. */
export const emulatedDiskServices = ['storahci', 'msahci', 'pciide', 'intelide', 'atapi'] as const;
export const usbDoubt = 'Windows starts from no USB disk: choose another disk bus for the boot disk';

/** Windows starts from those alone that it was installed with: they start at boot. Empty where the destination has no such disks. */
export function emulatedDiskValues(
  services: Readonly<Record<string, number>>,
  {
    hypervisor,
    diskBuses = [],
  }: { readonly hypervisor?: string | undefined; readonly diskBuses?: readonly string[] | undefined },
): JsonObject[] {
  if (hypervisor !== 'hyperv' && !diskBuses.includes('ide') && !diskBuses.includes('xen')) return [];
  const there = new Set(Object.keys(services).map((name) => name.toLowerCase()));
  return emulatedDiskServices.filter((name) => there.has(name)).flatMap((key) => startValues(key, 0));
}

/** Whether the guest has services of a source's hypervisor or cloud. */
export function hasSourceServices(services: Readonly<Record<string, number>>, facts: ServiceFacts): boolean {
  const known = new Set<string>(removedServices(facts).map((name) => name.toLowerCase()));
  return Object.keys(services).some((name) => known.has(name.toLowerCase()));
}

/** What is set below the guest's Services key, or below Control where the key says so; `onlyIfThere`: no key is made for it; `isEvery`: all values that the key has. */
export function registryValues(
  hasAgent: boolean,
  facts: ServiceFacts,
  datasources: readonly string[] = [],
): JsonObject[] {
  const agent = hasAgent
    ? ([
        ['DisplayName', 'String', 'Cloud Initialization Service'],
        ['Description', 'String', 'Service wrapper for cloudbase-init'],
        ['Type', 'DWord', 16],
        ['Start', 'DWord', 2],
        ['ErrorControl', 'DWord', 1],
        ['ObjectName', 'String', 'LocalSystem'],
        ['ImagePath', 'ExpandString', serviceCommand],
      ] as const)
    : [];
  return [
    ...agent.map(([name, type, value]) => ({ key: 'cloudbase-init', name, type, value })),
    // Disks behind another controller are new ones to Windows, and a server leaves new shared ones offline.
    { key: 'partmgr\\Parameters', name: 'SanPolicy', type: 'DWord', value: 1 },
    // That cloud's machines have a clock with universal time.
    ...(datasources.includes('Azure')
      ? [{ key: 'Control\\TimeZoneInformation', name: 'RealTimeIsUniversal', type: 'DWord', value: 1 }]
      : []),
    ...removedServices(facts).map((key) => ({ key, name: 'Start', type: 'DWord', value: 4, onlyIfThere: true })),
  ];
}

/** Filters in front of the drivers of disks and buses, and drivers that start with the system: without their hypervisor, Windows does not start. As the Linux worker's source_tools.py. */
export const sourceFilters = {
  xen: ['xenfilt', 'xenpci', 'scsifilt'],
  parallels: ['prl_strg', 'prl_boot'],
  kvm: ['rhelscsi'],
} as const;
export const sourceDrivers = {
  xen: ['xenpci'],
  parallels: ['prl_boot', 'prl_strg', 'prl_tg', 'prl_dd', 'prl_pv32', 'prl_pv64'],
  kvm: ['rhelscsi'],
} as const;

export interface ClassFilters {
  /** Below the control set. */
  readonly key: string;
  readonly name: string;
  readonly values: readonly string[];
}

/** Takes out what stands before the guest's devices for the hypervisor that it comes from. What belongs to its new one stays. */
export function withoutSourceDrivers(
  filters: readonly ClassFilters[],
  services: Readonly<Record<string, number>>,
  destination: GuestPlatform,
): JsonObject[] {
  const unwanted = (names: Readonly<Record<string, readonly string[]>>): Set<string> =>
    new Set(
      Object.entries(names).flatMap(([platform, each]) => (platform === destination && platform === 'xen' ? [] : each)),
    );
  const [filtersOut, driversOff] = [unwanted(sourceFilters), unwanted(sourceDrivers)];
  return [
    ...Object.entries(services)
      .filter(([name, start]) => driversOff.has(name.toLowerCase()) && start !== 4)
      .map(([key]) => ({ key, name: 'Start', type: 'DWord', value: 4, onlyIfThere: true })),
    ...filters.flatMap(({ key, name, values }) => {
      const kept = values.filter((one) => !filtersOut.has(one.toLowerCase()));
      return kept.length === values.length ? [] : [{ key, name, type: 'MultiString', value: kept, onlyIfThere: true }];
    }),
  ];
}

/** Windows restarts after a blue screen, before anybody could read it. The first boot gives its own setting back. */
export function stopAtBlueScreens(restarts: number): JsonObject[] {
  const value = (name: string, to: number): JsonObject => ({
    key: 'Control\\CrashControl',
    name,
    type: 'DWord',
    value: to,
  });
  return restarts === 0 ? [] : [value('CausewayAutoReboot', restarts), value('AutoReboot', 0)];
}

/** Every interface with a static address, and every one with static name servers, asks by DHCP. */
export function dhcpValues(fixed: readonly string[], withServers: readonly string[]): JsonObject[] {
  const value = (guid: string, name: string, type: string, to: string | number): JsonObject => ({
    key: `Tcpip\\Parameters\\Interfaces\\${guid}`,
    name,
    type,
    value: to,
    onlyIfThere: true,
  });
  return [
    ...fixed.map((guid) => value(guid, 'EnableDHCP', 'DWord', 1)),
    ...[...fixed, ...withServers].map((guid) => value(guid, 'NameServer', 'String', '')),
  ];
}

export interface SetValue {
  readonly hive: 'SYSTEM' | 'SOFTWARE';
  readonly key: string;
  readonly name: string;
  /** As text; null where there was none. */
  readonly before: string | null;
  /** Null where it was removed. */
  readonly after: string | null;
}

/** Values that were set, in the form of a guest's diff. */
export function registryDiff(set: readonly SetValue[]): NonNullable<GuestDiff['registry']> {
  const named = ({ hive, key, name }: SetValue): string => `${hive}\\${key} ${name}`;
  return {
    added: Object.fromEntries(
      set.flatMap((each) => (each.before === null && each.after !== null ? [[named(each), each.after]] : [])),
    ),
    removed: Object.fromEntries(
      set.flatMap((each) => (each.before !== null && each.after === null ? [[named(each), each.before]] : [])),
    ),
    changed: Object.fromEntries(
      set.flatMap((each) =>
        each.before === null || each.after === null ? [] : [[named(each), { before: each.before, after: each.after }]],
      ),
    ),
  };
}
