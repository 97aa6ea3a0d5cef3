import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import Typography from '@mui/material/Typography';
import { useId, useState } from 'react';
import { useAction } from '../../app/use-action.ts';
import { useLink, useQuery } from '../../app/workbench-context.tsx';
import type { WorkbenchOutput } from '../../app/workbench-link.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { text } from '../../text/en.ts';

type Results = WorkbenchOutput<'ledger.remove'>;

/** First a dry run that says what would go, then the removal of exactly that, then what became of it. */
export function RemoveOrphans({ onClose, onRemoved }: { readonly onClose: () => void; readonly onRemoved: () => void }) {
  const link = useLink();
  const id = useId();
  const plan = useQuery('ledger.remove', { dryRun: true });
  const [results, setResults] = useState<Results>();
  const planned = plan.data?.filter(({ outcome }) => outcome === 'would-remove') ?? [];
  const remove = useAction(async () => {
    setResults(await link.call('ledger.remove', { entries: planned.map(({ item }) => item.entryId), dryRun: false }));
    onRemoved();
  });
  return (
    <Dialog open onClose={onClose} aria-labelledby={id} maxWidth="md" fullWidth>
      <DialogTitle id={id}>{results === undefined ? text.ledger.removeTitle : text.ledger.results}</DialogTitle>
      <DialogContent sx={{ display: 'flex', flexDirection: 'column', gap: 2 }}>
        {results !== undefined && <ResultList results={results} />}
        {results === undefined && (
          <QueryView query={plan}>
            {(data) => (
              <>
                <Typography>{planned.length === 0 ? text.ledger.removeNone : text.ledger.removeLead(planned.length)}</Typography>
                <ResultList results={data} />
              </>
            )}
          </QueryView>
        )}
        {remove.error !== undefined && <ErrorNotice error={remove.error} />}
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>{results === undefined ? text.app.cancel : text.app.close}</Button>
        {results === undefined && planned.length > 0 && (
          <Button color="error" variant="contained" disabled={remove.isBusy} onClick={() => void remove.run()}>
            {text.ledger.removeButton(planned.length)}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}

function ResultList({ results }: { readonly results: Results }) {
  return (
    <Box component="ul" sx={{ m: 0, pl: 3 }}>
      {results.map(({ item, outcome, error }) => (
        <Typography component="li" variant="body2" key={item.entryId} sx={{ overflowWrap: 'anywhere' }}>
          <b>{text.ledger.outcomes[outcome]}:</b> {item.kind} {item.name} ({item.endpointName ?? text.ledger.unknownEndpoint}){error === undefined ? '' : ` – ${error}`}
        </Typography>
      ))}
    </Box>
  );
}
