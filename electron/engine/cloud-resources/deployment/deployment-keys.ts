import type { DeploymentRun } from '../../ports/deployment-platform.ts';
import type { ResourceKind } from '../../ports/ledger.ts';
import type { JsonObject } from '../../../../shared/model/json.ts';
import type { Intent } from '../ledgered-resource.ts';

/** Keys of a deployment's resources: a replica may be deployed more than once. */
export function deploymentKey(run: Pick<DeploymentRun, 'deploymentId'>, part: string): string {
  return `deployment/${run.deploymentId}/${part}`;
}

export function deploymentIntent(run: DeploymentRun, kind: ResourceKind, part: string, details: JsonObject): Intent {
  return { kind, key: deploymentKey(run, part), lifetime: 'deployment', details };
}

/** Where a volume of the replica goes that a deployment in place has spoilt. */
export function discardedPart(diskId: string): string {
  return `discarded/${diskId}`;
}
