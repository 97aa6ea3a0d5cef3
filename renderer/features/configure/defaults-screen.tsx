import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { layerKey, type Defaults } from '../../../shared/environment/layers.ts';
import type { Endpoint } from '../../../shared/model/endpoint.ts';
import { sides, type PluginId, type Side } from '../../../shared/model/plugin-id.ts';
import { plugins } from '../../../shared/plugins/registry.ts';
import { goTo, hrefOf } from '../../app/route.ts';
import { useAction } from '../../app/use-action.ts';
import { useLink, useQuery } from '../../app/workbench-context.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { Screen } from '../../components/screen.tsx';
import { pluginTitle, text } from '../../text/text.ts';
import { ConfigureLayer } from './configure-layer.tsx';

/** What the project's machines have in common, for all of them or for a wave. */
export function DefaultsScreen({ wave }: { readonly wave?: string }) {
  const defaults = useQuery('defaults.show', {});
  const endpoints = useQuery('endpoint.list', {});
  return (
    <Screen isWide title={text.configure.defaults.title} lead={text.configure.defaults.lead}>
      <QueryView query={defaults}>
        {(known) => (
          <QueryView query={endpoints}>
            {(all) => <Layers defaults={known} endpoints={all} chosen={wave ?? ''} onChanged={defaults.reload} />}
          </QueryView>
        )}
      </QueryView>
    </Screen>
  );
}

interface Props {
  readonly defaults: Defaults;
  readonly endpoints: readonly Endpoint[];
  readonly chosen: string;
  readonly onChanged: () => void;
}

interface Place {
  readonly plugin: PluginId;
  readonly side: Side;
  readonly endpointId: string;
}

function Layers({ defaults, endpoints, chosen, onChanged }: Props) {
  const [isNaming, setIsNaming] = useState(false);
  const [isRemoving, setIsRemoving] = useState(false);
  const places = endpoints.flatMap(({ plugin, id }): Place[] =>
    [...sides]
      .reverse()
      .filter((side) => plugins[plugin][side] !== undefined)
      .map((side) => ({ plugin, side, endpointId: id })),
  );
  const distinct = [...new Map(places.map((place) => [layerKey(place.plugin, place.side), place])).entries()];
  const [key, setKey] = useState(
    distinct.find(([, { side }]) => side === 'destination')?.[0] ?? distinct[0]?.[0] ?? '',
  );
  const place = distinct.find(([one]) => one === key)?.[1];
  const wave = defaults.waves.find(({ name }) => name === chosen);
  if (place === undefined) {
    return (
      <EmptyState title={text.endpoints.none} lead={text.endpoints.noneLead}>
        <Button variant="contained" href={hrefOf('endpoints', 'new')}>
          {text.endpoints.add}
        </Button>
      </EmptyState>
    );
  }
  return (
    <>
      <Box sx={{ display: 'flex', gap: 2, alignItems: 'center', flexWrap: 'wrap' }}>
        <TextField
          select
          size="small"
          label={text.configure.defaults.layer}
          value={wave === undefined ? '' : wave.name}
          onChange={(event) => goTo('defaults', ...(event.target.value === '' ? [] : [event.target.value]))}
          slotProps={{ inputLabel: { shrink: true }, select: { displayEmpty: true } }}
          sx={{ minWidth: 240 }}
        >
          <MenuItem value="">{text.configure.defaults.project}</MenuItem>
          {defaults.waves.map(({ name }) => (
            <MenuItem key={name} value={name}>
              {text.configure.wave} {name}
            </MenuItem>
          ))}
        </TextField>
        <TextField
          select
          size="small"
          label={text.configure.defaults.plugin}
          value={key}
          onChange={(event) => setKey(event.target.value)}
          sx={{ minWidth: 280 }}
        >
          {distinct.map(([one, { plugin, side }]) => (
            <MenuItem key={one} value={one}>
              {text.configure.defaults.pluginSide(pluginTitle(plugins[plugin]), text.configure.sides[side])}
            </MenuItem>
          ))}
        </TextField>
        <Button onClick={() => setIsNaming(true)}>{text.configure.defaults.newWave}</Button>
        {wave !== undefined && (
          <Button color="error" onClick={() => setIsRemoving(true)}>
            {text.configure.defaults.removeWave}
          </Button>
        )}
      </Box>
      {wave !== undefined && <Members wave={wave.name} />}
      <ConfigureLayer
        key={`${wave?.name ?? ''} ${key}`}
        defaults={defaults}
        wave={wave?.name}
        plugin={place.plugin}
        side={place.side}
        endpointId={place.endpointId}
        onSaved={onChanged}
      />
      {isNaming && (
        <NewWave taken={defaults.waves.map(({ name }) => name)} onClose={() => setIsNaming(false)} onMade={onChanged} />
      )}
      {isRemoving && wave !== undefined && (
        <RemoveWave name={wave.name} onClose={() => setIsRemoving(false)} onRemoved={onChanged} />
      )}
    </>
  );
}

function Members({ wave }: { readonly wave: string }) {
  const replicas = useQuery('replica.list', {}).data ?? [];
  return (
    <Typography sx={{ color: 'text.secondary' }}>
      {text.configure.defaults.members(replicas.filter((replica) => replica.wave === wave).map(({ name }) => name))}
    </Typography>
  );
}

function NewWave({
  taken,
  onClose,
  onMade,
}: {
  readonly taken: readonly string[];
  readonly onClose: () => void;
  readonly onMade: () => void;
}) {
  const link = useLink();
  const [name, setName] = useState('');
  const wanted = name.trim();
  const make = useAction(async () => {
    await link.call('defaults.save', { wave: wanted, environments: {} });
    onMade();
    onClose();
    goTo('defaults', wanted);
  });
  return (
    <ConfirmDialog
      title={text.configure.defaults.newWave}
      confirm={text.configure.defaults.createWave}
      isReady={wanted !== '' && !taken.includes(wanted)}
      action={make}
      onClose={onClose}
    >
      <TextField
        size="small"
        required
        autoFocus
        label={text.configure.defaults.waveName}
        value={name}
        onChange={(event) => setName(event.target.value)}
        slotProps={{ htmlInput: { maxLength: 100 } }}
        sx={{ mt: 1 }}
      />
    </ConfirmDialog>
  );
}

function RemoveWave({
  name,
  onClose,
  onRemoved,
}: {
  readonly name: string;
  readonly onClose: () => void;
  readonly onRemoved: () => void;
}) {
  const link = useLink();
  const remove = useAction(async () => {
    await link.call('defaults.removeWave', { wave: name });
    onClose();
    onRemoved();
    goTo('defaults');
  });
  return (
    <ConfirmDialog
      title={text.configure.defaults.removeTitle(name)}
      confirm={text.configure.defaults.removeWave}
      isDestructive
      action={remove}
      onClose={onClose}
    >
      <Typography>{text.configure.defaults.removeLead}</Typography>
    </ConfirmDialog>
  );
}
