import CloseIcon from '@mui/icons-material/Close';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import List from '@mui/material/List';
import ListItem from '@mui/material/ListItem';
import ListItemButton from '@mui/material/ListItemButton';
import ListItemText from '@mui/material/ListItemText';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import type { Project } from '../../../shared/contract/shell.ts';
import { hrefOf } from '../../app/route.ts';
import { useAction } from '../../app/use-action.ts';
import { useLink, useQuery } from '../../app/workbench-context.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { text } from '../../text/text.ts';
import { OpenOnMoverDialog } from './open-on-mover-dialog.tsx';

/** The projects that were open on this computer, the last one first. */
export function RecentProjects() {
  const link = useLink();
  const query = useQuery('project.recent', {}, ['shell.changed']);
  const open = useAction((folder: string) => link.call('project.open', { folder }));
  const [remote, setRemote] = useState<{ readonly mover: string; readonly folder: string }>();
  const forget = useAction(async ({ folder, mover }: Project) => {
    await link.call('project.forget', { folder, ...(mover === undefined ? {} : { mover }) });
    query.reload();
  });
  const error = open.error ?? forget.error;
  return (
    <QueryView query={query}>
      {(projects) => (
        <>
          {error !== undefined && <ErrorNotice error={error} />}
          {projects.length === 0 ? (
            <EmptyState title={text.home.noRecent} lead={text.home.noRecentLead}>
              <Button href={hrefOf('manual', 'first-migration')}>{text.home.readFirst}</Button>
            </EmptyState>
          ) : (
            <Paper variant="outlined" component="section" aria-label={text.home.recent}>
              <Typography variant="h6" component="h2" sx={{ px: 3, pt: 2 }}>
                {text.home.recent}
              </Typography>
              <List>
                {projects.map(({ folder, name, mover }) => (
                  <ListItem
                    key={`${mover ?? ''} ${folder}`}
                    disablePadding
                    secondaryAction={
                      <IconButton
                        edge="end"
                        aria-label={text.home.forget(name)}
                        title={text.home.forget(name)}
                        onClick={() => void forget.run({ folder, name, ...(mover === undefined ? {} : { mover }) })}
                      >
                        <CloseIcon />
                      </IconButton>
                    }
                  >
                    <ListItemButton
                      disabled={open.isBusy}
                      onClick={() => (mover === undefined ? void open.run(folder) : setRemote({ mover, folder }))}
                      sx={{ px: 3 }}
                    >
                      <ListItemText
                        primary={name}
                        secondary={mover === undefined ? folder : text.movers.onMover(mover, folder)}
                        slotProps={{ secondary: { sx: { overflowWrap: 'anywhere' } } }}
                      />
                    </ListItemButton>
                  </ListItem>
                ))}
              </List>
            </Paper>
          )}
          {remote !== undefined && (
            <OpenOnMoverDialog mover={remote.mover} folder={remote.folder} onClose={() => setRemote(undefined)} />
          )}
        </>
      )}
    </QueryView>
  );
}
