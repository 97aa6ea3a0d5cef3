import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Link from '@mui/material/Link';
import MenuItem from '@mui/material/MenuItem';
import Paper from '@mui/material/Paper';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useMemo, useState } from 'react';
import type { MachineLife } from '../../../shared/model/machine-life.ts';
import { hrefOf } from '../../app/route.ts';
import { fonts } from '../../app/theme.ts';
import { useAction } from '../../app/use-action.ts';
import { useLink, type Query } from '../../app/workbench-context.tsx';
import type { WorkbenchOutput } from '../../app/workbench-link.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useRunQuery } from '../../components/executions/use-run-query.ts';
import { PagedTable, type Column } from '../../components/paged-table.tsx';
import { durationText, minuteText } from '../../components/quantities.ts';
import { QueryView } from '../../components/query-view.tsx';
import { MachineLifeLabel } from '../../components/replicas/life-label.tsx';
import { saveFile } from '../../components/save-file.ts';
import { Screen } from '../../components/screen.tsx';
import { StateLabel } from '../../components/state-label.tsx';
import { useSaveReports } from '../../components/use-save-reports.ts';
import { text } from '../../text/text.ts';
import { kindWords } from './kind-words.ts';

const words = text.proof.evidence;
/** A name can't be it. */
const everyWave = '*';

type Summary = WorkbenchOutput<'evidence.summary'>[number];

interface Row extends Summary {
  readonly life: MachineLife | undefined;
}

/** What was done to all VMs, and whether the journal of it is intact. */
export function EvidenceScreen() {
  const summary = useRunQuery('evidence.summary', {}, 'states');
  const lives = useRunQuery('replica.life', {}, 'states').data;
  const status = useRunQuery('evidence.verify', {}, 'states');
  const reload = () => {
    summary.reload();
    status.reload();
  };
  return (
    <Screen isWide title={words.title} lead={words.lead}>
      <Journal status={status} />
      <QueryView query={summary}>
        {(all) =>
          all.length === 0 ? (
            <EmptyState title={words.none} lead={words.noneLead}>
              <Button variant="contained" href={hrefOf('replicas')}>
                {words.toReplicas}
              </Button>
            </EmptyState>
          ) : (
            <Vms summary={all} lives={lives} onReported={reload} />
          )
        }
      </QueryView>
    </Screen>
  );
}

function Journal({ status }: { readonly status: Query<WorkbenchOutput<'evidence.verify'>> }) {
  const link = useLink();
  const save = useAction(async () => {
    const { journal, head } = await link.call('evidence.export', {});
    saveFile('evidence.jsonl', journal, 'application/jsonl');
    saveFile('evidence.jsonl.head', `${JSON.stringify(head)}\n`, 'application/json');
  });
  return (
    <QueryView query={status}>
      {({ count, head, problems }) => (
        <Paper component="section" variant="outlined" aria-label={words.journal} sx={{ p: 2.5 }}>
          <Box sx={{ display: 'flex', gap: 2, flexWrap: 'wrap', alignItems: 'center' }}>
            <Typography variant="h6" component="h2">
              {words.journal}
            </Typography>
            <Box role="status" sx={{ fontWeight: 600 }}>
              <StateLabel tone={problems.length === 0 ? 'good' : 'bad'}>
                {problems.length === 0 ? words.intact : words.changed}
              </StateLabel>
            </Box>
            <Typography sx={{ color: 'text.secondary', flexGrow: 1 }}>{words.entries(count)}</Typography>
            <Button size="small" disabled={status.isLoading} onClick={status.reload}>
              {words.verify}
            </Button>
            <Button size="small" variant="outlined" disabled={save.isBusy} onClick={() => void save.run()}>
              {words.export}
            </Button>
          </Box>
          {problems.map((problem) => (
            <Typography key={problem} sx={{ mt: 1, overflowWrap: 'anywhere' }}>
              {problem}
            </Typography>
          ))}
          <Typography variant="caption" component="div" sx={{ color: 'text.secondary', mt: 1.5 }}>
            {words.head}
          </Typography>
          <Box
            sx={{
              display: 'flex',
              gap: 1,
              alignItems: 'center',
              flexWrap: 'wrap',
              fontFamily: fonts.code,
              overflowWrap: 'anywhere',
            }}
          >
            {head}
            <CopyButton content={head} />
          </Box>
          <Typography variant="caption" component="div" sx={{ color: 'text.secondary' }}>
            {words.headHelp}
          </Typography>
          {save.error !== undefined && <ErrorNotice error={save.error} onClose={save.clear} />}
        </Paper>
      )}
    </QueryView>
  );
}

