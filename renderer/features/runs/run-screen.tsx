import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import { isTerminalExecution, type Execution } from '../../../shared/model/execution.ts';
import { hrefOf } from '../../app/route.ts';
import { useQuery } from '../../app/workbench-context.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { durationText, timeText } from '../../components/quantities.ts';
import { QueryView } from '../../components/query-view.tsx';
import { Screen } from '../../components/screen.tsx';
import { useNow } from '../../components/use-now.ts';
import { text } from '../../text/text.ts';
import { LeftBehindNotice } from '../../components/executions/left-behind-notice.tsx';
import { useRunQuery } from '../../components/executions/use-run-query.ts';
import { VaultNeeded } from '../../components/vault-card.tsx';
import { ExecutionEvents } from '../../components/executions/event-log.tsx';
import { ExecutionLabel } from '../../components/executions/execution-label.tsx';
import { QueueNotice } from '../../forms/execution/queue-notice.tsx';
import { ProgressCard } from './progress-card.tsx';
import { RunActions } from './run-actions.tsx';
import { TaskSection } from '../../components/executions/task-section.tsx';

/** One execution of a replica, as it goes on. */
export function RunScreen({ executionId }: { readonly executionId: string }) {
  const query = useRunQuery('execution.show', { execution: executionId }, 'steps');
  const replicas = useQuery('replica.list', {}).data;
  const now = useNow(1000);
  return (
    <QueryView query={query}>
      {(execution) => {
        const replica = replicas?.find(({ id }) => id === execution.replicaId);
        return (
          <Screen
            isWide
            title={text.runs.title(execution.number, replica?.name ?? '…')}
            lead={
              <Box sx={{ display: 'flex', gap: 2, alignItems: 'center', flexWrap: 'wrap' }}>
                <ExecutionLabel state={execution.state} member={execution.member} />
                <span>{timeText(execution.createdAt)}</span>
                <span>{lengthOf(execution, now)}</span>
                {replica !== undefined && (
                  <Link href={hrefOf('replicas', replica.id)}>{text.runs.toReplica(replica.name)}</Link>
                )}
              </Box>
            }
            actions={<RunActions execution={execution} />}
          >
            <VaultNeeded />
            {execution.queuePosition !== undefined && <QueueNotice position={execution.queuePosition} />}
            {execution.state === 'interrupted' && <Alert severity="warning">{text.runs.interruptedLead}</Alert>}
            {execution.error !== undefined && execution.state !== 'cancelled' && (
              <ErrorNotice error={execution.error} />
            )}
            <LeftBehindNotice count={execution.leftBehind} words={text.runs.leftBehind} />
            <ProgressCard execution={execution} />
            <TaskSection tasks={execution.tasks} />
            <ExecutionEvents executionId={execution.id} />
          </Screen>
        );
      }}
    </QueryView>
  );
}

function lengthOf({ state, startedAt, finishedAt }: Execution, now: number): string {
  if (startedAt === undefined) return '';
  if (finishedAt !== undefined && isTerminalExecution(state))
    return text.runs.took(durationText((Date.parse(finishedAt) - Date.parse(startedAt)) / 1000));
  return state === 'running' || state === 'cancelling'
    ? text.runs.runningFor(durationText((now - Date.parse(startedAt)) / 1000))
    : '';
}
