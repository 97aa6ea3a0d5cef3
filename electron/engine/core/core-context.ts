import { join } from 'node:path';
import type { CallArguments, CallName, CallOutput, EventPayload } from '../../../shared/contract/contract.ts';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { Deployment } from '../../../shared/model/deployment.ts';
import type { Endpoint } from '../../../shared/model/endpoint.ts';
import type { Execution } from '../../../shared/model/execution.ts';
import type { Replica } from '../../../shared/model/replica.ts';
import type { DeploymentService } from '../deployments/deployment-service.ts';
import type { InspectionService } from '../deployments/inspection-service.ts';
import type { ExecutionService } from '../executions/execution-service.ts';
import type { OwnVms } from '../executions/own-vms.ts';
import type { ThisComputer } from '../ports/own-vm.ts';
import type { WorkerPool } from '../executions/worker-pool.ts';
import type { DestinationPlatform } from '../ports/destination-platform.ts';
import type { PlatformUse } from '../ports/platform-context.ts';
import type { FleetInEngine } from '../ports/replica-fleet.ts';
import type { SealedVault } from '../ports/secret-vault.ts';
import type { SourcePlatform } from '../ports/source-platform.ts';
import type { NewEvent } from '../store/events.ts';
import type { Store } from '../store/store.ts';
import type { WaveService } from '../waves/wave-service.ts';
import type { ProjectTrust } from '../trust/trusted-projects.ts';
import type { EvidenceRecorder } from './life/evidence.ts';
import type { Descriptions } from './project-sync/descriptions.ts';
import type { Redactor } from './secret-references.ts';
import type { AcceptedEndpoints, SealedConnections } from './trust/accepted-endpoints.ts';
import type { Gate } from './trust/gate.ts';

/** What the calls of the core need. */
export interface CoreContext {
  readonly stateFolder: string;
  readonly store: Store;
  /** Nothing can be read out of it; the gate does that. */
  readonly vault: SealedVault;
  /** The one way to platforms and secrets. */
  readonly gate: Gate;
  /** What this user of this computer accepted of the project. */
  readonly trust: ProjectTrust;
  readonly accepted: AcceptedEndpoints;
  readonly sealed: SealedConnections;
  readonly redactor: Redactor;
  readonly descriptions: Descriptions;
  readonly executions: ExecutionService;
  readonly deployments: DeploymentService;
  readonly inspections: InspectionService;
  readonly waves: WaveService;
  readonly workerPool: WorkerPool;
  /** The VMs of destinations that this engine runs on. */
  readonly ownVms: OwnVms;
  readonly thisComputer: ThisComputer;
  readonly evidence: EvidenceRecorder;
  /** There where several engines share the project. */
  fleet?: FleetInEngine;
  /** Records what happened, without secrets, and tells who listens. */
  readonly emit: (event: NewEvent) => void;
  /** Tells who listens that endpoints, replicas or what is accepted of them are different now. */
  readonly changed: () => void;
  /** Tells who listens what a person needs for a sign-in that is under way. */
  readonly tellSignIn: (payload: EventPayload<'endpoint.signIn'>) => void;
  /** How many runs at the same time where the project does not say it. */
  readonly defaultAtOnce: number;
}

/** The same without the services that need it. */
export type CoreParts = Omit<
  CoreContext,
  | 'executions'
  | 'deployments'
  | 'inspections'
  | 'waves'
  | 'workerPool'
  | 'ownVms'
  | 'thisComputer'
  | 'evidence'
  | 'emit'
  | 'changed'
  | 'tellSignIn'
  | 'defaultAtOnce'
>;

/** Where digest maps lie. */
export function transferFolder(core: Pick<CoreContext, 'stateFolder'>): string {
  return join(core.stateFolder, 'transfer');
}

/** With the connection that this computer accepted, as far as it can be read now; with the proposed one where there is none. */
export function endpointOf(core: Pick<CoreContext, 'store' | 'accepted'>, reference: string): Endpoint {
  return shownEndpoint(core, storedEndpoint(core, reference));
}

/** As the project's files have it: its connection is a proposal. */
export function storedEndpoint(core: Pick<CoreContext, 'store'>, reference: string): Endpoint {
  const endpoint = core.store.endpoints.find(reference);
  if (endpoint === undefined) throw new CausewayError('engine.not-found', `endpoint ${reference}`);
  return endpoint;
}

export function shownEndpoint(core: Pick<CoreContext, 'accepted'>, endpoint: Endpoint): Endpoint {
  return { ...endpoint, connection: core.accepted.shown(endpoint) ?? {} };
}

export function replicaOf(core: Pick<CoreContext, 'store'>, reference: string): Replica {
  const replica = core.store.replicas.find(reference);
  if (replica === undefined) throw new CausewayError('engine.not-found', `replica ${reference}`);
  return replica;
}

/** By its id; or by a replica's name or id, for that replica's last one. */
export function executionOf(core: Pick<CoreContext, 'store'>, reference: string): Execution {
  const execution = core.store.executions.find(reference);
  if (execution !== undefined) return execution;
  const last = core.store.replicas.find(reference)?.lastExecutionId;
  const found = last === undefined ? undefined : core.store.executions.find(last);
  if (found === undefined) throw new CausewayError('engine.not-found', `execution ${reference}`);
  return found;
}

/** By its id; or by a replica's name or id, for that replica's last one. */
export function deploymentOf(core: Pick<CoreContext, 'store'>, reference: string): Deployment {
  const replicaId = core.store.replicas.find(reference)?.id;
  const last = replicaId === undefined ? undefined : core.store.deployments.list({ replicaId, limit: 1 })[0];
  const deployment = last ?? core.store.deployments.find(reference);
  if (deployment === undefined) throw new CausewayError('engine.not-found', `deployment ${reference}`);
  return deployment;
}

/** The endpoint's platform as a source, by way of the gate. The caller closes it. */
export function openSource(
  core: Pick<CoreContext, 'gate'>,
  endpoint: Endpoint,
  use?: PlatformUse,
): Promise<SourcePlatform> {
  return core.gate.source(endpoint, use);
}

/** The endpoint's platform as a destination, by way of the gate. The caller closes it. */
export function openDestination(core: Pick<CoreContext, 'gate'>, endpoint: Endpoint): Promise<DestinationPlatform> {
  return core.gate.destination(endpoint);
}

/** Opens, uses, closes. */
export async function using<P extends { close(): Promise<void> }, R>(
  platform: Promise<P>,
  work: (platform: P) => Promise<R>,
): Promise<R> {
  const opened = await platform;
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}

/** Carries out one call. The input has been checked. */
export type Handler<N extends CallName> = (
  core: CoreContext,
  input: CallArguments<N>,
  signal: AbortSignal,
) => Promise<CallOutput<N>>;

/** The handlers of some of the calls. */
export type Handlers<N extends CallName> = { readonly [K in N]: Handler<K> };

/** The calls of one domain, e.g. all that begin with `vault.`. */
export type CallsOf<D extends string> = Extract<CallName, `${D}.${string}`>;
