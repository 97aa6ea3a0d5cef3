import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { DestinationRun } from '../../../ports/destination-platform.ts';
import type { LedgerScope } from '../../../ports/ledger.ts';
import type { PlatformUse } from '../../../ports/platform-context.ts';
import type { AzureSession } from '../destination/session.ts';
import type { VhdBlobs } from './unmanaged/vhd-blobs.ts';

/** What the parts of the source share. */
export interface SourceContext {
  readonly cloud: AzureSession;
  /** The same, by the name that the steps which start workers know it by. */
  readonly session: AzureSession;
  /** Unmanaged disks. */
  readonly vhds: VhdBlobs;
  /** For small files that outlive an execution. */
  readonly folder: string;
  /** Where everything is recorded before it is created; undefined where the endpoint is only looked at. */
  readonly ledger: LedgerScope | undefined;
  /** The owner of created resources; undefined if there is no ledger. */
  readonly use: PlatformUse | undefined;
}

/** @throws `general.bug` for a source that was opened to be looked at only */
export function ledgerOf(context: SourceContext): LedgerScope {
  if (context.ledger === undefined)
    throw new CausewayError('general.bug', 'the source was opened without a ledger and cannot create resources');
  return context.ledger;
}

/** As what the steps that create resources see an execution of this source. */
export function runOf(context: SourceContext, environment: DestinationRun['environment'] = {}): DestinationRun {
  return {
    replicaId: context.use?.replicaId ?? '',
    executionId: context.use?.executionId ?? '',
    vm: { id: '', name: '', os_type: 'linux', disks: [], nics: [] },
    environment,
    ledger: ledgerOf(context),
    note: (message, details) => context.use?.note?.(message, details),
  };
}

export const GIB = 2 ** 30;
