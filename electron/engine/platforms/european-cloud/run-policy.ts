import { isJsonObject, type JsonObject } from '../../../../shared/model/json.ts';
import { diskBuses, type DiskBus, type RunPolicy } from '../../ports/run-policy.ts';

/** Reads what the engine has to know of an environment that was validated before. */
export function runPolicy(environment: JsonObject): RunPolicy {
  const images = environment['migr_image_map'];
  return {
    mechanism: environment['data_transfer_mechanism'] === 'SSH' ? 'SSH' : 'HTTPS',
    volumesAreZeroed: environment['volumes_are_zeroed'] === true,
    setDhcp: environment['set_dhcp'] !== false,
    preserveFixedIps: environment['preserve_fixed_ips'] === true,
    retainUserCredentials: environment['retain_user_credentials'] === true,
    hypervisor: 'kvm',
    diskBuses: diskBusesOf(environment),
    hasWindowsWorkerImage: images !== undefined && isJsonObject(images) && typeof images['windows'] === 'string',
    windowsDriversUrl: text(environment['windows_virtio_iso_url']),
    windowsAgentUrl: text(environment['winguestinit_x64_url']),
  };
}

/** The boot volume may have another bus than the others. */
function diskBusesOf(environment: JsonObject): readonly DiskBus[] {
  const metadata = { ...asObject(environment['default_custom_boot_volume_image_metadata']), ...asObject(environment['custom_boot_volume_image_metadata']) };
  const common = environment['disk_bus'];
  const named = [metadata['disk_bus'] ?? metadata['diskBus'] ?? common, common].flatMap((name) => diskBuses.find((bus) => bus === name) ?? []);
  return named.length === 0 ? ['virtio'] : [...new Set(named)];
}

const asObject = (value: unknown): Readonly<Record<string, unknown>> => (typeof value === 'object' && value !== null ? { ...value } : {});

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
