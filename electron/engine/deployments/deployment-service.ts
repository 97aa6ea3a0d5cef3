import { CausewayError, type ErrorRecord } from '../../../shared/model/causeway-error.ts';
import type { Deployment, DeploymentOptions } from '../../../shared/model/deployment.ts';
import type { JsonObject } from '../../../shared/model/json.ts';
import type { Replica } from '../../../shared/model/replica.ts';
import type { Vm } from '../../../shared/model/vm.ts';
import type { Finding } from '../../../shared/schema/finding.ts';
import type { Replication } from '../executions/execution-context.ts';
import type { LuksKey } from '../osmorphing/index.ts';
import type { DestinationPlatform } from '../ports/destination-platform.ts';
import { RunService, type ActiveRun, type OpenedRun, type RunEnding } from '../runs/run-service.ts';
import { newId } from '../store/ids.ts';
import { ledgerScope } from '../store/ledger.ts';
import type { NewEvent } from '../store/events.ts';
import type { Store } from '../store/store.ts';
import type { Clock } from '../time/clock.ts';
import type { BootProbe } from './boot-probe.ts';
import type { BootPatience } from './boot-verdict.ts';
import { runChecks } from './checks/run-checks.ts';
import type { DeploymentContext, GuestPreparation } from './deployment-context.ts';
import { deploymentGraph } from './deployment-graph.ts';
import { leftoverEntries } from './leftover-resources.ts';
import { runExecution, type Executions } from './run-execution.ts';
import { deploymentSteps } from './steps/index.ts';

export interface DeploymentServiceOptions {
  readonly store: Store;
  readonly executions: Executions;
  readonly guests: GuestPreparation;
  /** Throws while something else has the replica's volumes. */
  refuseRun(replica: Replica): void;
  readonly bootProbe: BootProbe;
  readonly bootPatience: BootPatience;
  /** Default: asks the VM itself. */
  readonly runChecks?: typeof runChecks | undefined;
  readonly replication: Pick<Replication, 'deleteTransferState' | 'forgetTransferState' | 'openTransferState'>;
  readonly transferFolder: string;
  /** Opens the destination and resolves what environment and options refer to; its `close` ends all of it. */
  open(replica: Replica, options: DeploymentOptions, signal: AbortSignal): Promise<OpenDeployment>;
  /** Free errors and texts of secrets, before they are stored. */
  cleanError(error: ErrorRecord): ErrorRecord;
  cleanText(text: string): string;
  /** Stores an event, without secrets, and notifies the listeners. */
  emit(event: NewEvent): void;
  /** Where several engines share the project: who else works on a replica, by name. */
  readonly elsewhere?: ((replicaId: string) => string | undefined) | undefined;
  /** How many deployments run at the same time. */
  readonly limit: number;
  /** For the pauses before further attempts of a task. Default: the system's. */
  readonly clock?: Clock | undefined;
}

export interface OpenDeployment {
  readonly destination: DestinationPlatform;
  readonly environment: JsonObject;
  readonly luksKeys: readonly LuksKey[];
  readonly checkCredentials: ReadonlyMap<string, string>;
  findings(vm: Vm): Promise<readonly Finding[]>;
  close(): Promise<void>;
}

interface OpenedDeploymentRun extends OpenedRun {
  readonly context: DeploymentContext;
}

export type DeploymentService = ReturnType<typeof deploymentService>;

