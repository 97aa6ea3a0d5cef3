import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { GuestDiff } from '../../../../shared/model/guest-preparation.ts';
import type { JsonObject } from '../../../../shared/model/json.ts';
import { initAgentFolder } from './init-agent.ts';

type Hypervisor = 'kvm' | 'hyperv';

/** Services of source hypervisors that are safe to remove. Drivers stay: without their devices they do nothing. */
const sourceServices = [
  'VMTools', 'VGAuthService', 'vm3dservice', 'VMware Physical Disk Helper Service', 'VMMemCtl', 'VBoxService', 'xenagent', 'XenSvc', 'prl_tools_service', 'prl_service',
  'Nutanix Guest Agent', 'NutanixGuestAgent', 'WindowsAzureGuestAgent', 'RdAgent', 'WindowsAzureTelemetryService', 'WindowsAzureNetAgentSvc',
  'AmazonSSMAgent', 'Ec2Config', 'Amazon EC2Launch', 'AmazonCloudWatchAgent', 'AWSLiteAgent', 'GCEAgent', 'google_osconfig_agent', 'OracleCloudAgent', 'OCAU',
] as const;

const serviceCommand = [
  `"${initAgentFolder}\\Bin\\OpenStackService.exe"`, 'cloudbase-init', `"${initAgentFolder}\\Python\\Python.exe"`,
  `"${initAgentFolder}\\Python\\Scripts\\cloudbase-init.exe"`, '--config-file', `"${initAgentFolder}\\conf\\cloudbase-init.conf"`,
].join(' ');

/** Those of the platform itself, which a guest on its way there keeps. */
const ownServices: Readonly<Record<Hypervisor, readonly string[]>> = { kvm: [], hyperv: ['WindowsAzureGuestAgent', 'RdAgent', 'WindowsAzureTelemetryService', 'WindowsAzureNetAgentSvc'] };
const removedServices = (hypervisor: Hypervisor): readonly string[] => sourceServices.filter((name) => !ownServices[hypervisor].includes(name));

/** When the drivers start that Windows has for Hyper-V: 0 with the boot loader. The first two drive the disk that the system is on. */
const hypervStarts = [['vmbus', 0], ['storvsc', 0], ['storflt', 0], ['netvsc', 3]] as const;

/** @throws `osmorphing.drivers-missing` for a Windows that is too old to have them */
export function hypervValues(services: Readonly<Record<string, number>>): JsonObject[] {
  const there = new Set(Object.keys(services).map((name) => name.toLowerCase()));
  const lacking = ['vmbus', 'storvsc'].filter((name) => !there.has(name));
  if (lacking.length > 0) throw new CausewayError('osmorphing.drivers-missing', `this Windows has no drivers for Hyper-V (${lacking.join(', ')})`);
  return hypervStarts.map(([key, value]) => ({ key, name: 'Start', type: 'DWord', value, onlyIfThere: true }));
}

/** Whether the guest has services of a source's hypervisor or cloud. */
export function hasSourceServices(services: Readonly<Record<string, number>>, hypervisor: Hypervisor): boolean {
  const known = new Set<string>(removedServices(hypervisor).map((name) => name.toLowerCase()));
  return Object.keys(services).some((name) => known.has(name.toLowerCase()));
}

/** What is set below the guest's Services key, or below Control where the key says so; `onlyIfThere`: no key is made for it. */
export function registryValues(hasAgent: boolean, hypervisor: Hypervisor, datasources: readonly string[] = []): JsonObject[] {
  const agent = hasAgent
    ? [
        ['DisplayName', 'String', 'Cloud Initialization Service'], ['Description', 'String', 'Service wrapper for cloudbase-init'], ['Type', 'DWord', 16], ['Start', 'DWord', 2],
        ['ErrorControl', 'DWord', 1], ['ObjectName', 'String', 'LocalSystem'], ['ImagePath', 'ExpandString', serviceCommand],
      ] as const
    : [];
  return [
    ...agent.map(([name, type, value]) => ({ key: 'cloudbase-init', name, type, value })),
    // Disks behind another controller are new ones to Windows, and a server leaves new shared ones offline.
    { key: 'partmgr\\Parameters', name: 'SanPolicy', type: 'DWord', value: 1 },
    // That cloud's machines have a clock with universal time.
    ...(datasources.includes('Azure') ? [{ key: 'Control\\TimeZoneInformation', name: 'RealTimeIsUniversal', type: 'DWord', value: 1 }] : []),
    ...removedServices(hypervisor).map((key) => ({ key, name: 'Start', type: 'DWord', value: 4, onlyIfThere: true })),
  ];
}

/** Every interface with a static address, and every one with static name servers, asks by DHCP. */
export function dhcpValues(fixed: readonly string[], withServers: readonly string[]): JsonObject[] {
  const value = (guid: string, name: string, type: string, to: string | number): JsonObject => ({ key: `Tcpip\\Parameters\\Interfaces\\${guid}`, name, type, value: to, onlyIfThere: true });
  return [
    ...fixed.map((guid) => value(guid, 'EnableDHCP', 'DWord', 1)),
    ...[...fixed, ...withServers].map((guid) => value(guid, 'NameServer', 'String', '')),
  ];
}

/** Values that were set, in the form of a guest's diff. */
export function registryDiff(set: readonly { readonly key: string; readonly name: string; readonly before: string | null; readonly after: string }[]): NonNullable<GuestDiff['registry']> {
  const named = ({ key, name }: { readonly key: string; readonly name: string }): string => `SYSTEM\\${key} ${name}`;
  return {
    added: Object.fromEntries(set.filter(({ before }) => before === null).map((each) => [named(each), each.after])),
    removed: {},
    changed: Object.fromEntries(set.flatMap((each) => (each.before === null ? [] : [[named(each), { before: each.before, after: each.after }]]))),
  };
}
