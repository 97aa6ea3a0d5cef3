import type { CheckResult } from '../../../../shared/model/after-boot-check.ts';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { DeployedServer } from '../../../../shared/model/deployment.ts';
import { systemClock } from '../../time/clock.ts';
import { deploymentRun, platformOf, type DeploymentContext } from '../deployment-context.ts';
import type { DeploymentStep } from '../deployment-graph.ts';

/** Runs the checks that were asked for once the guest is up. Their results are kept whatever becomes of the deployment. */
export function checkServices(run: DeploymentContext): DeploymentStep<'check-services'> {
  return async ({ values: { vm, server }, signal }) => {
    const checks = run.options.checks ?? [];
    if (server.isOff === true) {
      const evidence = 'the environment asks for a VM that is not powered on';
      run.event('note', `the checks were skipped: ${evidence}`);
      run.store.deployments.setFacts(run.deploymentId, { checks: [] });
      return;
    }
    // The boot check may have learned addresses that the platform only knew later.
    const known: DeployedServer = run.store.deployments.facts(run.deploymentId).server ?? server;
    const platform = platformOf(run);
    const results = await run.runChecks(
      checks,
      {
        addresses: known.addresses,
        console:
          platform.consoleLog === undefined
            ? undefined
            : async (within) => (await platform.consoleLog?.(server.id, deploymentRun(run, vm), within)) ?? '',
        credential: (secret) => {
          const found = run.checkCredentials.get(secret);
          if (found === undefined) throw new CausewayError('secrets.unknown-secret', secret);
          return found;
        },
      },
      {
        clock: systemClock,
        clean: (text) => run.clean(text),
        onResult: (result) =>
          run.event('note', `check "${result.name}" ${result.outcome}: ${result.evidence}`, {
            check: result.name,
            outcome: result.outcome,
            seconds: result.seconds,
          }),
      },
      signal,
    );
    run.store.deployments.setFacts(run.deploymentId, { checks: results });
    const failed = results.filter(({ outcome }) => outcome === 'failed');
    if (failed.length > 0) {
      throw new CausewayError('deployment.check-failed', failed.map(textOf).join('; '), {
        details: { serverId: server.id, checks: failed.map(({ name, evidence }) => ({ name, evidence })) },
        retryable: false,
      });
    }
  };
}

function textOf({ name, evidence }: CheckResult): string {
  return `"${name}": ${evidence}`;
}
