import Alert from '@mui/material/Alert';
import AlertTitle from '@mui/material/AlertTitle';
import Box from '@mui/material/Box';
import { useQuery } from '../../app/workbench-context.tsx';
import { text } from '../../text/text.ts';

/** What the source cannot carry of a VM, and what replicating it costs. Nothing where there is nothing to know. */
export function VmLimits({ endpointId, vmId }: { readonly endpointId: string; readonly vmId: string }) {
  const limits = useQuery('vm.limits', { endpoint: endpointId, vm: vmId }).data ?? [];
  if (limits.length === 0) return null;
  return (
    <Alert severity="warning" sx={{ maxWidth: 760 }}>
      <AlertTitle>{text.replicas.limits}</AlertTitle>
      <Box component="ul" sx={{ m: 0, pl: 2.5 }}>
        {limits.map((limit) => (
          <li key={limit}>{/[.!?]$/.test(limit) ? limit : `${limit}.`}</li>
        ))}
      </Box>
    </Alert>
  );
}
