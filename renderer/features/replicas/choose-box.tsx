import Checkbox from '@mui/material/Checkbox';
import { createContext, use } from 'react';
import { text } from '../../text/text.ts';
import type { ChosenReplica } from './chosen-replicas.tsx';
import { isIdle } from '../../components/replicas/replica-status.ts';

interface Choice {
  readonly chosen: ReadonlySet<string>;
  choose(replicaId: string, isChosen: boolean): void;
}

/** What is chosen in a table of replicas. A context, so that a click draws the boxes anew and not the table. */
export const ChoiceContext = createContext<Choice>({ chosen: new Set(), choose: () => undefined });

/** Chooses one replica for what is done with several at once. */
export function ChooseBox({ replica, life }: ChosenReplica) {
  const { chosen, choose } = use(ChoiceContext);
  const isChosen = chosen.has(replica.id);
  return (
    <Checkbox
      size="small"
      checked={isChosen}
      disabled={!isIdle(life) && !isChosen}
      onChange={(event) => choose(replica.id, event.target.checked)}
      slotProps={{ input: { 'aria-label': text.replicas.chooseOne(replica.name) } }}
      sx={{ p: 0.25 }}
    />
  );
}
