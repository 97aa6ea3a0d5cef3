import DeleteIcon from '@mui/icons-material/DeleteOutlined';
import Autocomplete from '@mui/material/Autocomplete';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useQuery } from '../../app/workbench-context.tsx';
import { text } from '../../text/text.ts';
import type { KeyValues } from './deployment-form-values.ts';

const words = text.deployments;

interface Props {
  readonly keys: readonly KeyValues[];
  readonly problems: ReadonlyMap<string, string>;
  readonly onChange: (keys: readonly KeyValues[]) => void;
}

/** Names of secrets with keys of encrypted volumes, of those that the vault has. */
export function LuksKeysField({ keys, problems, onChange }: Props) {
  const known = useQuery('vault.list', {}).data ?? [];
  const change = (index: number, part: Partial<KeyValues>) =>
    onChange(keys.map((key, at) => (at === index ? { ...key, ...part } : key)));
  return (
    <Box role="group" aria-label={words.luks}>
      <Typography variant="body2">{words.luks}</Typography>
      <Typography variant="caption" component="div" sx={{ color: 'text.secondary', mb: 1 }}>
        {words.luksHelp}
      </Typography>
      {keys.map((key, index) => (
        // Rows have no identity but their place.
        <Box key={index} sx={{ display: 'flex', gap: 1, mb: 1, alignItems: 'flex-start' }}>
          <Autocomplete
            freeSolo
            fullWidth
            size="small"
            options={known}
            inputValue={key.secret}
            onInputChange={(_event, secret) => change(index, { secret })}
            renderInput={(params) => (
              <TextField {...params} label={words.luksSecret} error={problems.has(`luksKeys.${index}.secret`)} />
            )}
          />
          <TextField
            size="small"
            fullWidth
            label={words.luksDevice}
            value={key.device}
            onChange={(event) => change(index, { device: event.target.value })}
          />
          <IconButton
            aria-label={words.removeNamed(key.secret)}
            onClick={() => onChange(keys.filter((_key, at) => at !== index))}
          >
            <DeleteIcon />
          </IconButton>
        </Box>
      ))}
      <Button size="small" onClick={() => onChange([...keys, { secret: '', device: '' }])}>
        {words.addKey}
      </Button>
    </Box>
  );
}
