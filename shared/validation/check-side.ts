import { effectiveEnvironment } from '../environment/merge-environment.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';
import type { Side } from '../model/plugin-id.ts';
import { pluginOfProduct, type PluginDefinition } from '../plugins/plugin-definition.ts';
import { canonicalise } from '../schema/accepted-spellings.ts';
import type { Catalog } from '../model/catalog.ts';
import { checkShape, type ShapeFault } from '../schema/check-shape.ts';
import { adviseByShape } from './check-vm.ts';
import type { Finding } from '../schema/finding.ts';
import { toPointer, type PathSegment } from '../schema/json-pointer.ts';
import type { RuleContext, VmFacts } from '../plugins/rule.ts';
import { nearestSpelling } from '../schema/spelling.ts';
import { surroundingBlanks } from '../schema/surrounding-blanks.ts';
import { sideSchema } from './document-shape.ts';
import { adviseOnKey, type KeySuggestions, type Plugins } from './unknown-key.ts';

/** How the endpoints of a document's sides are reached, as far as that is known. Secrets by reference. */
export type Connections = Readonly<Partial<Record<Side, JsonObject>>>;

export interface SideContext extends KeySuggestions {
  readonly vm: VmFacts | undefined;
  readonly catalog: Catalog | undefined;
  /** Typed values by section. */
  readonly providerConfiguration: ReadonlyMap<string, JsonObject>;
  readonly connections: Connections;
}

/** All findings of one side of a document: its own shape, its plugin, the environment's shape, the plugin's rules. */
export function* checkSide(side: Side, value: JsonValue, context: SideContext): Iterable<Finding> {
  for (const fault of checkShape(sideSchema, value, {
    unknownKey: (unknown) => adviseByShape(unknown, side),
    name: JSON.stringify(side),
  })) {
    yield finding(fault, 'document', [side]);
  }
  if (!isJsonObject(value)) return;
  const { plugin: id } = value;
  if (typeof id !== 'string') return;
  const plugin = Object.hasOwn(context.plugins, id) ? context.plugins[id] : undefined;
  if (plugin?.[side] === undefined) {
    yield { ...unusablePlugin(id, plugin, side, context.plugins), path: toPointer([side, 'plugin']) };
    return;
  }
  const environment = Object.hasOwn(value, 'environment') ? value['environment'] : {};
  if (isJsonObject(environment)) yield* checkEnvironment(plugin, side, environment, context);
}

function* checkEnvironment(
  plugin: PluginDefinition,
  side: Side,
  written: JsonObject,
  context: SideContext,
): Iterable<Finding> {
  const definition = plugin[side];
  if (definition === undefined) return;
  const at = [side, 'environment'] as const;
  const { environment, faults, inDocument } = canonicalise(written, definition.acceptedSpellings);
  for (const fault of faults) yield finding(fault, plugin.id, at);
  const section = definition.providerConfiguration?.section;
  const providerConfiguration = (section === undefined ? undefined : context.providerConfiguration.get(section)) ?? {};
  const effective = effectiveEnvironment(definition, { providerConfiguration, vm: environment });
  const shapeFaults = checkShape(definition.schema, environment, {
    unknownKey: (unknown) => adviseOnKey(unknown, plugin, side, context),
    givenElsewhere: (key) => Object.hasOwn(effective, key),
  });
  for (const fault of shapeFaults) yield finding({ ...fault, path: inDocument(fault.path) }, plugin.id, at);
  for (const fault of surroundingBlanks(environment, definition.schema))
    yield finding({ ...fault, path: inDocument(fault.path) }, plugin.id, at);
  const { vm, catalog, connections } = context;
  // A key that is only misspelt is there: rules need not report it as missing once more.
  const spelt = withRenames(environment, shapeFaults);
  const seen =
    spelt === environment ? effective : effectiveEnvironment(definition, { providerConfiguration, vm: spelt });
  const ruleContext: RuleContext = {
    side,
    vm,
    environment: spelt,
    effective: seen,
    providerConfiguration,
    catalog,
    connection: connections[side],
  };
  for (const rule of definition.rules) {
    try {
      for (const { at: place, from, ...rest } of [...rule.check(ruleContext)]) {
        const path = from === 'document' ? place : [...at, ...inDocument(place)];
        yield {
          severity: rest.severity,
          path: toPointer(path),
          rule: rule.id,
          message: rest.message,
          ...adviceOf(rest),
        };
      }
    } catch (error) {
      // A defect of the rule must not take the other rules' findings along, nor let the document pass unseen.
      const reason = error instanceof Error ? error.message : String(error);
      const message = `The rule ${rule.id} failed because of a defect in Causeway (${reason})`;
      yield { severity: 'warning', path: toPointer(at), rule: 'general/rule-failed', message };
    }
  }
}

