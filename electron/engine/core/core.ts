import {
  calls,
  type CallName,
  type CallOutput,
  type EventName,
  type EventPayload,
} from '../../../shared/contract/contract.ts';
import { opened, type Envelope } from '../../../shared/contract/envelope.ts';
import type { CoreClient } from '../../../shared/contract/core-client.ts';
import { eventHub } from './event-hub.ts';
import { adviseByShape } from '../../../shared/validation/check-vm.ts';
import { checkShape } from '../../../shared/schema/check-shape.ts';
import { CausewayError, toErrorRecord } from '../../../shared/model/causeway-error.ts';
import type { Deployment, DeploymentOptions } from '../../../shared/model/deployment.ts';
import type { Event } from '../../../shared/model/event.ts';
import type { ExecutionProgress } from '../../../shared/model/progress.ts';
import type { Replica } from '../../../shared/model/replica.ts';
import { systemFailure } from '../../../shared/model/system-failure.ts';
import type { OpenReplica } from '../executions/execution-service-options.ts';
import { OwnVms, type ConnectAgentHere, type TakeTurnHere } from '../executions/own-vms.ts';
import { WorkerPool } from '../executions/worker-pool.ts';
import { executionService } from '../executions/execution-service.ts';
import type { ConnectWorker, Replication } from '../executions/execution-context.ts';
import { probePort, type BootProbe } from '../deployments/boot-probe.ts';
import { usualBootPatience, type BootPatience } from '../deployments/boot-verdict.ts';
import type { runChecks } from '../deployments/checks/run-checks.ts';
import type { GuestPreparation } from '../deployments/deployment-context.ts';
import { deploymentService } from '../deployments/deployment-service.ts';
import { inspectionService } from '../deployments/inspection-service.ts';
import { guestPreparation } from '../deployments/guest-preparation.ts';
import { openDeployment } from './open-deployment.ts';
import { platforms as allPlatforms, type PlatformRegistry } from '../platforms/registry.ts';
import type { PlatformUse } from '../ports/platform-context.ts';
import { wavesJournal, type FleetInEngine } from '../ports/replica-fleet.ts';
import type { SecretVault } from '../ports/secret-vault.ts';
import * as fullReplication from '../replication/index.ts';
import { ensureStateFolder } from '../store/database.ts';
import type { NewEvent } from '../store/events.ts';
import { lastWords } from '../store/last-words.ts';
import type { Computer } from '../store/store-identity.ts';
import { replicaChanges, type JoinFleet } from '../store/replica-changes.ts';
import { openStore } from '../store/store.ts';
import { systemClock, type Clock } from '../time/clock.ts';
import type { ThisComputer } from '../ports/own-vm.ts';
import { thisComputer } from '../runtime/this-computer.ts';
import { connectAgentHere } from '../transport/agent-here.ts';
import { takeTurnHere } from '../transport/turn-here.ts';
import { connectWorker } from '../transport/connect-worker.ts';
import { evidenceRecorder, hasJournal } from './life/evidence-recorder.ts';
import { startDeployment } from './life/purposes.ts';
import { watchRehearsals } from './life/rehearsals.ts';
import { handlers } from './calls/index.ts';
import {
  endpointOf,
  openDestination,
  openSource,
  transferFolder,
  type CoreContext,
  type CoreParts,
  type Handler,
} from './core-context.ts';
import { changingCalls } from './calls/project.ts';
import { descriptions } from './project-sync/descriptions.ts';
import { watchProjectFiles } from './project-sync/watch.ts';
import { waveService } from '../waves/wave-service.ts';
import { projectTrust } from '../trust/trusted-projects.ts';
import { acceptedEndpoints, sealedConnections } from './trust/accepted-endpoints.ts';
import { createGate } from './trust/gate.ts';
import { notifyOfEvents, type Notify } from './notifications/notify.ts';
import { replicaEnvironments } from './replica-environments.ts';
import { recordUncaught } from './uncaught.ts';
import { redactor } from './secret-references.ts';
import { claimForCall } from './fleet/claims.ts';
import { fleetHooks } from './fleet/fleet-hooks.ts';
import { usesOf } from './fleet/open-runs.ts';
import { orderedRuns } from './fleet/ordered-runs.ts';
import { carryOutCalendar } from './waves/carry-out-calendar.ts';
import { memberRuns } from './waves/member-runs.ts';

