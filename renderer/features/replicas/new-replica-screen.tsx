import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import CircularProgress from '@mui/material/CircularProgress';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import type { Endpoint } from '../../../shared/model/endpoint.ts';
import type { Vm } from '../../../shared/model/vm.ts';
import { plugins } from '../../../shared/plugins/registry.ts';
import { hrefOf } from '../../app/route.ts';
import { useQuery } from '../../app/workbench-context.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { Screen } from '../../components/screen.tsx';
import { pluginTitle, text } from '../../text/text.ts';
import { VaultNeeded } from '../../components/vault-card.tsx';
import { useOptions } from '../../forms/environment/use-options.ts';
import { VmLimits } from '../../components/replicas/vm-limits.tsx';
import { ReplicaForm } from './replica-form.tsx';

/** From a virtual machine to its replica: the destination, then the environment. */
export function NewReplicaScreen({ endpointId, vmId }: { readonly endpointId: string; readonly vmId: string }) {
  const vm = useQuery('vm.show', { endpoint: endpointId, vm: vmId });
  const endpoints = useQuery('endpoint.list', {});
  return (
    <Screen isWide title={text.replicas.newTitle(vm.data?.name ?? vmId)} lead={text.replicas.newLead}>
      <VaultNeeded />
      {vm.data !== undefined && <VmLimits endpointId={endpointId} vmId={vmId} />}
      <QueryView query={vm}>
        {(machine) => (
          <QueryView query={endpoints}>
            {(all) => {
              const source = all.find(({ id }) => id === endpointId);
              return source === undefined ? (
                <EmptyState title={text.endpoints.missing} />
              ) : (
                <Destination vm={machine} source={source} endpoints={all} />
              );
            }}
          </QueryView>
        )}
      </QueryView>
    </Screen>
  );
}

interface DestinationProps {
  readonly vm: Vm;
  readonly source: Endpoint;
  readonly endpoints: readonly Endpoint[];
}

function Destination({ vm, source, endpoints }: DestinationProps) {
  const choices = endpoints.filter(({ plugin, id }) => plugins[plugin].destination !== undefined && id !== source.id);
  const [chosenId, setChosenId] = useState(choices.length === 1 ? choices[0]!.id : '');
  const chosen = choices.find(({ id }) => id === chosenId);
  if (choices.length === 0) {
    return (
      <EmptyState title={text.replicas.noDestination} lead={text.replicas.noDestinationLead}>
        <Button variant="contained" href={hrefOf('endpoints', 'new')}>
          {text.endpoints.add}
        </Button>
      </EmptyState>
    );
  }
  return (
    <>
      <TextField
        select
        size="small"
        label={text.replicas.destination}
        value={chosenId}
        onChange={(event) => setChosenId(event.target.value)}
        sx={{ maxWidth: 420 }}
      >
        {choices.map(({ id, name, plugin }) => (
          <MenuItem key={id} value={id}>
            {name} ({pluginTitle(plugins[plugin])})
          </MenuItem>
        ))}
      </TextField>
      {chosen !== undefined && <WithCatalog key={chosen.id} vm={vm} source={source} destination={chosen} />}
    </>
  );
}

interface Ends {
  readonly vm: Vm;
  readonly source: Endpoint;
  readonly destination: Endpoint;
}

/** What the destination has makes a better start; without it everything but the comparison works as well. */
function WithCatalog({ vm, source, destination }: Ends) {
  const choices = useOptions(destination.id, vm, source);
  const defaults = useQuery('defaults.show', {});
  const [isImpatient, setIsImpatient] = useState(false);
  if (choices.freshness.kind === 'asking' && !isImpatient) {
    return (
      <Box sx={{ display: 'flex', gap: 2, alignItems: 'center' }}>
        <CircularProgress size={24} aria-label={text.app.loading} />
        <Typography role="status">{text.replicas.readingCatalog}</Typography>
        <Button onClick={() => setIsImpatient(true)}>{text.replicas.withoutCatalog}</Button>
      </Box>
    );
  }
  return (
    <QueryView query={defaults}>
      {(known) => <ReplicaForm vm={vm} source={source} destination={destination} choices={choices} defaults={known} />}
    </QueryView>
  );
}
