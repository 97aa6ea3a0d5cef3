import Autocomplete from '@mui/material/Autocomplete';
import Chip from '@mui/material/Chip';
import TextField from '@mui/material/TextField';
import type { ReactNode } from 'react';
import { fieldHelp, fieldLabel } from '../field-help.tsx';
import type { FieldProps } from '../field-props.ts';

export interface Option {
  readonly value: string;
  readonly label: string;
}

interface Props extends FieldProps<string> {
  readonly options: readonly Option[];
}

/** A text with choices: one can be picked, and anything else can be typed. */
export function OptionInput({ field, value, onChange, onBlur, inputRef, problem, options }: Props) {
  return (
    <FreeChoice
      label={fieldLabel(field)}
      required={field.required}
      value={value}
      onChange={onChange}
      options={options}
      help={fieldHelp(field, problem)}
      isWrong={problem !== undefined}
      {...(onBlur === undefined ? {} : { onBlur })}
      {...(inputRef === undefined ? {} : { inputRef })}
    />
  );
}

interface FreeChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly options: readonly Option[];
  readonly required?: boolean;
  readonly help?: ReactNode;
  readonly placeholder?: string;
  readonly isWrong?: boolean;
  readonly onBlur?: () => void;
  readonly inputRef?: (element: HTMLElement | null) => void;
}

export function FreeChoice({
  label,
  value,
  onChange,
  options,
  required = false,
  help,
  placeholder,
  isWrong = false,
  onBlur,
  inputRef,
}: FreeChoiceProps) {
  const texts = options.map((option) => option.value);
  const labels = new Map(options.map((option) => [option.value, option.label]));
  const called = labels.get(value);
  // An id says nothing to people.
  const shownHelp =
    called === undefined || called.startsWith(value) ? (
      help
    ) : help === undefined || help === '' ? (
      called
    ) : (
      <>
        {called} — {help}
      </>
    );
  return (
    <Autocomplete
      freeSolo
      forcePopupIcon={options.length > 0}
      size="small"
      fullWidth
      options={texts}
      value={value}
      inputValue={value}
      onInputChange={(_event, text, reason) => reason !== 'reset' && onChange(text)}
      onChange={(_event, chosen) => onChange(chosen ?? '')}
      // Everything is offered as long as what stands there is one of the choices; else what fits.
      filterOptions={(all, { inputValue }) => {
        const wanted = inputValue.trim().toLowerCase();
        return labels.has(inputValue)
          ? all
          : all.filter((one) => `${one} ${labels.get(one) ?? ''}`.toLowerCase().includes(wanted)).slice(0, 200);
      }}
      renderOption={({ key, ...props }, option) => (
        <li key={key} {...props}>
          {labels.get(option) ?? option}
        </li>
      )}
      renderInput={(params) => (
        <TextField
          {...params}
          label={label}
          required={required}
          error={isWrong}
          helperText={shownHelp}
          placeholder={placeholder}
          {...(inputRef === undefined ? {} : { inputRef })}
          {...(onBlur === undefined ? {} : { onBlur })}
          slotProps={{ ...params.slotProps, htmlInput: { ...params.slotProps.htmlInput, spellCheck: false } }}
        />
      )}
    />
  );
}

/** A list of texts with choices, one element a line of the value. */
export function OptionListInput({ field, value, onChange, onBlur, problem, options }: Props) {
  const labels = new Map(options.map((option) => [option.value, option.label]));
  return (
    <Autocomplete
      multiple
      freeSolo
      size="small"
      fullWidth
      options={options.map((option) => option.value)}
      value={value === '' ? [] : value.split('\n')}
      onChange={(_event, chosen) =>
        onChange(
          chosen
            .map((one) => one.trim())
            .filter((one) => one !== '')
            .join('\n'),
        )
      }
      // By name where the choices have one: an id says nothing to people. What is written stays in its title.
      renderValue={(chosen, itemProps) =>
        chosen.map((one, index) => {
          const { key, ...props } = itemProps({ index });
          return <Chip key={key} label={labels.get(one) ?? one} title={one} size="small" {...props} />;
        })
      }
      renderOption={({ key, ...props }, option) => (
        <li key={key} {...props}>
          {labels.get(option) ?? option}
        </li>
      )}
      renderInput={(params) => (
        <TextField
          {...params}
          label={fieldLabel(field)}
          error={problem !== undefined}
          helperText={fieldHelp({ ...field, kind: 'text' }, problem)}
          // What was typed and not yet confirmed counts when the field is left.
          onBlur={(event) => {
            const typed = event.target.value.trim();
            if (typed !== '') onChange([...(value === '' ? [] : value.split('\n')), typed].join('\n'));
            onBlur?.();
          }}
        />
      )}
    />
  );
}
