import { CausewayError, toErrorRecord, type ErrorRecord } from '../../../shared/model/causeway-error.ts';
import { isTerminalDeployment, type Deployment, type DeploymentOptions, type DeploymentState } from '../../../shared/model/deployment.ts';
import { errorText } from '../../../shared/model/errors/catalogue.ts';
import type { EventType } from '../../../shared/model/event.ts';
import type { JsonObject } from '../../../shared/model/json.ts';
import type { Replica } from '../../../shared/model/replica.ts';
import { systemFailure } from '../../../shared/model/system-failure.ts';
import type { Vm } from '../../../shared/model/vm.ts';
import type { Finding } from '../../../shared/validation/finding.ts';
import { executionSlots } from '../executions/execution-slots.ts';
import { taskRecorder } from '../executions/task-recorder.ts';
import type { Replication } from '../executions/replication-port.ts';
import { isCleanUp } from '../jobs/task-graph.ts';
import { runGraph } from '../jobs/runner.ts';
import type { LuksKey } from '../osmorphing/index.ts';
import type { DestinationPlatform } from '../ports/destination-platform.ts';
import { newId } from '../store/ids.ts';
import { ledgerScope } from '../store/ledger.ts';
import type { NewEvent } from '../store/events.ts';
import type { Store } from '../store/store.ts';
import type { BootProbe } from './boot-probe.ts';
import type { DeploymentContext, GuestPreparation } from './deployment-context.ts';
import { deploymentGraph } from './deployment-graph.ts';
import { leftoverEntries } from './leftover-resources.ts';
import { runExecution, type Executions } from './run-execution.ts';
import { deploymentSteps } from './steps/index.ts';

export interface DeploymentServiceOptions {
  readonly store: Store;
  readonly executions: Executions;
  readonly guests: GuestPreparation;
  readonly bootProbe: BootProbe;
  readonly replication: Pick<Replication, 'deleteTransferState' | 'forgetTransferState' | 'openTransferState'>;
  readonly transferFolder: string;
  /** Opens the destination and resolves what environment and options refer to; its `close` ends all of it. */
  open(replica: Replica, options: DeploymentOptions, signal: AbortSignal): Promise<OpenDeployment>;
  /** Free errors and texts of secrets, before they are stored. */
  cleanError(error: ErrorRecord): ErrorRecord;
  cleanText(text: string): string;
  /** Stores an event (messages freed of secrets) and tells those who follow. */
  emit(event: NewEvent): void;
  /** How many deployments run at the same time. */
  readonly limit: number;
}

export interface OpenDeployment {
  readonly destination: DestinationPlatform;
  readonly environment: JsonObject;
  readonly luksKeys: readonly LuksKey[];
  findings(vm: Vm): Promise<readonly Finding[]>;
  close(): Promise<void>;
}

interface Active {
  readonly cancel: AbortController;
  readonly force: AbortController;
  done: Promise<void>;
}

export type DeploymentService = ReturnType<typeof deploymentService>;

