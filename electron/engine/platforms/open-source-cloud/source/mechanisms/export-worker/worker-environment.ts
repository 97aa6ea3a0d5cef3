import { CausewayError } from '../../../../../../../shared/model/causeway-error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../../../../shared/model/json.ts';

/** What the export worker has in common with a worker of the destination; its keys there begin with `migr_`. */
const workerKeys = [
  'export_image',
  'export_network',
  'export_flavor_name',
  'export_worker_use_fip',
  'export_fip_pool_name',
  'export_worker_use_config_drive',
  'export_worker_boot_from_volume',
  'export_worker_volume_size',
  'export_worker_volume_type',
] as const;

const needed = ['export_image', 'export_network', 'export_flavor_name'] as const;

export interface ExportWorkerWishes {
  /** As the steps that start workers read it. */
  readonly environment: JsonObject;
  readonly interimVolumeType: string | undefined;
}

/** @throws `cloud.parameter-missing` when the worker cannot be planned */
export function exportWorkerWishes(environment: JsonObject): ExportWorkerWishes {
  const given: JsonValue | undefined = environment['service_backups_options'];
  const options = given !== undefined && isJsonObject(given) ? given : {};
  for (const key of needed) {
    if (typeof options[key] === 'string' && options[key] !== '') continue;
    throw new CausewayError('cloud.parameter-missing', `service_backups_options.${key} is not set`, {
      details: { parameter: `service_backups_options.${key}` },
    });
  }
  const interim = options['export_interim_volume_type'];
  return {
    environment: {
      ...Object.fromEntries(
        workerKeys.flatMap((key) =>
          options[key] === undefined ? [] : [[key.replace('export_', 'migr_'), options[key]]],
        ),
      ),
      // What is read comes by SSH: the port of the other way stays closed.
      data_transfer_mechanism: 'SSH',
    },
    interimVolumeType: typeof interim === 'string' && interim !== '' ? interim : undefined,
  };
}

/** An error of the steps that start workers, in the words of this side's parameters. */
export function inExportWords(error: unknown): unknown {
  if (!(error instanceof CausewayError)) return error;
  const { parameter } = error.details;
  if (typeof parameter !== 'string' || !parameter.startsWith('migr_')) return error;
  const renamed = (text: string): string =>
    text.replaceAll(/\bmigr_(?=image|network|flavor|fip|worker)/g, 'service_backups_options.export_');
  return new CausewayError(error.code, renamed(error.message), {
    details: { ...error.details, parameter: renamed(parameter) },
    retryable: error.retryable,
    cause: error,
  });
}
