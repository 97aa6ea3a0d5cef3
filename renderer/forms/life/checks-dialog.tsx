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
import {
  commonFields,
  fieldsOf,
  readChecks,
  valuesOfCheck,
  viaOf,
  type CheckField,
  type CheckValues,
} from './check-values.ts';
import { Failures, NamesOf, useEach, whatOf, type LifeDialogProps } from './life-parts.tsx';

const words = text.proof.checks;
/** What stands where a field is left empty. */
const usual: Readonly<Partial<Record<CheckField, string>>> = {
  path: '/',
  status: '200–399',
  exitStatus: '0',
  timeoutSeconds: '120',
  scheme: 'http',
  interpreter: '/bin/sh -s',
};

/** What a VM has to answer after its boot; the same for several. */
export function ChecksDialog({ initial, ...props }: LifeDialogProps & { readonly initial: readonly AfterBootCheck[] }) {
  const { lives, onClose } = props;
  const link = useLink();
  const toast = useToast();
  const [values, setValues] = useState<readonly CheckValues[]>(() => initial.map(valuesOfCheck));
  const read = readChecks(values);
  const problems: ReadonlyMap<string, string> = 'problems' in read ? read.problems : new Map();
  const what = whatOf(lives);
  const change = (index: number, part: Partial<CheckValues>) =>
    setValues((before) => before.map((value, at) => (at === index ? { ...value, ...part } : value)));
  const { action, failures } = useEach(
    props,
    ({ replicaId }) =>
      link.call('replica.update', { replica: replicaId, checks: 'checks' in read ? [...read.checks] : [] }),
    () => toast(words.saved(what)),
  );
  return (
    <ConfirmDialog
      title={words.editTitle(what)}
      confirm={words.save}
      width="md"
      isReady={problems.size === 0}
      action={action}
      onClose={onClose}
    >
      <NamesOf lives={lives} />
      <Typography>{words.lead}</Typography>
      {lives.length > 1 && <Alert severity="warning">{words.replaces}</Alert>}
      {values.map((value, index) => (
        // Rows have no identity but their place.
        <CheckFields
          key={index}
          number={index + 1}
          value={value}
          problemOf={(field) => problems.get(`${index}.${field}`)}
          onChange={(part) => change(index, part)}
          onRemove={() => setValues((before) => before.filter((_, at) => at !== index))}
        />
      ))}
      <Box>
        <Button
          size="small"
          startIcon={<AddIcon />}
          onClick={() =>
            setValues((before) => [...before, { ...valuesOfCheck({ kind: 'login-prompt' }), kind: 'port' }])
          }
        >
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
    <Box
      role="group"
      aria-label={words.number(number)}
      sx={{ borderTop: 1, borderColor: 'divider', pt: 1.5, display: 'flex', flexDirection: 'column', gap: 1.5 }}
    >
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 2 }}>
        <Typography variant="subtitle2" component="h3" sx={{ flexGrow: 1 }}>
          {words.number(number)}
        </Typography>
        <IconButton size="small" aria-label={words.remove(number)} onClick={onRemove}>
          <DeleteIcon fontSize="small" />
        </IconButton>
      </Box>
      <Box sx={{ display: 'grid', gridTemplateColumns: 'repeat(12, minmax(0, 1fr))', gap: 1.5, alignItems: 'start' }}>
        <TextField
          select
          size="small"
          label={words.kind}
          value={kind}
          onChange={(event) => onChange({ kind: event.target.value })}
          sx={span(kindSpan(value))}
        >
          {afterBootCheckKinds.map((one) => (
            <MenuItem key={one} value={one}>
              {words.kinds[one]}
            </MenuItem>
          ))}
        </TextField>
        {fieldsOf(value).map((field) => (
          <CheckInput
            key={field}
            field={field}
            of={value}
            isWrong={problemOf(field) !== undefined}
            onChange={(typed) => onChange({ [field]: typed })}
          />
        ))}
        <TextField
          select
          size="small"
          label={words.fields.onFailure}
          value={value.onFailure}
          onChange={(event) => onChange({ onFailure: event.target.value })}
          sx={span(5)}
        >
          {(['fail', 'warn'] as const).map((one) => (
            <MenuItem key={one} value={one}>
              {words.onFailure[one]}
            </MenuItem>
          ))}
        </TextField>
        {commonFields.map((field) => (
          <CheckInput
            key={field}
            field={field}
            of={value}
            isWrong={problemOf(field) !== undefined}
            onChange={(typed) => onChange({ [field]: typed })}
          />
        ))}
      </Box>
    </Box>
  );
}

/** Columns of twelve; a narrow window has one. */
const span = (columns: number) => ({ gridColumn: { xs: '1 / -1', sm: `span ${columns}` } }) as const;

