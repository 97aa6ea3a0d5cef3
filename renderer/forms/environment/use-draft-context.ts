import { useEffect } from 'react';
import type { Defaults } from '../../../shared/environment/layers.ts';
import type { PluginId, Side } from '../../../shared/model/plugin-id.ts';
import type { Vm } from '../../../shared/model/vm.ts';
import type { Catalog } from '../../../shared/model/catalog.ts';
import { useDraftVersion } from './draft-context.tsx';
import { sectionsOf, weakerLayers } from './draft-of-replica.ts';
import type { EnvironmentDraft } from './environment-draft.ts';

interface Around {
  readonly plugins: Readonly<Record<Side, PluginId>>;
  readonly vm: Vm | undefined;
  readonly catalog: Catalog | undefined;
  readonly defaults: Defaults;
  readonly wave: string;
  /** Text of the provider configuration. */
  readonly configuration: string;
}

/** Tells a draft what it is checked with and what lies below it, whenever that changes; answers whether it has errors. */
export function useDraftContext(
  draft: EnvironmentDraft,
  { plugins: { source, destination }, vm, catalog, defaults, wave, configuration }: Around,
): boolean {
  useDraftVersion(draft);
  useEffect(() => draft.changeContext({ vm, catalog }), [draft, vm, catalog]);
  useEffect(
    () =>
      draft.changeContext({
        weaker: weakerLayers(defaults, wave, source, destination),
        providerConfiguration: sectionsOf(configuration),
      }),
    [draft, defaults, wave, configuration, source, destination],
  );
  return draft.findings().some(({ severity }) => severity === 'error');
}
