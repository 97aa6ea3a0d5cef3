import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { z } from 'zod';
import type { DeploymentDetail } from '../../../shared/model/deployment.ts';
import { guestRootSchema, type GuestRoot } from '../../../shared/model/guest-preparation.ts';
import type { Replica } from '../../../shared/model/replica.ts';
import { fonts } from '../../app/theme.ts';
import { text } from '../../text/text.ts';
import { optionsForAgain } from './options-for-again.ts';
import { StartDeploymentDialog } from '../../forms/deployment/start-deployment-dialog.tsx';

const words = text.deployments;
const candidatesSchema = z.array(guestRootSchema);

/** The question that a preparation could not answer itself: which of several installations the VM boots. */
export function SeveralRoots({
  deployment,
  replica,
}: {
  readonly deployment: DeploymentDetail;
  readonly replica: Replica;
}) {
  const [chosen, setChosen] = useState<GuestRoot>();
  const candidates = candidatesSchema.safeParse(deployment.error?.details['candidates']);
  if (deployment.error?.code !== 'osmorphing.several-roots' || !candidates.success) return null;
  return (
    <Paper component="section" variant="outlined" aria-label={words.severalRoots} sx={{ p: 2.5 }}>
      <Typography variant="h6" component="h2">
        {words.severalRoots}
      </Typography>
      <Typography sx={{ color: 'text.secondary', mb: 1 }}>{words.severalRootsLead}</Typography>
      <Box component="ul" sx={{ m: 0, p: 0, listStyle: 'none' }}>
        {candidates.data.map((root) => (
          <Box
            component="li"
            key={root.id}
            sx={{ display: 'flex', gap: 2, alignItems: 'center', py: 1, borderTop: 1, borderColor: 'divider' }}
          >
            <Box sx={{ flexGrow: 1, minWidth: 0 }}>
              <Typography sx={{ fontWeight: 600 }}>{root.name === '' ? words.unnamedRoot : root.name}</Typography>
              <Typography
                variant="caption"
                component="div"
                sx={{ color: 'text.secondary', fontFamily: fonts.code, overflowWrap: 'anywhere' }}
              >
                {[root.id, root.content, root.label].filter((part) => part !== undefined && part !== '').join(' · ')}
              </Typography>
            </Box>
            <Button
              variant="outlined"
              aria-label={words.chooseRoot(`${root.name} (${root.id})`)}
              onClick={() => setChosen(root)}
            >
              {text.replicas.steps.deploy}
            </Button>
          </Box>
        ))}
      </Box>
      {chosen !== undefined && (
        <StartDeploymentDialog
          replicas={[replica]}
          initial={{ ...optionsForAgain(deployment), root: chosen.id }}
          onClose={() => setChosen(undefined)}
        />
      )}
    </Paper>
  );
}
