import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { Endpoint } from '../../../shared/model/endpoint.ts';
import type { Deployment } from '../../../shared/model/deployment.ts';
import type { Execution } from '../../../shared/model/execution.ts';
import type { Replica } from '../../../shared/model/replica.ts';
import type { DeploymentService } from '../deployments/deployment-service.ts';
import type { ExecutionService } from '../executions/execution-service.ts';
import type { PlatformRegistry } from '../platforms/registry.ts';
import type { DestinationPlatform } from '../ports/destination-platform.ts';
import type { PlatformUse } from '../ports/platform-context.ts';
import type { SecretVault } from '../ports/secret-vault.ts';
import type { SourcePlatform } from '../ports/source-platform.ts';
import type { NewEvent } from '../store/events.ts';
import { ledgerScope } from '../store/ledger.ts';
import type { Store } from '../store/store.ts';
import type { Descriptions } from './descriptions/descriptions.ts';
import { resolveSecrets, type Redactor } from './secret-references.ts';

/** What the calls of the core stand on. */
export interface CoreContext {
  readonly stateFolder: string;
  readonly store: Store;
  readonly vault: SecretVault;
  readonly platforms: PlatformRegistry;
  readonly redactor: Redactor;
  readonly descriptions: Descriptions;
  readonly executions: ExecutionService;
  readonly deployments: DeploymentService;
  /** Records what happened, without secrets, and tells who listens. */
  readonly emit: (event: NewEvent) => void;
  /** How many runs at the same time where the project does not say it. */
  readonly defaultAtOnce: number;
}

/** The same without the services that stand on it. */
export type CoreParts = Omit<CoreContext, 'executions' | 'deployments' | 'emit' | 'defaultAtOnce'>;

/** Where digest maps lie. */
export function transferFolder(core: Pick<CoreContext, 'stateFolder'>): string {
  return join(core.stateFolder, 'transfer');
}

export function endpointOf(core: Pick<CoreContext, 'store'>, reference: string): Endpoint {
  const endpoint = core.store.endpoints.find(reference);
  if (endpoint === undefined) throw new CausewayError('engine.not-found', `endpoint ${reference}`);
  return endpoint;
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

type PlatformParts = Pick<CoreContext, 'platforms' | 'vault' | 'redactor' | 'stateFolder'>;

/**
 * The endpoint's platform as a source. The caller closes it.
 *
 * @param use for whom; without it, the source can only be looked at
 */
export async function openSource(core: PlatformParts & Pick<CoreContext, 'store'>, endpoint: Endpoint, use?: PlatformUse): Promise<SourcePlatform> {
  const factory = core.platforms[endpoint.plugin];
  if (factory?.source === undefined) throw notHere(endpoint, 'source');
  const ledger = use === undefined ? {} : { use, ledger: ledgerScope(core.store.ledger, scopeOfUse(endpoint, use)) };
  return factory.source(await connectionOf(core, endpoint), { ...contextOf(core, endpoint), ...ledger });
}

function scopeOfUse(endpoint: Endpoint, { replicaId, executionId }: PlatformUse) {
  return { endpointId: endpoint.id, replicaId, ...(executionId === undefined ? {} : { executionId }), side: 'source' as const };
}

/** The endpoint's platform as a destination. The caller closes it. */
export async function openDestination(core: PlatformParts, endpoint: Endpoint): Promise<DestinationPlatform> {
  const factory = core.platforms[endpoint.plugin];
  if (factory?.destination === undefined) throw notHere(endpoint, 'destination');
  return factory.destination(await connectionOf(core, endpoint), contextOf(core, endpoint));
}

/** Opens, uses, closes. */
export async function using<P extends { close(): Promise<void> }, R>(platform: Promise<P>, work: (platform: P) => Promise<R>): Promise<R> {
  const opened = await platform;
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}

function connectionOf(core: PlatformParts, endpoint: Endpoint) {
  return resolveSecrets(endpoint.connection, core.vault, (name, secret) => core.redactor.learn(name, secret));
}

function contextOf(core: PlatformParts, endpoint: Endpoint) {
  const folder = join(core.stateFolder, 'endpoints', endpoint.id);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return { scratchFolder: folder };
}

function notHere(endpoint: Endpoint, side: string): CausewayError {
  return new CausewayError('engine.plugin-not-here', `${endpoint.plugin} as a ${side} (endpoint ${endpoint.name})`);
}