export interface CoreOptions {
  readonly projectFolder: string;
  readonly vault: SecretVault;
  /** Default: all that are built in. */
  readonly platforms?: PlatformRegistry;
  /** Default: the worker's agent over HTTPS or SSH. */
  readonly connectWorker?: ConnectWorker;
  /** Default: the agent on this computer, as root. */
  readonly connectAgentHere?: ConnectAgentHere;
  /** Default: one for all processes on this computer. */
  readonly takeTurnHere?: TakeTurnHere;
  /** Default: the computer that this process runs on. */
  readonly thisComputer?: ThisComputer;
  /** Default: real replication. */
  readonly replication?: Replication;
  /** How long a worker that was lost may take to answer again before it is replaced. Default 45 s. */
  readonly workerPatienceMs?: number;
  /** How long a worker may be silent before this is reported and its platform is asked for its state. Default 15 s. */
  readonly slowWorkerMs?: number;
  /** Default: the product's own preparation, over SSH. */
  readonly guests?: Partial<GuestPreparation>;
  /** Default: asks the port itself. */
  readonly bootProbe?: BootProbe;
  /** Default: that for real guests. */
  readonly bootPatience?: BootPatience;
  /** Default: this one. */
  readonly computer?: Computer;
  /** For pauses between looks at platforms and before further attempts of a task. Default: the system's. */
  readonly clock?: Clock;
  /** Whether this engine deletes rehearsals when their time is over: one that stays open. Default: no. */
  readonly endsRehearsals?: boolean;
  /** Default: asks deployed VMs themselves. */
  readonly runChecks?: typeof runChecks;
  /** How many executions, and how many deployments, run at the same time where the project does not say it. Default 4. */
  readonly executionLimit?: number;
  /** Makes this engine one of several that share the project. Default: it has the project for itself. */
  readonly fleet?: JoinFleet;
}

export interface Core extends CoreClient {
  /** For carriers: an input from outside in, an answer as data out. Never rejects. */
  dispatch(name: string, input: unknown, signal?: AbortSignal): Promise<Envelope<unknown>>;
  /** Ids of the executions that are under way. */
  activeExecutions(): readonly string[];
  /** Ids of the deployments that are under way. */
  activeDeployments(): readonly string[];
  /** From now on starts what the plans of waves have; for a process that stays. */
  carryOutCalendar(): void;
  /** No wave starts anything more in this process; what runs is not touched. */
  stopWaves(): void;
  /** Notes in the journal of what runs that the computer was asleep. */
  noteSleep(asleepMs: number): void;
  /** Resolves when no execution and no deployment is under way. */
  drain(): Promise<void>;
}

/**
 * Opens a project's core in this process, which has to hold the project's lock. Executions that were interrupted are marked as
 * such and wait to be resumed.
 * @throws CausewayError `engine.database-unreadable`, `engine.database-version`
 */
