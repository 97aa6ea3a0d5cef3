import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { isTerminalDeployment, type Deployment, type DeploymentOptions } from '../../../../shared/model/deployment.ts';
import { isTerminalExecution, type Execution, type ExecutionOptions } from '../../../../shared/model/execution.ts';
import type { Replica } from '../../../../shared/model/replica.ts';
import type { WaveAction } from '../../../../shared/model/wave-action.ts';
import type { WaveRunOptions } from '../../../../shared/model/wave.ts';
import type { DeploymentService } from '../../deployments/deployment-service.ts';
import type { ExecutionService } from '../../executions/execution-service.ts';
import type { Store } from '../../store/store.ts';
import type { MemberRun, MemberRuns } from '../../waves/wave-service.ts';

interface Services {
  readonly store: Store;
  readonly executions: ExecutionService;
  readonly deployments: DeploymentService;
  /** Starts an execution, or asks the fleet for it. */
  execute(replica: Replica, options: ExecutionOptions): Execution;
  /** Starts a deployment the way people do: with the replica's checks, and recorded; or asks the fleet for it. */
  deploy(replica: Replica, options: DeploymentOptions): Deployment;
  /** Whether any engine of several may carry out what this one does not. */
  readonly isShared: boolean;
}

/** What waves start and watch: an execution for a synchronisation, a deployment for a rehearsal or a cut-over. */
export function memberRuns({
  store,
  executions,
  deployments,
  execute: begin,
  deploy,
  isShared,
}: Services): MemberRuns & { start(action: WaveAction, replicaId: string, options: WaveRunOptions): MemberRun } {
  const liveState = (active: unknown): 'active' | 'interrupted' =>
    active === undefined && !isShared ? 'interrupted' : 'active';
  const executionRun = (execution: Execution): MemberRun => {
    const { id, number, state, error } = execution;
    const isOpen = !isTerminalExecution(state);
    return {
      id,
      number,
      state: isOpen ? liveState(executions.runs.active(id)) : (state as MemberRun['state']),
      ...(error === undefined ? {} : { error }),
    };
  };
  const deploymentRun = (deployment: Deployment): MemberRun => {
    const { id, number, state, error } = deployment;
    const ended = state === 'deleted' ? 'completed' : (state as MemberRun['state']);
    return {
      id,
      number,
      state: isTerminalDeployment(state) ? ended : liveState(deployments.runs.active(id)),
      ...(error === undefined ? {} : { error }),
    };
  };
  const replicaOf = (id: string): Replica => {
    const replica = store.replicas.find(id);
    if (replica === undefined) throw new CausewayError('engine.not-found', `replica ${id}`);
    return replica;
  };
  const isExecution = (action: WaveAction): boolean => action === 'synchronise';
  return {
    start(action, replicaId, options) {
      const replica = replicaOf(replicaId);
      if (isExecution(action)) {
        // One that a person started is as good as the wave's own.
        const open = executions.runs.openRunOf(replicaId);
        if (open !== undefined && (isShared || executions.runs.active(open.id) !== undefined))
          return executionRun(open);
        deployments.refuseExecution(replica);
        return executionRun(begin(replica, options.execution ?? {}));
      }
      const open = deployments.runs.openRunOf(replicaId);
      // Another deployment than the wave's may be a rehearsal where a cut-over is due.
      if (open !== undefined)
        throw new CausewayError('deployment.active', `${open.id} of replica ${replica.name}`, {
          details: { deploymentId: open.id },
        });
      // A rehearsal never shuts the source down, whatever its options say.
      const { execute: asked, ...rest } = options.deployment ?? {};
      const first =
        asked === undefined ? undefined : { ...(asked.options === undefined ? {} : { options: asked.options }) };
      const execute =
        action === 'cut-over'
          ? {
              ...(rest.sourceIsStopped === true ? {} : { lastPass: true }),
              ...(options.execution === undefined ? {} : { options: options.execution }),
            }
          : first;
      const purpose =
        action === 'cut-over'
          ? { purpose: 'cut-over' as const }
          : rest.rehearsal === undefined
            ? {}
            : { purpose: 'rehearsal' as const };
      return deploymentRun(deploy(replica, { ...rest, ...purpose, ...(execute === undefined ? {} : { execute }) }));
    },
    resume(action, replicaId) {
      const replica = replicaOf(replicaId);
      if (isExecution(action)) executions.execute(replica, {});
      else deployments.deploy(replica, {});
    },
    find(action, id) {
      if (isExecution(action)) {
        const execution = store.executions.find(id);
        return execution === undefined ? undefined : executionRun(execution);
      }
      const deployment = store.deployments.find(id);
      return deployment === undefined ? undefined : deploymentRun(deployment);
    },
    latest(action, replicaId) {
      const [execution] = isExecution(action) ? store.executions.list({ replicaId, limit: 1 }) : [];
      if (execution !== undefined) return executionRun(execution);
      const [deployment] = isExecution(action) ? [] : store.deployments.list({ replicaId, limit: 1 });
      return deployment === undefined ? undefined : deploymentRun(deployment);
    },
    cancel(action, id) {
      if (isExecution(action)) executions.runs.cancel(id, false);
      else deployments.runs.cancel(id, false);
    },
  };
}
