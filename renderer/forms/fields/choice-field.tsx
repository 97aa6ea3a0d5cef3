import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import { text } from '../../text/text.ts';
import { fieldHelp, fieldLabel, shown } from '../field-help.tsx';
import type { FieldProps } from '../field-props.ts';

/** One of several values, or none. */
export function ChoiceInput({ field, value, onChange, onBlur, inputRef, problem }: FieldProps<string>) {
  const choices = (field.choices ?? []).map((choice) => ({ value: String(choice), label: String(choice) }));
  return <Choices {...{ field, value, onChange, onBlur, inputRef, problem, choices }} />;
}

/** Yes, no, or not set: what counts then is said below. */
export function BooleanInput({ field, value, onChange, onBlur, inputRef, problem }: FieldProps<boolean | ''>) {
  const choices = [
    { value: 'true', label: text.forms.yes },
    { value: 'false', label: text.forms.no },
  ];
  return (
    <Choices
      {...{ field, onBlur, inputRef, problem, choices }}
      value={String(value)}
      onChange={(chosen) => onChange(chosen === '' ? '' : chosen === 'true')}
    />
  );
}

type Props = Pick<FieldProps<string>, 'field' | 'value' | 'onChange'> & {
  readonly choices: readonly { readonly value: string; readonly label: string }[];
  readonly onBlur: FieldProps<string>['onBlur'] | undefined;
  readonly inputRef: FieldProps<string>['inputRef'] | undefined;
  readonly problem: string | undefined;
};

function Choices({ field, value, choices, onChange, onBlur, inputRef, problem }: Props) {
  return (
    <TextField
      select
      size="small"
      fullWidth
      label={fieldLabel(field)}
      required={field.required}
      value={value}
      error={problem !== undefined}
      helperText={fieldHelp(field, problem)}
      {...(inputRef === undefined ? {} : { inputRef })}
      onChange={(event) => onChange(event.target.value)}
      {...(onBlur === undefined ? {} : { onBlur })}
      slotProps={{ inputLabel: { shrink: true }, select: { displayEmpty: true } }}
    >
      <MenuItem value="">
        <em>{field.meta.builtIn === undefined ? text.forms.unset : text.forms.builtInChoice(shown(field.meta.builtIn))}</em>
      </MenuItem>
      {choices.map((choice) => (
        <MenuItem key={choice.value} value={choice.value}>
          {choice.label}
        </MenuItem>
      ))}
    </TextField>
  );
}
