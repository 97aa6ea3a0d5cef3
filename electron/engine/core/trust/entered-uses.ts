import type { JsonObject } from '../../../../shared/model/json.ts';
import type { PluginId, Side } from '../../../../shared/model/plugin-id.ts';
import { environmentUses } from '../../trust/environment-uses.ts';
import type { CoreParts } from '../core-context.ts';
import { effectiveValues } from '../environments.ts';

/** An environment as entered on this computer, and as it was before. */
export interface WrittenEnvironment {
  readonly plugin: PluginId;
  readonly side: Side;
  readonly before?: JsonObject;
  readonly after: JsonObject;
  /** Text of an INI file, before and after. */
  readonly configurationBefore?: string | undefined;
  readonly configurationAfter?: string | undefined;
}

/**
 * What is entered here is accepted. Earlier content that was not accepted stays so: changing another field does not
 * confirm it.
 */
export function acceptEntered(core: Pick<CoreParts, 'trust'>, written: readonly WrittenEnvironment[]): void {
  const record = core.trust.read();
  if (record === undefined) return;
  const accepted = new Set(record.uses);
  for (const { plugin, side, before = {}, after, configurationBefore, configurationAfter } of written) {
    const keysOf = (environment: JsonObject, configuration: string | undefined): string[] =>
      environmentUses(
        plugin,
        side,
        effectiveValues(side, { plugin, layers: { vm: { environment } } }, configuration),
      ).map(({ key }) => key);
    const old = new Set(keysOf(before, configurationBefore));
    for (const key of keysOf(after, configurationAfter)) if (!old.has(key)) accepted.add(key);
  }
  acceptUses(core, [...accepted]);
}

export function acceptUses(core: Pick<CoreParts, 'trust'>, keys: readonly string[]): void {
  const known = new Set(core.trust.read()?.uses);
  if (keys.every((key) => known.has(key))) return;
  core.trust.change(({ uses }) => ({ uses: [...new Set([...uses, ...keys])].sort() }));
}
