import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { useToast } from '../../app/toasts.tsx';
import { useLink, useQuery } from '../../app/workbench-context.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { kindText, ResourceList } from '../../components/resource-list.tsx';
import type { WorkbenchOutput } from '../../app/workbench-link.ts';
import { text } from '../../text/text.ts';
import { Failures, NamesOf, useEach, whatOf, WhoField, type LifeDialogProps } from './life-parts.tsx';
import { useWho } from './use-who.ts';

const words = text.life.finalise;
type Resources = WorkbenchOutput<'replica.finalise'>['resources'];

/** Ends the way of VMs: what their replicas hold is released. For one VM it lists what that is. */
export function FinaliseDialog(props: LifeDialogProps) {
  const { lives, onClose } = props;
  const link = useLink();
  const toast = useToast();
  const { who, setWho, by } = useWho();
  const [remaining, setRemaining] = useState<Resources>([]);
  const what = whatOf(lives);
  const [first] = lives;
  const { action, failures } = useEach(
    props,
    async ({ replicaId }) => {
      const { resources } = await link.call('replica.finalise', { replica: replicaId, dryRun: false, ...by });
      const left = resources.filter(({ outcome }) => outcome === 'remains');
      setRemaining(left);
      if (left.length > 0) throw new CausewayError('engine.left-behind', words.remain(left.length));
    },
    () => toast(words.done(what)),
  );
  return (
    <ConfirmDialog title={words.title(what)} confirm={words.confirm} isDestructive action={action} onClose={onClose}>
      <NamesOf lives={lives} />
      <Alert severity="warning">{words.lead}</Alert>
      {lives.length === 1 && first !== undefined && remaining.length === 0 && !action.isBusy && (
        <WhatGoes replicaId={first.replicaId} />
      )}
      {lives.length === 1 && <Released resources={remaining} />}
      <Typography sx={{ color: 'text.secondary' }}>{words.source}</Typography>
      <WhoField who={who} onChange={setWho} />
      <Failures failures={failures} />
    </ConfirmDialog>
  );
}

function WhatGoes({ replicaId }: { readonly replicaId: string }) {
  const plan = useQuery('replica.finalise', { replica: replicaId, dryRun: true });
  return (
    <QueryView query={plan}>
      {({ resources, stays }) => (
        <>
          {resources.length === 0 ? (
            <Typography>{words.nothing}</Typography>
          ) : (
            <Typography sx={{ fontWeight: 600, mb: -1.5 }}>{words.released}</Typography>
          )}
          <Released resources={resources} />
          {stays.length > 0 && <ResourceList title={words.stays} items={stays} />}
        </>
      )}
    </QueryView>
  );
}

function Released({ resources }: { readonly resources: Resources }) {
  if (resources.length === 0) return null;
  return (
    <Box component="ul" aria-label={words.released} sx={{ m: 0, pl: 2.5, overflowWrap: 'anywhere' }}>
      {resources.map(({ kind, name, side, error }) => (
        <li key={`${side} ${kind} ${name}`}>
          {Object.hasOwn(words.kinds, kind) ? (
            words.kinds[kind]
          ) : (
            <Box component="span" sx={{ display: 'inline-block', '&::first-letter': { textTransform: 'uppercase' } }}>
              {kindText(kind)}
            </Box>
          )}{' '}
          {name}, {words.sides[side]}
          {error === undefined ? '' : `: ${error}`}
        </li>
      ))}
    </Box>
  );
}
