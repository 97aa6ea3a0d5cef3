import CloseIcon from '@mui/icons-material/Close';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import List from '@mui/material/List';
import ListItem from '@mui/material/ListItem';
import ListItemText from '@mui/material/ListItemText';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import type { MoverView } from '../../../shared/contract/mover-calls.ts';
import { useAction } from '../../app/use-action.ts';
import { useLink, useQuery } from '../../app/workbench-context.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { LearnMore } from '../../components/manual/learn-more.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { text } from '../../text/text.ts';
import { AddMoverDialog } from './add-mover-dialog.tsx';
import { OpenOnMoverDialog } from './open-on-mover-dialog.tsx';

type Asking = { readonly kind: 'add' } | { readonly kind: 'open' | 'remove'; readonly name: string };

/** The movers of this user: one can be added, and a project on one be opened. */
export function MoversCard() {
  const query = useQuery('mover.list', {}, ['shell.changed']);
  const [asking, setAsking] = useState<Asking>();
  const close = (): void => setAsking(undefined);
  return (
    <Paper variant="outlined" component="section" aria-label={text.movers.title} sx={{ p: 3 }}>
      <Typography variant="h6" component="h2">
        {text.movers.title}
      </Typography>
      <Typography sx={{ color: 'text.secondary', mb: 1.5 }}>
        {text.movers.lead} <LearnMore page="movers" anchor="in-the-workbench" about={text.movers.about} />
      </Typography>
      <QueryView query={query}>
        {(movers) => (
          <>
            {movers.length === 0 ? (
              <Typography variant="body2">{text.movers.none}</Typography>
            ) : (
              <Movers movers={movers} onAsk={setAsking} />
            )}
            <Button variant="outlined" sx={{ mt: 1.5 }} onClick={() => setAsking({ kind: 'add' })}>
              {text.movers.add}
            </Button>
            {asking?.kind === 'add' && (
              <AddMoverDialog names={movers.map(({ name }) => name)} onClose={close} onAdded={query.reload} />
            )}
            {asking?.kind === 'open' && <OpenOnMoverDialog mover={asking.name} onClose={close} />}
            {asking?.kind === 'remove' && <RemoveMover name={asking.name} onClose={close} onRemoved={query.reload} />}
          </>
        )}
      </QueryView>
    </Paper>
  );
}

function Movers({
  movers,
  onAsk,
}: {
  readonly movers: readonly MoverView[];
  readonly onAsk: (asking: Asking) => void;
}) {
  return (
    <List disablePadding>
      {movers.map(({ name, username, host, port, jumpHosts }) => (
        <ListItem key={name} disableGutters sx={{ gap: 1 }}>
          <ListItemText
            primary={name}
            secondary={`${username}@${host}:${port}${jumpHosts.length === 0 ? '' : ` ${text.movers.through(jumpHosts.map((hop) => hop.host).join(', '))}`}`}
            slotProps={{ secondary: { sx: { overflowWrap: 'anywhere' } } }}
          />
          <Box sx={{ display: 'flex', flexShrink: 0, alignItems: 'center' }}>
            <Button
              size="small"
              aria-label={`${text.movers.open} (${name})`}
              onClick={() => onAsk({ kind: 'open', name })}
            >
              {text.movers.open}
            </Button>
            <IconButton
              aria-label={text.movers.remove(name)}
              title={text.movers.remove(name)}
              onClick={() => onAsk({ kind: 'remove', name })}
            >
              <CloseIcon />
            </IconButton>
          </Box>
        </ListItem>
      ))}
    </List>
  );
}

function RemoveMover({
  name,
  onClose,
  onRemoved,
}: {
  readonly name: string;
  readonly onClose: () => void;
  readonly onRemoved: () => void;
}) {
  const link = useLink();
  const remove = useAction(async () => {
    await link.call('mover.remove', { name });
    onRemoved();
    onClose();
  });
  return (
    <ConfirmDialog
      title={text.movers.removeTitle(name)}
      confirm={text.movers.removeButton}
      action={remove}
      onClose={onClose}
    >
      <Typography>{text.movers.removeLead(name)}</Typography>
    </ConfirmDialog>
  );
}
