import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { useEffect, useRef, useState } from 'react';
import { isTerminalDeployment, type DeploymentDetail } from '../../../shared/model/deployment.ts';
import { useAction } from '../../app/use-action.ts';
import { useLink } from '../../app/workbench-context.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { text } from '../../text/text.ts';

const words = text.deployments;

/** The console of the virtual machine: as it was at the boot check, or as it is now. */
export function ConsoleView({ deployment }: { readonly deployment: DeploymentDetail }) {
  const link = useLink();
  const [now, setNow] = useState<string>();
  const read = useAction(async () =>
    setNow((await link.call('deployment.console', { deployment: deployment.id })).text),
  );
  const { server, boot, state } = deployment;
  const canRead = server !== undefined && (state === 'completed' || deployment.kept || !isTerminalDeployment(state));
  const shown = now ?? boot?.console ?? '';
  return (
    <Paper component="section" variant="outlined" aria-label={words.console} sx={{ p: 2.5 }}>
      <Box sx={{ display: 'flex', gap: 2, alignItems: 'center', flexWrap: 'wrap', mb: 1.5 }}>
        <Typography variant="h6" component="h2">
          {words.console}
        </Typography>
        <Typography variant="body2" role="status" sx={{ color: 'text.secondary', flexGrow: 1 }}>
          {shown === '' ? '' : now === undefined ? words.consoleStored : words.consoleNow}
        </Typography>
        {canRead && (
          <Button size="small" disabled={read.isBusy} onClick={() => void read.run()}>
            {words.readConsole}
          </Button>
        )}
        {shown !== '' && <CopyButton content={shown} />}
      </Box>
      {read.error !== undefined && <ErrorNotice error={read.error} onClose={read.clear} />}
      {shown === '' ? (
        <Typography sx={{ color: 'text.secondary' }}>{words.consoleNone}</Typography>
      ) : (
        <ConsoleText content={shown} />
      )}
    </Paper>
  );
}

/** The end is in sight, because it says how it ended. */
function ConsoleText({ content }: { readonly content: string }) {
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    if (box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [content]);
  return (
    <Box
      ref={box}
      component="pre"
      tabIndex={0}
      role="region"
      aria-label={words.console}
      sx={{
        m: 0,
        p: 2,
        maxHeight: 420,
        overflow: 'auto',
        borderRadius: 1,
        bgcolor: '#10171b',
        color: '#dbe7ec',
        fontSize: 12.5,
        lineHeight: 1.45,
        whiteSpace: 'pre-wrap',
        overflowWrap: 'anywhere',
      }}
    >
      {content}
    </Box>
  );
}
