import Box from '@mui/material/Box';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import type { ReactNode } from 'react';
import { fonts } from '../../app/theme.ts';
import { text } from '../../text/text.ts';
import { choiceLabel, fieldHelp, fieldLabel, shown } from '../field-help.tsx';
import type { FieldProps } from '../field-props.ts';

/** One of several values, or none. */
export function ChoiceInput({ field, value, onChange, onBlur, inputRef, problem }: FieldProps<string>) {
  const choices = (field.choices ?? []).map((choice) => ({
    value: String(choice),
    label: choiceLabel(String(choice)),
  }));
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

/** The value as files have it is told where the label does not say it. */
function isOtherThan({ value, label }: { readonly value: string; readonly label: string }): boolean {
  return !['true', 'false'].includes(value) && value.toLowerCase() !== label.toLowerCase();
}

type Props = Pick<FieldProps<string>, 'field' | 'value' | 'onChange'> & {
  readonly choices: readonly { readonly value: string; readonly label: string }[];
  readonly onBlur: FieldProps<string>['onBlur'] | undefined;
  readonly inputRef: FieldProps<string>['inputRef'] | undefined;
  readonly problem: ReactNode;
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
        <em>
          {field.meta.builtIn === undefined
            ? text.forms.unset
            : text.forms.builtInChoice(choiceLabel(shown(field.meta.builtIn)))}
        </em>
      </MenuItem>
      {choices.map((choice) => (
        <MenuItem key={choice.value} value={choice.value}>
          {choice.label}
          {isOtherThan(choice) && (
            <Box component="span" sx={{ ml: 1, color: 'text.secondary', fontFamily: fonts.code, fontSize: '0.85em' }}>
              {choice.value}
            </Box>
          )}
        </MenuItem>
      ))}
    </TextField>
  );
}
