import type { Defaults } from '../../../../shared/environment/layers.ts';
import { toErrorRecord } from '../../../../shared/model/causeway-error.ts';
import { errorText } from '../../../../shared/model/errors/catalogue.ts';
import type { Replica } from '../../../../shared/model/replica.ts';
import type { WaveCause } from '../../../../shared/model/wave.ts';
import { configurationFindings } from '../environments.ts';
import type { CoreContext } from '../core-context.ts';
import { keptBySettings, settingsKey } from '../kept-by-settings.ts';
import { replicaEnvironments } from '../replica-environments.ts';

/** What keeps a replica from running, in the fields that causes are told apart by. */
export interface ReadinessFinding {
  readonly code: string;
  readonly severity: 'error' | 'warning' | 'info';
  readonly path: string;
  readonly message: string;
}

type Core = Pick<CoreContext, 'store' | 'stateFolder' | 'accepted' | 'gate'>;

const kept = keptBySettings<readonly ReadinessFinding[]>();

/** What the offline rules find in a replica; asked again only when something changed that they read. */
export function readinessFindings(core: Core, replica: Replica, defaults: Defaults): readonly ReadinessFinding[] {
  return kept(core.store, settingsKey(core, replica, defaults), () => findingsOf(core, replica, defaults));
}

function findingsOf(core: Core, replica: Replica, defaults: Defaults): ReadinessFinding[] {
  try {
    const { providerConfiguration } = replica;
    const found = [
      ...(providerConfiguration === undefined ? [] : configurationFindings(providerConfiguration)),
      ...replicaEnvironments(core, replica, defaults).findings(undefined),
    ];
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
    return [...this.#causes.values()].sort(
      (one, other) => rank[one.severity] - rank[other.severity] || other.replicas.length - one.replicas.length,
    );
  }
}
