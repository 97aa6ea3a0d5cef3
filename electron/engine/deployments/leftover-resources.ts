import type { Deployment } from '../../../shared/model/deployment.ts';
import type { LedgerEntry } from '../ports/ledger.ts';
import type { Store } from '../store/store.ts';

/** A deployment's resources in the ledger, including those of its worker. */
export function entriesOf(store: Pick<Store, 'ledger'>, deploymentId: string): LedgerEntry[] {
  return store.ledger.list().filter((entry) => entry.executionId === deploymentId && entry.lifetime !== 'replica');
}

/** Of that, what should be gone at the deployment's end: of a success only what was temporary. */
export function leftoverEntries(store: Pick<Store, 'ledger'>, deploymentId: string, succeeded: boolean): LedgerEntry[] {
  return entriesOf(store, deploymentId).filter(
    (entry) => !succeeded || entry.lifetime === 'temporary' || entry.kind === 'volume-snapshot',
  );
}

/** Whether an entry that a deployment made has outlived its purpose. What belongs to a deployed VM never has. */
export function isDeploymentOrphan(deployment: Deployment, entry: LedgerEntry): boolean {
  switch (deployment.state) {
    case 'completed':
      return entry.lifetime === 'temporary' || entry.kind === 'volume-snapshot';
    case 'failed':
      return !deployment.kept;
    case 'cancelled':
    case 'deleted':
      return true;
    default:
      return false;
  }
}
