import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { useState, type ReactNode } from 'react';
import type { Replica } from '../../../shared/model/replica.ts';
import { asCausewayError } from '../../app/query-store.ts';
import { useToast } from '../../app/toasts.tsx';
import { useAction } from '../../app/use-action.ts';
import { useLink, useQuery } from '../../app/workbench-context.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { errorWords, text } from '../../text/text.ts';
import { AtOnceField, isAtOnce } from './at-once-field.tsx';

interface Props {
  readonly title: string;
  readonly confirm: string;
  readonly isReady: boolean;
  readonly width?: 'sm' | 'md';
  readonly replicas: readonly Pick<Replica, 'id' | 'name'>[];
  /** What is said when so many of several were started. */
  readonly startedWords: (count: number) => string;
  /** Starts one and answers with the id of its run. */
  readonly start: (replica: Pick<Replica, 'id' | 'name'>) => Promise<string>;
  readonly onStarted: (ids: readonly string[]) => void;
  readonly onClose: () => void;
  /** The options. */
  readonly children: ReactNode;
}

interface Refused {
  readonly replica: Pick<Replica, 'id' | 'name'>;
  readonly reason: string;
}

/** Starts runs of one replica or of several; for several it asks how many at once, and says which could not be started. */
export function StartManyDialog({
  title,
  confirm,
  isReady,
  width = 'sm',
  replicas,
  startedWords,
  start,
  onStarted,
  onClose,
  children,
}: Props) {
  const link = useLink();
  const toast = useToast();
  const isMany = replicas.length > 1;
  const queue = useQuery('queue.show', {}).data;
  const [written, setWritten] = useState<string>();
  const [refused, setRefused] = useState<readonly Refused[]>([]);
  const [begun, setBegun] = useState<readonly string[]>([]);
  const atOnce = written ?? (queue === undefined ? '' : String(queue.atOnce));
  const waiting = replicas.filter(({ id }) => !begun.includes(id));
  const action = useAction(async () => {
    if (!isMany) {
      onStarted([await start(replicas[0]!)]);
      onClose();
      return;
    }
    if (queue !== undefined && Number(atOnce) !== queue.atOnce)
      await link.call('queue.setLimit', { atOnce: Number(atOnce) });
    const failures: Refused[] = [];
    const started: string[] = [];
    // One after the other, so that they stand in the queue in the order of the list.
    for (const replica of waiting) {
      try {
        await start(replica);
        started.push(replica.id);
      } catch (error) {
        const { code, message } = asCausewayError(error);
        failures.push({ replica, reason: `${errorWords(code).title}: ${message}` });
      }
    }
    setBegun([...begun, ...started]);
    setRefused(failures);
    if (started.length > 0) toast(startedWords(started.length), { label: text.replicas.title, path: ['replicas'] });
    if (failures.length === 0) {
      onStarted([]);
      onClose();
    }
  });
  return (
    <ConfirmDialog
      title={title}
      confirm={confirm}
      width={width}
      isReady={isReady && waiting.length > 0 && (!isMany || isAtOnce(atOnce))}
      action={action}
      onClose={onClose}
    >
      {isMany && (
        <Box>
          <Typography variant="body2" sx={{ color: 'text.secondary', mb: 2 }}>
            {waiting.map(({ name }) => name).join(', ')}
          </Typography>
          <AtOnceField value={atOnce} onChange={setWritten} />
        </Box>
      )}
      {children}
      {refused.map(({ replica, reason }) => (
        <Alert key={replica.id} severity="error">
          {replica.name}: {reason}
        </Alert>
      ))}
    </ConfirmDialog>
  );
}
