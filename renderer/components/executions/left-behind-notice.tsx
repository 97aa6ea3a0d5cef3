import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import { hrefOf } from '../../app/route.ts';
import { text } from '../../text/text.ts';

/** What a run could not delete, with the way to the ledger; nothing when it left nothing. */
export function LeftBehindNotice({
  count,
  words,
}: {
  readonly count: number;
  readonly words: (count: number) => string;
}) {
  if (count === 0) return null;
  return (
    <Alert
      severity="warning"
      action={
        <Button color="inherit" size="small" href={hrefOf('ledger')}>
          {text.runs.toLedger}
        </Button>
      }
    >
      {words(count)}
    </Alert>
  );
}
