import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useCallback, useState } from 'react';
import { compareSteps } from '../../../shared/inventory/compare-inventories.ts';
import type { Inventory, InventoryMachine, InventoryOrigin } from '../../../shared/inventory/inventory.ts';
import type { RowProblem } from '../../../shared/inventory/row-cells.ts';
import { goTo } from '../../app/route.ts';
import { useAction } from '../../app/use-action.ts';
import { useLink, useQuery } from '../../app/workbench-context.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { useInSlices } from '../../components/slices.ts';
import { text } from '../../text/text.ts';
import { MachinesTable } from './machines-table.tsx';
import { ProblemsTable } from './problems-table.tsx';

interface Props {
  readonly origin: InventoryOrigin;
  readonly proposedName: string;
  readonly machines: readonly InventoryMachine[];
  readonly problems: readonly RowProblem[];
}

/** What would be kept, compared with the list of that name as it is; then keeps it. */
export function KeepPreview(props: Props) {
  const lists = useQuery('inventory.list', {});
  return <QueryView query={lists}>{(all) => <Preview {...props} lists={all} />}</QueryView>;
}

function Preview({
  origin,
  proposedName,
  machines,
  problems,
  lists,
}: Props & { readonly lists: readonly Inventory[] }) {
  const link = useLink();
  const [name, setName] = useState(proposedName.slice(0, 100));
  const listName = name.trim();
  const former = lists.find((list) => list.name === listName);
  // The time is only for the comparison: what is kept gets the time at which it is kept.
  const compare = useCallback(
    () => compareSteps(former?.machines ?? [], machines, new Date().toISOString()),
    [former, machines],
  );
  const { value: compared, isCurrent } = useInSlices(compare, machines.length + (former?.machines.length ?? 0));
  const save = useAction(async () => {
    await link.call('inventory.save', { name: listName, origin, machines: [...machines] });
    goTo('inventory', 'lists', listName);
  });
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  return (
    <>
      <Paper variant="outlined" sx={{ p: 2, display: 'flex', gap: 2, alignItems: 'flex-start', flexWrap: 'wrap' }}>
        <TextField
          size="small"
          required
          label={text.inventory.listName}
          value={name}
          onChange={(event) => setName(event.target.value)}
          helperText={text.inventory.listNameHelp(former !== undefined)}
          slotProps={{ htmlInput: { maxLength: 100 } }}
          sx={{ flex: '1 1 320px' }}
        />
        <Button
          variant="contained"
          disabled={listName === '' || !isCurrent || compared?.length === 0 || save.isBusy}
          onClick={() => void save.run()}
        >
          {text.inventory.save}
        </Button>
      </Paper>
      {save.error !== undefined && <ErrorNotice error={save.error} onClose={save.clear} />}
      <Box>
        <Typography variant="h6" component="h2">
          {text.inventory.preview}
        </Typography>
        <Typography role="status" sx={{ color: 'text.secondary' }}>
          {text.inventory.previewCount(machines.length, errors)}
        </Typography>
      </Box>
      {problems.length > 0 && <ProblemsTable problems={problems} />}
      {compared === undefined ? null : compared.length === 0 ? (
        <EmptyState title={text.inventory.noMachines} />
      ) : (
        <MachinesTable label={text.inventory.preview} machines={compared} />
      )}
    </>
  );
}
