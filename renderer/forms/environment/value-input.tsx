import Box from '@mui/material/Box';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import type { Side } from '../../../shared/model/plugin-id.ts';
import { toPointer } from '../../../shared/schema/json-pointer.ts';
import type { FieldDescriptor } from '../field-descriptor.ts';
import { BooleanInput, ChoiceInput } from '../fields/choice-field.tsx';
import { OptionInput, OptionListInput } from '../fields/option-field.tsx';
import { SecretInput } from '../fields/secret-field.tsx';
import { TextInput } from '../fields/text-field.tsx';
import type { EntryRow, FieldValue, FormValues, MappingRow } from '../form-values.ts';
import { text } from '../../text/text.ts';
import { useDraftView, type Option } from './draft-context.tsx';
import { EntriesTable } from './entries-table.tsx';
import { MappingTable } from './mapping-table.tsx';

interface Props {
  readonly side: Side;
  readonly field: FieldDescriptor;
  readonly value: FieldValue;
  readonly onChange: (value: FieldValue) => void;
  /** What is wrong at a path below the value, or undefined; '' for the value itself. */
  readonly problemAt: (below: string) => ReactNode;
}

/** What edits a value, by the kind of its field, with the choices that are known for it. */
export function ValueInput({ side, field, value, onChange, problemAt }: Props) {
  const { optionsOf } = useDraftView();
  const choices = (of: FieldDescriptor | undefined): readonly Option[] =>
    asWritten(of, optionsOf(side, of?.meta.optionsFrom));
  const options = choices(field);
  const shared = { field, problem: problemAt('') };
  switch (field.kind) {
    case 'object':
      return <ObjectInput {...{ side, field, onChange, problemAt }} value={value as FormValues} />;
    case 'mapping':
    case 'pairs': {
      const keysFrom = field.kind === 'mapping' ? field.meta.keysFrom : field.pair?.[0].meta.optionsFrom;
      return (
        <MappingTable
          {...shared}
          rows={value as readonly MappingRow[]}
          onChange={onChange}
          lefts={optionsOf(side, keysFrom)}
          leftLabel={leftLabelOf(keysFrom)}
          rights={choices(field.kind === 'mapping' ? field : field.pair?.[1])}
        />
      );
    }
    case 'entries':
      return (
        <EntriesTable
          {...shared}
          rows={value as readonly EntryRow[]}
          onChange={onChange}
          lefts={optionsOf(side, field.meta.keysFrom)}
          leftLabel={leftLabelOf(field.meta.keysFrom)}
        >
          {(row, change) => (
            <MemberInputs
              {...{ side, field }}
              value={row.members}
              onChange={change}
              problemAt={(below) => problemAt(`${toPointer([row.key])}${below}`)}
            />
          )}
        </EntriesTable>
      );
    case 'secret':
      return <SecretInput {...shared} value={value as string | { readonly $secret: string }} onChange={onChange} />;
    case 'boolean':
      return <BooleanInput {...shared} value={value as boolean | ''} onChange={onChange} />;
    case 'choice':
      return <ChoiceInput {...shared} value={value as string} onChange={onChange} />;
    case 'list':
      return options.length > 0 ? (
        <OptionListInput {...shared} value={value as string} onChange={onChange} options={options} />
      ) : (
        <TextInput {...shared} value={value as string} onChange={onChange} />
      );
    default:
      return options.length > 0 && field.kind === 'text' ? (
        <OptionInput {...shared} value={value as string} onChange={onChange} options={options} />
      ) : (
        <TextInput {...shared} value={value as string} onChange={onChange} />
      );
  }
}

/** Fields of an object, which count and are inherited as a whole. */
function ObjectInput({
  side,
  field,
  value,
  onChange,
  problemAt,
}: Omit<Props, 'value'> & { readonly value: FormValues }) {
  const own = problemAt('');
  return (
    <Box role="group" aria-label={field.label} sx={{ borderLeft: 2, borderColor: 'divider', pl: 2 }}>
      <Typography variant="body2" sx={{ fontWeight: 500 }}>
        {field.label}
        {field.required && ` (${text.forms.required})`}
      </Typography>
      <Typography
        variant="caption"
        component="p"
        sx={{ color: own === undefined ? 'text.secondary' : 'error.main', mb: 1.5 }}
      >
        {own ?? field.meta.help}
      </Typography>
      <MemberInputs {...{ side, field, value, onChange, problemAt }} />
    </Box>
  );
}

function MemberInputs({
  side,
  field,
  value,
  onChange,
  problemAt,
}: Omit<Props, 'value' | 'onChange'> & { readonly value: FormValues; readonly onChange: (value: FormValues) => void }) {
  return (
    <Stack spacing={2}>
      {(field.members ?? []).map((member) => (
        <ValueInput
          key={member.key}
          side={side}
          // Members without choices of their own take those of the whole, e.g. images by OS type.
          field={
            member.meta.optionsFrom === undefined && field.meta.optionsFrom !== undefined
              ? { ...member, meta: { ...member.meta, optionsFrom: field.meta.optionsFrom } }
              : member
          }
          value={value[member.key] ?? ''}
          onChange={(changed) => onChange({ ...value, [member.key]: changed })}
          problemAt={(below) => problemAt(`/${member.key}${below}`)}
        />
      ))}
    </Stack>
  );
}

const leftLabelOf = (keysFrom: string | undefined): string =>
  keysFrom !== undefined && keysFrom in text.configure.left
    ? text.configure.left[keysFrom as keyof typeof text.configure.left]
    : text.configure.left.other;

/** Choices by what is written for them. */
const asWritten = (field: FieldDescriptor | undefined, options: readonly Option[]): readonly Option[] =>
  field?.meta.takesIds === true ? options.map((option) => ({ ...option, value: option.id ?? option.value })) : options;