export function createCore(options: CoreOptions): Core {
  const stateFolder = ensureStateFolder(options.projectFolder);
  const replication = options.replication ?? fullReplication;
  const store = openStore(stateFolder, replication.createTransferTables, options.clock, options.computer);
  const hub = eventHub();
  const redact = redactor();
  const described = descriptions(store, options.projectFolder);
  try {
    described.sync();
  } catch (error) {
    // The project opens for reading, with what was taken in before.
    if (systemFailure(error) === undefined) throw error;
  }
  const { vault, platforms = allPlatforms } = options;
  const trust = projectTrust(options.projectFolder);
  const accepted = acceptedEndpoints(trust, vault);
  const gate = createGate({ stateFolder, store, vault, platforms, redactor: redact, trust, accepted });
  const parts: CoreParts = {
    stateFolder,
    store,
    vault,
    gate,
    trust,
    accepted,
    sealed: sealedConnections(vault),
    redactor: redact,
    descriptions: described,
  };
  const connect: ConnectWorker =
    options.connectWorker ?? ((access, mechanism, signal, use) => connectWorker(access, mechanism, { ...use }, signal));
  const words = lastWords(stateFolder);
  let lastEventId = 0;
  /** Set as soon as there are services; events come before that. */
  let lookAtWaves = (): void => undefined;
  let tellPeople: Notify['take'] = () => undefined;
  /** Set as soon as the engine has joined; events come before that. */
  const joined: { fleet?: FleetInEngine | undefined } = {};
  const isShared = options.fleet !== undefined;
  const elsewhere = isShared ? (replicaId: string): string | undefined => joined.fleet?.holder(replicaId) : undefined;
  /** Never throws: what happens must not depend on whether it can be written down. */
  const emit = (event: NewEvent): void => {
    const clean: NewEvent = { ...event, message: redact.text(event.message), details: redact.json(event.details) };
    let told: Event;
    try {
      told = store.events.append(clean);
      lastEventId = told.id;
    } catch {
      told = { id: lastEventId, at: new Date().toISOString(), ...clean };
      const { at, message, replicaId, executionId, deploymentId } = told;
      // What follows an interruption is not as telling as the interruption itself.
      if (event.type !== 'task.state' && event.type !== 'task.retry')
        words.write({ at, message, replicaId, executionId, deploymentId });
    }
    hub.emit('execution.event', told);
    const journal = told.replicaId ?? (told.type.startsWith('wave.') ? wavesJournal : undefined);
    if (journal !== undefined) joined.fleet?.noted(journal);
    if (told.type === 'execution.state' || told.type === 'deployment.state') lookAtWaves();
    tellPeople(told);
    if (event.type === 'execution.state' || event.type === 'deployment.state') evidence.runEnded(event);
  };
  const evidence = evidenceRecorder({
    stateFolder,
    store,
    clean: (value) => redact.json(value),
    problem: (message) => emit({ type: 'note', message, details: {} }),
  });
  const defaultAtOnce = options.executionLimit ?? 4;
  const atOnce = store.queueLimit.get() ?? defaultAtOnce;
  const workerPool = new WorkerPool({
    store,
    clock: systemClock,
    open: (endpointId) => openDestination(parts, endpointOf(parts, endpointId)),
    note: (message, details) => emit({ type: 'note', message, details }),
  });
  const machine = options.thisComputer ?? thisComputer();
  const takeTurn: TakeTurnHere = options.takeTurnHere ?? ((wait, signal) => takeTurnHere({}, wait, signal));
  const ownVms = new OwnVms(store, {
    connect: options.connectAgentHere ?? connectAgentHere,
    takeTurn,
    thisComputer: machine,
  });
  const executions = executionService({
    store,
    replication,
    transferFolder: transferFolder(parts),
    connectWorker: connect,
    open: (replica, use) => openReplica(parts, replica, { ...use, ...sourceVm(ownVms, replica, use.executionId) }),
    clean: (error) => redact.error(error),
    emit,
    publishProgress(progress) {
      hub.emit('execution.progress', progress);
      const replicaId = joined.fleet === undefined ? undefined : store.executions.find(progress.executionId)?.replicaId;
      if (replicaId !== undefined) joined.fleet?.publish(replicaId, progress);
    },
    elsewhere,
    // Agents are fenced by the claims of one replica, and a journal has no place for what belongs to none.
    pool: isShared ? undefined : workerPool,
    ownVms,
    workerPatienceMs: options.workerPatienceMs ?? 45_000,
    slowWorkerMs: options.slowWorkerMs,
    limit: atOnce,
    clock: options.clock,
  });
  const guests = { ...guestPreparation(connect), ...options.guests };
  const inspections = inspectionService({
    store,
    guests,
    replication,
    transferFolder: transferFolder(parts),
    open: (replica, inspectionOptions) => openDeployment(parts, replica, { luksKeys: inspectionOptions.luksKeys }),
    cleanError: (error) => redact.error(error),
    emit,
    changed: (replica) => hub.emit('guest.inspection', { replica }),
  });
  const deployments = deploymentService({
    store,
    executions,
    refuseRun: (replica) => inspections.refuseRun(replica),
    guests,
    bootProbe: options.bootProbe ?? probePort,
    bootPatience: options.bootPatience ?? usualBootPatience,
    runChecks: options.runChecks,
    replication,
    transferFolder: transferFolder(parts),
    open: (replica, deploymentOptions) => openDeployment(parts, replica, deploymentOptions),
    cleanError: (error) => redact.error(error),
    cleanText: (text) => redact.text(text),
    emit,
    elsewhere,
    limit: atOnce,
    clock: options.clock,
  });
  const deploy = (replica: Replica, asked: DeploymentOptions): Deployment =>
    startDeployment({ ...parts, deployments, evidence }, replica, asked);
  const order = (replica: Replica, asked: DeploymentOptions): Deployment =>
    startDeployment(
      { ...parts, deployments: { deploy: (...given) => deployments.order(...given) }, evidence },
      replica,
      { ...asked, placement: { ...asked.placement, uses: usesOf(context, replica) } },
    );
  const ofMembers = memberRuns({
    store,
    executions,
    deployments,
    isShared,
    execute: (replica, asked) =>
      isShared
        ? executions.order(replica, { ...asked, placement: { ...asked.placement, uses: usesOf(context, replica) } })
        : executions.execute(replica, asked),
    deploy: isShared ? order : deploy,
  });
  const waves = waveService({
    store: store.waveRuns,
    runs: isShared
      ? orderedRuns(
          {
            ...ofMembers,
            cancel: (action, id) =>
              void dispatch(
                action === 'synchronise' ? 'execution.cancel' : 'deployment.cancel',
                action === 'synchronise' ? { execution: id } : { deployment: id },
              ),
          },
          () => context,
        )
      : ofMembers,
    // Of a member's own journal nothing may be said without its claim.
    emit: ({ replicaId, ...event }) => emit(isShared || replicaId === undefined ? event : { ...event, replicaId }),
    clean: (error) => redact.error(error),
    isElsewhere: () => joined.fleet?.holder(wavesJournal) !== undefined,
  });
  /** Whatever keeps a wave from starting its next members must not reach what has just ended. */
  lookAtWaves = () => {
    try {
      waves.tick();
    } catch {
      // The database takes nothing now: the next event looks again.
    }
  };
  const notify = notifyOfEvents(
    { ...parts, executions, deployments, inspections, waves, workerPool, ownVms, thisComputer: machine, evidence },
    options.clock ?? systemClock,
    (message, details) => emit({ type: 'note', message, details }),
  );
  // Before anything can happen here.
  notify.resume();
  tellPeople = notify.take;
  // Where engines share the project, others may be carrying it out.
  if (!isShared) {
    executions.runs.markInterrupted();
    deployments.runs.markInterrupted();
  }
  inspections.markInterrupted();
  const left = words.take();
  if (left !== undefined)
    emit({ type: 'note', ...left, message: `not recorded at ${left.at}: ${left.message}`, details: {} });
  const forgetUncaught = recordUncaught((error) => {
    const shown = redact.error(error);
    emit({
      type: 'note',
      message: `the engine stopped because of an unexpected error: ${shown.message}`,
      details: { code: shown.code },
    });
    return shown;
  });
  const context: CoreContext = {
    ...parts,
    executions,
    deployments,
    inspections,
    waves,
    workerPool,
    ownVms,
    thisComputer: machine,
    evidence,
    emit,
    changed: () => hub.emit('project.changed', {}),
    tellSignIn: (payload) => hub.emit('endpoint.signIn', payload),
    defaultAtOnce,
  };
  const drain = async (): Promise<void> => {
    // A migration starts executions.
    await deployments.runs.drain();
    await executions.runs.drain();
    await inspections.drain();
  };
  const changes = options.fleet === undefined ? undefined : replicaChanges(store.db);
  /** What others have recorded, for those who listen here. Of a long history only the end. */
  const tellApplied = (): void => {
    for (const event of store.events.listAfter(lastEventId, { limit: 200, newest: true })) {
      lastEventId = event.id;
      hub.emit('execution.event', event);
    }
  };
  const hearProgress = (progress: ExecutionProgress): void => {
    executions.heard(progress);
    hub.emit('execution.progress', progress);
  };
  const fleet =
    changes === undefined
      ? undefined
      : options.fleet?.(
          changes,
          fleetHooks(context, (call, input) => dispatch(call, input), {
            applied: tellApplied,
            progress: hearProgress,
            moved: () => hub.emit('fleet.changed', {}),
          }),
        );
  if (changes !== undefined && fleet !== undefined) {
    store.joinFleet(fleet, changes.marks);
    context.fleet = fleet;
    joined.fleet = fleet;
  }
  if (hasJournal(stateFolder) && !store.identity.isElsewhere()) evidence.reconcile();
  const closing = new AbortController();
  const watching =
    options.endsRehearsals === true
      ? watchRehearsals(context, options.clock ?? systemClock, closing.signal)
      : undefined;
  watchProjectFiles(options.projectFolder, () => (described.sync(), hub.emit('project.changed', {})), closing.signal);
  const calendar = { stays: false, isStarted: false };
  const startCalendar = (): void => {
    if (calendar.isStarted) return;
    calendar.isStarted = true;
    void carryOutCalendar(context, options.clock ?? systemClock, () => calendar.stays, closing.signal);
  };
  if (fleet !== undefined) startCalendar();
  const pending = new Set<Promise<unknown>>();

  async function dispatch(
    name: string,
    input: unknown,
    signal: AbortSignal = closing.signal,
  ): Promise<Envelope<unknown>> {
    const work = carryOut(context, name, input, AbortSignal.any([signal, closing.signal]));
    pending.add(work);
    try {
      return { ok: true, value: await work };
    } catch (error) {
      return { ok: false, error: redact.error(toErrorRecord(error)) };
    } finally {
      pending.delete(work);
    }
  }

  return {
    dispatch,
    async call<N extends CallName>(name: N, input: unknown, { signal }: { readonly signal?: AbortSignal } = {}) {
      return opened((await dispatch(name, input, signal)) as Envelope<CallOutput<N>>);
    },
    subscribe: <N extends EventName>(event: N, listener: (payload: EventPayload<N>) => void) =>
      hub.subscribe(event, listener),
    activeExecutions: () => executions.runs.activeIds(),
    activeDeployments: () => deployments.runs.activeIds(),
    carryOutCalendar() {
      calendar.stays = true;
      // Of this store alone, also those from before it joined a fleet.
      workerPool.removeAllLeft(closing.signal);
      startCalendar();
    },
    stopWaves: () => waves.close(),
    noteSleep: (asleepMs) => executions.noteSleep(asleepMs),
    drain,
    /** Waits for executions, deployments and calls that are under way. */
    async close() {
      fleet?.leave();
      waves.close();
      await inspections.close();
      await drain();
      await workerPool.close();
      await Promise.allSettled(pending);
      closing.abort(new CausewayError('general.cancelled', 'the engine is closing'));
      await watching;
      await notify.close();
      await fleet?.close();
      forgetUncaught();
      store.close();
    },
  };
}

