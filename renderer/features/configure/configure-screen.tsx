import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import { useQuery } from '../../app/workbench-context.tsx';
import { hrefOf } from '../../app/route.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { Screen } from '../../components/screen.tsx';
import { text } from '../../text/text.ts';
import { VaultNeeded } from '../../components/vault-card.tsx';
import { ConfigureReplica } from './configure-replica.tsx';

/** The environment of a replica as a form. Works without a network, with what was last known of both ends. */
export function ConfigureScreen({ replicaId }: { readonly replicaId: string }) {
  const replica = useQuery('replica.show', { replica: replicaId });
  const endpoints = useQuery('endpoint.list', {});
  const defaults = useQuery('defaults.show', {});
  return (
    <Screen isWide title={text.configure.title(replica.data?.name ?? '')} lead={text.configure.lead}>
      <VaultNeeded />
      <QueryView query={replica}>
        {(found) => (
          <QueryView query={endpoints}>
            {(all) => (
              <QueryView query={defaults}>
                {(known) => {
                  const source = all.find(({ id }) => id === found.sourceEndpointId);
                  const destination = all.find(({ id }) => id === found.destinationEndpointId);
                  if (source === undefined || destination === undefined) {
                    return (
                      <EmptyState title={text.endpoints.missing}>
                        <Button href={hrefOf('replicas', found.id)}>{found.name}</Button>
                      </EmptyState>
                    );
                  }
                  return (
                    <>
                      {found.disks.some(({ volumeId }) => volumeId !== undefined) && (
                        <Alert severity="info">{text.configure.volumesExist}</Alert>
                      )}
                      <ConfigureReplica
                        key={found.id}
                        replica={found}
                        source={source}
                        destination={destination}
                        defaults={known}
                      />
                    </>
                  );
                }}
              </QueryView>
            )}
          </QueryView>
        )}
      </QueryView>
    </Screen>
  );
}
