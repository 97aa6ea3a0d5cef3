import type { JsonObject } from '../../../../../shared/model/json.ts';
import { hasWindowsEntry } from '../../../cloud-resources/common-run-policy.ts';
import type { RunPolicy } from '../../../ports/run-policy.ts';

/** What the engine has to know of this platform. */
export function runPolicy(environment: JsonObject): RunPolicy {
  return {
    // The worker's user has a password and SSH; another port might be closed in the template.
    mechanism: 'SSH',
    // New virtual disks are sparse files.
    volumesAreZeroed: true,
    // The platform has no addresses of its own: networks have DHCP, or guests keep what they have.
    setDhcp: true,
    preserveFixedIps: false,
    retainUserCredentials: true,
    hypervisor: 'kvm',
    // The platform has no metadata in any of the forms that cloud-init knows.
    guestDatasources: ['None'],
    // Linux guests: a kernel that knows Xen's disks gives up the emulated ones as it starts.
    diskBuses: ['xen'],
    hasWindowsWorkerImage: hasWindowsEntry(environment, 'migr_template_name_map'),
    windowsDriversUrl: undefined,
    windowsAgentUrl: undefined,
  };
}
