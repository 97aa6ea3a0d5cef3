import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import { useState } from 'react';
import type { EngineState } from '../../shared/contract/shell.ts';
import { useNow } from '../components/use-now.ts';
import { text } from '../text/text.ts';
import { FleetBanner } from './fleet-banner.tsx';
import { MoverBanner } from './mover-banner.tsx';
import { NotSharedBanner } from './not-shared-banner.tsx';
import { OwnerBanner } from './owner-banner.tsx';
import { TrustBanner } from './trust-banner.tsx';
import { useLink, useLinkState, useQuery, useShell } from './workbench-context.tsx';

/** What everybody has to know whatever the screen: the connection and the engine. */
export function StatusBanners() {
  const link = useLinkState();
  const shell = useShell();
  return (
    <Stack role="status" aria-live="polite">
      {link.kind === 'lost' && <LostBanner retryAt={link.retryAt} />}
      {link.kind === 'open' && shell !== undefined && <EngineBanner engine={shell.engine} />}
      {link.kind === 'open' && shell?.project !== undefined && shell.mover !== undefined && (
        <MoverBanner link={shell.mover} />
      )}
      {link.kind === 'open' && shell?.project !== undefined && shell.engine.state === 'running' && (
        <FilesBanner key={shell.project.folder} />
      )}
      {link.kind === 'open' && shell?.project !== undefined && shell.engine.state === 'running' && (
        <TrustBanner key={`trust ${shell.project.folder}`} />
      )}
      {link.kind === 'open' && shell?.project !== undefined && shell.engine.state === 'running' && (
        <OwnerBanner key={`owner ${shell.project.folder}`} />
      )}
      {link.kind === 'open' && shell?.project !== undefined && shell.engine.state === 'running' && (
        <FleetBanner key={`fleet ${shell.project.folder}`} />
      )}
      {link.kind === 'open' && shell?.project !== undefined && shell.engine.state === 'running' && (
        <NotSharedBanner key={`not shared ${shell.project.folder}`} />
      )}
    </Stack>
  );
}

function LostBanner({ retryAt }: { readonly retryAt: number }) {
  const { retryNow } = useLink();
  const now = useNow(500);
  return (
    <Alert
      severity="warning"
      sx={{ borderRadius: 0 }}
      action={
        <Button color="inherit" size="small" onClick={retryNow} sx={{ whiteSpace: 'nowrap' }}>
          {text.app.reconnect}
        </Button>
      }
    >
      {text.app.lost} <span aria-hidden>{text.app.retryIn(Math.max(0, Math.ceil((retryAt - now) / 1000)))}</span>{' '}
      {text.app.lostHint}
    </Alert>
  );
}

/** Files of the project that hold something else than they may, for example after a merge. */
function FilesBanner() {
  const query = useQuery('project.sync', {});
  const problems = query.data?.problems ?? [];
  if (problems.length === 0) return null;
  return (
    <Alert
      severity="warning"
      sx={{ borderRadius: 0, '& .MuiAlert-message': { minWidth: 0 } }}
      action={
        <Button color="inherit" size="small" onClick={query.reload} sx={{ whiteSpace: 'nowrap' }}>
          {text.app.lookAgain}
        </Button>
      }
    >
      {text.app.filesNotTaken(problems.length)}
      <Box component="ul" sx={{ m: 0, pl: 2.5, maxHeight: 120, overflowY: 'auto', overflowWrap: 'anywhere' }}>
        {problems.map(({ file, message }) => (
          <li key={file}>
            <code>{file}</code>: {message}
          </li>
        ))}
      </Box>
    </Alert>
  );
}

const dismissedAs = 'causeway-dismissed-restart';

function EngineBanner({ engine }: { readonly engine: EngineState }) {
  const reason = engine.reason ?? text.app.unknownReason;
  // What was dismissed stays so when the page is loaded again.
  const news = `${engine.restarts} ${reason}`;
  const [dismissed, setDismissed] = useState(() => sessionStorage.getItem(dismissedAs));
  if (engine.state === 'restarting')
    return (
      <Alert severity="warning" sx={{ borderRadius: 0 }}>
        {text.app.engineRestarting(reason)}
      </Alert>
    );
  if (engine.state === 'given-up')
    return (
      <Alert severity="error" sx={{ borderRadius: 0 }}>
        {text.app.engineGivenUp(reason)}
      </Alert>
    );
  if (engine.state !== 'running' || engine.restarts === 0 || dismissed === news) return null;
  return (
    <Alert
      severity="info"
      sx={{ borderRadius: 0 }}
      closeText={text.app.dismiss}
      onClose={() => {
        sessionStorage.setItem(dismissedAs, news);
        setDismissed(news);
      }}
    >
      {text.app.engineRestarted(engine.restarts, reason)}
    </Alert>
  );
}
