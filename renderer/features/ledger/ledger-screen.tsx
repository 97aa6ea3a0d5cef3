import Alert from '@mui/material/Alert';
import AlertTitle from '@mui/material/AlertTitle';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useState } from 'react';
import type { EndpointCheck } from '../../../shared/model/ledger.ts';
import { useToast } from '../../app/toasts.tsx';
import { useAction } from '../../app/use-action.ts';
import { useLink } from '../../app/workbench-context.tsx';
import type { WorkbenchOutput } from '../../app/workbench-link.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { saveFile } from '../../components/save-file.ts';
import { Screen } from '../../components/screen.tsx';
import { CodeSpans } from '../../components/code-spans.tsx';
import { errorWords, text } from '../../text/text.ts';
import { useRunQuery } from '../../components/executions/use-run-query.ts';
import { VaultNeeded } from '../../components/vault-card.tsx';
import { ledgerCsv } from './ledger-csv.ts';
import { LedgerTable } from './ledger-table.tsx';
import { RemoveOrphans } from './remove-orphans.tsx';
import { useOwners } from './use-owners.ts';

/** What exists where because of this project. */
export function LedgerScreen() {
  const link = useLink();
  const toast = useToast();
  const query = useRunQuery('ledger.list', { removed: true }, 'steps');
  const owners = useOwners();
  // What the platforms said, until something changes.
  const [checked, setChecked] = useState<WorkbenchOutput<'ledger.check'>>();
  const asked = checked?.items;
  const [isRemoving, setIsRemoving] = useState(false);
  const ask = useAction(async () => {
    const outcome = await link.call('ledger.check', { removed: true });
    setChecked(outcome);
    if (outcome.endpoints.every((endpoint) => endpoint.outcome !== 'not-checked')) toast(text.ledger.asked);
  });
  const refresh = () => {
    setChecked(undefined);
    query.reload();
  };
  const known = asked ?? query.data ?? [];
  return (
    <Screen
      isWide
      title={text.ledger.title}
      lead={text.ledger.lead}
      actions={
        <>
          <Button
            disabled={known.length === 0}
            onClick={() => saveFile('ledger.csv', ledgerCsv(known, owners), 'text/csv')}
          >
            {text.ledger.saveCsv}
          </Button>
          <Button variant="outlined" disabled={ask.isBusy} onClick={() => void ask.run()} title={text.ledger.askHelp}>
            {text.ledger.ask}
          </Button>
        </>
      }
    >
      <VaultNeeded />
      {ask.error !== undefined && <ErrorNotice error={ask.error} onClose={ask.clear} />}
      <UncheckedEndpoints endpoints={checked?.endpoints ?? []} />
      <QueryView query={query}>
        {(items) =>
          (asked ?? items).length === 0 ? (
            <EmptyState title={text.ledger.none} lead={text.ledger.noneLead} />
          ) : (
            <LedgerTable items={asked ?? items} owners={owners} onRemove={() => setIsRemoving(true)} />
          )
        }
      </QueryView>
      {isRemoving && (
        <RemoveOrphans check={asked !== undefined} onClose={() => setIsRemoving(false)} onRemoved={refresh} />
      )}
    </Screen>
  );
}

/** What the check could not learn: the list says nothing new of these endpoints' resources. */
function UncheckedEndpoints({ endpoints }: { readonly endpoints: readonly EndpointCheck[] }) {
  const unchecked = endpoints.filter(({ outcome }) => outcome === 'not-checked');
  if (unchecked.length === 0) return null;
  return (
    <Alert severity="warning" variant="outlined">
      <AlertTitle>{text.ledger.unchecked(unchecked.length)}</AlertTitle>
      {text.ledger.uncheckedLead}
      <Box component="ul" sx={{ m: 0, pl: 3, overflowWrap: 'anywhere' }}>
        {unchecked.map(({ endpointId, endpointName, side, error }) => (
          <li key={`${endpointId} ${side}`}>
            <b>{endpointName}</b> ({text.ledger.sides[side]})
            <CodeSpans>{error === undefined ? '' : `: ${error.message}. ${errorWords(error.code).remedy}`}</CodeSpans>
          </li>
        ))}
      </Box>
    </Alert>
  );
}
