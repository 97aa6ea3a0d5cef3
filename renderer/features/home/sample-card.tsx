import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import LinearProgress from '@mui/material/LinearProgress';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import type { SampleState } from '../../../shared/contract/shell.ts';
import { hrefOf } from '../../app/route.ts';
import { useAction } from '../../app/use-action.ts';
import { useLink, useShell } from '../../app/workbench-context.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { text } from '../../text/text.ts';

/** For people who want to see it work before they describe anything: the lab, and documents that need no network. */
export function SampleCard() {
  const sample = useShell()?.sample;
  return (
    <Paper variant="outlined" component="section" aria-label={text.home.sample} sx={{ p: 3 }}>
      <Typography variant="h6" component="h2">
        {text.home.sample}
      </Typography>
      <Typography sx={{ color: 'text.secondary', mb: 1.5 }}>
        {sample === undefined ? text.home.sampleLead : text.home.sampleOffer}
      </Typography>
      {sample === undefined ? <Command /> : <Sample sample={sample} />}
    </Paper>
  );
}

/** Where the workbench can't start the lab itself. */
function Command() {
  return (
    <Box sx={{ display: 'flex', gap: 1, alignItems: 'center', flexWrap: 'wrap' }}>
      <Box component="code" sx={{ px: 1.5, py: 0.5, borderRadius: 1, bgcolor: 'action.hover' }}>
        {text.home.sampleCommand}
      </Box>
      <CopyButton content={text.home.sampleCommand} />
      <Button href={hrefOf('check')}>{text.home.sampleCheck}</Button>
    </Box>
  );
}

function Sample({ sample }: { readonly sample: SampleState }) {
  const link = useLink();
  const [isEnding, setIsEnding] = useState(false);
  const open = useAction(() => link.call('sample.open', {}));
  const end = useAction(async () => {
    await link.call('sample.end', {});
    setIsEnding(false);
  });
  const isRunning = sample.state === 'running';
  const error = open.error ?? end.error ?? (sample.state === 'failed' ? sample.error : undefined);
  return (
    <>
      {sample.state === 'starting' && (
        <Box role="status" sx={{ mb: 1.5 }}>
          <Typography variant="body2">{text.home.sampleStarting}</Typography>
          <LinearProgress aria-label={text.home.sampleStarting} sx={{ my: 1 }} />
          <Typography variant="caption" component="p" noWrap>
            {sample.line}
          </Typography>
        </Box>
      )}
      {isRunning && (
        <Typography variant="body2" sx={{ mb: 1.5 }}>
          {text.home.sampleRunning}
        </Typography>
      )}
      {error !== undefined && !isEnding && (
        <Box sx={{ mb: 1.5 }}>
          <ErrorNotice error={error} />
        </Box>
      )}
      <Box sx={{ display: 'flex', gap: 1, flexWrap: 'wrap' }}>
        {sample.state !== 'starting' && (
          <Button variant="outlined" disabled={open.isBusy} onClick={() => void open.run()}>
            {isRunning ? text.home.sampleOpen : text.home.sampleStart}
          </Button>
        )}
        {sample.state === 'starting' && <Button onClick={() => void end.run()}>{text.app.cancel}</Button>}
        {isRunning && (
          <Button color="error" onClick={() => setIsEnding(true)}>
            {text.home.sampleEnd}
          </Button>
        )}
        <Button href={hrefOf('check')}>{text.home.sampleCheck}</Button>
      </Box>
      {isEnding && (
        <ConfirmDialog
          title={text.home.sampleEndTitle}
          confirm={text.home.sampleEnd}
          action={end}
          onClose={() => setIsEnding(false)}
        >
          <Typography>{text.home.sampleEndLead}</Typography>
        </ConfirmDialog>
      )}
    </>
  );
}
