import type { DeploymentContext } from '../deployment-context.ts';
import type { DeploymentStep } from '../deployment-graph.ts';

/** A migration's copy. With a last pass to come, the source keeps running. */
export function executeReplica(run: DeploymentContext): DeploymentStep<'execute-replica'> {
  return async ({ signal }) => {
    const { options = {}, lastPass = false } = run.options.execute ?? {};
    await run.execute('first', lastPass ? { ...options, shutdownVm: false } : options, signal);
  };
}

/** Nothing changes on the source once it is shut down, so this copy is complete. */
export function executeLastPass(run: DeploymentContext): DeploymentStep<'execute-last-pass'> {
  return async ({ signal }) => run.execute('last', { ...run.options.execute?.options, shutdownVm: true }, signal);
}
