import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useDeferredValue, useMemo, useRef, useState } from 'react';
import type { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { Endpoint } from '../../../shared/model/endpoint.ts';
import type { Vm } from '../../../shared/model/vm.ts';
import { plugins } from '../../../shared/plugins/registry.ts';
import type { Catalog } from '../../../shared/validation/catalog.ts';
import { goTo, hrefOf } from '../../app/route.ts';
import { useToast } from '../../app/toasts.tsx';
import { useAction } from '../../app/use-action.ts';
import { useLink } from '../../app/workbench-context.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { text } from '../../text/en.ts';
import { checkText } from './check-text.ts';
import { DocumentEditor } from './document-editor.tsx';
import { KeyReference } from './key-reference.tsx';
import { startingDocument } from './starting-document.ts';

interface Props {
  readonly vm: Vm;
  readonly source: Endpoint;
  readonly destination: Endpoint;
  readonly catalog: Catalog | undefined;
  readonly catalogError: CausewayError | undefined;
}

/** The replica's name and its environment document, checked while it is written. */
export function ReplicaForm({ vm, source, destination, catalog, catalogError }: Props) {
  const link = useLink();
  const toast = useToast();
  const sides = useMemo(() => ({ source: source.plugin, destination: destination.plugin }), [source.plugin, destination.plugin]);
  const [name, setName] = useState(vm.name);
  const [written, setWritten] = useState(() => startingDocument(vm, sides, catalog));
  const [isRefused, setIsRefused] = useState(false);
  // The check runs behind the typing, never before it.
  const settled = useDeferredValue(written);
  const { findings } = useMemo(() => checkText(settled, { vm, plugins: sides, catalog }), [settled, vm, sides, catalog]);
  const hasErrors = findings.some(({ severity }) => severity === 'error');
  const create = useAction(async () => {
    const { environments } = checkText(written, { vm, plugins: sides, catalog });
    const replica = await link.call('replica.create', {
      name: name.trim(),
      source: source.id,
      destination: destination.id,
      vm: vm.id,
      sourceEnvironment: environments.source,
      destinationEnvironment: environments.destination,
    });
    toast(text.replicas.created(replica.name));
    goTo('replicas', replica.id);
  });
  return (
    <Stack
      component="form"
      spacing={2}
      onSubmit={(event) => {
        event.preventDefault();
        setIsRefused(hasErrors);
        if (!hasErrors) void create.run();
      }}
    >
      <TextField size="small" required label={text.replicas.replicaName} value={name} onChange={(event) => setName(event.target.value)} sx={{ maxWidth: 420 }} />
      {catalogError === undefined ? (
        catalog !== undefined && <Alert severity="success" variant="outlined">{text.replicas.withCatalog}</Alert>
      ) : (
        <>
          <Alert severity="warning">{text.replicas.noCatalog}</Alert>
          <ErrorNotice error={catalogError} />
        </>
      )}
      <Box sx={{ display: 'flex', gap: 1, alignItems: 'center', flexWrap: 'wrap' }}>
        <FileButton onText={setWritten} />
      </Box>
      <DocumentEditor value={written} onChange={setWritten} findings={findings} />
      <KeyReference title={text.replicas.reference} plugin={destination.plugin} side="destination" />
      {plugins[source.plugin].source !== undefined && <KeyReference title={text.replicas.sourceReference} plugin={source.plugin} side="source" />}
      {isRefused && hasErrors && <Alert severity="error">{text.replicas.hasErrors}</Alert>}
      {create.error !== undefined && <ErrorNotice error={create.error} onClose={create.clear} />}
      <Box sx={{ display: 'flex', gap: 1, alignItems: 'center', flexWrap: 'wrap' }}>
        <Button type="submit" variant="contained" disabled={create.isBusy || name.trim() === ''}>
          {text.replicas.create}
        </Button>
        <Button href={hrefOf('inventory', source.id)}>{text.app.cancel}</Button>
        <Typography variant="body2" sx={{ color: 'text.secondary' }}>
          {text.replicas.nothingMoved}
        </Typography>
      </Box>
    </Stack>
  );
}

/** Takes a document that exists as a file. */
function FileButton({ onText }: { readonly onText: (content: string) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button onClick={() => input.current?.click()}>{text.replicas.fromFile}</Button>
      <input
        ref={input}
        type="file"
        accept=".yaml,.yml,.json,.jsonc"
        hidden
        aria-label={text.replicas.fromFile}
        onChange={(event) => {
          const [file] = event.target.files ?? [];
          event.target.value = '';
          if (file !== undefined) void file.text().then(onText);
        }}
      />
    </>
  );
}
