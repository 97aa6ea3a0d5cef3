import { layerKey } from '../../../shared/environment/layers.ts';
import type { Endpoint } from '../../../shared/model/endpoint.ts';
import type { JsonObject, JsonValue } from '../../../shared/model/json.ts';
import { sides, type Side } from '../../../shared/model/plugin-id.ts';
import type { Replica } from '../../../shared/model/replica.ts';
import type { WorkbenchInput } from '../../app/workbench-link.ts';
import type { EnvironmentDraft } from '../../forms/environment/environment-draft.ts';
import { sameJson } from '../../forms/environment/same-json.ts';

/** A setting of the machine that is being edited: set, or cleared. */
export interface OwnSetting {
  readonly side: Side;
  readonly key: string;
  readonly label: string;
  /** Undefined when it is cleared. */
  readonly value: JsonValue | undefined;
  /** The same as it may be shown. */
  readonly shown: JsonValue | undefined;
}

/** Everything that the layer says itself, in the order of the form. */
export function ownSettings(draft: EnvironmentDraft): OwnSetting[] {
  return sides.flatMap((side) => {
    const { environment, cleared = [] } = draft.layer(side);
    const shown = draft.shownLayer(side).environment;
    return draft
      .fieldsOf(side)
      .filter(({ key }) => Object.hasOwn(environment, key) || cleared.includes(key))
      .map(({ key, label }) => ({ side, key, label, value: environment[key], shown: shown[key] }));
  });
}

export interface SettingChange extends OwnSetting {
  readonly before: JsonValue | undefined;
  readonly wasCleared: boolean;
}

export interface ReplicaChange {
  readonly replica: Replica;
  readonly changes: readonly SettingChange[];
  /** Into which wave it goes, undefined = none; nothing where it stays in its own. */
  readonly wave?: { readonly before: string | undefined; readonly after: string | undefined };
  readonly update: WorkbenchInput<'replica.update'>;
}

/** Replicas to which settings can be applied: those between the same kinds of platforms. */
export function alike(replica: Replica, all: readonly Replica[], endpoints: readonly Endpoint[]): Replica[] {
  const kinds = ({ sourceEndpointId, destinationEndpointId }: Replica): string => {
    const plugin = (id: string) => endpoints.find((endpoint) => endpoint.id === id)?.plugin;
    const [source, destination] = [plugin(sourceEndpointId), plugin(destinationEndpointId)];
    return source === undefined || destination === undefined
      ? ''
      : `${layerKey(source, 'source')} ${layerKey(destination, 'destination')}`;
  };
  const own = kinds(replica);
  return all.filter((one) => one.id !== replica.id && own !== '' && kinds(one) === own);
}

/**
 * What applying would change; a replica that has it all already is not among them.
 * @param wave the name of the wave that is applied as well, null = no wave, undefined = waves stay as they are
 */
export function changesOf(
  settings: readonly OwnSetting[],
  replicas: readonly Replica[],
  wave?: string | null,
): ReplicaChange[] {
  return replicas.flatMap((replica) => {
    const environments: Record<Side, Record<string, JsonValue>> = {
      source: { ...replica.sourceEnvironment },
      destination: { ...replica.destinationEnvironment },
    };
    const cleared: Record<Side, string[]> = {
      source: [...(replica.cleared?.source ?? [])],
      destination: [...(replica.cleared?.destination ?? [])],
    };
    const changes = settings.flatMap((setting): SettingChange[] => {
      const { side, key, value } = setting;
      const own: JsonObject = environments[side];
      const before = Object.hasOwn(own, key) ? own[key] : undefined;
      const wasCleared = cleared[side].includes(key);
      if (value === undefined ? wasCleared : !wasCleared && before !== undefined && sameJson(before, value)) return [];
      return [{ ...setting, before, wasCleared }];
    });
    for (const { side, key, value } of changes) {
      cleared[side] = cleared[side].filter((one) => one !== key);
      if (value === undefined) {
        environments[side] = Object.fromEntries(Object.entries(environments[side]).filter(([one]) => one !== key));
        cleared[side].push(key);
      } else {
        environments[side] = { ...environments[side], [key]: value };
      }
    }
    const goesTo =
      wave === undefined || (replica.wave ?? null) === wave
        ? undefined
        : { before: replica.wave, after: wave ?? undefined };
    if (changes.length === 0 && goesTo === undefined) return [];
    const update = {
      replica: replica.id,
      ...(changes.length === 0
        ? {}
        : { sourceEnvironment: environments.source, destinationEnvironment: environments.destination, cleared }),
      ...(goesTo === undefined ? {} : { wave: goesTo.after ?? null }),
    };
    return [{ replica, changes, update, ...(goesTo === undefined ? {} : { wave: goesTo }) }];
  });
}
