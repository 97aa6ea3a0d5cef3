import { useQuery } from '../../app/workbench-context.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { Screen } from '../../components/screen.tsx';
import { text } from '../../text/text.ts';
import { VaultNeeded } from '../../components/vault-card.tsx';
import { KeepPreview } from './keep-preview.tsx';

/** Reads all machines of a source in full and shows what keeping them would change. */
export function KeepFromEndpoint({ endpointId }: { readonly endpointId: string }) {
  const endpoint = useQuery('endpoint.get', { endpoint: endpointId });
  const read = useQuery('inventory.read', { endpoint: endpointId });
  const name = endpoint.data?.name ?? endpointId;
  return (
    <Screen isWide title={text.inventory.readTitle(name)} lead={text.inventory.readLead}>
      <VaultNeeded />
      <QueryView query={read}>
        {({ machines, failed }) => (
          <KeepPreview
            origin={{ kind: 'endpoint', name }}
            proposedName={name}
            machines={machines}
            problems={failed.map((one) => ({
              severity: 'error',
              table: name,
              row: 0,
              column: one.name,
              message: one.error,
            }))}
          />
        )}
      </QueryView>
    </Screen>
  );
}