function Vms({
  summary,
  lives,
  onReported,
}: {
  readonly summary: readonly Summary[];
  readonly lives: readonly MachineLife[] | undefined;
  readonly onReported: () => void;
}) {
  const [wave, setWave] = useState(everyWave);
  const save = useSaveReports(onReported);
  const rows = useMemo((): readonly Row[] => {
    const known = new Map(lives?.map((life) => [life.replicaId, life]));
    return summary.map((one) => ({ ...one, life: known.get(one.replicaId) }));
  }, [summary, lives]);
  const waves = [...new Set(rows.flatMap(({ life }) => life?.wave ?? []))].sort((one, other) =>
    one.localeCompare(other, undefined, { numeric: true }),
  );
  const shown = wave === everyWave ? rows : rows.filter(({ life }) => life?.wave === wave);
  const reported = shown.filter(({ life }) => life !== undefined).map(({ replicaId }) => replicaId);
  return (
    <Box>
      <Box sx={{ display: 'flex', gap: 2, alignItems: 'center', flexWrap: 'wrap', mb: 1.5 }}>
        {waves.length > 0 && (
          <TextField
            select
            size="small"
            label={words.wave}
            value={wave}
            onChange={(event) => setWave(event.target.value)}
            sx={{ width: 220 }}
          >
            <MenuItem value={everyWave}>{words.allWaves}</MenuItem>
            {waves.map((name) => (
              <MenuItem key={name} value={name}>
                {name}
              </MenuItem>
            ))}
          </TextField>
        )}
        <Box sx={{ flexGrow: 1 }} />
        {wave !== everyWave && reported.length > 0 && (
          <>
            <Button variant="outlined" disabled={save.isBusy} onClick={() => void save.run({ replicas: reported })}>
              {words.reports(reported.length)}
            </Button>
            <Button variant="outlined" disabled={save.isBusy} onClick={() => void save.run({ wave }, 'pdf')}>
              {words.wavePdf}
            </Button>
            <Button variant="contained" disabled={save.isBusy} onClick={() => void save.run({ wave })}>
              {words.waveReport}
            </Button>
          </>
        )}
      </Box>
      {save.error !== undefined && <ErrorNotice error={save.error} onClose={save.clear} />}
      <PagedTable
        label={words.title}
        columns={columnsOf((id) => void save.run({ replicas: [id] }), save.isBusy)}
        rows={shown}
        rowKey={({ replicaId }) => replicaId}
        sortedBy={{ column: 'name', descending: false }}
      />
    </Box>
  );
}

function columnsOf(report: (replicaId: string) => void, isBusy: boolean): readonly Column<Row>[] {
  return [
    {
      id: 'name',
      label: words.vm,
      sortBy: ({ name }) => name,
      cell: ({ replicaId, name }) => <Link href={hrefOf('evidence', replicaId)}>{name}</Link>,
    },
    {
      id: 'state',
      label: words.state,
      sortBy: ({ life }) => life?.state ?? '',
      cell: ({ life }) => (life === undefined ? '–' : <MachineLifeLabel state={life.state} />),
    },
    {
      id: 'downtime',
      label: words.downtime,
      align: 'right',
      sortBy: ({ life }) => life?.cutOver?.downtime?.seconds ?? -1,
      cell: ({ life }) =>
        life?.cutOver?.downtime?.seconds === undefined ? '–' : durationText(life.cutOver.downtime.seconds),
    },
    {
      id: 'entries',
      label: words.count,
      align: 'right',
      sortBy: ({ entries }) => entries,
      cell: ({ entries }) => entries,
    },
    {
      id: 'last',
      label: words.last,
      sortBy: ({ last }) => last.at,
      cell: ({ last }) => `${kindWords(last.kind)}, ${minuteText(last.at)}`,
    },
    { id: 'by', label: words.by, isMinor: true, cell: ({ last }) => last.by },
    {
      id: 'report',
      label: words.report,
      cell: ({ replicaId, name, life }) =>
        life !== undefined && (
          <Button
            size="small"
            disabled={isBusy}
            aria-label={words.reportOf(name)}
            onClick={() => report(replicaId)}
            sx={{ ml: -1 }}
          >
            {words.report}
          </Button>
        ),
    },
  ];
}
