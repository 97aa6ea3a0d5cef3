import type { JsonObject } from '../../../../../../shared/model/json.ts';
import { CausewayError } from '../../../../../../shared/model/causeway-error.ts';
import { cinderRbdMechanism } from './cinder-rbd/mechanism.ts';
import { rbdSnapshotMechanism } from './rbd-snapshot/mechanism.ts';
import type { ExportMechanism } from './export-mechanism.ts';
import { cinderSwiftMechanism } from './cinder-swift/mechanism.ts';
import { exportWorkerMechanism } from './export-worker/mechanism.ts';
import type { SourceContext } from '../source-context.ts';

/** The ways to export disks, by their names in an environment. */
export const mechanisms = {
  objectstore_backups: cinderSwiftMechanism,
  distributed_backups: cinderRbdMechanism,
  distributed_snapshots: rbdSnapshotMechanism,
  service_backups: exportWorkerMechanism,
} as const satisfies Readonly<Record<string, (context: SourceContext) => ExportMechanism>>;

export type MechanismName = keyof typeof mechanisms;

const usual = 'service_backups';

/** @throws `source.unsupported` for one that there is not */
export function chosenMechanism(environment: JsonObject): MechanismName {
  const name = environment['replica_export_mechanism'] ?? usual;
  if (typeof name === 'string' && Object.hasOwn(mechanisms, name)) return name as MechanismName;
  throw new CausewayError(
    'source.unsupported',
    `replica_export_mechanism ${String(name)} is not available. Available: ${Object.keys(mechanisms).join(', ')}`,
    {
      details: { parameter: 'replica_export_mechanism' },
    },
  );
}
