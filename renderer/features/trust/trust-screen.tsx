import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import FormControlLabel from '@mui/material/FormControlLabel';
import FormHelperText from '@mui/material/FormHelperText';
import Stack from '@mui/material/Stack';
import Switch from '@mui/material/Switch';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import type { TrustReport } from '../../../shared/model/trust.ts';
import { useToast } from '../../app/toasts.tsx';
import { useAction } from '../../app/use-action.ts';
import { useLink, useQuery } from '../../app/workbench-context.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { Screen } from '../../components/screen.tsx';
import { Section } from '../../components/section.tsx';
import { text } from '../../text/text.ts';
import { ChangeTable, EndpointTrustCard } from './endpoint-trust-card.tsx';
import { ReachedList } from './reached-list.tsx';

/** What the project reaches from this computer, what of it was accepted, and what waits. */
export function TrustScreen() {
  const query = useQuery('trust.show', {}, ['shell.changed']);
  return (
    <Screen title={text.trust.title} lead={text.trust.lead}>
      <QueryView query={query}>{(report) => <Report report={report} onChanged={query.reload} />}</QueryView>
    </Screen>
  );
}

function Report({ report, onChanged }: { readonly report: TrustReport; readonly onChanged: () => void }) {
  const [asking, setAsking] = useState<'accept' | 'revoke'>();
  const hasPending = !report.isAccepted || report.pending > 0;
  return (
    <Stack spacing={2} sx={{ maxWidth: 900 }}>
      <Alert
        severity={hasPending ? 'warning' : 'success'}
        action={
          hasPending ? (
            <Button
              color="inherit"
              variant="outlined"
              size="small"
              sx={{ whiteSpace: 'nowrap' }}
              onClick={() => setAsking('accept')}
            >
              {report.isAccepted ? text.trust.acceptChanges(report.pending) : text.trust.acceptProject}
            </Button>
          ) : (
            <Button color="inherit" size="small" sx={{ whiteSpace: 'nowrap' }} onClick={() => setAsking('revoke')}>
              {text.trust.revoke}
            </Button>
          )
        }
      >
        {!report.isAccepted
          ? text.trust.notTrusted
          : report.pending > 0
            ? text.trust.bannerChanges(report.pending)
            : text.trust.trusted}
      </Alert>
      <Section title={text.trust.endpoints}>
        {report.endpoints.length === 0 ? (
          <Typography sx={{ color: 'text.secondary' }}>{text.trust.noEndpoints}</Typography>
        ) : (
          <Stack component="ul" spacing={2} sx={{ m: 0, p: 0, listStyle: 'none' }}>
            {report.endpoints.map((endpoint) => (
              <EndpointTrustCard key={endpoint.id} endpoint={endpoint} onChanged={onChanged} />
            ))}
          </Stack>
        )}
      </Section>
      {report.environments.length > 0 && (
        <Section title={text.trust.environments}>
          <Typography variant="body2" sx={{ color: 'text.secondary', mb: 1 }}>
            {text.trust.environmentsLead}
          </Typography>
          <ReachedList
            reached={report.environments.map((one) => ({
              ...one,
              note: `${text.trust.usedBy(one.replicas)}${one.isAccepted ? '' : ` · ${text.trust.states.new}`}`,
              isNew: !one.isAccepted,
            }))}
          />
        </Section>
      )}
      {report.isAccepted && <Sharing />}
      {asking === 'accept' && (
        <AcceptDialog report={report} onClose={() => setAsking(undefined)} onChanged={onChanged} />
      )}
      {asking === 'revoke' && <RevokeDialog onClose={() => setAsking(undefined)} onChanged={onChanged} />}
    </Stack>
  );
}

interface DialogProps {
  readonly onClose: () => void;
  readonly onChanged: () => void;
}

function AcceptDialog({ report, onClose, onChanged }: DialogProps & { readonly report: TrustReport }) {
  const link = useLink();
  const toast = useToast();
  const action = useAction(async () => {
    try {
      await link.call('trust.accept', { token: report.token });
    } finally {
      onChanged();
    }
    toast(text.trust.accepted);
    onClose();
  });
  const waiting = report.endpoints.filter(
    ({ state, problems }) => (state === 'new' || state === 'changed') && problems.length === 0,
  );
  const uses = report.environments.filter(({ isAccepted }) => !isAccepted);
  return (
    <ConfirmDialog
      title={report.isAccepted ? text.trust.confirmChangesTitle : text.trust.confirmTitle}
      confirm={report.isAccepted ? text.trust.confirmChanges : text.trust.confirm}
      width="md"
      isReady={!report.isAccepted || waiting.length + uses.length > 0}
      action={action}
      onClose={onClose}
    >
      <Typography>
        {waiting.length + uses.length > 0
          ? text.trust.confirmLead
          : report.isAccepted
            ? text.trust.confirmNone
            : text.trust.confirmNothing}
      </Typography>
      {waiting.map(({ id, name, state, reaches, changes }) => (
        <Box key={id}>
          <Typography variant="subtitle2">{name}</Typography>
          {state === 'changed' ? <ChangeTable changes={changes} /> : <ReachedList reached={reaches} />}
        </Box>
      ))}
      {uses.length > 0 && (
        <Box>
          <Typography variant="subtitle2">{text.trust.environments}</Typography>
          <ReachedList reached={uses.map((one) => ({ ...one, note: text.trust.usedBy(one.replicas) }))} />
        </Box>
      )}
    </ConfirmDialog>
  );
}

function RevokeDialog({ onClose, onChanged }: DialogProps) {
  const link = useLink();
  const toast = useToast();
  const action = useAction(async () => {
    await link.call('trust.revoke', {});
    onChanged();
    toast(text.trust.revoked);
    onClose();
  });
  return (
    <ConfirmDialog
      title={text.trust.revokeTitle}
      confirm={text.trust.revoke}
      isDestructive
      action={action}
      onClose={onClose}
    >
      <Typography>{text.trust.revokeLead}</Typography>
    </ConfirmDialog>
  );
}

function Sharing() {
  const link = useLink();
  const toast = useToast();
  const query = useQuery('project.sharing', {});
  const change = useAction(async (addresses: boolean) => {
    await link.call('project.setSharing', { addresses });
    query.reload();
    toast(addresses ? text.trust.sharingOn : text.trust.sharingOff);
  });
  return (
    <Box>
      {change.error !== undefined && <ErrorNotice error={change.error} onClose={change.clear} />}
      <FormControlLabel
        control={
          <Switch
            checked={query.data?.addresses ?? false}
            disabled={query.data === undefined || change.isBusy}
            onChange={(event) => void change.run(event.target.checked)}
          />
        }
        label={text.trust.sharing}
      />
      <FormHelperText>{text.trust.sharingHelp}</FormHelperText>
    </Box>
  );
}