/** Starts, continues, cancels deployments, one at a time for each replica and a few at a time in all. */
export function deploymentService(service: DeploymentServiceOptions) {
  const { store } = service;
  const active = new Map<string, Active>();
  /** Why deployments are interrupted whose state the store could not take. */
  const unrecorded = new Map<string, ErrorRecord>();
  const slots = executionSlots(service.limit);

  function start(deployment: Deployment): Deployment {
    unrecorded.delete(deployment.id);
    const entry: Active = { cancel: new AbortController(), force: new AbortController(), done: Promise.resolve() };
    // What was being cancelled goes on being cancelled.
    if (deployment.state === 'cancelling') entry.cancel.abort(cancelled());
    active.set(deployment.id, entry);
    entry.done = run(deployment, entry).catch((error: unknown) => interrupt(deployment, entry, toErrorRecord(error))).finally(() => active.delete(deployment.id));
    return deployment;
  }

  function emit(deployment: Deployment, type: EventType, message: string, details: JsonObject = {}, taskId?: string): void {
    service.emit({ type, replicaId: deployment.replicaId, deploymentId: deployment.id, ...(taskId === undefined ? {} : { taskId }), message, details });
  }

  function setState(deployment: Deployment, state: DeploymentState, message: string): void {
    store.deployments.setState(deployment.id, state);
    emit(deployment, 'deployment.state', message, { state });
  }

  /** The result of the deployment could not be recorded: it has to be resumed. */
  function interrupt(deployment: Deployment, entry: Active, reason: ErrorRecord): void {
    const shown = service.cleanError(reason);
    unrecorded.set(deployment.id, shown);
    try {
      // What was being cancelled goes on being cancelled.
      if (!entry.cancel.signal.aborted) store.deployments.setState(deployment.id, 'interrupted');
    } catch {
      // It is shown as interrupted all the same, and marked as such at the next opening.
    }
    emit(deployment, 'deployment.state', `the deployment was interrupted: ${errorText(shown.code).title}: ${shown.message}`, {
      state: 'interrupted', code: shown.code, evidence: shown.message,
    });
  }

  /** A place among those that run; while there is none, the deployment waits, and says so. */
  function turn(deployment: Deployment, entry: Active): Promise<() => void> {
    if (slots.isFull() && !entry.cancel.signal.aborted) setState(deployment, 'pending', 'the deployment is queued');
    return slots.take(deployment.id, entry.cancel.signal);
  }

  async function run(deployment: Deployment, entry: Active): Promise<void> {
    const release = await turn(deployment, entry);
    const graph = deploymentGraph(deployment.options);
    let opened: OpenDeployment | undefined;
    let context: DeploymentContext | undefined;
    try {
      store.deploymentTasks.plan(deployment.id, graph.map((node) => ({ id: node.id, title: node.title, cleanUp: isCleanUp(node) })));
      if (!entry.cancel.signal.aborted) setState(deployment, 'running', 'deployment started');
      const replica = store.replicas.find(deployment.replicaId);
      if (replica === undefined) throw new CausewayError('engine.not-found', `replica ${deployment.replicaId}`);
      opened = await service.open(replica, deployment.options, entry.force.signal);
      context = contextOf(deployment, replica, opened);
      const outcome = await runGraph({
        graph,
        handlers: deploymentSteps(context),
        recorder: taskRecorder({ tasks: store.deploymentTasks }, deployment, service.cleanError, (type, taskId, message, details) =>
          emit(deployment, type, message, details, taskId)),
        cancel: entry.cancel.signal,
        force: entry.force.signal,
      });
      if (outcome.state === 'interrupted') {
        interrupt(deployment, entry, outcome.error ?? toErrorRecord(undefined));
        return;
      }
      // A worker that could not be removed stops what comes after it, without anybody having cancelled.
      const stuck = outcome.state === 'cancelled' && !entry.cancel.signal.aborted && !entry.force.signal.aborted;
      finish(deployment, stuck ? 'failed' : outcome.state, outcome.error ?? outcome.cleanUpErrors[0], context.kept);
    } catch (error) {
      if (systemFailure(error) !== undefined) {
        interrupt(deployment, entry, toErrorRecord(error));
        return;
      }
      if (opened === undefined && store.deploymentTasks.list(deployment.id).some((task) => task.attempts > 0)) {
        // It has things to clean up, and could not even be taken up (a locked vault, an endpoint out of reach).
        setState(deployment, 'interrupted', `the deployment could not be resumed: ${toErrorRecord(error).message}`);
        return;
      }
      finish(deployment, entry.cancel.signal.aborted ? 'cancelled' : 'failed', toErrorRecord(error), context?.kept ?? false);
    } finally {
      await opened?.close();
      release();
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
      findings: (vm) => opened.findings(vm),
      // The deployment stands where an execution would: what is temporary is temporary within it.
      ledger: ledgerScope(store.ledger, { endpointId: replica.destinationEndpointId, replicaId: replica.id, executionId: deployment.id }),
      guests: service.guests,
      bootProbe: service.bootProbe,
      replication: service.replication,
      transferFolder: service.transferFolder,
      execute: (pass, options, signal) => runExecution({ store, executions: service.executions, deployment, pass, options, emit }, signal),
      clean: (text) => service.cleanText(text),
      event: (type, message, details = {}) => emit(deployment, type, message, details),
      kept: false,
    };
  }

  /** The final state, always: with the error, and what was left behind. */
  function finish(deployment: Deployment, state: 'completed' | 'failed' | 'cancelled', error: ErrorRecord | undefined, kept: boolean): void {
    if (state !== 'completed') forgetSpoiltContent(deployment, kept);
    const left = kept ? [] : leftoverEntries(store, deployment.id, state === 'completed');
    if (left.length > 0) {
      emit(deployment, 'deployment.left-behind', `${left.length} resources were left behind`, {
        entries: left.map((item) => ({ entryId: item.entryId, kind: item.kind, name: item.name })),
      });
    }
    const shown = error === undefined ? undefined : service.cleanError(error);
    store.deployments.finish(deployment.id, { state, ...(shown === undefined ? {} : { error: shown }), leftBehind: left.length, kept });
    emit(deployment, 'deployment.state', shown === undefined ? `the deployment is ${state}` : `the deployment is ${state}: ${errorText(shown.code).title}`, {
      state,
      ...(shown === undefined ? {} : { code: shown.code, evidence: shown.message }),
    });
  }

  /**
   * In place, the guest's changes are in the replica's own volumes. Unless those were put back, nothing of what is known of
   * their content holds: the next execution has to compare everything.
   */
  function forgetSpoiltContent(deployment: Deployment, kept: boolean): void {
    if (deployment.options.inPlace !== true) return;
    const tasks = new Map(store.deploymentTasks.list(deployment.id).map((task) => [task.id, task]));
    const isTouched = ['start-worker', 'create-server'].some((id) => (tasks.get(id)?.attempts ?? 0) > 0);
    const isPutBack = tasks.get('settle-deployment')?.state === 'completed' && !kept;
    if (!isTouched || isPutBack) return;
    for (const { diskId, sizeBytes } of store.replicas.find(deployment.replicaId)?.disks ?? []) {
      service.replication.forgetTransferState({ db: store.db, folder: service.transferFolder, replicaId: deployment.replicaId, diskId, sizeBytes });
    }
    emit(deployment, 'note', 'the deployment changed the replica\'s volumes, and they were not restored: the next execution compares them with the source and sends the differences');
  }

  function openDeploymentOf(replicaId: string): Deployment | undefined {
    return store.deployments.listOpen().find((deployment) => deployment.replicaId === replicaId);
  }

  return {
    /** What ran when the engine ended is marked as interrupted; to be called once, before anything else. */
    markInterrupted(): void {
      for (const deployment of store.deployments.listOpen()) {
        if (deployment.state !== 'pending' && deployment.state !== 'running') continue;
        try {
          setState(deployment, 'interrupted', 'the engine stopped during the deployment');
        } catch (error) {
          // On a full disk the project can still be read; `asShown` says how the deployment is.
          if (systemFailure(error) === undefined) throw error;
        }
      }
    },

    /** A deployment as it is, whether or not the store could take that. */
    asShown(deployment: Deployment): Deployment {
      const error = unrecorded.get(deployment.id);
      if (error !== undefined) return { ...deployment, state: 'interrupted', error };
      const isAbandoned = (deployment.state === 'pending' || deployment.state === 'running') && !active.has(deployment.id);
      return isAbandoned ? { ...deployment, state: 'interrupted' } : deployment;
    },

    /** Goes on with everything that was interrupted. */
    resumeInterrupted(): readonly Deployment[] {
      return store.deployments.listOpen().filter((deployment) => !active.has(deployment.id)).map(start);
    },

    /**
     * A new deployment; or, when the replica's last one was interrupted, that one goes on where it was.
     * @throws CausewayError `deployment.active`, `engine.execution-active`, `deployment.never-executed`
     */
    deploy(replica: Replica, options: DeploymentOptions): Deployment {
      const open = openDeploymentOf(replica.id);
      if (open !== undefined) {
        if (active.has(open.id)) throw new CausewayError('deployment.active', `${open.id} of replica ${replica.name}`, { details: { deploymentId: open.id } });
        return start(open);
      }
      const execution = store.executions.listOpen().find((candidate) => candidate.replicaId === replica.id);
      // A migration takes an interrupted execution up itself.
      if (execution !== undefined && (options.execute === undefined || execution.state !== 'interrupted')) {
        throw new CausewayError('engine.execution-active', `${execution.id} of replica ${replica.name} is ${execution.state}`);
      }
      if (options.execute === undefined && replica.lastSuccess === undefined) {
        throw new CausewayError('deployment.never-executed', `replica ${replica.name} has no completed execution`);
      }
      const id = newId('dep');
      store.deployments.add({
        id, replicaId: replica.id, replicaName: replica.name, destinationEndpointId: replica.destinationEndpointId, options, createdAt: new Date().toISOString(),
      });
      const deployment = store.deployments.find(id);
      if (deployment === undefined) throw new CausewayError('general.bug', `deployment ${id} was not stored`);
      emit(deployment, 'deployment.created', `deployment ${deployment.number} of replica ${replica.name}`);
      return start(deployment);
    },

    /**
     * An execution writes to volumes that a deployment may be using: not before their snapshots are there, and not at
     * all while the deployment is in place.
     * @throws CausewayError `deployment.active`
     */
    refuseExecution(replica: Replica): void {
      const open = openDeploymentOf(replica.id);
      if (open === undefined) return;
      const isCopied = store.deploymentTasks.list(open.id).some((task) => task.id === 'create-volumes' && task.state === 'completed');
      if (isCopied && open.options.inPlace !== true) return;
      throw new CausewayError('deployment.active', `${open.id} of replica ${replica.name} is ${open.state} and needs the current volumes`, {
        details: { deploymentId: open.id },
      });
    },

    /**
     * Asks a deployment to stop and undo what it made; with `force`, to leave that as well. One that was interrupted is
     * resumed only to clean up.
     */
    cancel(id: string, force: boolean): void {
      const deployment = store.deployments.find(id);
      if (deployment === undefined) throw new CausewayError('engine.not-found', `deployment ${id}`);
      if (isTerminalDeployment(deployment.state)) throw new CausewayError('engine.not-active', `deployment ${id} is ${deployment.state}`);
      if (deployment.state !== 'cancelling') setState(deployment, 'cancelling', 'the deployment is being cancelled');
      if (!active.has(id)) start({ ...deployment, state: 'cancelling' });
      const entry = active.get(id);
      entry?.cancel.abort(cancelled());
      if (force) entry?.force.abort(cancelled());
    },

    /** Who waits for a turn, and how many run at the same time. */
    queue: { positionOf: slots.positionOf, counts: slots.counts, setLimit: slots.setLimit },

    activeIds: (): readonly string[] => [...active.keys()],

    /** Resolves when all are over. */
    async drain(): Promise<void> {
      while (active.size > 0) await Promise.allSettled([...active.values()].map((entry) => entry.done));
    },
  };
}

function cancelled(): CausewayError {
  return new CausewayError('general.cancelled', 'the deployment was cancelled');
}
