import CloseIcon from '@mui/icons-material/Close';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import List from '@mui/material/List';
import ListItem from '@mui/material/ListItem';
import ListItemButton from '@mui/material/ListItemButton';
import ListItemText from '@mui/material/ListItemText';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { hrefOf } from '../../app/route.ts';
import { useAction } from '../../app/use-action.ts';
import { useLink, useQuery } from '../../app/workbench-context.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { text } from '../../text/text.ts';

/** The projects that were open on this computer, the last one first. */
export function RecentProjects() {
  const link = useLink();
  const query = useQuery('project.recent', {}, ['shell.changed']);
  const open = useAction((folder: string) => link.call('project.open', { folder }));
  const forget = useAction(async (folder: string) => {
    await link.call('project.forget', { folder });
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
                {projects.map(({ folder, name }) => (
                  <ListItem
                    key={folder}
                    disablePadding
                    secondaryAction={
                      <IconButton edge="end" aria-label={text.home.forget(name)} title={text.home.forget(name)} onClick={() => void forget.run(folder)}>
                        <CloseIcon />
                      </IconButton>
                    }
                  >
                    <ListItemButton disabled={open.isBusy} onClick={() => void open.run(folder)} sx={{ px: 3 }}>
                      <ListItemText primary={name} secondary={folder} slotProps={{ secondary: { sx: { overflowWrap: 'anywhere' } } }} />
                    </ListItemButton>
                  </ListItem>
                ))}
              </List>
            </Paper>
          )}
        </>
      )}
    </QueryView>
  );
}
