import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import type { Endpoint } from '../../../shared/model/endpoint.ts';
import { text } from '../../text/text.ts';

interface Props {
  readonly ids: readonly string[];
  readonly endpoints: readonly Endpoint[];
  readonly given: ReadonlyMap<string, string>;
  readonly onChange: (given: ReadonlyMap<string, string>) => void;
}

/** Asks which endpoints of the project are meant by ids that a file does not explain. */
export function UnknownEndpoints({ ids, endpoints, given, onChange }: Props) {
  const choose = (id: string, name: string) => {
    const next = new Map(given);
    if (name === '') next.delete(id);
    else next.set(id, name);
    onChange(next);
  };
  return (
    <Alert severity="warning" sx={{ mb: 2 }}>
      {text.interchange.unknownHelp}
      <Box sx={{ display: 'flex', gap: 2, flexWrap: 'wrap', mt: 2 }}>
        {ids.map((id) => (
          <TextField
            key={id}
            select
            size="small"
            label={text.interchange.unknown(id)}
            value={given.get(id) ?? ''}
            onChange={(event) => choose(id, event.target.value)}
            sx={{ minWidth: 280 }}
            slotProps={{ select: { displayEmpty: true }, inputLabel: { shrink: true } }}
          >
            <MenuItem value="">{text.interchange.notChosen}</MenuItem>
            {endpoints.map(({ id: endpointId, name }) => (
              <MenuItem key={endpointId} value={name}>
                {name}
              </MenuItem>
            ))}
          </TextField>
        ))}
      </Box>
    </Alert>
  );
}
