import CheckIcon from '@mui/icons-material/CheckCircleOutlined';
import ErrorIcon from '@mui/icons-material/ErrorOutlined';
import SkipIcon from '@mui/icons-material/RemoveCircleOutlineOutlined';
import WarningIcon from '@mui/icons-material/WarningAmberOutlined';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import List from '@mui/material/List';
import ListItem from '@mui/material/ListItem';
import ListItemIcon from '@mui/material/ListItemIcon';
import ListItemText from '@mui/material/ListItemText';
import Typography from '@mui/material/Typography';
import type { WorkbenchOutput } from '../../app/workbench-link.ts';
import { hrefOf } from '../../app/route.ts';
import { text } from '../../text/text.ts';

const icons = {
  passed: <CheckIcon color="success" />,
  failed: <ErrorIcon color="error" />,
  warning: <WarningIcon color="warning" />,
  skipped: <SkipIcon color="disabled" />,
} as const;

/** What was tried, step by step, and what came of it. */
export function CheckReport({
  name,
  endpointId,
  report,
  onSignIn,
}: {
  readonly name: string;
  readonly endpointId: string;
  readonly report: WorkbenchOutput<'endpoint.check'>;
  readonly onSignIn: () => void;
}) {
  return (
    <>
      <Typography role="status" sx={{ fontWeight: 600 }}>
        {report.passed
          ? text.endpoints.passed(name, report.steps.filter(({ outcome }) => outcome === 'warning').length)
          : text.endpoints.failed(name)}
      </Typography>
      <List dense>
        {report.steps.map((step, index) => (
          <ListItem key={index} sx={{ alignItems: 'flex-start' }}>
            <ListItemIcon sx={{ minWidth: 36, mt: 0.5 }}>{icons[step.outcome]}</ListItemIcon>
            <Box sx={{ minWidth: 0, flex: '1 1 0' }}>
              <ListItemText
                primary={text.endpoints.stepOutcome(step.name, text.endpoints.outcomes[step.outcome])}
                secondary={step.evidence}
                slotProps={{ secondary: { sx: { overflowWrap: 'anywhere' } } }}
              />
              {step.code === 'cloud.sign-in-needed' && (
                <Button size="small" variant="outlined" onClick={onSignIn}>
                  {text.endpoints.signIn}
                </Button>
              )}
              {step.code === 'cloud.certificate-not-trusted' && (
                <Button size="small" variant="outlined" href={hrefOf('endpoints', endpointId, 'certificate')}>
                  {text.endpoints.trust}
                </Button>
              )}
            </Box>
          </ListItem>
        ))}
      </List>
    </>
  );
}
