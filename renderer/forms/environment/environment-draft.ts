import {
  inheritedKeys,
  resolveLayers,
  writtenEnvironment,
  type EnvironmentLayer,
  type WrittenLayers,
} from '../../../shared/environment/layers.ts';
import { mergeEnvironment, type EffectiveKey } from '../../../shared/environment/merge-environment.ts';
import type { JsonObject, JsonValue } from '../../../shared/model/json.ts';
import { sides, type PluginId, type Side } from '../../../shared/model/plugin-id.ts';
import type { Vm } from '../../../shared/model/vm.ts';
import type { EnvironmentDefinition } from '../../../shared/plugins/plugin-definition.ts';
import { plugins } from '../../../shared/plugins/registry.ts';
import type { Catalog } from '../../../shared/model/catalog.ts';
import type { Finding } from '../../../shared/schema/finding.ts';
import { fromPointer } from '../../../shared/schema/json-pointer.ts';
import { validateDocument } from '../../../shared/validation/validate-document.ts';
import { describeFields, type FieldDescriptor } from '../field-descriptor.ts';
import { fromFieldValue, toFieldValue, type FieldValue } from '../form-values.ts';
import { sameJson } from './same-json.ts';
import { hideSecrets, restoreSecrets } from './typed-secrets.ts';

/** Whether the layer that is edited takes a value from below, has one of its own, or takes it back. */
export type Mode = 'inherit' | 'set' | 'cleared';
/** What is edited: one virtual machine, a wave or the whole project. */
export type Level = 'project' | 'wave' | 'VM';

/** One key as its field shows it. The object stays the same until something of it changes. */
export interface FieldState {
  readonly mode: Mode;
  readonly value: FieldValue;
  /** The value does not fit its field: it is edited as JSON. */
  readonly isRaw: boolean;
  /** Its input was emptied: this layer says nothing of it. */
  readonly isEmptied?: true;
  /** Nobody chose the value: it is the first of so many. */
  readonly suggestedOf?: number;
  /** What would count without a word of this layer. */
  readonly inherited: EffectiveKey | undefined;
  /** What counts. */
  readonly effective: EffectiveKey | undefined;
  readonly findings: readonly Finding[];
}

/** What lies below the layer that is edited, and what it is checked with. */
export interface DraftContext {
  readonly weaker: Readonly<Record<Side, Pick<WrittenLayers, 'project' | 'wave'>>>;
  readonly providerConfiguration: ReadonlyMap<string, JsonObject>;
  readonly vm: Vm | undefined;
  readonly catalog: Catalog | undefined;
}

interface Own {
  readonly mode: 'set' | 'cleared';
  readonly value: FieldValue;
  readonly isRaw: boolean;
  readonly suggestedOf?: number;
}

interface SideDraft {
  readonly plugin: PluginId;
  readonly definition: EnvironmentDefinition;
  readonly fields: readonly FieldDescriptor[];
  own: Map<string, Own>;
  /** Keys that no field is for, e.g. other spellings; the findings say so. */
  extra: JsonObject;
}

/**
 * An environment while somebody edits it, as an external store: each field looks at its own key and is rendered once
 * when that changes. Every change is checked at once; a document takes a fraction of a millisecond.
 */
export class EnvironmentDraft {
  readonly level: Level;
  readonly #sides: Partial<Record<Side, SideDraft>> = {};
  readonly #states = new Map<string, FieldState>();
  readonly #listeners = new Map<string, Set<() => void>>();
  #context: DraftContext;
  #findings: readonly Finding[] = [];
  #version = 0;

  constructor(
    level: Level,
    own: Readonly<Partial<Record<Side, { readonly plugin: PluginId; readonly layer: EnvironmentLayer }>>>,
    context: DraftContext,
  ) {
    this.level = level;
    this.#context = context;
    for (const side of sides) {
      const given = own[side];
      const definition = given === undefined ? undefined : plugins[given.plugin][side];
      if (given === undefined || definition === undefined) continue;
      const fields = describeFields(definition.schema, `${given.plugin}/${side}`);
      this.#sides[side] = { plugin: given.plugin, definition, fields, ...ownOf(fields, given.layer) };
    }
    this.#refresh();
  }

  fieldsOf(side: Side): readonly FieldDescriptor[] {
    return this.#sides[side]?.fields ?? [];
  }

  pluginOf(side: Side): PluginId | undefined {
    return this.#sides[side]?.plugin;
  }

  get vm(): Vm | undefined {
    return this.#context.vm;
  }

