import Autocomplete from '@mui/material/Autocomplete';
import TextField from '@mui/material/TextField';
import { useState } from 'react';
import type { Replica } from '../../../shared/model/replica.ts';
import { useAction } from '../../app/use-action.ts';
import { useQuery } from '../../app/workbench-context.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { useAssign } from '../../forms/waves/use-assign.ts';
import { text } from '../../text/text.ts';

const words = text.waves;

/** Finds replicas by name, those of other waves too, and moves them to this one. */
export function AddMembersDialog({
  wave,
  onAdded,
  onClose,
}: {
  readonly wave: string;
  readonly onAdded: () => void;
  readonly onClose: () => void;
}) {
  const replicas = useQuery('replica.list', {}).data ?? [];
  const assign = useAssign();
  const [chosen, setChosen] = useState<readonly Replica[]>([]);
  const others = replicas
    .filter((replica) => replica.wave !== wave)
    .sort((one, other) => Number(one.wave !== undefined) - Number(other.wave !== undefined));
  const add = useAction(async () => {
    await assign(
      chosen.map(({ id }) => id),
      wave,
    );
    onAdded();
    onClose();
  });
  return (
    <ConfirmDialog
      title={words.addTitle(wave)}
      confirm={words.addButton(chosen.length)}
      isReady={chosen.length > 0}
      action={add}
      onClose={onClose}
    >
      <Autocomplete
        multiple
        disableCloseOnSelect
        size="small"
        limitTags={20}
        options={others}
        value={[...chosen]}
        onChange={(_event, next) => setChosen(next)}
        getOptionLabel={({ name }) => name}
        getOptionKey={({ id }) => id}
        isOptionEqualToValue={(one, other) => one.id === other.id}
        filterOptions={(options, { inputValue }) =>
          options.filter(({ name }) => name.toLowerCase().includes(inputValue.trim().toLowerCase())).slice(0, 100)
        }
        renderOption={({ key, ...props }, { name, wave: former }) => (
          <li key={key} {...props}>
            {former === undefined ? name : `${name} (${words.fromWave(former)})`}
          </li>
        )}
        renderInput={(params) => <TextField {...params} autoFocus label={words.addField} />}
        sx={{ mt: 1 }}
      />
    </ConfirmDialog>
  );
}
