import Button from '@mui/material/Button';
import Tab from '@mui/material/Tab';
import Tabs from '@mui/material/Tabs';
import { hrefOf, type Route } from '../../app/route.ts';
import { Screen } from '../../components/screen.tsx';
import { text } from '../../text/text.ts';
import { ImportFileScreen } from './import-file-screen.tsx';
import { KeepFromEndpoint } from './keep-from-endpoint.tsx';
import { KeptLists } from './kept-lists.tsx';
import { PlanWavesScreen } from './plan-waves-screen.tsx';
import { SourceMachines } from './source-machines.tsx';

/** Machines: those of a source as it is now, and the lists that the project keeps. The rest of the route says which. */
export function InventoryScreen({ rest }: { readonly rest: Route }) {
  const [first, second] = rest;
  if (first === 'import')
    return second === undefined ? <ImportFileScreen /> : <KeepFromEndpoint key={second} endpointId={second} />;
  if (first === 'plan' && second !== undefined) return <PlanWavesScreen key={second} list={second} />;
  const isKept = first === 'lists';
  return (
    <Screen
      isWide
      title={text.inventory.title}
      lead={isKept ? text.inventory.keptLead : text.inventory.lead}
      actions={
        <Button variant="outlined" href={hrefOf('inventory', 'import')}>
          {text.inventory.import}
        </Button>
      }
    >
      <Tabs
        value={isKept ? 'lists' : 'source'}
        aria-label={text.inventory.tabs}
        sx={{ borderBottom: 1, borderColor: 'divider' }}
      >
        <Tab value="source" component="a" href={hrefOf('inventory')} label={text.inventory.onSource} />
        <Tab value="lists" component="a" href={hrefOf('inventory', 'lists')} label={text.inventory.kept} />
      </Tabs>
      {isKept ? (
        <KeptLists {...(second === undefined ? {} : { chosen: second })} />
      ) : (
        <SourceMachines {...(first === undefined ? {} : { chosen: first })} />
      )}
    </Screen>
  );
}
