import type { ExplainedValue } from '../../../shared/environment/explain-environment.ts';
import { isJsonObject } from '../../../shared/model/json.ts';
import type { PluginId, Side } from '../../../shared/model/plugin-id.ts';
import { toPointer } from '../../../shared/schema/json-pointer.ts';

export interface ExplainedSide {
  readonly side: Side;
  readonly plugin: PluginId;
  readonly environment: readonly ExplainedValue[];
  /** Options of the provider configuration that no environment key overrides. */
  readonly configurationOnly: readonly ExplainedValue[];
}

const hidden = '(hidden)';

/** A table for each side: key, value, where it comes from. */
export function formatExplanationText(sides: readonly ExplainedSide[]): string {
  return sides
    .map(({ side, plugin, environment, configurationOnly }) => {
      const parts = [
        `${side}: ${plugin}`,
        ...table(environment.map((value) => [nameOf(value), shown(value), originOf(value)])),
      ];
      if (environment.length === 0) parts.push('  (nothing is set)');
      if (configurationOnly.length > 0) {
        const rows = configurationOnly.map((value) => [nameOf(value), shown(value), originOf(value)]);
        parts.push('', 'options of the provider configuration only:', ...table(rows));
      }
      return `${parts.join('\n')}\n`;
    })
    .join('\n');
}

/** The same for scripts: one entry for each value, `path` a JSON Pointer below the side's environment. */
export function formatExplanationJson(sides: readonly ExplainedSide[]): string {
  const entry = (value: ExplainedValue): object => {
    const { path, origin, from, combined, elementOrigins } = value;
    return {
      path: toPointer(path),
      value: isHidden(value) ? hidden : value.value,
      origin,
      ...(from === undefined ? {} : { from }),
      ...(combined === undefined ? {} : { combined }),
      ...(elementOrigins === undefined ? {} : { elementOrigins }),
    };
  };
  const plain = sides.map(({ side, plugin, environment, configurationOnly }) => ({
    side,
    plugin,
    environment: environment.map(entry),
    configurationOnly: configurationOnly.map(entry),
  }));
  return `${JSON.stringify({ sides: plain }, undefined, 2)}\n`;
}

function table(rows: readonly (readonly string[])[]): string[] {
  const width = (column: number): number => Math.min(60, Math.max(0, ...rows.map((row) => row[column]?.length ?? 0)));
  const [first, second] = [width(0), width(1)];
  return rows.map(
    ([key = '', value = '', origin = '']) => `  ${key.padEnd(first)}  ${value.padEnd(second)}  ${origin}`,
  );
}

function nameOf({ path }: ExplainedValue): string {
  return path.map((key) => (/^[\w$-]+$/.test(key) ? key : JSON.stringify(key))).join('.');
}

function shown(value: ExplainedValue): string {
  return isHidden(value) ? hidden : JSON.stringify(value.value);
}

/** A secret by reference may be seen, the name of a secret is none; anything else in a secret's place may not. */
function isHidden({ secret, value }: ExplainedValue): boolean {
  return secret && !(isJsonObject(value) && Object.keys(value).length === 1 && typeof value['$secret'] === 'string');
}

function originOf({ origin, from, combined, elementOrigins, path }: ExplainedValue): string {
  const source = (layer: string): string =>
    layer === 'provider configuration' && from !== undefined && from !== path[0] ? `${layer}, ${from}` : layer;
  if (elementOrigins !== undefined) return `joined: ${[...new Set(elementOrigins)].map(source).join(' + ')}`;
  return combined === undefined ? source(origin) : `${source(origin)} (${combined})`;
}
