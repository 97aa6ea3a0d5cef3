import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import type { Endpoint } from '../../../shared/model/endpoint.ts';
import { plugins } from '../../../shared/plugins/registry.ts';
import { goTo, hrefOf } from '../../app/route.ts';
import { useQuery } from '../../app/workbench-context.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { pluginTitle, text } from '../../text/text.ts';
import { VaultNeeded } from '../../components/vault-card.tsx';
import { VmTable } from './vm-table.tsx';

/** The virtual machines of one source, as they are now. */
export function SourceMachines({ chosen }: { readonly chosen?: string }) {
  const endpoints = useQuery('endpoint.list', {});
  return (
    <QueryView query={endpoints}>
      {(all) => <Sources sources={all.filter(isSource)} {...(chosen === undefined ? {} : { chosen })} />}
    </QueryView>
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
      <Box sx={{ display: 'flex', gap: 2, alignItems: 'center', flexWrap: 'wrap' }}>
        <TextField
          select
          size="small"
          label={text.inventory.source}
          value={source.id}
          onChange={(event) => goTo('inventory', event.target.value)}
          sx={{ minWidth: 280, maxWidth: 420 }}
        >
          {sources.map(({ id, name, plugin }) => (
            <MenuItem key={id} value={id}>
              {name} ({pluginTitle(plugins[plugin])})
            </MenuItem>
          ))}
        </TextField>
        <Button href={hrefOf('inventory', 'import', source.id)}>{text.inventory.keep}</Button>
      </Box>
      <VmTable key={source.id} endpointId={source.id} />
    </>
  );
}
