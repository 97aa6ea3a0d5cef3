import type { Deployment } from '../../../../shared/model/deployment.ts';
import type { Execution } from '../../../../shared/model/execution.ts';
import { isCutOver, type LifeRecord } from '../../../../shared/model/machine-life.ts';
import type { DeploymentFacts } from '../../store/deployments.ts';

/** What was known when a deployment ended. */
export interface DeviationFacts {
  readonly deployment: Deployment;
  readonly facts: DeploymentFacts;
  readonly executions: readonly Execution[];
  readonly records: readonly LifeRecord[];
  readonly rehearsed: boolean;
}

/** In what a deployment departed from a rehearsed, approved, verified and checked cut-over. A sentence each, for the evidence. */
export function deviationsOf({ deployment, facts, executions, records, rehearsed }: DeviationFacts): string[] {
  const { options } = deployment;
  const checks = facts.checks ?? [];
  const found: string[] = [];
  if (isCutOver(options)) {
    if (!rehearsed) found.push('No rehearsal had passed before the cut-over.');
    const started = records.find(
      ({ kind, details }) => kind === 'cut-over-started' && details['deploymentId'] === deployment.id,
    );
    if (started?.details['approved'] !== true)
      found.push('The cut-over was not approved for the settings that it used.');
    if (options.sourceIsStopped === true)
      found.push('The source was stopped by hand. The downtime before the deployment is not measured.');
  }
  for (const {
    number,
    options: { verify },
  } of executions)
    if (verify === 'none') found.push(`Execution ${number} was not verified.`);
  if (options.acceptInconsistent === true) found.push('Inconsistent volumes were accepted for deployment.');
  if (options.skipMorphing === true) found.push('The guest was not prepared for the destination.');
  if (deployment.state === 'completed') {
    if (facts.boot?.outcome === 'not-checked') found.push('The boot of the guest was not checked.');
    if (facts.boot?.outcome === 'unproven') found.push('The boot check was inconclusive.');
    if (checks.length === 0) found.push('No checks were defined for the VM.');
  }
  for (const { name, outcome, evidence } of checks)
    if (outcome === 'warned') found.push(`Check "${name}" failed with a warning: ${evidence}`);
  for (const warning of facts.guest?.warnings ?? []) found.push(`Guest preparation: ${warning}`);
  if (deployment.leftBehind > 0) found.push(`${deployment.leftBehind} temporary resources were left behind.`);
  return found;
}
