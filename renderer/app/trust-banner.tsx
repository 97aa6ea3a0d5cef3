import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import { text } from '../text/text.ts';
import { hrefOf, useRoute } from './route.ts';
import { useQuery } from './workbench-context.tsx';

/** A project, or a change of its files, that nobody on this computer has accepted. */
export function TrustBanner() {
  const { data } = useQuery('trust.show', {}, ['shell.changed']);
  const [first] = useRoute();
  if (data === undefined || first === 'trust' || (data.isAccepted && data.pending === 0)) return null;
  return (
    <Alert
      severity="warning"
      sx={{ borderRadius: 0 }}
      action={
        <Button color="inherit" size="small" href={hrefOf('trust')} sx={{ whiteSpace: 'nowrap' }}>
          {text.trust.review}
        </Button>
      }
    >
      {data.isAccepted ? text.trust.bannerChanges(data.pending) : text.trust.bannerProject}
    </Alert>
  );
}