/** A kind with its connection fills the first row. */
function kindSpan({ kind }: Pick<CheckValues, 'kind'>): number {
  if (kind === 'login-prompt') return 12;
  return kind === 'script' || kind === 'agent' ? 4 : 5;
}

function spanOf(field: CheckField, value: CheckValues): number {
  const { kind } = value;
  if (field === 'port') return kind === 'port' ? 7 : 2;
  if (field === 'secret') return kind === 'script' || kind === 'agent' ? 3 : 4;
  if (field === 'text') return kind === 'http' ? 3 : kind === 'script' && viaOf(value) === 'winrm' ? 12 : 7;
  return spans[field] ?? 12;
}

const spans: Readonly<Partial<Record<CheckField, number>>> = {
  scheme: 2,
  host: 5,
  path: 4,
  status: 3,
  via: 2,
  username: 3,
  hostKey: 10,
  certificateSha256: 10,
  interpreter: 5,
  exitStatus: 5,
  timeoutSeconds: 3,
  name: 4,
};

function portOf({ kind, via, scheme }: CheckValues): string | undefined {
  if (kind === 'port') return undefined;
  if (kind === 'http') return scheme === 'https' ? '443' : '80';
  return kind === 'winrm' || (kind !== 'ssh' && viaOf({ via }) === 'winrm') ? '5986' : '22';
}

interface InputProps {
  readonly field: CheckField;
  readonly of: CheckValues;
  readonly isWrong: boolean;
  readonly onChange: (value: string) => void;
}

function CheckInput({ field, of, isWrong, onChange }: InputProps) {
  const [wasLeft, setWasLeft] = useState(false);
  const label = words.fields[field];
  const sx = span(spanOf(field, of));
  const value = field === 'via' ? viaOf(of) : of[field];
  // Nobody has done anything wrong with a field that was not filled in yet.
  const problem =
    isWrong && (wasLeft || value !== '')
      ? value.trim() === ''
        ? words.empty
        : (words.wrong[field] ?? words.wrongOther)
      : undefined;
  const common = { size: 'small', label, error: problem !== undefined, onBlur: () => setWasLeft(true) } as const;
  if (field === 'scheme') {
    return (
      <TextField
        select
        size="small"
        label={label}
        value={value === '' ? 'http' : value}
        onChange={(event) => onChange(event.target.value)}
        sx={sx}
      >
        <MenuItem value="http">{words.schemes.http}</MenuItem>
        <MenuItem value="https">{words.schemes.https}</MenuItem>
      </TextField>
    );
  }
  if (field === 'via') {
    return (
      <TextField
        select
        size="small"
        label={label}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        sx={sx}
      >
        <MenuItem value="ssh">{words.via.ssh}</MenuItem>
        <MenuItem value="winrm">{words.via.winrm}</MenuItem>
      </TextField>
    );
  }
  if (field === 'script') {
    return (
      <TextField
        {...common}
        multiline
        minRows={4}
        maxRows={16}
        value={value}
        helperText={problem ?? words.help.script}
        onChange={(event) => onChange(event.target.value)}
        slotProps={{ htmlInput: { spellCheck: false, style: { fontFamily: fonts.code } } }}
        sx={sx}
      />
    );
  }
  if (field === 'secret')
    return (
      <SecretName label={label} onBlur={common.onBlur} value={value} problem={problem} onChange={onChange} sx={sx} />
    );
  const placeholder = field === 'port' ? portOf(of) : usual[field];
  return (
    <TextField
      {...common}
      value={value}
      placeholder={placeholder}
      helperText={problem ?? (field === 'certificateSha256' ? words.help.certificateSha256 : undefined)}
      onChange={(event) => onChange(event.target.value)}
      slotProps={{
        htmlInput: { spellCheck: false },
        ...(placeholder === undefined ? {} : { inputLabel: { shrink: true } }),
      }}
      sx={sx}
    />
  );
}

interface SecretProps {
  readonly label: string;
  readonly value: string;
  readonly problem: string | undefined;
  readonly onBlur: () => void;
  readonly onChange: (value: string) => void;
  readonly sx: ReturnType<typeof span>;
}

/** One of those that the vault has, or that it will have. */
function SecretName({ label, value, problem, onBlur, onChange, sx }: SecretProps) {
  const known = useQuery('vault.list', {}).data ?? [];
  return (
    <Autocomplete
      freeSolo
      size="small"
      options={known}
      inputValue={value}
      onInputChange={(_event, next) => onChange(next)}
      sx={sx}
      renderInput={(params) => (
        <TextField {...params} label={label} error={problem !== undefined} helperText={problem} onBlur={onBlur} />
      )}
    />
  );
}
