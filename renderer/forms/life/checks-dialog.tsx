import AddIcon from '@mui/icons-material/Add';
import DeleteIcon from '@mui/icons-material/DeleteOutlined';
import Alert from '@mui/material/Alert';
import Autocomplete from '@mui/material/Autocomplete';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { afterBootCheckKinds, type AfterBootCheck } from '../../../shared/model/after-boot-check.ts';
import { fonts } from '../../app/theme.ts';
import { useToast } from '../../app/toasts.tsx';
import { useLink, useQuery } from '../../app/workbench-context.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { text } from '../../text/text.ts';
import { commonFields, fieldsOf, readChecks, valuesOfCheck, viaOf, type CheckField, type CheckValues } from './check-values.ts';
import { Failures, NamesOf, useEach, whatOf, type LifeDialogProps } from './life-parts.tsx';

const words = text.proof.checks;
const widths: Readonly<Partial<Record<CheckField, number>>> = { port: 110, scheme: 110, via: 130, status: 130, exitStatus: 160, timeoutSeconds: 170, username: 150 };
/** What stands where a field is left empty. */
const usual: Readonly<Partial<Record<CheckField, string>>> = { path: '/', status: '200–399', exitStatus: '0', timeoutSeconds: '120', scheme: 'http', interpreter: '/bin/sh -s' };

/** What a VM has to answer after its boot; the same for several. */
export function ChecksDialog({ initial, ...props }: LifeDialogProps & { readonly initial: readonly AfterBootCheck[] }) {
  const { lives, onClose } = props;
  const link = useLink();
  const toast = useToast();
  const [values, setValues] = useState<readonly CheckValues[]>(() => initial.map(valuesOfCheck));
  const read = readChecks(values);
  const problems: ReadonlyMap<string, string> = 'problems' in read ? read.problems : new Map();
  const what = whatOf(lives);
  const change = (index: number, part: Partial<CheckValues>) => setValues((before) => before.map((value, at) => (at === index ? { ...value, ...part } : value)));
  const { action, failures } = useEach(
    props,
    ({ replicaId }) => link.call('replica.update', { replica: replicaId, checks: 'checks' in read ? [...read.checks] : [] }),
    () => toast(words.saved(what)),
  );
  return (
    <ConfirmDialog title={words.editTitle(what)} confirm={words.save} width="md" isReady={problems.size === 0} action={action} onClose={onClose}>
      <NamesOf lives={lives} />
      <Typography>{words.lead}</Typography>
      {lives.length > 1 && <Alert severity="warning">{words.replaces}</Alert>}
      {values.map((value, index) => (
        // Rows have no identity but their place.
        <CheckFields key={index} number={index + 1} value={value} problemOf={(field) => problems.get(`${index}.${field}`)} onChange={(part) => change(index, part)} onRemove={() => setValues((before) => before.filter((_, at) => at !== index))} />
      ))}
      <Box>
        <Button size="small" startIcon={<AddIcon />} onClick={() => setValues((before) => [...before, { ...valuesOfCheck({ kind: 'login-prompt' }), kind: 'port' }])}>
          {words.add}
        </Button>
      </Box>
      {problems.size > 0 && (
        <Typography role="status" sx={{ color: 'text.secondary' }}>
          {words.invalid(problems.size)}
        </Typography>
      )}
      <Failures failures={failures} />
    </ConfirmDialog>
  );
}

interface FieldsProps {
  readonly number: number;
  readonly value: CheckValues;
  readonly problemOf: (field: CheckField) => string | undefined;
  readonly onChange: (part: Partial<CheckValues>) => void;
  readonly onRemove: () => void;
}

function CheckFields({ number, value, problemOf, onChange, onRemove }: FieldsProps) {
  const kind = value.kind as AfterBootCheck['kind'];
  return (
    <Box role="group" aria-label={words.number(number)} sx={{ display: 'flex', gap: 1.5, flexWrap: 'wrap', alignItems: 'flex-start', borderTop: 1, borderColor: 'divider', pt: 2 }}>
      <TextField select size="small" label={words.kind} value={kind} onChange={(event) => onChange({ kind: event.target.value })} sx={{ width: 230 }}>
        {afterBootCheckKinds.map((one) => (
          <MenuItem key={one} value={one}>
            {words.kinds[one]}
          </MenuItem>
        ))}
      </TextField>
      {[...fieldsOf(value), ...commonFields].map((field) => (
        <CheckInput key={field} field={field} value={field === 'via' ? viaOf(value) : value[field]} isWrong={problemOf(field) !== undefined} onChange={(typed) => onChange({ [field]: typed })} />
      ))}
      <TextField select size="small" label={words.fields.onFailure} value={value.onFailure} onChange={(event) => onChange({ onFailure: event.target.value })} sx={{ width: 230 }}>
        {(['fail', 'warn'] as const).map((one) => (
          <MenuItem key={one} value={one}>
            {words.onFailure[one]}
          </MenuItem>
        ))}
      </TextField>
      <IconButton size="small" aria-label={words.remove(number)} onClick={onRemove}>
        <DeleteIcon fontSize="small" />
      </IconButton>
    </Box>
  );
}

function CheckInput({ field, value, isWrong, onChange }: { readonly field: CheckField; readonly value: string; readonly isWrong: boolean; readonly onChange: (value: string) => void }) {
  const label = words.fields[field];
  const width = widths[field];
  const sx = width === undefined ? { flex: '1 1 200px' } : { width };
  if (field === 'scheme') {
    return (
      <TextField select size="small" label={label} value={value === '' ? 'http' : value} onChange={(event) => onChange(event.target.value)} sx={sx}>
        <MenuItem value="http">{words.schemes.http}</MenuItem>
        <MenuItem value="https">{words.schemes.https}</MenuItem>
      </TextField>
    );
  }
  if (field === 'via') {
    return (
      <TextField select size="small" label={label} value={value} onChange={(event) => onChange(event.target.value)} sx={sx}>
        <MenuItem value="ssh">{words.via.ssh}</MenuItem>
        <MenuItem value="winrm">{words.via.winrm}</MenuItem>
      </TextField>
    );
  }
  if (field === 'script') {
    return (
      <TextField
        multiline minRows={4} maxRows={16} size="small" label={label} value={value} error={isWrong} helperText={words.help.script} onChange={(event) => onChange(event.target.value)}
        slotProps={{ htmlInput: { spellCheck: false, style: { fontFamily: fonts.code } } }} sx={{ flex: '1 1 100%' }}
      />
    );
  }
  if (field === 'secret') return <SecretName label={label} value={value} isWrong={isWrong} onChange={onChange} />;
  return <TextField size="small" label={label} value={value} error={isWrong} placeholder={usual[field]} helperText={field === 'certificateSha256' ? words.help.certificateSha256 : undefined} onChange={(event) => onChange(event.target.value)} slotProps={{ htmlInput: { spellCheck: false } }} sx={sx} />;
}

/** One of those that the vault has, or that it will have. */
function SecretName({ label, value, isWrong, onChange }: { readonly label: string; readonly value: string; readonly isWrong: boolean; readonly onChange: (value: string) => void }) {
  const known = useQuery('vault.list', {}).data ?? [];
  return (
    <Autocomplete
      freeSolo size="small" options={known} inputValue={value} onInputChange={(_event, next) => onChange(next)} sx={{ flex: '1 1 200px' }}
      renderInput={(params) => <TextField {...params} label={label} error={isWrong} />}
    />
  );
}