/** The environment with each key renamed that has exactly one likely spelling. */
function withRenames(environment: JsonObject, faults: readonly ShapeFault[]): JsonObject {
  const renames = faults.flatMap(({ rule, path, fix }) =>
    rule === 'unknown-key' && fix?.kind === 'rename-key' ? [{ path, to: fix.to }] : [],
  );
  if (renames.length === 0) return environment;
  return renames.reduce<JsonValue>((all, { path, to }) => renamed(all, path, to), environment) as JsonObject;
}

function renamed(value: JsonValue, [key = '', ...rest]: readonly PathSegment[], to: string): JsonValue {
  if (Array.isArray(value))
    return (value as readonly JsonValue[]).map((item, index) => (index === key ? renamed(item, rest, to) : item));
  if (!isJsonObject(value) || !Object.hasOwn(value, key) || (rest.length === 0 && Object.hasOwn(value, to)))
    return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) =>
      name !== key ? [name, member] : rest.length === 0 ? [to, member] : [name, renamed(member, rest, to)],
    ),
  );
}

function finding(
  { path, rule, severity, message, ...advice }: ShapeFault,
  area: string,
  below: readonly PathSegment[],
): Finding {
  return { severity, path: toPointer([...below, ...path]), rule: `${area}/${rule}`, message, ...adviceOf(advice) };
}

function adviceOf({ suggestion, fix }: Pick<Finding, 'suggestion' | 'fix'>): Pick<Finding, 'suggestion' | 'fix'> {
  return { ...(suggestion === undefined ? {} : { suggestion }), ...(fix === undefined ? {} : { fix }) };
}

function unusablePlugin(
  id: string,
  plugin: PluginDefinition | undefined,
  side: Side,
  plugins: Plugins,
): Omit<Finding, 'path'> {
  const choices = Object.values(plugins)
    .filter((other) => other[side] !== undefined)
    .map((other) => other.id);
  if (plugin !== undefined) {
    return {
      severity: 'error',
      rule: 'document/plugin-side',
      message: `${id} is not available as a ${side}`,
      suggestion: `Plugins for a ${side}: ${choices.join(', ')}.`,
    };
  }
  const product = pluginOfProduct(id, Object.values(plugins));
  const message = `Unknown plugin ${JSON.stringify(id)}`;
  if (product?.[side] !== undefined) {
    return {
      severity: 'error',
      rule: 'document/unknown-plugin',
      message,
      suggestion: `Use ${JSON.stringify(product.id)}, the plugin for this product.`,
      fix: { kind: 'set-value', value: product.id },
    };
  }
  if (product !== undefined) {
    return {
      severity: 'error',
      rule: 'document/unknown-plugin',
      message,
      suggestion: `The plugin for this product is ${JSON.stringify(product.id)}, but it is not available as a ${side}. Plugins for a ${side}: ${choices.join(', ')}.`,
    };
  }
  const nearest = nearestSpelling(id, Object.keys(plugins));
  return {
    severity: 'error',
    rule: 'document/unknown-plugin',
    message,
    ...(nearest === undefined
      ? { suggestion: `Plugins for a ${side}: ${choices.join(', ')}.` }
      : { suggestion: `Did you mean ${JSON.stringify(nearest)}?`, fix: { kind: 'set-value', value: nearest } }),
  };
}
