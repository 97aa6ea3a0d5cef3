import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import TextField from '@mui/material/TextField';
import { useMemo } from 'react';
import { useForm, type Resolver } from 'react-hook-form';
import type { JsonObject } from '../../../shared/model/json.ts';
import { manualPages } from '../../../shared/manual/addresses.ts';
import type { PluginId } from '../../../shared/model/plugin-id.ts';
import { plugins } from '../../../shared/plugins/registry.ts';
import { goTo, hrefOf } from '../../app/route.ts';
import { useToast } from '../../app/toasts.tsx';
import { useAction } from '../../app/use-action.ts';
import { useLink } from '../../app/workbench-context.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { describeFields, type FieldDescriptor } from '../../forms/field-descriptor.ts';
import { formErrors } from '../../forms/form-errors.ts';
import { fieldProblems, fromFormValues, toFormValues, type FormValues } from '../../forms/form-values.ts';
import { SchemaFields } from '../../forms/schema-fields.tsx';
import { text } from '../../text/text.ts';
import { ServerTrust } from './server-trust.tsx';

interface Values {
  readonly name: string;
  readonly connection: FormValues;
}

interface Props {
  readonly plugin: PluginId;
  /** The endpoint that is changed; without it a new one is made. */
  readonly endpointId?: string;
  /** Whether the server's certificate is shown to begin with. */
  readonly showsCertificate?: boolean;
  readonly start: { readonly name: string; readonly connection: JsonObject };
}

/** An endpoint's name and what its platform asks for. */
export function EndpointForm({ plugin, endpointId, start, showsCertificate = false }: Props) {
  const link = useLink();
  const toast = useToast();
  const schema = plugins[plugin].connection;
  const fields = useMemo(() => describeFields(schema, `${plugin}/connection`), [schema, plugin]);
  const form = useForm<Values>({
    defaultValues: { name: start.name, connection: toFormValues(fields, start.connection) },
    resolver: resolverOf(plugin, fields),
    mode: 'onTouched',
  });
  const save = useAction(async (values: Values) => {
    const given = { name: values.name.trim(), connection: fromFormValues(fields, values.connection) };
    if (endpointId === undefined) await link.call('endpoint.add', { plugin, ...given });
    else await link.call('endpoint.update', { endpoint: endpointId, ...given });
    toast(text.endpoints.saved(given.name));
    goTo('endpoints');
  });
  const { errors, submitCount } = form.formState;
  const problems = Object.keys(errors).length === 0 ? 0 : countLeaves(errors);
  return (
    <Paper
      component="form"
      variant="outlined"
      noValidate
      onSubmit={(event) => void form.handleSubmit((values) => save.run(values))(event)}
      sx={{ p: 3, maxWidth: 760, display: 'flex', flexDirection: 'column', gap: 3 }}
    >
      {submitCount > 0 && problems > 0 && <Alert severity="error">{text.forms.problems(problems)}</Alert>}
      {save.error !== undefined && <ErrorNotice error={save.error} onClose={save.clear} />}
      <TextField
        size="small"
        required
        label={text.endpoints.name}
        error={errors.name !== undefined}
        helperText={errors.name?.message ?? text.endpoints.nameHelp}
        slotProps={{ htmlInput: form.register('name') }}
      />
      <SchemaFields
        fields={fields}
        control={form.control}
        below="connection"
        manualPage={manualPages.connection(plugin)}
      />
      {'ca_certificate' in schema.shape && (
        <ServerTrust
          schema={schema}
          startsOpen={showsCertificate}
          connection={() => fromFormValues(fields, form.getValues('connection'))}
          onTrust={(pem) =>
            form.setValue('connection.ca_certificate', pem, { shouldDirty: true, shouldValidate: true })
          }
        />
      )}
      <Box sx={{ display: 'flex', gap: 1 }}>
        <Button type="submit" variant="contained" disabled={save.isBusy}>
          {text.endpoints.save}
        </Button>
        <Button href={hrefOf('endpoints')}>{text.app.cancel}</Button>
      </Box>
    </Paper>
  );
}

function resolverOf(plugin: PluginId, fields: readonly FieldDescriptor[]): Resolver<Values> {
  return async (values) => {
    const problems = new Map<string, string>();
    if (values.name.trim() === '') problems.set('name', text.forms.missing);
    for (const [path, message] of fieldProblems(plugins[plugin].connection, fields, values.connection))
      problems.set(`connection.${path}`, message);
    return problems.size === 0 ? { values, errors: {} } : { values: {}, errors: formErrors(problems) };
  };
}

/** How many fields have something wrong: leaves are what has a message. */
function countLeaves(node: object): number {
  if ('message' in node && typeof node.message === 'string') return 1;
  return Object.values(node).reduce(
    (sum: number, child) => sum + (typeof child === 'object' && child !== null ? countLeaves(child as object) : 0),
    0,
  );
}
