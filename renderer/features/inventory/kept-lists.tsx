import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Link from '@mui/material/Link';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useDeferredValue, useMemo, useState } from 'react';
import type { Inventory, KeptMachine } from '../../../shared/inventory/inventory.ts';
import { goTo, hrefOf } from '../../app/route.ts';
import { useAction } from '../../app/use-action.ts';
import { useLink, useQuery } from '../../app/workbench-context.tsx';
import type { WorkbenchOutput } from '../../app/workbench-link.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { timeText } from '../../components/quantities.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import type { Column } from '../../components/paged-table.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { saveFile } from '../../components/save-file.ts';
import { text } from '../../text/text.ts';
import { EnvironmentFileDialog } from './environment-file-dialog.tsx';
import { inventoryCsv } from './inventory-csv.ts';
import { MachinesTable } from './machines-table.tsx';

/** The lists that the project keeps, one of them shown. */
export function KeptLists({ chosen }: { readonly chosen?: string }) {
  const query = useQuery('inventory.list', {});
  return (
    <QueryView query={query}>
      {(lists) => {
        const list = lists.find(({ name }) => name === chosen) ?? lists[0];
        return list === undefined ? (
          <EmptyState title={text.inventory.noLists} lead={text.inventory.noListsLead}>
            <Button variant="contained" href={hrefOf('inventory', 'import')}>
              {text.inventory.import}
            </Button>
          </EmptyState>
        ) : (
          <KeptList key={list.name} list={list} names={lists.map(({ name }) => name)} onRemoved={query.reload} />
        );
      }}
    </QueryView>
  );
}

function KeptList({
  list,
  names,
  onRemoved,
}: {
  readonly list: Inventory;
  readonly names: readonly string[];
  readonly onRemoved: () => void;
}) {
  const link = useLink();
  const replicas = useDeferredValue(useQuery('replica.list', {}).data);
  const [isAsking, setIsAsking] = useState(false);
  const [documentOf, setDocumentOf] = useState<KeptMachine>();
  const columns = useMemo(() => [actionColumn(replicas ?? [], setDocumentOf)], [replicas]);
  const remove = useAction(async () => {
    await link.call('inventory.remove', { name: list.name });
    setIsAsking(false);
    goTo('inventory', 'lists');
    onRemoved();
  });
  return (
    <>
      <Box sx={{ display: 'flex', gap: 2, alignItems: 'center', flexWrap: 'wrap' }}>
        <TextField
          select
          size="small"
          label={text.inventory.list}
          value={list.name}
          onChange={(event) => goTo('inventory', 'lists', event.target.value)}
          sx={{ minWidth: 280 }}
        >
          {names.map((name) => (
            <MenuItem key={name} value={name}>
              {name}
            </MenuItem>
          ))}
        </TextField>
        <Typography sx={{ color: 'text.secondary', flexGrow: 1 }}>
          {text.inventory.importedFrom(list.origin.name, timeText(list.importedAt))}
        </Typography>
        <Button variant="contained" href={hrefOf('inventory', 'plan', list.name)}>
          {text.inventory.planWaves.action}
        </Button>
        <Button onClick={() => saveFile(`${list.name}.csv`, inventoryCsv(list.machines), 'text/csv')}>
          {text.inventory.export}
        </Button>
        <Button color="error" onClick={() => setIsAsking(true)}>
          {text.inventory.remove}
        </Button>
      </Box>
      <MachinesTable label={list.name} machines={list.machines} more={columns} />
      {isAsking && (
        <ConfirmDialog
          title={text.inventory.removeTitle(list.name)}
          confirm={text.inventory.remove}
          isDestructive
          action={remove}
          onClose={() => setIsAsking(false)}
        >
          <Typography>{text.inventory.removeLead}</Typography>
        </ConfirmDialog>
      )}
      {documentOf !== undefined && (
        <EnvironmentFileDialog vm={documentOf.vm} onClose={() => setDocumentOf(undefined)} />
      )}
    </>
  );
}

/** The replica of a machine, known by its ID, else by its name; and a file to plan with. */
function actionColumn(
  replicas: WorkbenchOutput<'replica.list'>,
  onDocument: (machine: KeptMachine) => void,
): Column<KeptMachine> {
  type Replica = (typeof replicas)[number];
  const [byVm, byName] = [new Map<string, Replica>(), new Map<string, Replica>()];
  // Backwards: of several, the first one counts.
  for (const replica of replicas.toReversed()) {
    byVm.set(replica.vmId, replica);
    byName.set(replica.name, replica);
  }
  return {
    id: 'next',
    label: text.inventory.replica,
    cell: (machine) => {
      const replica = byVm.get(machine.vm.id) ?? byVm.get(machine.vm.name) ?? byName.get(machine.vm.name);
      if (replica !== undefined)
        return <Link href={hrefOf('replicas', replica.id)}>{text.inventory.open(replica.name)}</Link>;
      return (
        <Button
          size="small"
          sx={{ whiteSpace: 'nowrap', ml: -1 }}
          aria-label={text.inventory.documentOf(machine.vm.name)}
          onClick={() => onDocument(machine)}
        >
          {text.inventory.document}
        </Button>
      );
    },
  };
}
