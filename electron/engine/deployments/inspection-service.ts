import { CausewayError, toErrorRecord, type ErrorRecord } from '../../../shared/model/causeway-error.ts';
import type { GuestInspection, InspectionOptions } from '../../../shared/model/guest-inspection.ts';
import type { Replica } from '../../../shared/model/replica.ts';
import type { Replication } from '../executions/execution-context.ts';
import { ledgerScope } from '../store/ledger.ts';
import type { NewEvent } from '../store/events.ts';
import type { Store } from '../store/store.ts';
import type { GuestPreparation, ReplicaContext } from './deployment-context.ts';
import type { OpenDeployment } from './deployment-service.ts';
import { cleanUpInspection, inspectReplica } from './inspect-replica.ts';

export interface InspectionServiceOptions {
  readonly store: Store;
  readonly guests: GuestPreparation;
  readonly replication: Pick<Replication, 'openTransferState'>;
  readonly transferFolder: string;
  /** Opens the destination and the keys of encrypted volumes; its `close` ends all of it. */
  open(
    replica: Replica,
    options: InspectionOptions,
  ): Promise<Pick<OpenDeployment, 'destination' | 'environment' | 'luksKeys' | 'close'>>;
  cleanError(error: ErrorRecord): ErrorRecord;
  /** Stores an event, without secrets, and notifies the listeners. */
  emit(event: NewEvent): void;
  /** Says that an inspection has another state or step. */
  changed(replicaId: string): void;
}

interface Active {
  readonly cancel: AbortController;
  done: Promise<void>;
  step: string;
}

export type InspectionService = ReturnType<typeof inspectionService>;

/** The temporary resources of a replica's inspections are one another's: what an interrupted one left is the next one's. */
const ledgerIdOf = (replicaId: string): string => `inspection-${replicaId}`;