/** Checks the input by the contract's table, then carries the call out. */
async function carryOut(core: CoreContext, name: string, input: unknown, signal: AbortSignal): Promise<unknown> {
  if (!Object.hasOwn(calls, name)) throw new CausewayError('engine.unknown-call', name);
  const call = name as CallName;
  const parsed = calls[call].input.safeParse(input);
  if (!parsed.success) {
    // Paths and messages only: they repeat no value but that of a choice, because it may be a secret.
    const faults = checkShape(calls[call].input, input, {
      unknownKey: (unknown) => adviseByShape(unknown, name),
      name: 'The input',
    });
    const issues = faults.map(({ path, message }) => (path.length < 2 ? message : `${path.join('.')}: ${message}`));
    throw new CausewayError('general.invalid-input', `${name}: ${issues.join('; ')}`, { details: { issues } });
  }
  await core.fleet?.ready;
  if (changingCalls.has(call)) core.store.identity.refuseOtherComputer();
  const answer = await claimForCall(core, call, parsed.data, signal);
  if (answer !== undefined) return opened(answer);
  const handler = handlers[call] as unknown as Handler<CallName>;
  return handler(core, parsed.data as never, signal);
}

/** The VM of the replica's source that this engine runs on, where its user said so. */
function sourceVm(
  ownVms: OwnVms,
  { id, sourceEndpointId }: Replica,
  executionId: string | undefined,
): Pick<PlatformUse, 'ownVm'> {
  const ownVm =
    executionId === undefined ? undefined : ownVms.ofSource(sourceEndpointId, { executionId, replicaId: id });
  return ownVm === undefined ? {} : { ownVm };
}

/** Both platforms of a replica and its environments, as a run uses them. */
async function openReplica(
  core: CoreParts,
  replica: Replica,
  use: Omit<PlatformUse, 'replicaId'>,
): Promise<OpenReplica> {
  const opened: { close(): Promise<void> }[] = [];
  const close = async (): Promise<void> => void (await Promise.allSettled(opened.map((platform) => platform.close())));
  try {
    // First: from then on it is known what was accepted of their connections, which rules need.
    const source = await openSource(core, endpointOf(core, replica.sourceEndpointId), {
      replicaId: replica.id,
      ...use,
    });
    opened.push(source);
    const destination = await openDestination(core, endpointOf(core, replica.destinationEndpointId));
    opened.push(destination);
    const written = replicaEnvironments(core, replica);
    const environments = { source: await written.opened('source'), destination: await written.opened('destination') };
    return { source, destination, environments, findings: async (vm) => written.findings(vm), close };
  } catch (error) {
    await close();
    throw error;
  }
}
