import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import type { MoverLink } from '../../shared/contract/mover-calls.ts';
import { useNow } from '../components/use-now.ts';
import { CodeSpans } from '../components/code-spans.tsx';
import { errorWords, text } from '../text/text.ts';
import { hrefOf } from './route.ts';
import { useLink } from './workbench-context.tsx';

/** The way to the mover of the open project: that it is broken, and what happened there meanwhile. */
export function MoverBanner({ link }: { readonly link: MoverLink }) {
  return (
    <>
      {link.step === 'lost' && <LostMover link={link} />}
      {link.step === 'connecting' && (
        <Alert severity="info" sx={{ borderRadius: 0 }} action={<ReconnectNow />}>
          {text.movers.reconnecting(link.name)}
        </Alert>
      )}
      {link.step === 'connected' && link.meanwhile !== undefined && (
        <Meanwhile name={link.name} ends={link.meanwhile} />
      )}
    </>
  );
}

function LostMover({ link: { name, error, retryAt } }: { readonly link: MoverLink }) {
  const now = useNow(500);
  return (
    <Alert
      severity="warning"
      sx={{ borderRadius: 0, '& .MuiAlert-message': { minWidth: 0 } }}
      action={<ReconnectNow />}
    >
      {/* Where the service has ended, nothing continues. */}
      {error?.code !== 'mover.service-ended' && text.movers.lost(name)}{' '}
      {retryAt !== undefined && (
        <span aria-hidden>{text.movers.retryIn(Math.max(0, Math.ceil((retryAt - now) / 1000)))}</span>
      )}
      {error !== undefined && (
        <Box sx={{ overflowWrap: 'anywhere' }}>
          {errorWords(error.code).title}: {error.message}
          {/* What no further attempt mends, a person has to. */}
          {retryAt === undefined && (
            <div>
              <CodeSpans>{errorWords(error.code).remedy}</CodeSpans>
            </div>
          )}
        </Box>
      )}
    </Alert>
  );
}

function ReconnectNow() {
  const link = useLink();
  return (
    <Button
      color="inherit"
      size="small"
      onClick={() => void link.call('mover.reconnect', {})}
      sx={{ whiteSpace: 'nowrap' }}
    >
      {text.movers.reconnect}
    </Button>
  );
}

function Meanwhile({ name, ends }: { readonly name: string; readonly ends: NonNullable<MoverLink['meanwhile']> }) {
  const link = useLink();
  return (
    <Alert
      severity={ends.failed > 0 ? 'warning' : 'info'}
      sx={{ borderRadius: 0 }}
      closeText={text.app.dismiss}
      onClose={() => void link.call('mover.dismissMeanwhile', {})}
    >
      {text.movers.meanwhile(name, ends.completed, ends.failed, ends.cancelled)}{' '}
      <Link href={hrefOf('replicas')} color="inherit">
        {text.movers.showReplicas}
      </Link>
    </Alert>
  );
}
