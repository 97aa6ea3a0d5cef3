import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import type { DeploymentDetail, GuestReport } from '../../../shared/model/deployment.ts';
import { durationText } from '../../components/quantities.ts';
import { StateLabel } from '../../components/state-label.tsx';
import { Section } from '../../components/section.tsx';
import { text } from '../../text/text.ts';
import { GuestDiffView } from './guest-diff-view.tsx';

const words = text.deployments;

/** What was found in the guest, what was done to it, and what that changed. */
export function GuestView({ deployment: { guest, options } }: { readonly deployment: DeploymentDetail }) {
  if (guest === undefined) {
    return (
      <Paper variant="outlined" sx={{ p: 2.5 }}>
        <Typography sx={{ color: 'text.secondary' }}>
          {options.skipMorphing === true ? words.guestSkipped : words.guestNone}
        </Typography>
      </Paper>
    );
  }
  return (
    <Stack spacing={3}>
      <Section title={words.diff}>
        <GuestDiffView diff={guest.diff} />
      </Section>
      {guest.warnings.length > 0 && (
        <Alert severity="warning">
          <Box component="ul" sx={{ m: 0, pl: 2 }}>
            {guest.warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </Box>
        </Alert>
      )}
      <Section title={words.guestFacts}>
        <Facts guest={guest} />
      </Section>
      <Section title={words.preparationSteps} note={words.preparedIn(durationText(guest.seconds))}>
        <Steps guest={guest} />
      </Section>
      {guest.scripts.length > 0 && (
        <Section title={words.scriptOutputs}>
          {guest.scripts.map(({ script, exitCode, output }, index) => (
            // A script may run more than once under one name.
            <Box key={index} sx={{ mb: 1.5 }}>
              <Typography variant="body2">
                <b>{script}</b> {words.exitCode(exitCode)}
              </Typography>
              {output !== '' && (
                <Box
                  component="pre"
                  tabIndex={0}
                  role="region"
                  aria-label={script}
                  sx={{ m: 0, mt: 0.5, fontSize: 12.5, maxHeight: 200, overflow: 'auto', whiteSpace: 'pre-wrap' }}
                >
                  {output}
                </Box>
              )}
            </Box>
          ))}
        </Section>
      )}
    </Stack>
  );
}

function Facts({ guest: { dossier } }: { readonly guest: GuestReport }) {
  const facts: Readonly<Record<keyof typeof words.facts, string>> = {
    name: dossier.name,
    hostname: dossier.hostname,
    architecture: dossier.architecture,
    firmware: dossier.firmware.toUpperCase(),
    bootloader: dossier.bootloader,
    kernels: dossier.kernels.join(', '),
    root: [dossier.root.id, dossier.root.content].filter((part) => part !== '').join(', '),
    network: dossier.network.join(', '),
    cloudInit: dossier.cloudInit ?? words.notInstalled,
  };
  return (
    <Box
      component="dl"
      sx={{
        display: 'grid',
        gridTemplateColumns: { xs: 'max-content 1fr', md: 'max-content 1fr max-content 1fr' },
        columnGap: 2,
        rowGap: 0.75,
        m: 0,
        '& dt': { color: 'text.secondary' },
        '& dd': { m: 0, overflowWrap: 'anywhere' },
      }}
    >
      {(Object.keys(words.facts) as (keyof typeof words.facts)[]).map((key) => (
        <Box key={key} sx={{ display: 'contents' }}>
          <dt>{words.facts[key]}</dt>
          <dd>{facts[key] === '' ? '–' : facts[key]}</dd>
        </Box>
      ))}
    </Box>
  );
}

function Steps({ guest: { steps } }: { readonly guest: GuestReport }) {
  return (
    <Box component="ol" sx={{ m: 0, p: 0, listStyle: 'none' }}>
      {steps.map(({ step, title, seconds, changed, notes }) => (
        <Box
          component="li"
          key={step}
          sx={{ py: 0.75, borderBottom: 1, borderColor: 'divider', '&:last-child': { borderBottom: 0 } }}
        >
          <Box sx={{ display: 'flex', gap: 2, alignItems: 'center' }}>
            <Box sx={{ width: 170 }}>
              <StateLabel tone={changed ? 'good' : 'idle'}>{changed ? words.changed : words.unchanged}</StateLabel>
            </Box>
            <Typography sx={{ flexGrow: 1 }}>{title}</Typography>
            <Typography variant="caption" sx={{ color: 'text.secondary' }}>
              {durationText(seconds)}
            </Typography>
          </Box>
          {notes.length > 0 && (
            <Box component="ul" sx={{ m: 0, mt: 0.25, pl: '202px', color: 'text.secondary', fontSize: 13 }}>
              {notes.map((note) => (
                <li key={note}>{note}</li>
              ))}
            </Box>
          )}
        </Box>
      ))}
    </Box>
  );
}
