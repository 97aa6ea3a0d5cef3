import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useMemo, useState } from 'react';
import type { Defaults } from '../../../shared/environment/layers.ts';
import type { Endpoint } from '../../../shared/model/endpoint.ts';
import type { Replica } from '../../../shared/model/replica.ts';
import { goTo, hrefOf } from '../../app/route.ts';
import { useToast } from '../../app/toasts.tsx';
import { useAction } from '../../app/use-action.ts';
import { useLink, useQuery } from '../../app/workbench-context.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { VmLimits } from '../../components/replicas/vm-limits.tsx';
import { text } from '../../text/text.ts';
import { alike } from './apply-settings.ts';
import { ApplyToMany } from './apply-to-many.tsx';
import { effectiveText } from '../../forms/environment/comparisons.ts';
import { draftOfReplica } from '../../forms/environment/draft-of-replica.ts';
import { DraftForm } from '../../forms/environment/draft-form.tsx';
import { EnvironmentEditor } from '../../forms/environment/environment-editor.tsx';
import { ProviderConfiguration } from '../../forms/environment/provider-configuration.tsx';
import { sameJson } from '../../forms/environment/same-json.ts';
import { UnsavedGuard } from './unsaved-guard.tsx';
import { useDraftContext } from '../../forms/environment/use-draft-context.ts';
import { useOptions } from '../../forms/environment/use-options.ts';
import { WaveField } from '../../forms/environment/wave-field.tsx';

interface Props {
  readonly replica: Replica;
  readonly source: Endpoint;
  readonly destination: Endpoint;
  readonly defaults: Defaults;
}

/** The form of one replica, with its name, its wave and its provider configuration. */
export function ConfigureReplica({ replica, source, destination, defaults }: Props) {
  const link = useLink();
  const toast = useToast();
  const vm = useQuery('vm.show', { endpoint: source.id, vm: replica.vmId });
  const choices = useOptions(destination.id, vm.data, source);
  const [name, setName] = useState(replica.name);
  const [wave, setWave] = useState(replica.wave ?? '');
  const [configuration, setConfiguration] = useState(replica.providerConfiguration ?? '');
  const [draft] = useState(() => draftOfReplica(replica, source.plugin, destination.plugin, defaults));
  const [initial] = useState(() => contentOf());
  const [isApplying, setIsApplying] = useState(false);
  const [isRefused, setIsRefused] = useState(false);
  const hasErrors = useDraftContext(draft, {
    plugins: { source: source.plugin, destination: destination.plugin },
    vm: vm.data,
    catalog: choices.catalog,
    defaults,
    wave,
    configuration,
  });
  function contentOf() {
    const [from, to] = [draft.layer('source'), draft.layer('destination')];
    return {
      name: name.trim(),
      wave: wave === '' ? null : wave,
      providerConfiguration: configuration.trim() === '' ? null : configuration,
      sourceEnvironment: from.environment,
      destinationEnvironment: to.environment,
      cleared: { source: [...(from.cleared ?? [])], destination: [...(to.cleared ?? [])] },
    };
  }
  const content = contentOf();
  const all = useQuery('replica.list', {}).data;
  const endpoints = useQuery('endpoint.list', {}).data;
  const others = useMemo(
    () =>
      alike(replica, all ?? [], endpoints ?? []).map((other) => ({
        id: other.id,
        name: other.name,
        effective: () => effectiveText(draftOfReplica(other, source.plugin, destination.plugin, defaults)),
      })),
    [replica, all, endpoints, source.plugin, destination.plugin, defaults],
  );
  const isChanged = !sameJson(content, initial);
  const save = useAction(async () => {
    const saved = await link.call('replica.update', {
      replica: replica.id,
      ...content,
      ...(vm.data === undefined ? {} : { vm: vm.data }),
    });
    toast(text.configure.saved(saved.name));
    goTo('replicas', replica.id);
  });
  return (
    <DraftForm
      hasSaveKey
      onSubmit={() => {
        setIsRefused(hasErrors);
        if (!hasErrors) void save.run();
      }}
    >
      <UnsavedGuard isDirty={isChanged && !save.isBusy} />
      <Box sx={{ display: 'flex', gap: 2, alignItems: 'center', flexWrap: 'wrap' }}>
        <TextField
          size="small"
          required
          label={text.replicas.replicaName}
          value={name}
          onChange={(event) => setName(event.target.value)}
          sx={{ width: 280 }}
        />
        <WaveField waves={defaults.waves} value={wave} onChange={setWave} />
        <Box sx={{ flexGrow: 1 }} />
        <Button onClick={() => setIsApplying(true)}>{text.configure.applyToMany}</Button>
        <Typography role="status" variant="body2" sx={{ color: 'text.secondary' }}>
          {isChanged ? text.configure.changed : text.configure.noChanges}
        </Typography>
        <Button href={hrefOf('replicas', replica.id)}>{isChanged ? text.configure.discard : text.app.cancel}</Button>
        <Button type="submit" variant="contained" disabled={!isChanged || save.isBusy || name.trim() === ''}>
          {text.configure.save}
        </Button>
      </Box>
      {vm.data !== undefined && <VmLimits endpointId={source.id} vmId={replica.vmId} />}
      {vm.error !== undefined && vm.data === undefined && <Alert severity="warning">{text.configure.vmUnknown}</Alert>}
      {isRefused && hasErrors && <Alert severity="error">{text.configure.hasErrors}</Alert>}
      {save.error !== undefined && <ErrorNotice error={save.error} onClose={save.clear} />}
      <EnvironmentEditor draft={draft} choices={choices} others={others} />
      <ProviderConfiguration value={configuration} onChange={setConfiguration} />
      {isApplying && (
        <ApplyToMany
          replica={replica}
          draft={draft}
          wave={wave}
          endpoints={{ source, destination }}
          onClose={() => setIsApplying(false)}
        />
      )}
    </DraftForm>
  );
}
