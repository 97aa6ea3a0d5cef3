import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Checkbox from '@mui/material/Checkbox';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import FormControlLabel from '@mui/material/FormControlLabel';
import Typography from '@mui/material/Typography';
import { useId, useState } from 'react';
import { useAction } from '../../app/use-action.ts';
import { useLink, useQuery } from '../../app/workbench-context.tsx';
import type { WorkbenchOutput } from '../../app/workbench-link.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { text } from '../../text/text.ts';
import { kindText } from '../../components/resource-list.tsx';

type Results = WorkbenchOutput<'ledger.remove'>;

/**
 * First a dry run that says what would go, then the removal of what was left chosen of it, then what became of it.
 * @param check whether to look for what platforms have and the ledger does not
 */
export function RemoveOrphans({
  check,
  onClose,
  onRemoved,
}: {
  readonly check: boolean;
  readonly onClose: () => void;
  readonly onRemoved: () => void;
}) {
  const link = useLink();
  const id = useId();
  const plan = useQuery('ledger.remove', { dryRun: true, check });
  const [results, setResults] = useState<Results>();
  const [spared, setSpared] = useState<ReadonlySet<string>>(new Set());
  const planned = plan.data?.filter(({ outcome }) => outcome === 'would-remove') ?? [];
  const chosen = planned.filter(({ item }) => !spared.has(item.entryId));
  const spare = (entryId: string, isSpared: boolean) =>
    setSpared(new Set(isSpared ? [...spared, entryId] : [...spared].filter((one) => one !== entryId)));
  const remove = useAction(async () => {
    setResults(
      await link.call('ledger.remove', { entries: chosen.map(({ item }) => item.entryId), dryRun: false, check }),
    );
    onRemoved();
  });
  return (
    <Dialog open onClose={onClose} aria-labelledby={id} maxWidth="md" fullWidth>
      <DialogTitle id={id}>{results === undefined ? text.ledger.removeTitle : text.ledger.results}</DialogTitle>
      <DialogContent sx={{ display: 'flex', flexDirection: 'column', gap: 2 }}>
        {results !== undefined && <ResultList results={results} />}
        {results === undefined && (
          <QueryView query={plan}>
            {() => (
              <>
                <Typography>
                  {planned.length === 0 ? text.ledger.removeNone : text.ledger.removeLead(planned.length)}
                </Typography>
                <Box component="ul" sx={{ m: 0, p: 0, listStyle: 'none' }}>
                  {planned.map(({ item }) => (
                    <li key={item.entryId}>
                      <FormControlLabel
                        control={
                          <Checkbox
                            size="small"
                            checked={!spared.has(item.entryId)}
                            onChange={(event) => spare(item.entryId, !event.target.checked)}
                          />
                        }
                        label={
                          <Typography variant="body2" sx={{ overflowWrap: 'anywhere' }}>
                            <b>{text.ledger.outcomes['would-remove']}:</b> {kindText(item.kind)} {item.name} (
                            {item.endpointName ?? text.ledger.unknownEndpoint})
                          </Typography>
                        }
                      />
                    </li>
                  ))}
                </Box>
                {planned.length > 0 && <Typography variant="body2">{text.ledger.removeKept}</Typography>}
              </>
            )}
          </QueryView>
        )}
        {remove.error !== undefined && <ErrorNotice error={remove.error} />}
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>{results === undefined ? text.app.cancel : text.app.close}</Button>
        {results === undefined && planned.length > 0 && (
          <Button
            color="error"
            variant="contained"
            disabled={remove.isBusy || chosen.length === 0}
            onClick={() => void remove.run()}
          >
            {text.ledger.removeButton(chosen.length)}
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
          <b>{text.ledger.outcomes[outcome]}:</b> {kindText(item.kind)} {item.name} (
          {item.endpointName ?? text.ledger.unknownEndpoint}){error === undefined ? '' : ` – ${error}`}
        </Typography>
      ))}
    </Box>
  );
}
