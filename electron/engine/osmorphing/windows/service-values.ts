import type { GuestDiff } from '../../../../shared/model/guest-preparation.ts';
import type { JsonObject } from '../../../../shared/model/json.ts';
import { initAgentFolder } from './init-agent.ts';

/** Services of source hypervisors whose absence is known to be safe. Drivers stay: without their devices they do nothing. */
const sourceServices = [
  'VMTools', 'VGAuthService', 'vm3dservice', 'VMware Physical Disk Helper Service', 'VMMemCtl', 'VBoxService', 'xenagent', 'XenSvc', 'prl_tools_service', 'prl_service',
] as const;

const serviceCommand = [
  `"${initAgentFolder}\\Bin\\OpenStackService.exe"`, 'cloudbase-init', `"${initAgentFolder}\\Python\\Python.exe"`,
  `"${initAgentFolder}\\Python\\Scripts\\cloudbase-init.exe"`, '--config-file', `"${initAgentFolder}\\conf\\cloudbase-init.conf"`,
].join(' ');

/** What is set below the guest's Services key; `onlyIfThere`: no key is made for it. */
export function registryValues(hasAgent: boolean): JsonObject[] {
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
    ...sourceServices.map((key) => ({ key, name: 'Start', type: 'DWord', value: 4, onlyIfThere: true })),
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
