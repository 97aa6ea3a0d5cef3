import { calls, type CallName, type CallOutput, type EventName, type EventPayload } from '../../../shared/contract/contract.ts';
import { opened, type Envelope } from '../../../shared/contract/envelope.ts';
import type { CoreClient } from '../../../shared/contract/core-client.ts';
import { eventHub } from './event-hub.ts';
import { CausewayError, toErrorRecord } from '../../../shared/model/causeway-error.ts';
import type { Replica } from '../../../shared/model/replica.ts';
import type { OpenReplica } from '../executions/execution-service-options.ts';
import { executionService } from '../executions/execution-service.ts';
import type { ConnectWorker } from '../executions/run-context.ts';
import type { Transfer } from '../executions/transfer.ts';
import { probePort, type BootProbe } from '../deployments/boot-probe.ts';
import type { GuestPreparation } from '../deployments/deployment-context.ts';
import { deploymentService } from '../deployments/deployment-service.ts';
import { guestPreparation } from '../deployments/guest-preparation.ts';
import { openDeployment } from './open-deployment.ts';
import { platforms as allPlatforms, type PlatformRegistry } from '../platforms/registry.ts';
import type { PlatformUse } from '../ports/platform-context.ts';
import type { SecretVault } from '../ports/secret-vault.ts';
import * as replication from '../replication/index.ts';
import { ensureStateFolder } from '../store/database.ts';
import type { NewEvent } from '../store/events.ts';
import { openStore } from '../store/store.ts';
import { connectWorker } from '../transport/connect-worker.ts';
import { handlers } from './calls/index.ts';
import type { Handler } from './calls/handler.ts';
import { descriptions } from './descriptions/descriptions.ts';
import { watchProjectFiles } from './descriptions/watch.ts';
import { endpointOf, openDestination, openSource, transferFolder, type CoreContext, type CoreParts } from './core-context.ts';
import { replicaEnvironments } from './replica-environments.ts';
import { redactor, resolveSecrets } from './secret-references.ts';

export interface CoreOptions {
  readonly projectFolder: string;
  readonly vault: SecretVault;
  /** Default: all that are built in. */
  readonly platforms?: PlatformRegistry;
  /** Default: the worker's agent over HTTPS or SSH. */
  readonly connectWorker?: ConnectWorker;
  /** Default: real replication. */
  readonly transfer?: Transfer;
  /** How long a worker that was lost may take to answer again before it is replaced. Default 45 s. */
  readonly workerPatienceMs?: number;
  /** After how long a worker that does not answer is told of, and its platform asked whether it runs. Default 15 s. */
  readonly slowWorkerMs?: number;
  /** Default: the product's own preparation, over SSH. */
  readonly guests?: Partial<GuestPreparation>;
  /** Default: asks the port itself. */
  readonly bootProbe?: BootProbe;
  /** How many executions, and how many deployments, run at the same time where the project does not say it. Default 4. */
  readonly executionLimit?: number;
}

export interface Core extends CoreClient {
  /** For carriers: an input from outside in, an answer as data out. Never rejects. */
  dispatch(name: string, input: unknown, signal?: AbortSignal): Promise<Envelope<unknown>>;
  /** Ids of the executions that are under way. */
  activeExecutions(): readonly string[];
  /** Ids of the deployments that are under way. */
  activeDeployments(): readonly string[];
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
  const transfer = options.transfer ?? replication;
  const store = openStore(stateFolder, transfer.createTransferTables);
  const hub = eventHub();
  const redact = redactor();
  const described = descriptions(store, options.projectFolder);
  described.takeIn();
  const parts = { stateFolder, store, vault: options.vault, platforms: options.platforms ?? allPlatforms, redactor: redact, descriptions: described };
  const connect: ConnectWorker = options.connectWorker ?? ((access, mechanism, signal) => connectWorker(access, mechanism, {}, signal));
  const emit = (event: NewEvent): void =>
    hub.emit('execution.event', store.events.append({ ...event, message: redact.text(event.message), details: redact.json(event.details) }));
  const defaultAtOnce = options.executionLimit ?? 4;
  const atOnce = store.queueLimit.get() ?? defaultAtOnce;
  const executions = executionService({
    store,
    transfer,
    transferFolder: transferFolder(parts),
    connectWorker: connect,
    open: (replica, use) => openReplica(parts, replica, use),
    clean: (error) => redact.error(error),
    emit,
    publishProgress: (progress) => hub.emit('execution.progress', progress),
    workerPatienceMs: options.workerPatienceMs ?? 45_000,
    slowWorkerMs: options.slowWorkerMs,
    limit: atOnce,
  });
  const deployments = deploymentService({
    store,
    executions,
    guests: { ...guestPreparation(connect), ...options.guests },
    bootProbe: options.bootProbe ?? probePort,
    transfer,
    transferFolder: transferFolder(parts),
    open: (replica, deploymentOptions) => openDeployment(parts, replica, deploymentOptions),
    cleanError: (error) => redact.error(error),
    cleanText: (text) => redact.text(text),
    emit,
    limit: atOnce,
  });
  executions.markInterrupted();
  deployments.markInterrupted();
  const context: CoreContext = { ...parts, executions, deployments, emit, defaultAtOnce };
  const drain = async (): Promise<void> => {
    // A migration starts executions.
    await deployments.drain();
    await executions.drain();
  };
  const closing = new AbortController();
  watchProjectFiles(options.projectFolder, () => (described.takeIn(), hub.emit('project.changed', {})), closing.signal);
  const pending = new Set<Promise<unknown>>();

  async function dispatch(name: string, input: unknown, signal: AbortSignal = closing.signal): Promise<Envelope<unknown>> {
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
    subscribe: <N extends EventName>(event: N, listener: (payload: EventPayload<N>) => void) => hub.subscribe(event, listener),
    activeExecutions: () => executions.activeIds(),
    activeDeployments: () => deployments.activeIds(),
    noteSleep: (asleepMs) => executions.noteSleep(asleepMs),
    drain,
    /** Waits for executions, deployments and calls that are under way. */
    async close() {
      await drain();
      await Promise.allSettled(pending);
      closing.abort(new CausewayError('general.cancelled', 'the engine is closing'));
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
    // Paths and messages only: an issue never repeats the value, which may be a secret.
    const issues = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'input'}: ${issue.message}`);
    throw new CausewayError('general.invalid-input', `${name}: ${issues.join('; ')}`, { details: { issues } });
  }
  const handler = handlers[call] as unknown as Handler<CallName>;
  return handler(core, parsed.data as never, signal);
}

/** Both platforms of a replica and its environments, as a run uses them. */
async function openReplica(core: CoreParts, replica: Replica, use: Omit<PlatformUse, 'replicaId'>): Promise<OpenReplica> {
  const from = endpointOf(core, replica.sourceEndpointId);
  const to = endpointOf(core, replica.destinationEndpointId);
  const learn = (name: string, secret: string): void => core.redactor.learn(name, secret);
  const written = replicaEnvironments(core, replica);
  const environments = {
    source: await resolveSecrets(written.values('source'), core.vault, learn),
    destination: await resolveSecrets(written.values('destination'), core.vault, learn),
  };
  const source = await openSource(core, from, { replicaId: replica.id, ...use });
  try {
    const destination = await openDestination(core, to);
    return {
      source,
      destination,
      environments,
      findings: async (vm) => written.findings(vm),
      close: async () => {
        await Promise.allSettled([source.close(), destination.close()]);
      },
    };
  } catch (error) {
    await source.close();
    throw error;
  }
}
