import Typography from '@mui/material/Typography';
import { useDeploymentEvents } from '../../components/executions/use-events.ts';

/** What the preparation is at right now. A component of its own, because the guest's log comes with hundreds of lines. */
export function CurrentGuestStep({ deploymentId }: { readonly deploymentId: string }) {
  const events = useDeploymentEvents(deploymentId).data ?? [];
  const step = events.findLast(({ type }) => type === 'guest.step');
  if (step === undefined) return null;
  return (
    <Typography variant="body2" sx={{ ml: '132px', mt: 0.25, color: 'text.secondary', overflowWrap: 'anywhere' }}>
      {step.message}
    </Typography>
  );
}
