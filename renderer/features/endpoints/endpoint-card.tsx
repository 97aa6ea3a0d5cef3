import PassedIcon from '@mui/icons-material/CheckCircleOutlined';
import FailedIcon from '@mui/icons-material/ErrorOutlined';
import MoreIcon from '@mui/icons-material/MoreVert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Chip from '@mui/material/Chip';
import IconButton from '@mui/material/IconButton';
import Link from '@mui/material/Link';
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { plugins } from '../../../shared/plugins/registry.ts';
import { goTo, hrefOf } from '../../app/route.ts';
import { useToast } from '../../app/toasts.tsx';
import { useAction } from '../../app/use-action.ts';
import { useLink } from '../../app/workbench-context.tsx';
import type { WorkbenchOutput } from '../../app/workbench-link.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { minuteText } from '../../components/quantities.ts';
import { saveFile } from '../../components/save-file.ts';
import { platformLabel, text } from '../../text/text.ts';
import { CheckReport } from './check-report.tsx';
import { exportedEndpoint } from './export-endpoint.ts';
import { SignInDialog } from './sign-in-dialog.tsx';

type Listed = WorkbenchOutput<'endpoint.list'>[number];

/** One endpoint and what can be done with it. */
export function EndpointCard({ endpoint, onRemoved }: { readonly endpoint: Listed; readonly onRemoved: () => void }) {
  const link = useLink();
  const [report, setReport] = useState<WorkbenchOutput<'endpoint.check'>>();
  const [isRemoving, setIsRemoving] = useState(false);
  const [isSigningIn, setIsSigningIn] = useState(false);
  const toast = useToast();
  const plugin = plugins[endpoint.plugin];
  const check = useAction(async () => {
    setReport(undefined);
    setReport(await link.call('endpoint.check', { endpoint: endpoint.id }));
  });
  return (
    <Paper component="li" variant="outlined" sx={{ p: 2.5 }}>
      <Box sx={{ display: 'flex', gap: 2, alignItems: 'center', flexWrap: 'wrap' }}>
        <Box sx={{ flexGrow: 1, minWidth: 200 }}>
          <Typography variant="h6" component="h2">
            <Link href={hrefOf('endpoints', endpoint.id)} underline="hover" color="inherit">
              {endpoint.name}
            </Link>
          </Typography>
          <Box sx={{ display: 'flex', gap: 1, alignItems: 'center', color: 'text.secondary' }}>
            <Typography variant="body2">{platformLabel(plugin)}</Typography>
            {plugin.source !== undefined && <Chip size="small" variant="outlined" label={text.endpoints.source} />}
            {plugin.destination !== undefined && (
              <Chip size="small" variant="outlined" label={text.endpoints.destination} />
            )}
          </Box>
        </Box>
        {plugin.source !== undefined && (
          <Button href={hrefOf('inventory', endpoint.id)} aria-label={text.endpoints.browseOf(endpoint.name)}>
            {text.endpoints.browse}
          </Button>
        )}
        {plugin.signsInByPerson?.(endpoint.connection) === true && (
          <Button onClick={() => setIsSigningIn(true)} aria-label={text.endpoints.signInOf(endpoint.name)}>
            {text.endpoints.signIn}
          </Button>
        )}
        <Button
          variant="outlined"
          disabled={check.isBusy}
          onClick={() => void check.run()}
          aria-label={text.endpoints.checkOf(endpoint.name)}
        >
          {text.endpoints.check}
        </Button>
        <MoreMenu endpoint={endpoint} onRemove={() => setIsRemoving(true)} />
      </Box>
      {(check.isBusy || check.error !== undefined || report !== undefined) && (
        <Box sx={{ mt: 2 }}>
          {check.isBusy && <Typography role="status">{text.endpoints.checking(endpoint.name)}</Typography>}
          {check.error !== undefined && <ErrorNotice error={check.error} onClose={check.clear} />}
          {report !== undefined && (
            <CheckReport
              name={endpoint.name}
              endpointId={endpoint.id}
              report={report}
              onSignIn={() => setIsSigningIn(true)}
            />
          )}
        </Box>
      )}
      {!check.isBusy && report === undefined && endpoint.lastCheck !== undefined && (
        <LastCheck check={endpoint.lastCheck} name={endpoint.name} onShow={() => setReport(endpoint.lastCheck)} />
      )}
      {isSigningIn && (
        <SignInDialog
          endpoint={endpoint}
          onClose={() => setIsSigningIn(false)}
          onSignedIn={(account) => {
            setIsSigningIn(false);
            toast(text.endpoints.signedIn(account));
            void check.run();
          }}
        />
      )}
      {isRemoving && <RemoveEndpoint endpoint={endpoint} onClose={() => setIsRemoving(false)} onRemoved={onRemoved} />}
    </Paper>
  );
}

