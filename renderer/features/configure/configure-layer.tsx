import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useEffect, useState } from 'react';
import { layerKey, type Defaults, type EnvironmentLayer } from '../../../shared/environment/layers.ts';
import type { PluginId, Side } from '../../../shared/model/plugin-id.ts';
import { useToast } from '../../app/toasts.tsx';
import { useAction } from '../../app/use-action.ts';
import { useLink } from '../../app/workbench-context.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { text } from '../../text/text.ts';
import { useDraftVersion } from '../../forms/environment/draft-context.tsx';
import { EnvironmentDraft } from '../../forms/environment/environment-draft.ts';
import { EnvironmentEditor } from '../../forms/environment/environment-editor.tsx';
import { sameJson } from '../../forms/environment/same-json.ts';
import { UnsavedGuard } from './unsaved-guard.tsx';
import { useOptions } from '../../forms/environment/use-options.ts';

interface Props {
  readonly defaults: Defaults;
  /** Undefined for the whole project. */
  readonly wave: string | undefined;
  readonly plugin: PluginId;
  readonly side: Side;
  /** One that can be asked for choices. */
  readonly endpointId: string;
  readonly onSaved: () => void;
}

/** One layer of common settings, for one side of one platform. */
export function ConfigureLayer({ defaults, wave, plugin, side, endpointId, onSaved }: Props) {
  const link = useLink();
  const toast = useToast();
  const choices = useOptions(endpointId, undefined);
  const key = layerKey(plugin, side);
  const layers =
    wave === undefined ? defaults.project : (defaults.waves.find(({ name }) => name === wave)?.environments ?? {});
  const [draft] = useState(() => {
    const layer: EnvironmentLayer = layers[key] ?? { environment: {} };
    const weaker = {
      source: {},
      destination: {},
      [side]: wave === undefined ? {} : { project: defaults.project[key] },
    };
    return new EnvironmentDraft(
      wave === undefined ? 'project' : 'wave',
      { [side]: { plugin, layer } },
      { weaker, providerConfiguration: new Map(), vm: undefined, catalog: undefined },
    );
  });
  const [saved, setSaved] = useState(() => draft.layer(side));
  useDraftVersion(draft);
  useEffect(() => draft.changeContext({ catalog: choices.catalog }), [draft, choices.catalog]);
  const isChanged = !sameJson(draft.layer(side), saved);
  const hasErrors = draft.findings().some(({ severity }) => severity === 'error');
  const save = useAction(async () => {
    const layer = draft.layer(side);
    await link.call('defaults.save', {
      ...(wave === undefined ? {} : { wave }),
      environments: {
        ...layers,
        [key]: {
          environment: layer.environment,
          ...(layer.cleared === undefined ? {} : { cleared: [...layer.cleared] }),
        },
      },
    });
    setSaved(layer);
    onSaved();
    toast(text.configure.defaults.saved);
  });
  return (
    <Box
      component="form"
      noValidate
      sx={{ display: 'flex', flexDirection: 'column', gap: 2 }}
      onSubmit={(event) => {
        event.preventDefault();
        if (!hasErrors) void save.run();
      }}
    >
      <UnsavedGuard isDirty={isChanged && !save.isBusy} />
      <Box sx={{ display: 'flex', gap: 2, alignItems: 'center', justifyContent: 'flex-end' }}>
        <Typography role="status" variant="body2" sx={{ color: 'text.secondary' }}>
          {isChanged ? text.configure.changed : text.configure.noChanges}
        </Typography>
        <Button type="submit" variant="contained" disabled={!isChanged || hasErrors || save.isBusy}>
          {text.configure.save}
        </Button>
      </Box>
      {hasErrors && isChanged && <Alert severity="error">{text.configure.hasErrors}</Alert>}
      {save.error !== undefined && <ErrorNotice error={save.error} onClose={save.clear} />}
      <EnvironmentEditor
        draft={draft}
        saved={saved}
        choices={side === 'source' ? { ...choices, freshness: { kind: 'fresh' } } : choices}
      />
    </Box>
  );
}
