import CheckIcon from '@mui/icons-material/CheckCircleOutlined';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import List from '@mui/material/List';
import ListItem from '@mui/material/ListItem';
import ListItemIcon from '@mui/material/ListItemIcon';
import ListItemText from '@mui/material/ListItemText';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { useEffect, useRef, useState } from 'react';
import type { Project } from '../../../shared/contract/shell.ts';
import { hrefOf } from '../../app/route.ts';
import { useAction } from '../../app/use-action.ts';
import { useLink, useQuery } from '../../app/workbench-context.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Screen } from '../../components/screen.tsx';
import { text } from '../../text/text.ts';
import { DashboardCards } from './dashboard-cards.tsx';
import { CrossingCard } from './crossing-card.tsx';
import { VaultCard } from '../../components/vault-card.tsx';

/** One project: its vault, and the way from an empty project to a replicated virtual machine. */
export function OpenProject({ project }: { readonly project: Project }) {
  const [isClosing, setIsClosing] = useState(false);
  const hasReplicas = (useQuery('replica.list', {}, ['execution.event']).data?.length ?? 0) > 0;
  return (
    <Screen
      isWide
      title={project.name}
      lead={
        <Box sx={{ overflowWrap: 'anywhere' }}>
          {project.mover === undefined ? project.folder : text.movers.onMover(project.mover, project.folder)}
        </Box>
      }
      actions={<Button onClick={() => setIsClosing(true)}>{text.home.close}</Button>}
    >
      <CrossingCard />
      {hasReplicas && <DashboardCards />}
      <Box sx={{ display: 'grid', gridTemplateColumns: { xs: '1fr', md: '1fr 1fr' }, gap: 3, alignItems: 'start' }}>
        <NextSteps />
        <VaultCard />
      </Box>
      {isClosing && (
        <CloseProject
          {...(project.mover === undefined ? {} : { mover: project.mover })}
          onClose={() => setIsClosing(false)}
        />
      )}
    </Screen>
  );
}

const stepTargets = [undefined, 'endpoints', 'inventory', 'replicas'] as const;

function NextSteps() {
  const vault = useQuery('vault.status', {}, ['shell.changed']).data;
  const endpoints = useQuery('endpoint.list', {}).data;
  const replicas = useQuery('replica.list', {}, ['execution.event']).data;
  if (vault === undefined || endpoints === undefined || replicas === undefined) return null;
  const isDone = [
    vault.exists,
    endpoints.length > 1,
    replicas.length > 0,
    replicas.some((replica) => replica.lastSuccess !== undefined),
  ];
  const next = isDone.indexOf(false);
  // Who has done all of them needs the list no more.
  if (next === -1) return null;
  return (
    <Paper variant="outlined" component="section" aria-label={text.home.next} sx={{ p: 3 }}>
      <Typography variant="h6" component="h2">
        {text.home.next}
      </Typography>
      <Typography variant="body2" sx={{ color: 'text.secondary' }}>
        {text.home.counts(endpoints.length, replicas.length)}
      </Typography>
      <List>
        {text.home.steps.map((step, index) => {
          const target = stepTargets[index];
          return (
            <ListItem
              key={step.title}
              disableGutters
              sx={{ alignItems: 'flex-start' }}
              aria-current={index === next ? 'step' : undefined}
            >
              <ListItemIcon sx={{ minWidth: 40, mt: 0.5 }}>
                {isDone[index] === true ? (
                  <CheckIcon color="success" titleAccess={text.home.done} />
                ) : (
                  <Typography sx={{ width: 24, textAlign: 'center', fontWeight: 600 }}>{index + 1}</Typography>
                )}
              </ListItemIcon>
              <Box>
                <ListItemText
                  primary={step.title}
                  secondary={step.lead}
                  slotProps={{ primary: { sx: { fontWeight: index === next ? 600 : 400 } } }}
                />
                {'action' in step && target !== undefined && (
                  <Button
                    size="small"
                    variant={index === next ? 'contained' : 'text'}
                    sx={index === next ? undefined : { ml: -1 }}
                    href={target === 'endpoints' && endpoints.length === 0 ? hrefOf(target, 'new') : hrefOf(target)}
                  >
                    {target === 'endpoints' && endpoints.length === 0 ? text.endpoints.add : step.action}
                  </Button>
                )}
              </Box>
            </ListItem>
          );
        })}
      </List>
    </Paper>
  );
}

/** Closes the project: immediately where nothing runs or waits, else after a question. */
export function CloseProject({ mover, onClose }: { readonly mover?: string; readonly onClose: () => void }) {
  const link = useLink();
  const [asks, setAsks] = useState(false);
  const action = useAction(async () => {
    await link.call('project.close', {});
    onClose();
  });
  const hasBegun = useRef(false);
  useEffect(() => {
    if (hasBegun.current) return;
    hasBegun.current = true;
    // Asked now: an answer from a moment ago may miss what has just been started.
    void link.call('queue.show', {}).then(
      ({ executions, deployments }) =>
        executions.running + executions.waiting + deployments.running + deployments.waiting === 0
          ? action.run()
          : setAsks(true),
      () => setAsks(true),
    );
  });
  if (!asks && action.error === undefined) return null;
  return (
    <ConfirmDialog title={text.home.closeTitle} confirm={text.home.close} action={action} onClose={onClose}>
      <Typography>{mover === undefined ? text.home.closeLead : text.movers.closeLead(mover)}</Typography>
    </ConfirmDialog>
  );
}
