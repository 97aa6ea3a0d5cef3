import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import type { Defaults } from '../../../shared/environment/layers.ts';
import type { Endpoint } from '../../../shared/model/endpoint.ts';
import type { JsonObject } from '../../../shared/model/json.ts';
import type { Side } from '../../../shared/model/plugin-id.ts';
import type { Vm } from '../../../shared/model/vm.ts';
import { goTo, hrefOf } from '../../app/route.ts';
import { useToast } from '../../app/toasts.tsx';
import { useAction } from '../../app/use-action.ts';
import { useLink } from '../../app/workbench-context.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { text } from '../../text/text.ts';
import { draftOfReplica, weakerLayers } from '../../forms/environment/draft-of-replica.ts';
import { DraftForm } from '../../forms/environment/draft-form.tsx';
import { EnvironmentEditor } from '../../forms/environment/environment-editor.tsx';
import { ProviderConfiguration } from '../../forms/environment/provider-configuration.tsx';
import { SuggestionsNote } from '../../forms/environment/suggestions-note.tsx';
import { useDraftContext } from '../../forms/environment/use-draft-context.ts';
import type { Choices } from '../../forms/environment/use-options.ts';
import { WaveField } from '../../forms/environment/wave-field.tsx';
import { startingEnvironments, type Guess } from '../../forms/environment/starting-document.ts';

interface Props {
  readonly vm: Vm;
  readonly source: Endpoint;
  readonly destination: Endpoint;
  readonly choices: Choices;
  readonly defaults: Defaults;
}

/** A new replica: its name, its wave, and its environments, checked while they are written. */
export function ReplicaForm({ vm, source, destination, choices, defaults }: Props) {
  const link = useLink();
  const toast = useToast();
  const [name, setName] = useState(vm.name);
  const [wave, setWave] = useState('');
  const [configuration, setConfiguration] = useState('');
  const [isRefused, setIsRefused] = useState(false);
  const [draft] = useState(() => {
    const below = weakerLayers(defaults, '', source.plugin, destination.plugin);
    const guesses: Guess[] = [];
    const start = startingEnvironments(
      vm,
      { source: source.plugin, destination: destination.plugin },
      choices.catalog,
      (guess) => guesses.push(guess),
    );
    const own = (side: Side): JsonObject => without(start[side], Object.keys(below[side].project?.environment ?? {}));
    const made = draftOfReplica(
      { sourceEnvironment: own('source'), destinationEnvironment: own('destination') },
      source.plugin,
      destination.plugin,
      defaults,
    );
    for (const { side, key, of } of guesses) made.suggest(side, key, of);
    return made;
  });
  const hasErrors = useDraftContext(draft, {
    plugins: { source: source.plugin, destination: destination.plugin },
    vm: vm,
    catalog: choices.catalog,
    defaults,
    wave,
    configuration,
  });
  const create = useAction(async () => {
    const [from, to] = [draft.layer('source'), draft.layer('destination')];
    const replica = await link.call('replica.create', {
      name: name.trim(),
      source: source.id,
      destination: destination.id,
      vm: vm.id,
      sourceEnvironment: from.environment,
      destinationEnvironment: to.environment,
      cleared: { source: [...(from.cleared ?? [])], destination: [...(to.cleared ?? [])] },
      ...(wave === '' ? {} : { wave }),
      ...(configuration.trim() === '' ? {} : { providerConfiguration: configuration }),
    });
    toast(text.replicas.created(replica.name));
    goTo('replicas', replica.id);
  });
  return (
    <DraftForm
      onSubmit={() => {
        setIsRefused(hasErrors);
        if (!hasErrors) void create.run();
      }}
    >
      <Box sx={{ display: 'flex', gap: 2, alignItems: 'center', flexWrap: 'wrap' }}>
        <TextField
          size="small"
          required
          label={text.replicas.replicaName}
          value={name}
          onChange={(event) => setName(event.target.value)}
          sx={{ width: 280 }}
        />
        {defaults.waves.length > 0 && <WaveField waves={defaults.waves} value={wave} onChange={setWave} />}
        <Typography variant="body2" sx={{ color: 'text.secondary', flex: '1 1 200px' }}>
          {text.replicas.nothingMoved}
        </Typography>
        <Button href={hrefOf('inventory', source.id)}>{text.app.cancel}</Button>
        <Button type="submit" variant="contained" disabled={create.isBusy || name.trim() === ''}>
          {text.replicas.create}
        </Button>
      </Box>
      {isRefused && hasErrors && <Alert severity="error">{text.replicas.hasErrors}</Alert>}
      {create.error !== undefined && <ErrorNotice error={create.error} onClose={create.clear} />}
      <SuggestionsNote draft={draft} />
      <EnvironmentEditor draft={draft} choices={choices} />
      <ProviderConfiguration value={configuration} onChange={setConfiguration} />
    </DraftForm>
  );
}

function without(environment: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(environment).filter(([key]) => !keys.includes(key)));
}
