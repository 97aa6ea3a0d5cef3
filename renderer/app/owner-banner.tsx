import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { text } from '../text/text.ts';
import { useToast } from './toasts.tsx';
import { useAction } from './use-action.ts';
import { useLink, useQuery } from './workbench-context.tsx';

/** Project data that came from another computer: it can be read, and be taken over with what that means. */
export function OwnerBanner() {
  const link = useLink();
  const toast = useToast();
  const query = useQuery('project.owner', {}, ['shell.changed']);
  const [isAsking, setIsAsking] = useState(false);
  const takeOver = useAction(async () => {
    await link.call('project.takeOver', {});
    setIsAsking(false);
    query.reload();
    toast(text.takeOver.done);
  });
  if (query.data?.isElsewhere !== true) return null;
  const { owner } = query.data;
  return (
    <>
      <Alert
        severity="warning"
        sx={{ borderRadius: 0 }}
        action={
          <Button color="inherit" size="small" onClick={() => setIsAsking(true)} sx={{ whiteSpace: 'nowrap' }}>
            {text.takeOver.open}
          </Button>
        }
      >
        {text.takeOver.banner(owner)}
      </Alert>
      {isAsking && (
        <ConfirmDialog
          title={text.takeOver.title}
          confirm={text.takeOver.confirm}
          action={takeOver}
          isDestructive
          onClose={() => setIsAsking(false)}
        >
          <Typography>{text.takeOver.before(owner)}</Typography>
          <ul style={{ margin: 0 }}>
            {text.takeOver.consequences(owner).map((line) => (
              <Typography component="li" variant="body2" key={line}>
                {line}
              </Typography>
            ))}
          </ul>
        </ConfirmDialog>
      )}
    </>
  );
}
