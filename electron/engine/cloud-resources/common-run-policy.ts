import { isJsonObject, type JsonObject } from '../../../shared/model/json.ts';
import type { RunPolicy } from '../ports/run-policy.ts';

/** The part of a policy that every destination cloud's environment says with the same keys. */
export type CommonRunPolicy = Omit<RunPolicy, 'hypervisor' | 'diskBuses' | 'hasWindowsWorkerImage'>;

/** Reads what the engine has to know of an environment that was validated before. */
export function commonRunPolicy(environment: JsonObject): CommonRunPolicy {
  return {
    mechanism: environment['data_transfer_mechanism'] === 'SSH' ? 'SSH' : 'HTTPS',
    volumesAreZeroed: environment['volumes_are_zeroed'] === true,
    setDhcp: environment['set_dhcp'] !== false,
    preserveFixedIps: environment['preserve_fixed_ips'] === true,
    retainUserCredentials: environment['retain_user_credentials'] === true,
    windowsDriversUrl: textOf(environment['windows_virtio_iso_url']),
    windowsAgentUrl: textOf(environment['winguestinit_x64_url']),
  };
}

/** Whether a mapping by OS type names something for Windows. */
export function hasWindowsEntry(environment: JsonObject, key: string): boolean {
  const map = environment[key];
  return map !== undefined && isJsonObject(map) && textOf(map['windows']) !== undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
