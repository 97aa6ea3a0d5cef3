import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { isTerminalDeployment, type BootReport, type DeploymentDetail } from '../../../shared/model/deployment.ts';
import { fonts } from '../../app/theme.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { durationText } from '../../components/quantities.ts';
import { StateLabel, type StateTone } from '../../components/state-label.tsx';
import { Section } from '../../components/section.tsx';
import { text } from '../../text/text.ts';

const words = text.deployments;

const tones: Readonly<Record<BootReport['outcome'], StateTone>> = {
  up: 'good',
  failed: 'bad',
  unproven: 'paused',
  'not-checked': 'idle',
};

/** The virtual machine, and whether its guest has booted. */
export function ServerCards({ deployment }: { readonly deployment: DeploymentDetail }) {
  const { server, boot, state } = deployment;
  const isChecked = deployment.tasks.some(({ id, state: of }) => id === 'check-boot' && of === 'running');
  const isThere =
    server !== undefined &&
    (state === 'completed' || !isTerminalDeployment(state) || deployment.kept) &&
    state !== 'deleted';
  return (
    <Box sx={{ display: 'grid', gap: 3, gridTemplateColumns: { xs: '1fr', md: '1fr 1fr' } }}>
      <Section title={words.server}>
        {isThere ? (
          <Box
            component="dl"
            sx={{
              display: 'grid',
              gridTemplateColumns: 'max-content 1fr',
              columnGap: 2,
              rowGap: 0.75,
              m: 0,
              alignItems: 'center',
              '& dt': { color: 'text.secondary' },
              '& dd': { m: 0, overflowWrap: 'anywhere' },
            }}
          >
            <dt>{words.name}</dt>
            <Box component="dd" sx={{ fontWeight: 600 }}>
              {server.name}
            </Box>
            <dt>{words.id}</dt>
            <Box component="dd" sx={{ fontFamily: fonts.code, fontSize: 13 }}>
              {server.id}
            </Box>
            <dt>{words.addresses}</dt>
            <dd>
              {server.addresses.length === 0 ? words.noAddress : server.addresses.join(', ')}
              {server.addresses[0] !== undefined && (
                <Box component="span" sx={{ ml: 1.5 }}>
                  <CopyButton content={server.addresses[0]} />
                </Box>
              )}
            </dd>
          </Box>
        ) : (
          <Typography sx={{ color: 'text.secondary' }}>
            {isTerminalDeployment(state) ? words.serverGone : words.noServer}
          </Typography>
        )}
      </Section>
      <Section title={words.boot}>
        {boot === undefined ? (
          <Typography sx={{ color: 'text.secondary' }}>
            {isTerminalDeployment(state)
              ? words.bootOutcomes['not-checked']
              : isChecked
                ? words.bootChecking
                : words.bootPending}
          </Typography>
        ) : (
          <>
            <Box role="status" sx={{ fontWeight: 600 }}>
              <StateLabel tone={tones[boot.outcome]}>{words.bootOutcomes[boot.outcome]}</StateLabel>
              <Typography component="span" sx={{ color: 'text.secondary', ml: 1 }}>
                {boot.outcome === 'not-checked' ? '' : words.after(durationText(boot.seconds))}
              </Typography>
            </Box>
            <Typography variant="body2" sx={{ mt: 1, overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
              <Box component="span" sx={{ color: 'text.secondary' }}>
                {words.evidence}:{' '}
              </Box>
              {boot.evidence}
            </Typography>
          </>
        )}
      </Section>
    </Box>
  );
}
