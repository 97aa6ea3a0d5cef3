import { hash } from 'node:crypto';
import type { Defaults } from '../../../shared/environment/layers.ts';
import type { Replica } from '../../../shared/model/replica.ts';
import { endpointOf, type CoreParts } from './core-context.ts';

type Core = Pick<CoreParts, 'store' | 'accepted'>;

/** More than so many different settings are not kept; those that were not asked for longest go first. */
const mostKept = 20_000;

/**
 * Results that depend on nothing but what a replica, its endpoints and the defaults say: found once for all replicas that say the same, and
 * kept while a project is open.
 */
export function keptBySettings<T>() {
  const ofStores = new WeakMap<object, { young: Map<string, T>; old: Map<string, T> }>();
  return (store: object, key: string, find: () => T): T => {
    const kept = ofStores.get(store) ?? { young: new Map<string, T>(), old: new Map<string, T>() };
    ofStores.set(store, kept);
    if (kept.young.has(key)) return kept.young.get(key)!;
    const found = kept.old.has(key) ? kept.old.get(key)! : find();
    if (kept.young.size >= mostKept) {
      kept.old = kept.young;
      kept.young = new Map();
    }
    kept.young.set(key, found);
    return found;
  };
}

/** The same as long as, and the same for all replicas for which, nothing differs that rules and environments read. @throws CausewayError `engine.not-found` */
export function settingsKey(core: Core, replica: Replica, { project, waves }: Defaults): string {
  const { sourceEnvironment, destinationEnvironment, providerConfiguration, cleared, wave } = replica;
  const reached = [replica.sourceEndpointId, replica.destinationEndpointId].map((reference) =>
    endpointOf(core, reference),
  );
  const environments = wave === undefined ? undefined : waves.find(({ name }) => name === wave)?.environments;
  const texts = [
    ...reached.map(({ id, plugin }) => `${id} ${plugin}`),
    ...[
      ...reached.map(({ connection }) => connection),
      sourceEnvironment,
      destinationEnvironment,
      cleared,
      project,
      environments,
    ].map(textOf),
    JSON.stringify([providerConfiguration, wave]),
  ];
  // No JSON text has a line break in it.
  return hash('sha256', texts.join('\n'), 'base64');
}

const textsOfObjects = new WeakMap<object, string>();

/** Settings are never changed where they are but replaced as a whole, and one text is asked for with thousands of replicas. */
function textOf(value: object | undefined): string {
  if (value === undefined) return '';
  const text = textsOfObjects.get(value) ?? JSON.stringify(value);
  textsOfObjects.set(value, text);
  return text;
}
