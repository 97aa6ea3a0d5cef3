import Autocomplete from '@mui/material/Autocomplete';
import TextField from '@mui/material/TextField';
import { useQuery } from '../../app/workbench-context.tsx';

interface Props {
  readonly label: string;
  readonly help: string;
  /** Networks that it had when it was last asked are offered. */
  readonly destinationId: string;
  readonly value: string;
  readonly autoFocus?: boolean;
  readonly onChange: (value: string) => void;
}

/** A network of a destination: one that it is known to have, or any other by its name or id. */
export function NetworkField({ label, help, destinationId, value, autoFocus = false, onChange }: Props) {
  const networks = useQuery('catalog.last', { endpoint: destinationId }).data?.catalog?.networks ?? [];
  return (
    <Autocomplete
      freeSolo
      size="small"
      options={[...new Set(networks.map(({ name, id }) => name ?? id))]}
      inputValue={value}
      onInputChange={(_event, next) => onChange(next)}
      renderInput={(params) => <TextField {...params} autoFocus={autoFocus} label={label} helperText={help} />}
    />
  );
}