  /** Fields with values that nobody chose. */
  suggestions(): readonly FieldDescriptor[] {
    return sides.flatMap((side) =>
      this.fieldsOf(side).filter(({ key }) => this.field(side, key).suggestedOf !== undefined),
    );
  }

  /** Everything that was found, in the order of the document; with those that belong to no field. */
  readonly findings = (): readonly Finding[] => this.#findings;
  /** Changes with every change. */
  readonly version = (): number => this.#version;

  field(side: Side, key: string): FieldState {
    return this.#states.get(`${side}/${key}`)!;
  }

  readonly subscribe = (place: string, listener: () => void): (() => void) => {
    const known = this.#listeners.get(place) ?? new Set();
    this.#listeners.set(place, known.add(listener));
    return () => known.delete(listener);
  };

  setValue(side: Side, key: string, value: FieldValue): void {
    const draft = this.#sides[side]!;
    const isRaw = this.field(side, key).isRaw;
    draft.own.set(key, { mode: 'set', value, isRaw });
    this.#refresh();
  }

  /** Says that a key's value was not chosen by a person, but is the first of so many; until somebody sets it. */
  suggest(side: Side, key: string, of: number): void {
    const own = this.#sides[side]?.own.get(key);
    if (own?.mode !== 'set') return;
    this.#sides[side]!.own.set(key, { ...own, suggestedOf: of });
    this.#refresh();
  }

  inherit(side: Side, key: string): void {
    this.#sides[side]!.own.delete(key);
    this.#refresh();
  }

  clear(side: Side, key: string): void {
    this.#sides[side]!.own.set(key, { mode: 'cleared', value: '', isRaw: false });
    this.#refresh();
  }

  /** The layer as it would be kept. */
  layer(side: Side): EnvironmentLayer {
    const draft = this.#sides[side];
    if (draft === undefined) return { environment: {} };
    const environment: Record<string, JsonValue> = { ...draft.extra };
    const cleared: string[] = [];
    for (const field of draft.fields) {
      const own = draft.own.get(field.key);
      if (own?.mode === 'cleared') cleared.push(field.key);
      const value = own?.mode === 'set' ? jsonOf(field, own) : undefined;
      if (value !== undefined) environment[field.key] = value;
    }
    return { environment, ...(cleared.length === 0 ? {} : { cleared }) };
  }

  /** The same as it may be shown: secrets that were typed are hidden. */
  shownLayer(side: Side): EnvironmentLayer {
    const { environment, ...rest } = this.layer(side);
    return { environment: hideSecrets(this.fieldsOf(side), environment), ...rest };
  }

  /** Takes another text's values; what it clears stays, as a text can't say it. */
  replace(side: Side, environment: JsonObject): void {
    const draft = this.#sides[side];
    if (draft === undefined) return;
    const cleared = [...draft.own]
      .filter(([key, own]) => own.mode === 'cleared' && !Object.hasOwn(environment, key))
      .map(([key]) => key);
    Object.assign(
      draft,
      ownOf(draft.fields, {
        environment: restoreSecrets(draft.fields, environment, this.layer(side).environment),
        cleared,
      }),
    );
    this.#refresh();
  }

  changeContext(part: Partial<DraftContext>): void {
    this.#context = { ...this.#context, ...part };
    this.#refresh();
  }

  /** Key by key what counts, built-in values not included; typed secrets are hidden. */
  effective(side: Side): readonly EffectiveKey[] {
    const draft = this.#sides[side];
    return draft === undefined
      ? []
      : mergeEnvironment(
          draft.definition,
          resolveLayers(draft.definition, this.#layers(side), this.#configured(draft)),
        );
  }

  #layers(side: Side): WrittenLayers {
    const { project, wave } = this.#context.weaker[side];
    const own = this.shownLayer(side);
    // The strongest layer is merged as the virtual machine's whichever it is; `#origin` names it.
    return {
      project: this.level === 'project' ? undefined : project,
      wave: this.level === 'VM' ? wave : undefined,
      vm: own,
    };
  }

