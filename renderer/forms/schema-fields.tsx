import Box from '@mui/material/Box';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { useController, useFormState, type Control, type FieldValues } from 'react-hook-form';
import { manualAnchors } from '../../shared/manual/addresses.ts';
import { LearnMore } from '../components/manual/learn-more.tsx';
import { groupFields, type FieldDescriptor } from './field-descriptor.ts';
import { BooleanInput, ChoiceInput } from './fields/choice-field.tsx';
import { MappingInput } from './fields/mapping-field.tsx';
import { SecretInput } from './fields/secret-field.tsx';
import { TextInput } from './fields/text-field.tsx';

interface SchemaFieldsProps<T extends FieldValues> {
  readonly fields: readonly FieldDescriptor[];
  readonly control: Control<T>;
  /** Path in the form below which the fields are. */
  readonly below: string;
  /** The manual's page that has a section for each key. */
  readonly manualPage: string;
}

/** All fields of a schema under their headings. */
export function SchemaFields<T extends FieldValues>({
  fields,
  control: typed,
  below,
  manualPage,
}: SchemaFieldsProps<T>) {
  // The fields come from a schema at run time: the form's static type says nothing about them.
  const control = typed as unknown as Control;
  return (
    <Stack spacing={3}>
      {groupFields(fields).map(([group, members]) => (
        <Box key={group} role="group" aria-label={group}>
          <Typography variant="subtitle1" component="h2" sx={{ fontWeight: 600, mb: 1.5 }}>
            {group}
          </Typography>
          <Stack spacing={2}>
            {members.map((field) => (
              <SchemaField
                key={field.key}
                field={field}
                control={control}
                path={`${below}.${field.key}`}
                manual={{ page: manualPage, anchor: manualAnchors.key(field.key) }}
              />
            ))}
          </Stack>
        </Box>
      ))}
    </Stack>
  );
}

interface SchemaFieldProps {
  readonly field: FieldDescriptor;
  readonly control: Control;
  readonly path: string;
  readonly manual: { readonly page: string; readonly anchor: string };
}

function SchemaField({ field, control, path, manual }: SchemaFieldProps) {
  if (field.kind !== 'object') {
    return (
      <Box>
        <LeafField field={field} control={control} path={path} />
        <Box>
          <LearnMore {...manual} about={field.label} />
        </Box>
      </Box>
    );
  }
  return (
    <Box role="group" aria-label={field.label} sx={{ borderLeft: 2, borderColor: 'divider', pl: 2 }}>
      <Typography variant="body2" sx={{ fontWeight: 500 }}>
        {field.label}
      </Typography>
      <Typography variant="caption" component="p" sx={{ color: 'text.secondary', mb: 1.5 }}>
        {field.meta.help} <LearnMore {...manual} about={field.label} />
      </Typography>
      <Stack spacing={2}>
        {field.members?.map((member) => (
          <SchemaField
            key={member.key}
            field={member}
            control={control}
            path={`${path}.${member.key}`}
            manual={{ page: manual.page, anchor: `${manual.anchor}.${member.key}` }}
          />
        ))}
      </Stack>
    </Box>
  );
}

/** Only the field that changes is rendered again: each one is a controller of its own. */
function LeafField({ field, control, path }: Omit<SchemaFieldProps, 'manual'>) {
  const { field: held, fieldState } = useController({ name: path, control });
  const { submitCount } = useFormState({ control });
  // Both are read at every render: reading is how the form learns that this field shows them.
  const { error, isTouched } = fieldState;
  const shared = {
    field,
    onBlur: held.onBlur,
    inputRef: held.ref,
    // A required field that nobody has come to yet is not wrong yet.
    problem: isTouched || submitCount > 0 ? error?.message : undefined,
  };
  switch (field.kind) {
    case 'secret':
      return <SecretInput {...shared} value={held.value} onChange={held.onChange} />;
    case 'boolean':
      return <BooleanInput {...shared} value={held.value} onChange={held.onChange} />;
    case 'choice':
      return <ChoiceInput {...shared} value={held.value} onChange={held.onChange} />;
    case 'mapping':
    case 'pairs':
      return <MappingInput {...shared} value={held.value} onChange={held.onChange} />;
    default:
      return <TextInput {...shared} value={held.value} onChange={held.onChange} />;
  }
}