/** Starts, continues, cancels deployments, one at a time for each replica and a few at a time in all. */
export function deploymentService(service: DeploymentServiceOptions) {
  const { store } = service;
  const runs = new RunService<Deployment, ActiveRun, OpenedDeploymentRun>({
    noun: 'deployment',
    runs: store.deployments,
    tasks: store.deploymentTasks,
    findReplica: (id) => store.replicas.find(id),
    graphOf: (deployment) => deploymentGraph(deployment.options),
    activate: (_, base) => base,
    open,
    finish,
    clean: (error) => service.cleanError(error),
    emit: (event) => service.emit(event),
    condition: ({ replicaId }) => store.ledger.claimed(replicaId),
    elsewhere: service.elsewhere,
    limit: service.limit,
    clock: service.clock,
  });

  async function open(deployment: Deployment, replica: Replica, entry: ActiveRun): Promise<OpenedDeploymentRun> {
    const opened = await service.open(replica, deployment.options, entry.force.signal);
    try {
      const context = contextOf(deployment, replica, opened);
      return { context, steps: deploymentSteps(context), close: () => opened.close() };
    } catch (error) {
      await opened.close();
      throw error;
    }
  }

  function contextOf(deployment: Deployment, replica: Replica, opened: OpenDeployment): DeploymentContext {
    return {
      deploymentId: deployment.id,
      replicaId: replica.id,
      options: deployment.options,
      store,
      destination: opened.destination,
      environment: opened.environment,
      policy: opened.destination.runPolicy(opened.environment),
      luksKeys: opened.luksKeys,
      checkCredentials: opened.checkCredentials,
      runChecks: service.runChecks ?? runChecks,
      findings: (vm) => opened.findings(vm),
      // The deployment stands where an execution would: what is temporary is temporary within it.
      ledger: ledgerScope(store.ledger, {
        endpointId: replica.destinationEndpointId,
        replicaId: replica.id,
        executionId: deployment.id,
      }),
      guests: service.guests,
      bootProbe: service.bootProbe,
      bootPatience: service.bootPatience,
      replication: service.replication,
      transferFolder: service.transferFolder,
      execute: (pass, options, signal) =>
        runExecution(
          { store, executions: service.executions, deployment, pass, options, emit: (...told) => runs.emit(...told) },
          signal,
        ),
      clean: (text) => service.cleanText(text),
      event: (type, message, details) => runs.emit(deployment, type, message, details),
      kept: false,
    };
  }

  /** The final state, always: with the error, and what was left behind. */
  function finish(deployment: Deployment, entry: ActiveRun, { outcome, opened }: RunEnding<OpenedDeploymentRun>): void {
    const kept = opened?.context.kept ?? false;
    // A worker that could not be deleted stops later tasks although the run was not cancelled.
    const isStuck = outcome.state === 'cancelled' && !entry.cancel.signal.aborted && !entry.force.signal.aborted;
    const state = isStuck ? 'failed' : outcome.state;
    if (state !== 'completed') forgetSpoiltContent(deployment, kept);
    const left = kept ? [] : leftoverEntries(store, deployment.id, state === 'completed');
    if (left.length > 0) {
      runs.emit(deployment, 'deployment.left-behind', `${left.length} resources were left behind`, {
        entries: left.map((item) => ({ entryId: item.entryId, kind: item.kind, name: item.name })),
      });
    }
    const cause = outcome.error ?? outcome.cleanUpErrors[0];
    const error = cause === undefined ? undefined : service.cleanError(cause);
    store.deployments.finish(deployment.id, {
      state,
      ...(error === undefined ? {} : { error }),
      leftBehind: left.length,
      kept,
    });
    runs.emitEnd(deployment, state, error);
  }

  /**
   * In place, the guest's changes are in the replica's own volumes. Unless they were restored, the digests no longer
   * apply: the next execution has to compare everything.
   */
  function forgetSpoiltContent(deployment: Deployment, kept: boolean): void {
    if (deployment.options.inPlace !== true) return;
    const tasks = new Map(store.deploymentTasks.list(deployment.id).map((task) => [task.id, task]));
    const isTouched = ['start-worker', 'create-server'].some((id) => (tasks.get(id)?.attempts ?? 0) > 0);
    const isPutBack = tasks.get('settle-deployment')?.state === 'completed' && !kept;
    if (!isTouched || isPutBack) return;
    for (const { diskId, sizeBytes } of store.replicas.find(deployment.replicaId)?.disks ?? []) {
      service.replication.forgetTransferState({
        db: store.db,
        folder: service.transferFolder,
        replicaId: deployment.replicaId,
        diskId,
        sizeBytes,
      });
    }
    runs.emit(
      deployment,
      'note',
      "the deployment changed the replica's volumes, and they were not restored: the next execution compares them with the source and sends the differences",
    );
  }

  /** Stores a new deployment that nothing has been done of. */
  function add(replica: Replica, options: DeploymentOptions): Deployment {
    service.refuseRun(replica);
    const execution = store.executions.listOpen().find((candidate) => candidate.replicaId === replica.id);
    // A migration takes an interrupted execution up itself.
    if (execution !== undefined && (options.execute === undefined || execution.state !== 'interrupted')) {
      throw new CausewayError(
        'engine.execution-active',
        `${execution.id} of replica ${replica.name} is ${execution.state}`,
      );
    }
    if (options.execute === undefined && replica.lastSuccess === undefined) {
      throw new CausewayError('deployment.never-executed', `replica ${replica.name} has no completed execution`);
    }
    const id = newId('dep');
    store.deployments.add({
      id,
      replicaId: replica.id,
      replicaName: replica.name,
      destinationEndpointId: replica.destinationEndpointId,
      options,
      createdAt: new Date().toISOString(),
    });
    const deployment = store.deployments.find(id);
    if (deployment === undefined) throw new CausewayError('general.bug', `deployment ${id} was not stored`);
    runs.emit(deployment, 'deployment.created', `deployment ${deployment.number} of replica ${replica.name}`);
    return deployment;
  }

  return {
    runs,

    /**
     * A new deployment; or, if the replica's last one was interrupted, that one is resumed.
     * @throws CausewayError `deployment.active`, `engine.execution-active`, `deployment.never-executed`
     */
    deploy(replica: Replica, options: DeploymentOptions): Deployment {
      const open = runs.openRunOf(replica.id);
      if (open !== undefined) {
        if (runs.active(open.id) !== undefined)
          throw new CausewayError('deployment.active', `${open.id} of replica ${replica.name}`, {
            details: { deploymentId: open.id },
          });
        return runs.start(open);
      }
      return runs.start(add(replica, options));
    },

    /** A deployment that waits for whichever member of the fleet begins it. Throws as `deploy` does. */
    order(replica: Replica, options: DeploymentOptions): Deployment {
      const open = runs.openRunOf(replica.id);
      if (open !== undefined)
        throw new CausewayError('deployment.active', `${open.id} of replica ${replica.name}`, {
          details: { deploymentId: open.id },
        });
      return add(replica, options);
    },

    /**
     * An execution writes to volumes that a deployment may be using: not before their snapshots are there, and not at
     * all while the deployment is in place.
     * @throws CausewayError `deployment.active`
     */
    refuseExecution(replica: Replica): void {
      service.refuseRun(replica);
      const open = runs.openRunOf(replica.id);
      if (open === undefined) return;
      const isCopied = store.deploymentTasks
        .list(open.id)
        .some((task) => task.id === 'create-volumes' && task.state === 'completed');
      if (isCopied && open.options.inPlace !== true) return;
      throw new CausewayError(
        'deployment.active',
        `${open.id} of replica ${replica.name} is ${open.state} and needs the current volumes`,
        {
          details: { deploymentId: open.id },
        },
      );
    },
  };
}
