import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useMemo, useState } from 'react';
import { importProject } from '../../../shared/interchange/import-project.ts';
import type { Payloads } from '../../../shared/interchange/payloads.ts';
import { planImport } from '../../../shared/interchange/plan-import.ts';
import type { Endpoint } from '../../../shared/model/endpoint.ts';
import type { PluginId } from '../../../shared/model/plugin-id.ts';
import type { Replica } from '../../../shared/model/replica.ts';
import { asCausewayError } from '../../app/query-store.ts';
import { hrefOf } from '../../app/route.ts';
import { useAction } from '../../app/use-action.ts';
import { useLink, useQuery } from '../../app/workbench-context.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { Section } from '../../components/section.tsx';
import { text } from '../../text/text.ts';
import { ImportTable } from './import-table.tsx';
import { importRows, type Outcomes } from './import-rows.ts';
import { LeftOutTable } from './left-out-table.tsx';
import { UnknownEndpoints } from './unknown-endpoints.tsx';
import { WrittenText } from './written-text.tsx';

interface Props {
  readonly file: string;
  readonly payloads: Payloads;
  readonly onClose: () => void;
}

/** What a file's payloads would create in this project; then creates it. */
export function ImportPreview(props: Props) {
  const endpoints = useQuery('endpoint.list', {}).data;
  const replicas = useQuery('replica.list', {});
  // As they were: what is created meanwhile must not turn up as what was there.
  return (
    <QueryView query={replicas}>
      {(all) => (endpoints === undefined ? null : <Preview {...props} endpoints={endpoints} replicas={all} />)}
    </QueryView>
  );
}

function Preview({
  file,
  payloads,
  onClose,
  endpoints: endpointsNow,
  replicas: replicasNow,
}: Props & { readonly endpoints: readonly Endpoint[]; readonly replicas: readonly Replica[] }) {
  const link = useLink();
  const [{ endpoints, replicas }] = useState({ endpoints: endpointsNow, replicas: replicasNow });
  const [given, setGiven] = useState<ReadonlyMap<string, string>>(new Map());
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [shown, setShown] = useState<string>();
  const [outcomes, setOutcomes] = useState<Outcomes>(new Map());
  const unknown = useMemo(
    () => importProject(payloads, pluginsOf(endpoints, new Map())).unknownEndpoints,
    [payloads, endpoints],
  );
  const { rows, notCarried } = useMemo(() => {
    const imported = importProject(payloads, pluginsOf(endpoints, given));
    return { rows: importRows(planImport(imported, { endpoints, replicas }, given)), notCarried: imported.notCarried };
  }, [payloads, endpoints, replicas, given]);
  const chosen = rows.filter(({ key, exists }) => !exists && !left.has(key));
  const open = chosen.filter(({ key }) => !outcomes.has(key) || outcomes.get(key) !== undefined);
  const run = useAction(async () => {
    for (const row of open) {
      // One that cannot be created does not keep the others out.
      const error = await row.create(link).then(() => undefined, asCausewayError);
      setOutcomes((before) => new Map(before).set(row.key, error));
    }
  });
  const failed = [...outcomes.values()].filter((error) => error !== undefined).length;
  const shownRow = rows.find(({ key }) => key === shown);
  const isDone = outcomes.size > 0 && !run.isBusy;
  return (
    <>
      <Section title={text.interchange.preview(file)}>
        <Box sx={{ display: 'flex', gap: 1, alignItems: 'center', flexWrap: 'wrap', mb: 2 }}>
          <Typography role="status" sx={{ flexGrow: 1, color: 'text.secondary' }}>
            {run.isBusy
              ? text.interchange.running(outcomes.size - failed, chosen.length)
              : isDone
                ? text.interchange.done(outcomes.size - failed, failed)
                : text.interchange.previewCount(
                    chosen.filter(({ kind }) => kind === 'endpoint').length,
                    chosen.filter(({ kind }) => kind === 'replica').length,
                  )}
          </Typography>
          <Button disabled={run.isBusy} onClick={onClose}>
            {text.interchange.otherFile}
          </Button>
          {isDone && open.length === 0 ? (
            <Button variant="contained" href={hrefOf('replicas')}>
              {text.interchange.toReplicas}
            </Button>
          ) : (
            <Button variant="contained" disabled={open.length === 0 || run.isBusy} onClick={() => void run.run()}>
              {text.interchange.run(open.length)}
            </Button>
          )}
        </Box>
        {unknown.length > 0 && outcomes.size === 0 && (
          <UnknownEndpoints ids={unknown} endpoints={endpoints} given={given} onChange={setGiven} />
        )}
        {rows.length === 0 ? (
          <Alert severity="info">{text.interchange.nothing}</Alert>
        ) : (
          <ImportTable
            rows={rows}
            left={left}
            onLeft={setLeft}
            outcomes={outcomes}
            isLocked={run.isBusy || outcomes.size > 0}
            shown={shown}
            onShow={setShown}
          />
        )}
      </Section>
      {shownRow !== undefined && (
        <Section title={text.interchange.contentsOf(shownRow.name)}>
          <WrittenText label={text.interchange.contentsOf(shownRow.name)}>{shownRow.contents()}</WrittenText>
        </Section>
      )}
      <LeftOutTable title={text.interchange.notImported} items={notCarried} />
    </>
  );
}

/** Platforms by everything that payloads may call an endpoint. */
function pluginsOf(endpoints: readonly Endpoint[], given: ReadonlyMap<string, string>): ReadonlyMap<string, PluginId> {
  const known = new Map(
    endpoints.flatMap(
      ({ id, name, plugin }) =>
        [
          [id, plugin],
          [name, plugin],
        ] as const,
    ),
  );
  for (const [id, name] of given) {
    const plugin = known.get(name);
    if (plugin !== undefined) known.set(id, plugin);
  }
  return known;
}