  #configured({ definition }: SideDraft): JsonObject {
    return this.#context.providerConfiguration.get(definition.providerConfiguration?.section ?? '') ?? {};
  }

  #refresh(): void {
    this.#findings = this.#check();
    const byField = Map.groupBy(this.#findings, ({ path }) => placeOf(path));
    const changed: string[] = [];
    for (const side of sides) {
      const draft = this.#sides[side];
      if (draft === undefined) continue;
      const inherited = new Map(
        inheritedKeys(draft.definition, this.#layers(side), this.#configured(draft)).map((entry) => [entry.key, entry]),
      );
      const effective = new Map(this.effective(side).map((entry) => [entry.key, entry]));
      for (const field of draft.fields) {
        const place = `${side}/${field.key}`;
        const next = stateOf(
          field,
          draft.own.get(field.key),
          inherited.get(field.key),
          effective.get(field.key),
          byField.get(place) ?? [],
        );
        const before = this.#states.get(place);
        if (before !== undefined && sameJson(before, next)) continue;
        this.#states.set(place, next);
        changed.push(place);
      }
    }
    this.#version += 1;
    for (const place of [...changed, 'all']) for (const listener of this.#listeners.get(place) ?? []) listener();
  }

  #check(): readonly Finding[] {
    const { vm, catalog, providerConfiguration } = this.#context;
    const document: Record<string, unknown> = vm === undefined ? {} : { vm };
    const configured = new Map(providerConfiguration);
    for (const side of sides) {
      const draft = this.#sides[side];
      if (draft === undefined) continue;
      const resolved = resolveLayers(draft.definition, this.#layers(side), this.#configured(draft));
      const section = draft.definition.providerConfiguration?.section ?? '';
      if (configured.has(section)) configured.set(section, resolved.providerConfiguration);
      // Own keys as they were written, so that other spellings are told at their places.
      document[side] = {
        plugin: draft.plugin,
        environment: { ...writtenEnvironment({ ...resolved, vm: {} }), ...this.shownLayer(side).environment },
      };
    }
    const found = validateDocument(document, {
      locations: false,
      providerConfiguration: configured,
      ...(catalog === undefined ? {} : { catalog }),
    });
    // A layer for several machines need not be complete.
    const isPartial = this.level !== 'VM';
    return found.filter(
      ({ rule }) =>
        rule !== 'general/no-catalog' && !(isPartial && (rule.endsWith('/missing-key') || rule === 'document/no-side')),
    );
  }
}

function ownOf(
  fields: readonly FieldDescriptor[],
  { environment, cleared = [] }: EnvironmentLayer,
): Pick<SideDraft, 'own' | 'extra'> {
  const own = new Map<string, Own>(cleared.map((key) => [key, { mode: 'cleared', value: '', isRaw: false }]));
  const extra: [string, JsonValue][] = [];
  for (const [key, value] of Object.entries(environment)) {
    const field = fields.find((one) => one.key === key);
    if (field === undefined) extra.push([key, value]);
    else own.set(key, { mode: 'set', ...editable(field, value) });
  }
  // An assignment would take the key `__proto__` for the prototype.
  return { own, extra: Object.fromEntries(extra) };
}

/** A value as its field edits it; as JSON where the field would change it. */
function editable(field: FieldDescriptor, value: JsonValue): Pick<Own, 'value' | 'isRaw'> {
  const edited = toFieldValue(field, value);
  const fits =
    sameJson(fromFieldValue(field, edited), value) || (field.kind === 'boolean' && typeof value === 'string');
  return fits ? { value: edited, isRaw: false } : { value: JSON.stringify(value, undefined, 2), isRaw: true };
}

function jsonOf(field: FieldDescriptor, { value, isRaw }: Own): JsonValue | undefined {
  return fromFieldValue(isRaw ? { ...field, kind: 'json' } : field, value);
}

function stateOf(
  field: FieldDescriptor,
  own: Own | undefined,
  inherited: EffectiveKey | undefined,
  effective: EffectiveKey | undefined,
  findings: readonly Finding[],
): FieldState {
  const shared = { inherited, effective, findings };
  if (own !== undefined) {
    return {
      ...shared,
      mode: own.mode,
      value: own.mode === 'cleared' ? toFieldValue(field, undefined) : own.value,
      isRaw: own.isRaw,
      ...(own.mode === 'set' && jsonOf(field, own) === undefined ? { isEmptied: true as const } : {}),
      ...(own.suggestedOf === undefined ? {} : { suggestedOf: own.suggestedOf }),
    };
  }
  return {
    ...shared,
    mode: 'inherit',
    ...(inherited === undefined
      ? { value: toFieldValue(field, undefined), isRaw: false }
      : editable(field, inherited.value)),
  };
}

/** `side/key` of a pointer into an environment; '' for what belongs to no field. */
export function placeOf(path: string): string {
  const [side, part, key] = fromPointer(path);
  return part === 'environment' && key !== undefined ? `${side}/${key}` : '';
}
