import AddIcon from '@mui/icons-material/Add';
import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import { hrefOf } from '../../app/route.ts';
import { useQuery } from '../../app/workbench-context.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { Screen } from '../../components/screen.tsx';
import { text } from '../../text/text.ts';
import { EndpointCard } from './endpoint-card.tsx';

const add = (
  <Button variant="contained" startIcon={<AddIcon />} href={hrefOf('endpoints', 'new')}>
    {text.endpoints.add}
  </Button>
);

/** All endpoints of the project. */
export function EndpointsScreen() {
  const query = useQuery('endpoint.list', {});
  const isEmpty = query.data?.length === 0;
  return (
    <Screen title={text.endpoints.title} lead={text.endpoints.lead} actions={isEmpty ? undefined : add}>
      <QueryView query={query}>
        {(endpoints) =>
          endpoints.length === 0 ? (
            <EmptyState title={text.endpoints.none} lead={text.endpoints.noneLead}>
              {add}
            </EmptyState>
          ) : (
            <Stack component="ul" spacing={2} sx={{ m: 0, p: 0, listStyle: 'none' }}>
              {endpoints.map((endpoint) => (
                <EndpointCard key={endpoint.id} endpoint={endpoint} onRemoved={query.reload} />
              ))}
            </Stack>
          )
        }
      </QueryView>
    </Screen>
  );
}