/** What the last check found, in a line. */
function LastCheck({
  check,
  name,
  onShow,
}: {
  readonly check: NonNullable<Listed['lastCheck']>;
  readonly name: string;
  readonly onShow: () => void;
}) {
  const when = minuteText(check.at);
  return (
    <Box sx={{ mt: 1.5, display: 'flex', gap: 1, alignItems: 'center', flexWrap: 'wrap' }}>
      {check.passed ? <PassedIcon color="success" fontSize="small" /> : <FailedIcon color="error" fontSize="small" />}
      <Typography variant="body2">
        {check.passed ? text.endpoints.lastPassed(when) : text.endpoints.lastFailed(when)}
        {check.isOutdated && `. ${text.endpoints.lastOutdated}`}
      </Typography>
      <Button size="small" aria-label={text.endpoints.showLastOf(name)} onClick={onShow}>
        {text.endpoints.showLast}
      </Button>
    </Box>
  );
}

function MoreMenu({ endpoint, onRemove }: { readonly endpoint: Listed; readonly onRemove: () => void }) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const choose = (work: () => void) => () => {
    setAnchor(null);
    work();
  };
  return (
    <>
      <IconButton
        aria-label={text.endpoints.actions(endpoint.name)}
        aria-haspopup="menu"
        onClick={(event) => setAnchor(event.currentTarget)}
      >
        <MoreIcon />
      </IconButton>
      <Menu anchorEl={anchor} open={anchor !== null} onClose={() => setAnchor(null)}>
        <MenuItem onClick={choose(() => goTo('endpoints', endpoint.id))}>{text.endpoints.edit(endpoint.name)}</MenuItem>
        <MenuItem onClick={choose(() => goTo('endpoints', 'new', endpoint.id))}>{text.endpoints.duplicate}</MenuItem>
        <MenuItem
          onClick={choose(() => saveFile(`${endpoint.name}.yaml`, exportedEndpoint(endpoint), 'application/yaml'))}
        >
          {text.endpoints.export}
        </MenuItem>
        <MenuItem onClick={choose(onRemove)}>{text.endpoints.remove}…</MenuItem>
      </Menu>
    </>
  );
}

interface RemoveProps {
  readonly endpoint: Listed;
  readonly onClose: () => void;
  readonly onRemoved: () => void;
}

function RemoveEndpoint({ endpoint, onClose, onRemoved }: RemoveProps) {
  const link = useLink();
  const toast = useToast();
  const action = useAction(async () => {
    await link.call('endpoint.remove', { endpoint: endpoint.id });
    toast(text.endpoints.removed(endpoint.name));
    onClose();
    onRemoved();
  });
  return (
    <ConfirmDialog
      title={text.endpoints.removeTitle(endpoint.name)}
      confirm={text.endpoints.remove}
      isDestructive
      action={action}
      onClose={onClose}
    >
      <Typography>{text.endpoints.removeLead}</Typography>
    </ConfirmDialog>
  );
}
