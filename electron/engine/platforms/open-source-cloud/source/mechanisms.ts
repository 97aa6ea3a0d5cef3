import type { JsonObject } from '../../../../../shared/model/json.ts';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { distributedBackups } from './distributed-backups.ts';
import { distributedSnapshots } from './distributed-snapshots.ts';
import type { ExportMechanism } from './export-mechanism.ts';
import { objectStoreBackups } from './object-store-backups.ts';
import { serviceBackups } from './service-backups.ts';
import type { SourceContext } from './source-context.ts';

/** The ways to export disks, by their names in an environment. */
export const mechanisms = {
  objectstore_backups: objectStoreBackups,
  distributed_backups: distributedBackups,
  distributed_snapshots: distributedSnapshots,
  service_backups: serviceBackups,
} as const satisfies Readonly<Record<string, (context: SourceContext) => ExportMechanism>>;

export type MechanismName = keyof typeof mechanisms;

const usual = 'service_backups';

/** @throws `source.unsupported` for one that there is not */
export function chosenMechanism(environment: JsonObject): MechanismName {
  const name = environment['replica_export_mechanism'] ?? usual;
  if (typeof name === 'string' && Object.hasOwn(mechanisms, name)) return name as MechanismName;
  throw new CausewayError('source.unsupported', `replica_export_mechanism ${String(name)} is not available; there are ${Object.keys(mechanisms).join(', ')}`, {
    details: { parameter: 'replica_export_mechanism' },
  });
}
