import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useMemo, useState } from 'react';
import type { Defaults } from '../../../shared/environment/layers.ts';
import { effectiveReplica } from '../../../shared/interchange/effective-replica.ts';
import { commandText, exportProject, payloadText } from '../../../shared/interchange/export-project.ts';
import type { Endpoint } from '../../../shared/model/endpoint.ts';
import type { Replica } from '../../../shared/model/replica.ts';
import { useQuery } from '../../app/workbench-context.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { saveFile } from '../../components/save-file.ts';
import { Section } from '../../components/section.tsx';
import { text } from '../../text/text.ts';
import { LeftOutTable } from './left-out-table.tsx';
import { WrittenText } from './written-text.tsx';

const formats = ['payloads', 'commands'] as const;
const everything = '';

/** The project, or one wave of it, as Coriolis takes it: the text first, then the file. */
export function ExportView() {
  const endpoints = useQuery('endpoint.list', {}).data;
  const defaults = useQuery('defaults.show', {}).data;
  const replicas = useQuery('replica.list', {});
  return (
    <QueryView query={replicas}>
      {(all) =>
        endpoints === undefined || defaults === undefined ? null : (
          <Exported endpoints={endpoints} replicas={all} defaults={defaults} />
        )
      }
    </QueryView>
  );
}

function Exported({
  endpoints,
  replicas,
  defaults,
}: {
  readonly endpoints: readonly Endpoint[];
  readonly replicas: readonly Replica[];
  readonly defaults: Defaults;
}) {
  const [scope, setScope] = useState(everything);
  const [format, setFormat] = useState<(typeof formats)[number]>('payloads');
  const waves = useMemo(() => [...new Set(replicas.flatMap(({ wave }) => wave ?? []))].sort(), [replicas]);
  const exported = useMemo(() => {
    const chosen = scope === everything ? replicas : replicas.filter(({ wave }) => wave === scope);
    const used = new Set(
      chosen.flatMap(({ sourceEndpointId, destinationEndpointId }) => [sourceEndpointId, destinationEndpointId]),
    );
    return exportProject(
      scope === everything ? endpoints : endpoints.filter(({ id }) => used.has(id)),
      chosen.map((replica) => effectiveReplica(replica, endpoints, defaults)),
    );
  }, [scope, replicas, endpoints, defaults]);
  const content = useMemo(
    () => (format === 'commands' ? commandText(exported) : payloadText(exported)),
    [format, exported],
  );
  return (
    <>
      <Section title={text.interchange.export}>
        <Typography sx={{ color: 'text.secondary', mb: 2 }}>{text.interchange.exportHelp}</Typography>
        {replicas.length === 0 && <Typography sx={{ mb: 2 }}>{text.interchange.noReplicas}</Typography>}
        <Box sx={{ display: 'flex', gap: 2, alignItems: 'center', flexWrap: 'wrap', mb: 2 }}>
          <TextField
            select
            size="small"
            label={text.interchange.scope}
            value={scope}
            onChange={(event) => setScope(event.target.value)}
            sx={{ minWidth: 220 }}
            slotProps={{ select: { displayEmpty: true }, inputLabel: { shrink: true } }}
          >
            <MenuItem value={everything}>{text.interchange.all}</MenuItem>
            {waves.map((wave) => (
              <MenuItem key={wave} value={wave}>
                {text.interchange.ofWave(wave)}
              </MenuItem>
            ))}
          </TextField>
          <TextField
            select
            size="small"
            label={text.interchange.format}
            value={format}
            onChange={(event) => setFormat(event.target.value as typeof format)}
            sx={{ minWidth: 220 }}
          >
            {formats.map((one) => (
              <MenuItem key={one} value={one}>
                {text.interchange.formats[one]}
              </MenuItem>
            ))}
          </TextField>
          <Box sx={{ flexGrow: 1 }} />
          <Button
            variant="outlined"
            onClick={() =>
              format === 'commands'
                ? saveFile('coriolis.sh', content, 'text/x-shellscript')
                : saveFile('coriolis.json', content, 'application/json')
            }
          >
            {text.interchange.save}
          </Button>
        </Box>
        <WrittenText label={text.interchange.written}>{content}</WrittenText>
      </Section>
      <LeftOutTable title={text.interchange.notExported} items={exported.notCarried} />
    </>
  );
}
