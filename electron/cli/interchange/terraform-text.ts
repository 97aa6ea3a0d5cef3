import { importablePlugins, terraformImports } from '../../../shared/interchange/terraform.ts';
import type { Endpoint } from '../../../shared/model/endpoint.ts';
import type { LedgerItem } from '../../../shared/model/ledger.ts';
import { UsageError } from '../command-context.ts';
import { table } from '../output/print.ts';

/** Import blocks for the resources of one destination, and what has none. @throws UsageError when it is not clear which destination */
export function terraformText(
  endpoints: readonly Endpoint[],
  items: readonly LedgerItem[],
  wanted: string | undefined,
): { readonly text: string; readonly notes: string } {
  const lasting = items.filter(({ lifetime, state }) => lifetime !== 'temporary' && state === 'existing');
  const used = endpoints.filter(
    ({ id, plugin }) => importablePlugins.includes(plugin) && lasting.some(({ endpointId }) => endpointId === id),
  );
  const chosen = wanted === undefined ? used : endpoints.filter(({ id, name }) => id === wanted || name === wanted);
  if (wanted !== undefined && chosen.length === 0)
    throw new UsageError(`there is no endpoint ${JSON.stringify(wanted)}`);
  if (chosen.length > 1)
    throw new UsageError(
      `several destinations have resources: ${chosen.map(({ name }) => name).join(', ')}. Choose one with --endpoint`,
    );
  const endpoint = chosen[0];
  if (endpoint === undefined) return { text: '', notes: 'No resources that Terraform can import.\n' };
  const { text, leftOut } = terraformImports(
    endpoint,
    lasting.filter(({ endpointId }) => endpointId === endpoint.id),
  );
  return {
    text,
    notes:
      leftOut.length === 0
        ? ''
        : `Without an import block:\n${table(
            ['kind', 'name', 'why'],
            leftOut.map(({ kind, name, why }) => [kind, name, why]),
          )}`,
  };
}
