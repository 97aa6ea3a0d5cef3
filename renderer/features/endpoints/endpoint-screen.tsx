import Alert from '@mui/material/Alert';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import { useState } from 'react';
import { pluginIds, type PluginId } from '../../../shared/model/plugin-id.ts';
import { plugins } from '../../../shared/plugins/registry.ts';
import { useQuery } from '../../app/workbench-context.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { FileButton } from '../../components/file-button.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { Screen } from '../../components/screen.tsx';
import { platformLabel, text } from '../../text/text.ts';
import { VaultNeeded } from '../../components/vault-card.tsx';
import { EndpointForm } from './endpoint-form.tsx';
import { importedEndpoint, withoutSecrets, type ImportedEndpoint } from './export-endpoint.ts';

interface Props {
  /** The endpoint to change; without it a new one is made. */
  readonly endpointId?: string;
  /** A new one starts as a copy of this one. */
  readonly copyOf?: string;
  /** Whether the server's certificate is shown to begin with. */
  readonly showsCertificate?: boolean;
}

/** Makes an endpoint or changes one. */
export function EndpointScreen({ endpointId, copyOf, showsCertificate = false }: Props) {
  if (endpointId === undefined && copyOf === undefined) return <NewEndpoint />;
  return (
    <KnownEndpoint id={endpointId ?? copyOf!} isCopy={endpointId === undefined} showsCertificate={showsCertificate} />
  );
}

function NewEndpoint() {
  const described = useQuery('plugins.describe', {});
  const [plugin, setPlugin] = useState<PluginId | ''>('');
  const [taken, setTaken] = useState<ImportedEndpoint>();
  const [isUnknown, setIsUnknown] = useState(false);
  const take = (content: string) => {
    const found = importedEndpoint(content);
    setIsUnknown(found === undefined);
    if (found === undefined) return;
    setTaken(found);
    setPlugin(found.plugin);
  };
  return (
    <Screen
      title={text.endpoints.newTitle}
      lead={text.endpoints.newLead}
      actions={<FileButton label={text.endpoints.fromFile} endings=".yaml,.yml,.json" onText={take} />}
    >
      <VaultNeeded />
      {isUnknown && <Alert severity="error">{text.endpoints.noEndpointFile}</Alert>}
      {taken !== undefined && taken.plugin === plugin && <Alert severity="info">{text.endpoints.secretsMissing}</Alert>}
      <QueryView query={described}>
        {(descriptions) => (
          <TextField
            select
            size="small"
            label={text.endpoints.plugin}
            value={plugin}
            onChange={(event) => {
              setTaken(undefined);
              setPlugin(event.target.value as PluginId);
            }}
            helperText={
              plugin === '' ? undefined : reachText(descriptions.find(({ id }) => id === plugin)?.sides ?? [])
            }
            sx={{ maxWidth: 560 }}
          >
            {reachableFirst(descriptions).map(({ id, sides }) => (
              <MenuItem key={id} value={id}>
                {sides.some(({ reachable }) => reachable)
                  ? platformLabel(plugins[id])
                  : `${platformLabel(plugins[id])} (${text.endpoints.notReachable})`}
              </MenuItem>
            ))}
          </TextField>
        )}
      </QueryView>
      {plugin !== '' && (
        <EndpointForm
          key={`${plugin} ${taken?.name ?? ''}`}
          plugin={plugin}
          start={taken ?? { name: '', connection: {} }}
        />
      )}
    </Screen>
  );
}

interface Description {
  readonly id: PluginId;
  readonly sides: readonly { readonly side: 'source' | 'destination'; readonly reachable: boolean }[];
}

function reachableFirst(descriptions: readonly Description[]): Description[] {
  const rank = ({ id, sides }: Description): number =>
    (sides.some(({ reachable }) => reachable) ? 0 : pluginIds.length) + pluginIds.indexOf(id);
  return descriptions.toSorted((one, other) => rank(one) - rank(other));
}

function reachText(sides: Description['sides']): string {
  return `${text.endpoints.sides}: ${sides
    .map(({ side, reachable }) =>
      reachable ? text.endpoints[side] : `${text.endpoints[side]} (${text.endpoints.notReachable})`,
    )
    .join(', ')}`;
}

function KnownEndpoint({
  id,
  isCopy,
  showsCertificate,
}: {
  readonly id: string;
  readonly isCopy: boolean;
  readonly showsCertificate: boolean;
}) {
  const query = useQuery('endpoint.list', {});
  return (
    <QueryView query={query}>
      {(endpoints) => {
        const endpoint = endpoints.find((one) => one.id === id);
        if (endpoint === undefined) return <EmptyState title={text.endpoints.missing} />;
        const title = platformLabel(plugins[endpoint.plugin]);
        if (!isCopy) {
          return (
            <Screen title={endpoint.name} lead={title}>
              <VaultNeeded />
              <EndpointForm
                plugin={endpoint.plugin}
                endpointId={endpoint.id}
                start={endpoint}
                showsCertificate={showsCertificate}
              />
            </Screen>
          );
        }
        return (
          <Screen title={text.endpoints.duplicateOf(endpoint.name)} lead={`${title}. ${text.endpoints.copyLead}`}>
            <VaultNeeded />
            <EndpointForm
              plugin={endpoint.plugin}
              start={{ name: text.endpoints.copyName(endpoint.name), connection: withoutSecrets(endpoint.connection) }}
            />
          </Screen>
        );
      }}
    </QueryView>
  );
}
