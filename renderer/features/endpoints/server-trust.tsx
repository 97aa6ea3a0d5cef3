import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import LinearProgress from '@mui/material/LinearProgress';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { useId, useState } from 'react';
import type { z } from 'zod';
import type { JsonObject } from '../../../shared/model/json.ts';
import type { ServerCertificate } from '../../../shared/model/server-trust.ts';
import { tlsAddresses } from '../../../shared/plugins/tls-addresses.ts';
import { useToast } from '../../app/toasts.tsx';
import { useQuery } from '../../app/workbench-context.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { timeText } from '../../components/quantities.ts';
import { text } from '../../text/text.ts';

interface Props {
  readonly schema: z.ZodObject;
  /** As the form has it now. */
  readonly connection: () => JsonObject;
  readonly onTrust: (pem: string) => void;
  /** Whether the dialog is open to begin with. */
  readonly startsOpen: boolean;
}

/** Shows the certificates of the servers that a connection leads to, and takes one as trusted when somebody says so. */
export function ServerTrust({ schema, connection, onTrust, startsOpen }: Props) {
  const [looking, setLooking] = useState<JsonObject | undefined>(() => (startsOpen ? connection() : undefined));
  const id = useId();
  const toast = useToast();
  const addresses = looking === undefined ? [] : tlsAddresses(schema, looking);
  const authority = looking?.['ca_certificate'];
  return (
    <Box>
      <Button size="small" onClick={() => setLooking(connection())}>
        {text.endpoints.trust}
      </Button>
      {looking !== undefined && (
        <Dialog open onClose={() => setLooking(undefined)} aria-labelledby={id} maxWidth="md" fullWidth>
          <DialogTitle id={id}>{text.endpoints.trustTitle}</DialogTitle>
          <DialogContent>
            <Stack spacing={2}>
              <Typography>{addresses.length === 0 ? text.endpoints.trustNone : text.endpoints.trustLead}</Typography>
              {addresses.map((address) => (
                <Server
                  key={address}
                  address={address}
                  authority={typeof authority === 'string' ? authority : undefined}
                  onTrust={(pem) => {
                    onTrust(pem);
                    setLooking(undefined);
                    toast(text.endpoints.trustAdded);
                  }}
                />
              ))}
            </Stack>
          </DialogContent>
          <DialogActions>
            <Button onClick={() => setLooking(undefined)}>{text.app.close}</Button>
          </DialogActions>
        </Dialog>
      )}
    </Box>
  );
}

function Server({
  address,
  authority,
  onTrust,
}: {
  readonly address: string;
  readonly authority: string | undefined;
  readonly onTrust: (pem: string) => void;
}) {
  const { data, error, reload } = useQuery('trust.look', {
    address,
    ...(authority === undefined ? {} : { caCertificate: authority }),
  });
  if (error !== undefined) return <ErrorNotice error={error} onRetry={reload} />;
  if (data === undefined) return <LinearProgress aria-label={text.endpoints.trustLooking(address)} />;
  // With the last one that it sent, everything that its authority signs is believed; often it is the server's own.
  const top = data.chain.at(-1);
  return (
    <Stack spacing={1} component="section" aria-label={address}>
      <Alert
        severity={data.isVerified ? 'success' : 'warning'}
        action={
          data.isCurable !== true || top === undefined ? undefined : (
            <Button color="inherit" size="small" sx={{ whiteSpace: 'nowrap' }} onClick={() => onTrust(top.pem)}>
              {text.endpoints.trustThis}
            </Button>
          )
        }
      >
        {data.isVerified
          ? text.endpoints.trustVerified(address)
          : text.endpoints.trustRefused(address, data.reason ?? text.app.unknownReason)}
      </Alert>
      {data.chain.map((certificate, index) => (
        <Certificate
          key={certificate.sha256}
          certificate={certificate}
          role={index === 0 ? text.endpoints.trustOwn : text.endpoints.trustIssuerOf}
        />
      ))}
    </Stack>
  );
}

function Certificate({ certificate, role }: { readonly certificate: ServerCertificate; readonly role: string }) {
  const rows = [
    [text.endpoints.trustSubject, [certificate.subject, ...certificate.names].filter((name) => name !== '').join(', ')],
    [text.endpoints.trustIssuer, certificate.issuer],
    [
      text.endpoints.trustValid,
      text.endpoints.trustUntil(timeText(certificate.validFrom), timeText(certificate.validTo)),
    ],
    [text.endpoints.trustFingerprint, certificate.sha256],
  ] as const;
  return (
    <Box sx={{ pl: 2, borderLeft: 3, borderColor: 'divider' }}>
      <Typography variant="subtitle2">{role}</Typography>
      <Box
        component="dl"
        sx={{
          m: 0,
          display: 'grid',
          gridTemplateColumns: 'max-content 1fr',
          columnGap: 2,
          rowGap: 0.5,
          typography: 'body2',
        }}
      >
        {rows.map(([term, value]) => (
          <Box key={term} sx={{ display: 'contents' }}>
            <Box component="dt" sx={{ color: 'text.secondary' }}>
              {term}
            </Box>
            <Box component="dd" sx={{ m: 0, overflowWrap: 'anywhere' }}>
              {value}
            </Box>
          </Box>
        ))}
      </Box>
    </Box>
  );
}
