import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import type { FleetMembership as Membership } from '../../../shared/contract/fleet-membership-calls.ts';
import { manualHref } from '../../app/route.ts';
import { useToast } from '../../app/toasts.tsx';
import { useAction } from '../../app/use-action.ts';
import { useLink } from '../../app/workbench-context.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Section } from '../../components/section.tsx';
import { text } from '../../text/text.ts';
import { JoinDialog } from './join-dialog.tsx';
import { isShareReady, ShareFields, shareOf, type ShareEntry } from './share-fields.tsx';

const words = text.fleet.membership;
const screen = text.fleet.screen;

interface Props {
  /** Names of the project's endpoints. */
  readonly endpoints: readonly string[];
  readonly onChanged: () => void;
}

/** A project of this computer alone: what a fleet is, and how to join one. */
export function NoFleet({ canJoin, endpoints, onChanged }: Props & { readonly canJoin: boolean }) {
  const [isJoining, setIsJoining] = useState(false);
  return (
    <>
      <EmptyState title={screen.none} lead={canJoin ? screen.noneLead : `${screen.noneLead} ${words.onMover}`}>
        {canJoin && (
          <Button variant="contained" onClick={() => setIsJoining(true)}>
            {words.open}
          </Button>
        )}
        <Button variant="outlined" href={manualHref('fleets', 'set-up')}>
          {text.manual.learnMore}
        </Button>
      </EmptyState>
      {isJoining && <JoinDialog endpoints={endpoints} onJoined={onChanged} onClose={() => setIsJoining(false)} />}
    </>
  );
}

/** How this computer takes part: its servers, what it carries out and reaches; and the way out. */
export function FleetMembership({ membership, endpoints, onChanged }: Props & { readonly membership: Membership }) {
  const [asks, setAsks] = useState<'change' | 'leave'>();
  const { servers, project, signIn, user, carries, reaches } = membership;
  const facts = [
    [words.name, project],
    [words.servers, servers.join(', ')],
    [words.signIn, user ?? words.signIns[signIn]],
    [words.carries, carries === null ? words.asProject : String(carries)],
    [words.reaches, reaches === null ? words.allAccepted : reaches.join(', ')],
  ] as const;
  return (
    <Section title={words.title}>
      <Box
        component="dl"
        sx={{
          m: 0,
          display: 'grid',
          gridTemplateColumns: { xs: '1fr', sm: 'max-content 1fr' },
          columnGap: 3,
          rowGap: 0.5,
        }}
      >
        {facts.map(([label, value]) => (
          <Box key={label} sx={{ display: 'contents' }}>
            <Typography component="dt" variant="body2" sx={{ color: 'text.secondary' }}>
              {label}
            </Typography>
            <Typography component="dd" variant="body2" sx={{ m: 0, overflowWrap: 'anywhere' }}>
              {value}
            </Typography>
          </Box>
        ))}
      </Box>
      <Box sx={{ display: 'flex', gap: 1, mt: 2 }}>
        <Button variant="outlined" onClick={() => setAsks('change')}>
          {words.change}
        </Button>
        <Button color="error" onClick={() => setAsks('leave')}>
          {words.leave}
        </Button>
      </Box>
      {asks === 'change' && (
        <ShareDialog
          membership={membership}
          endpoints={endpoints}
          onChanged={onChanged}
          onClose={() => setAsks(undefined)}
        />
      )}
      {asks === 'leave' && <LeaveDialog name={project} onChanged={onChanged} onClose={() => setAsks(undefined)} />}
    </Section>
  );
}

function ShareDialog({
  membership: { carries, reaches },
  endpoints,
  onChanged,
  onClose,
}: Props & { readonly membership: Membership; readonly onClose: () => void }) {
  const link = useLink();
  const toast = useToast();
  const [entry, setEntry] = useState<ShareEntry>({
    carries: carries === null ? '' : String(carries),
    reaches: reaches ?? [],
  });
  const save = useAction(async () => {
    await link.call('fleet.changeShare', shareOf(entry));
    toast(words.changed);
    onChanged();
    onClose();
  });
  return (
    <ConfirmDialog
      title={words.changeTitle}
      confirm={words.save}
      isReady={isShareReady(entry)}
      action={save}
      onClose={onClose}
    >
      <ShareFields entry={entry} endpoints={endpoints} onChange={setEntry} />
    </ConfirmDialog>
  );
}

function LeaveDialog({
  name,
  onChanged,
  onClose,
}: {
  readonly name: string;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}) {
  const link = useLink();
  const toast = useToast();
  const leave = useAction(async () => {
    await link.call('fleet.leave', {});
    toast(words.left(name));
    onChanged();
    onClose();
  });
  return (
    <ConfirmDialog
      title={words.leaveTitle(name)}
      confirm={words.leaveNow}
      isDestructive
      action={leave}
      onClose={onClose}
    >
      {words.leaveLead}
    </ConfirmDialog>
  );
}
