import Button from '@mui/material/Button';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import type { Endpoint } from '../../../shared/model/endpoint.ts';
import { plugins } from '../../../shared/plugins/registry.ts';
import { goTo, hrefOf } from '../../app/route.ts';
import { useQuery } from '../../app/workbench-context.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { Screen } from '../../components/screen.tsx';
import { text } from '../../text/en.ts';
import { VaultNeeded } from '../home/vault-card.tsx';
import { VmTable } from './vm-table.tsx';

/** The virtual machines of one source. */
export function InventoryScreen({ endpointId }: { readonly endpointId?: string }) {
  const endpoints = useQuery('endpoint.list', {});
  return (
    <Screen title={text.inventory.title} lead={text.inventory.lead}>
      <QueryView query={endpoints}>{(all) => <Sources sources={all.filter(isSource)} {...(endpointId === undefined ? {} : { chosen: endpointId })} />}</QueryView>
    </Screen>
  );
}

function isSource({ plugin }: Endpoint): boolean {
  return plugins[plugin].source !== undefined;
}

function Sources({ sources, chosen }: { readonly sources: readonly Endpoint[]; readonly chosen?: string }) {
  const source = sources.find(({ id }) => id === chosen) ?? sources[0];
  if (source === undefined) {
    return (
      <EmptyState title={text.inventory.noSource} lead={text.inventory.noSourceLead}>
        <Button variant="contained" href={hrefOf('endpoints', 'new')}>
          {text.endpoints.add}
        </Button>
      </EmptyState>
    );
  }
  return (
    <>
      <VaultNeeded />
      <TextField
        select
        size="small"
        label={text.inventory.source}
        value={source.id}
        onChange={(event) => goTo('inventory', event.target.value)}
        sx={{ maxWidth: 420 }}
      >
        {sources.map(({ id, name, plugin }) => (
          <MenuItem key={id} value={id}>
            {name} ({plugins[plugin].title})
          </MenuItem>
        ))}
      </TextField>
      <VmTable key={source.id} endpointId={source.id} />
    </>
  );
}
