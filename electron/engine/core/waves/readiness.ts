import { createHash } from 'node:crypto';
import type { Defaults } from '../../../../shared/environment/layers.ts';
import { toErrorRecord } from '../../../../shared/model/causeway-error.ts';
import { errorText } from '../../../../shared/model/errors/catalogue.ts';
import type { Replica } from '../../../../shared/model/replica.ts';
import type { WaveCause } from '../../../../shared/model/wave.ts';
import { configurationFindings } from '../environments.ts';
import { endpointOf, type CoreContext } from '../core-context.ts';
import { replicaEnvironments } from '../replica-environments.ts';

/** What keeps a replica from running, in the fields that causes are told apart by. */
export interface ReadinessFinding {
  readonly code: string;
  readonly severity: 'error' | 'warning' | 'info';
  readonly path: string;
  readonly message: string;
}

type Core = Pick<CoreContext, 'store' | 'stateFolder' | 'accepted' | 'gate'>;

const kept = new WeakMap<object, Map<string, { readonly digest: string; readonly findings: readonly ReadinessFinding[] }>>();

/** What the offline rules find in a replica; asked again only when something changed that they read. */
export function readinessFindings(core: Core, replica: Replica, defaults: Defaults): readonly ReadinessFinding[] {
  const cache = kept.get(core.store) ?? new Map<string, { digest: string; findings: readonly ReadinessFinding[] }>();
  kept.set(core.store, cache);
  const digest = settingsKey(core, replica, defaults);
  const known = cache.get(replica.id);
  if (known?.digest === digest) return known.findings;
  const findings = findingsOf(core, replica, defaults);
  cache.set(replica.id, { digest, findings });
  return findings;
}

/** The same as long as nothing changed that the offline rules read. @throws CausewayError `engine.not-found` */
export function settingsKey(core: Core, replica: Replica, { project, waves }: Defaults): string {
  const { sourceEnvironment, destinationEnvironment, providerConfiguration, cleared, wave } = replica;
  const connections = [replica.sourceEndpointId, replica.destinationEndpointId].map((id) => endpointOf(core, id).connection);
  const read = [sourceEnvironment, destinationEnvironment, providerConfiguration, cleared, wave, connections, project, waves.find(({ name }) => name === wave)?.environments];
  return createHash('sha256').update(JSON.stringify(read)).digest('base64');
}

function findingsOf(core: Core, replica: Replica, defaults: Defaults): ReadinessFinding[] {
  try {
    const { providerConfiguration } = replica;
    const found = [...(providerConfiguration === undefined ? [] : configurationFindings(providerConfiguration)), ...replicaEnvironments(core, replica, defaults).findings(undefined)];
    return found.map(({ rule, severity, path, message }) => ({ code: rule, severity, path, message }));
  } catch (thrown) {
    // An endpoint or a wave that is gone.
    const { code, message } = toErrorRecord(thrown);
    return [{ code, severity: 'error', path: '', message: `${errorText(code).title}: ${message}` }];
  }
}

/** Causes with all replicas that share them: errors first, then those that hold back the most. */
export class CauseList {
  readonly #causes = new Map<string, Omit<WaveCause, 'replicas'> & { readonly replicas: string[] }>();

  add(replicaId: string, cause: Omit<WaveCause, 'replicas'>): void {
    const key = JSON.stringify([cause.kind, cause.code, cause.path, cause.message]);
    const known = this.#causes.get(key) ?? { ...cause, replicas: [] };
    known.replicas.push(replicaId);
    this.#causes.set(key, known);
  }

  list(): WaveCause[] {
    const rank = { error: 0, warning: 1, info: 2 } as const;
    return [...this.#causes.values()].sort((one, other) => rank[one.severity] - rank[other.severity] || other.replicas.length - one.replicas.length);
  }
}
