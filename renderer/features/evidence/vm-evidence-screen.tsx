import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import type { EvidenceEntry } from '../../../shared/model/evidence.ts';
import { detailText } from '../../../shared/reports/entry-details.ts';
import { hrefOf } from '../../app/route.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useRunQuery } from '../../components/executions/use-run-query.ts';
import { PagedTable, type Column } from '../../components/paged-table.tsx';
import { timeText } from '../../components/quantities.ts';
import { QueryView } from '../../components/query-view.tsx';
import { Screen } from '../../components/screen.tsx';
import { useSaveReports } from '../../components/use-save-reports.ts';
import { text } from '../../text/text.ts';
import { entryWords } from './kind-words.ts';

const words = text.proof.evidence;

/** All that is recorded of one VM, newest first. */
export function VmEvidenceScreen({ replicaId }: { readonly replicaId: string }) {
  const entries = useRunQuery('evidence.list', { replica: replicaId, limit: 10_000 }, 'states');
  const replicas = useRunQuery('replica.list', {}, 'states').data;
  const save = useSaveReports(entries.reload);
  const isThere = replicas?.some(({ id }) => id === replicaId) === true;
  const name = entries.data?.at(-1)?.replica?.name ?? replicas?.find(({ id }) => id === replicaId)?.name ?? replicaId;
  return (
    <Screen
      isWide
      title={words.open(name)}
      actions={
        <>
          {isThere && (
            <>
              <Button
                variant="outlined"
                disabled={save.isBusy}
                onClick={() => void save.run({ replicas: [replicaId] }, 'pdf')}
              >
                {words.pdf}
              </Button>
              <Button
                variant="contained"
                disabled={save.isBusy}
                onClick={() => void save.run({ replicas: [replicaId] })}
              >
                {words.report}
              </Button>
            </>
          )}
          <Button href={hrefOf('evidence')}>{words.back}</Button>
        </>
      }
    >
      {save.error !== undefined && <ErrorNotice error={save.error} onClose={save.clear} />}
      <QueryView query={entries}>
        {(all) => (
          <PagedTable
            label={words.open(name)}
            columns={columns}
            rows={all}
            rowKey={({ n }) => String(n)}
            sortedBy={{ column: 'n', descending: true }}
          />
        )}
      </QueryView>
    </Screen>
  );
}

const columns: readonly Column<EvidenceEntry>[] = [
  { id: 'n', label: words.number, align: 'right', sortBy: ({ n }) => n, cell: ({ n }) => n },
  {
    id: 'at',
    label: words.at,
    sortBy: ({ at }) => at,
    cell: ({ at }) => <Box sx={{ whiteSpace: 'nowrap' }}>{timeText(at)}</Box>,
  },
  { id: 'what', label: words.what, cell: entryWords },
  { id: 'by', label: words.by, cell: ({ by }) => by },
  {
    id: 'details',
    label: words.details,
    cell: (entry) => <Box sx={{ overflowWrap: 'anywhere' }}>{detailText(entry, words.detailWords)}</Box>,
  },
];
