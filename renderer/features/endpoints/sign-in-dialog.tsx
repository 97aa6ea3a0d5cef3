import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import LinearProgress from '@mui/material/LinearProgress';
import Link from '@mui/material/Link';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { useEffect, useEffectEvent, useId, useState, type ReactNode } from 'react';
import type { CausewayError } from '../../../shared/model/causeway-error.ts';
import { asCausewayError } from '../../app/query-store.ts';
import { fonts } from '../../app/theme.ts';
import { useLink, useWorkbenchEvent } from '../../app/workbench-context.tsx';
import type { WorkbenchEvent } from '../../app/workbench-link.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useNow } from '../../components/use-now.ts';
import { text } from '../../text/text.ts';

interface Props {
  readonly endpoint: { readonly id: string; readonly name: string };
  readonly onClose: () => void;
  readonly onSignedIn: (account: string) => void;
}

/** Shows the code that somebody enters in a browser, and waits for that. Closing it cancels. */
export function SignInDialog({ endpoint, onClose, onSignedIn }: Props) {
  const id = useId();
  const [round, setRound] = useState(0);
  return (
    <Dialog open onClose={onClose} aria-labelledby={id} maxWidth="sm" fullWidth>
      <DialogTitle id={id}>{text.endpoints.signInTitle(endpoint.name)}</DialogTitle>
      <Attempt
        key={round}
        endpoint={endpoint}
        onClose={onClose}
        onSignedIn={onSignedIn}
        onAgain={() => setRound(round + 1)}
      />
    </Dialog>
  );
}

function Attempt({ endpoint, onClose, onSignedIn, onAgain }: Props & { readonly onAgain: () => void }) {
  const link = useLink();
  const [attempt] = useState(() => crypto.randomUUID());
  const [shown, setShown] = useState<WorkbenchEvent<'endpoint.signIn'>>();
  const [error, setError] = useState<CausewayError>();
  useWorkbenchEvent('endpoint.signIn', (told) => {
    if (told.attempt === attempt) setShown(told);
  });
  const finish = useEffectEvent(onSignedIn);
  useEffect(() => {
    const controller = new AbortController();
    link.call('endpoint.signIn', { endpoint: endpoint.id, attempt }, controller.signal).then(
      ({ account }) => void (controller.signal.aborted || finish(account)),
      (thrown: unknown) => void (controller.signal.aborted || setError(asCausewayError(thrown))),
    );
    return () => controller.abort();
  }, [link, endpoint.id, attempt]);
  return (
    <>
      <DialogContent>
        {error !== undefined && <ErrorNotice error={error} />}
        {error === undefined && shown === undefined && <LinearProgress aria-label={text.endpoints.signInStarting} />}
        {error === undefined && shown !== undefined && <Code {...shown} />}
      </DialogContent>
      <DialogActions>
        {error !== undefined && <Button onClick={onAgain}>{text.endpoints.signInAgain}</Button>}
        <Button onClick={onClose}>{error === undefined ? text.app.cancel : text.app.close}</Button>
      </DialogActions>
    </>
  );
}

function Code({ code, address, expiresAt }: WorkbenchEvent<'endpoint.signIn'>) {
  const left = Math.max(0, Math.ceil((Date.parse(expiresAt) - useNow(1000)) / 1000));
  const [minutes, seconds] = [Math.floor(left / 60), String(left % 60).padStart(2, '0')];
  return (
    <Stack spacing={2}>
      <Typography>{text.endpoints.signInLead}</Typography>
      <Row label={text.endpoints.signInAddress} value={address}>
        <Link href={address} target="_blank" rel="noopener noreferrer">
          {address}
        </Link>
      </Row>
      <Row label={text.endpoints.signInCode} value={code}>
        <Typography
          component="span"
          role="note"
          aria-label={text.endpoints.signInCode}
          variant="h5"
          sx={{ fontFamily: fonts.code, letterSpacing: '0.1em' }}
        >
          {code}
        </Typography>
      </Row>
      <Alert severity="info" icon={false} role="timer" aria-live="off">
        {text.endpoints.signInLeft(`${minutes}:${seconds}`)}
      </Alert>
      <Typography variant="body2" color="text.secondary">
        {text.endpoints.signInKept}
      </Typography>
    </Stack>
  );
}

function Row({
  label,
  value,
  children,
}: {
  readonly label: string;
  readonly value: string;
  readonly children: ReactNode;
}) {
  return (
    <Box>
      <Typography variant="subtitle2">{label}</Typography>
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, flexWrap: 'wrap', overflowWrap: 'anywhere' }}>
        {children}
        <CopyButton content={value} label={text.endpoints.signInCopy(label)} />
      </Box>
    </Box>
  );
}
