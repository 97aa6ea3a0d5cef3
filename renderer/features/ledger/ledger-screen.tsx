import Button from '@mui/material/Button';
import { useState } from 'react';
import type { LedgerItem } from '../../../shared/model/ledger.ts';
import { useToast } from '../../app/toasts.tsx';
import { useAction } from '../../app/use-action.ts';
import { useLink } from '../../app/workbench-context.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { saveFile } from '../../components/save-file.ts';
import { Screen } from '../../components/screen.tsx';
import { text } from '../../text/en.ts';
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
  const [asked, setAsked] = useState<readonly LedgerItem[]>();
  const [isRemoving, setIsRemoving] = useState(false);
  const ask = useAction(async () => {
    setAsked(await link.call('ledger.list', { check: true, removed: true }));
    toast(text.ledger.asked);
  });
  const refresh = () => {
    setAsked(undefined);
    query.reload();
  };
  const known = asked ?? query.data ?? [];
  return (
    <Screen
      title={text.ledger.title}
      lead={text.ledger.lead}
      actions={
        <>
          <Button disabled={known.length === 0} onClick={() => saveFile('ledger.csv', ledgerCsv(known, owners), 'text/csv')}>
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
      <QueryView query={query}>
        {(items) =>
          (asked ?? items).length === 0 ? (
            <EmptyState title={text.ledger.none} lead={text.ledger.noneLead} />
          ) : (
            <LedgerTable items={asked ?? items} owners={owners} onRemove={() => setIsRemoving(true)} />
          )
        }
      </QueryView>
      {isRemoving && <RemoveOrphans check={asked !== undefined} onClose={() => setIsRemoving(false)} onRemoved={refresh} />}
    </Screen>
  );
}
