import { isJsonObject, type JsonObject } from '../../../../shared/model/json.ts';
import { commonRunPolicy } from '../../cloud-resources/common-run-policy.ts';
import { diskBuses, type DiskBus, type RunPolicy } from '../../ports/run-policy.ts';

/** Reads what the engine has to know of an environment that was validated before. */
export function runPolicy(environment: JsonObject): RunPolicy {
  const images = environment['migr_image_map'];
  return {
    ...commonRunPolicy(environment),
    hypervisor: 'kvm',
    diskBuses: diskBusesOf(environment),
    hasWindowsWorkerImage: images !== undefined && isJsonObject(images) && typeof images['windows'] === 'string',
  };
}

/** The boot volume may have another bus than the others. */
function diskBusesOf(environment: JsonObject): readonly DiskBus[] {
  const metadata = {
    ...asObject(environment['default_custom_boot_volume_image_metadata']),
    ...asObject(environment['custom_boot_volume_image_metadata']),
  };
  const common = environment['disk_bus'];
  const named = [metadata['disk_bus'] ?? metadata['diskBus'] ?? common, common].flatMap(
    (name) => diskBuses.find((bus) => bus === name) ?? [],
  );
  return named.length === 0 ? ['virtio'] : [...new Set(named)];
}

const asObject = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};