/** Inspections of replicas' guests, one at a time for each replica, never beside an execution or a deployment. */
export function inspectionService(service: InspectionServiceOptions) {
  const { store } = service;
  const active = new Map<string, Active>();

  function contextOf(
    replica: Replica,
    { destination, environment }: Pick<OpenDeployment, 'destination' | 'environment'>,
  ): ReplicaContext {
    const deploymentId = ledgerIdOf(replica.id);
    return {
      deploymentId,
      replicaId: replica.id,
      options: {},
      store,
      destination,
      environment,
      policy: destination.runPolicy(environment),
      guests: service.guests,
      ledger: ledgerScope(store.ledger, {
        endpointId: replica.destinationEndpointId,
        replicaId: replica.id,
        executionId: deploymentId,
      }),
      replication: { ...service.replication, deleteTransferState: () => undefined },
      transferFolder: service.transferFolder,
      event: (type, message, details = {}) => service.emit({ type, replicaId: replica.id, message, details }),
    };
  }

  function refuseBeside(replica: Replica): void {
    const execution = store.executions.listOpen().find((open) => open.replicaId === replica.id);
    if (execution !== undefined)
      throw new CausewayError(
        'engine.execution-active',
        `${execution.id} of replica ${replica.name} is ${execution.state}`,
        { details: { executionId: execution.id } },
      );
    const deployment = store.deployments.listOpen().find((open) => open.replicaId === replica.id);
    if (deployment !== undefined)
      throw new CausewayError(
        'deployment.active',
        `${deployment.id} of replica ${replica.name} is ${deployment.state}`,
        { details: { deploymentId: deployment.id } },
      );
  }

  function begin(replica: Replica, work: (entry: Active) => Promise<void>): void {
    const entry: Active = { cancel: new AbortController(), done: Promise.resolve(), step: '' };
    active.set(replica.id, entry);
    entry.done = work(entry).finally(() => {
      active.delete(replica.id);
      service.changed(replica.id);
    });
    service.changed(replica.id);
  }

  async function inspect(replica: Replica, options: InspectionOptions, entry: Active): Promise<void> {
    const { signal } = entry.cancel;
    try {
      const opened = await service.open(replica, options);
      try {
        const told = (step: string): void => {
          entry.step = step;
          service.changed(replica.id);
        };
        const wishes = { luksKeys: opened.luksKeys, ...(options.root === undefined ? {} : { root: options.root }) };
        const { found, executionNumber } = await inspectReplica(contextOf(replica, opened), wishes, told, signal);
        store.guestInspections.complete(replica.id, found, executionNumber);
      } finally {
        await opened.close();
      }
    } catch (error) {
      store.guestInspections.end(
        replica.id,
        signal.aborted ? 'cancelled' : 'failed',
        signal.aborted ? undefined : service.cleanError(toErrorRecord(error)),
      );
    }
  }

  async function cleanUp(replica: Replica): Promise<void> {
    try {
      const opened = await service.open(replica, {});
      try {
        await cleanUpInspection(contextOf(replica, opened), AbortSignal.timeout(600_000));
        store.guestInspections.end(replica.id, 'cancelled');
      } finally {
        await opened.close();
      }
    } catch (error) {
      store.guestInspections.end(replica.id, 'interrupted', service.cleanError(toErrorRecord(error)));
    }
  }

  const shown = (inspection: GuestInspection): GuestInspection => {
    const step = active.get(inspection.replicaId)?.step;
    return step === undefined || step === '' ? inspection : { ...inspection, step };
  };

  return {
    /**
     * Starts one. Answers immediately.
     * @throws CausewayError `osmorphing.inspection-active`, `engine.execution-active`, `deployment.active`, `deployment.never-executed`
     */
    inspect(replica: Replica, options: InspectionOptions): GuestInspection {
      if (active.has(replica.id)) throw new CausewayError('osmorphing.inspection-active', `replica ${replica.name}`);
      refuseBeside(replica);
      if (replica.lastSuccess === undefined)
        throw new CausewayError('deployment.never-executed', `replica ${replica.name} has no completed execution`);
      store.guestInspections.begin(replica.id);
      begin(replica, (entry) => inspect(replica, options, entry));
      return this.find(replica.id)!;
    },

    /** Ends the replica's inspection; of an interrupted one, deletes what it left. @throws CausewayError `engine.not-active` */
    async cancel(replica: Replica): Promise<void> {
      const entry = active.get(replica.id);
      if (entry !== undefined) {
        entry.cancel.abort(new CausewayError('general.cancelled', 'the inspection was cancelled'));
        return entry.done;
      }
      if (store.guestInspections.find(replica.id)?.state !== 'interrupted')
        throw new CausewayError('engine.not-active', `no inspection of replica ${replica.name}`);
      begin(replica, () => cleanUp(replica));
      return active.get(replica.id)?.done;
    },

    find(replicaId: string): GuestInspection | undefined {
      const inspection = store.guestInspections.find(replicaId);
      return inspection === undefined ? undefined : shown(inspection);
    },

    list: (): GuestInspection[] => store.guestInspections.list().map(shown),

    /** Its worker has the replica's volumes, or may still have them. @throws CausewayError `osmorphing.inspection-active` */
    refuseRun(replica: Replica): void {
      const isInterrupted = store.guestInspections.find(replica.id)?.state === 'interrupted';
      if (active.has(replica.id) || isInterrupted)
        throw new CausewayError(
          'osmorphing.inspection-active',
          `replica ${replica.name}${isInterrupted ? ': it was interrupted' : ''}`,
        );
    },

    /** Whether what is recorded under this id belongs to an inspection that is under way. */
    owns: (executionId: string | undefined): boolean => [...active.keys()].some((id) => ledgerIdOf(id) === executionId),

    markInterrupted: (): void => store.guestInspections.markInterrupted(),

    /** Cancels those that run, and waits until their workers are deleted. */
    async close(): Promise<void> {
      for (const { cancel } of active.values())
        cancel.abort(new CausewayError('general.cancelled', 'the engine is closing'));
      await Promise.all([...active.values()].map(({ done }) => done));
    },

    /** Resolves when none is under way. */
    async drain(): Promise<void> {
      await Promise.all([...active.values()].map(({ done }) => done));
    },
  };
}
