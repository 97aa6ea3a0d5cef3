import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import FormHelperText from '@mui/material/FormHelperText';
import { useState } from 'react';
import { useToast } from '../../app/toasts.tsx';
import { useLink, useQuery } from '../../app/workbench-context.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { text } from '../../text/text.ts';
import { DeployingFields, deployingOptions, usualDeploying } from './deploying-fields.tsx';
import { Consequences, Failures, NamesOf, useEach, whatOf, type LifeDialogProps } from './life-parts.tsx';

const words = text.life.cutOver;

/** Moves VMs for good, or tries it again. */
export function CutOverDialog(props: LifeDialogProps) {
  const { lives, onClose } = props;
  const link = useLink();
  const toast = useToast();
  const replica = useQuery('replica.show', { replica: lives[0]?.replicaId ?? '' }).data;
  const [isStopped, setIsStopped] = useState(false);
  const [deploying, setDeploying] = useState(usualDeploying);
  const what = whatOf(lives);
  const passes = isStopped ? { sourceIsStopped: true, execute: {} } : { execute: { lastPass: true } };
  const { action, failures } = useEach(
    props,
    ({ replicaId }) =>
      link.call('deployment.create', {
        replica: replicaId,
        options: { ...deployingOptions(deploying), purpose: 'cut-over', ...passes },
      }),
    () => toast(words.started(what)),
  );
  const departs = [
    ...(lives.some(({ rehearsal }) => rehearsal?.outcome !== 'passed') ? [words.notRehearsed] : []),
    ...(lives.some(({ approval }) => approval?.isCurrent !== true) ? [words.notApproved] : []),
    ...(lives.length === 1 && replica !== undefined && (replica.checks ?? []).length === 0 ? [words.noChecks] : []),
  ];
  return (
    <ConfirmDialog title={words.title(what)} confirm={words.confirm} action={action} onClose={onClose}>
      <NamesOf lives={lives} />
      <Consequences steps={isStopped ? words.stepsStopped : words.steps} stays={words.stays} />
      {departs.length > 0 && (
        <Alert severity="warning">
          {words.departs}
          <Box component="ul" sx={{ m: 0, pl: 2.5 }}>
            {departs.map((one) => (
              <li key={one}>{one}</li>
            ))}
          </Box>
        </Alert>
      )}
      <div>
        <FormControlLabel
          control={
            <Checkbox size="small" checked={isStopped} onChange={(event) => setIsStopped(event.target.checked)} />
          }
          label={words.isStopped}
        />
        <FormHelperText sx={{ mt: -0.5, ml: 3.75 }}>{words.isStoppedHelp}</FormHelperText>
      </div>
      <DeployingFields value={deploying} onChange={setDeploying} />
      <Failures failures={failures} />
    </ConfirmDialog>
  );
}
