import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import type { DeploymentDetail } from '../../../shared/model/deployment.ts';
import { isTerminalDeployment } from '../../../shared/model/deployment.ts';
import { hrefOf } from '../../app/route.ts';
import { useQuery } from '../../app/workbench-context.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { CheckResults } from '../../components/check-results.tsx';
import { durationText, timeText } from '../../components/quantities.ts';
import { QueryView } from '../../components/query-view.tsx';
import { Screen } from '../../components/screen.tsx';
import { Section } from '../../components/section.tsx';
import { useNow } from '../../components/use-now.ts';
import { text } from '../../text/text.ts';
import { LeftBehindNotice } from '../../components/executions/left-behind-notice.tsx';
import { useRunQuery } from '../../components/executions/use-run-query.ts';
import { VaultNeeded } from '../../components/vault-card.tsx';
import { ExecutionLabel } from '../../components/executions/execution-label.tsx';
import { QueueNotice } from '../../forms/execution/queue-notice.tsx';
import { TaskSection } from '../../components/executions/task-section.tsx';
import { CurrentGuestStep } from './current-guest-step.tsx';
import { DeploymentActions } from './deployment-actions.tsx';
import { DeploymentTabs } from './deployment-tabs.tsx';
import { MigrationRuns } from './migration-runs.tsx';
import { ServerCards } from './server-cards.tsx';
import { SeveralRoots } from './several-roots.tsx';

const words = text.deployments;

/** One deployment of a replica, as it goes on and afterwards. */
export function DeploymentScreen({ deploymentId }: { readonly deploymentId: string }) {
  const query = useRunQuery('deployment.show', { deployment: deploymentId }, 'steps');
  return (
    <QueryView query={query}>{(deployment) => <Detail deployment={deployment} onChanged={query.reload} />}</QueryView>
  );
}

function Detail({ deployment, onChanged }: { readonly deployment: DeploymentDetail; readonly onChanged: () => void }) {
  const replicas = useQuery('replica.list', {}).data;
  const replica = replicas?.find(({ id }) => id === deployment.replicaId);
  return (
    <Screen
      isWide
      title={words.title(deployment.number, deployment.replicaName)}
      lead={
        <Box sx={{ display: 'flex', gap: 2, alignItems: 'center', flexWrap: 'wrap' }}>
          <ExecutionLabel state={deployment.state} member={deployment.member} />
          <span>{timeText(deployment.createdAt)}</span>
          <Length deployment={deployment} />
          {replica !== undefined && (
            <Link href={hrefOf('replicas', replica.id)}>{text.runs.toReplica(replica.name)}</Link>
          )}
        </Box>
      }
      actions={
        <DeploymentActions deployment={deployment} replicaExists={replica !== undefined} onChanged={onChanged} />
      }
    >
      <VaultNeeded />
      {deployment.queuePosition !== undefined && <QueueNotice position={deployment.queuePosition} />}
      {deployment.state === 'interrupted' && <Alert severity="warning">{words.interruptedLead}</Alert>}
      {deployment.error !== undefined && deployment.state === 'failed' && <ErrorNotice error={deployment.error} />}
      {deployment.state === 'failed' && replica !== undefined && (
        <SeveralRoots deployment={deployment} replica={replica} />
      )}
      {deployment.kept && deployment.state !== 'deleted' && <Alert severity="info">{words.kept}</Alert>}
      <LeftBehindNotice count={deployment.leftBehind} words={words.leftBehind} />
      <ServerCards deployment={deployment} />
      {deployment.checks !== undefined && deployment.checks.length > 0 && (
        <Section title={text.proof.checks.title}>
          <CheckResults results={deployment.checks} />
        </Section>
      )}
      <MigrationRuns deployment={deployment} />
      <TaskSection
        title={words.steps}
        tasks={deployment.tasks}
        more={({ id, state }) =>
          id === 'prepare-guest' && state === 'running' && <CurrentGuestStep deploymentId={deployment.id} />
        }
      />
      <DeploymentTabs deployment={deployment} />
    </Screen>
  );
}

function Length({ deployment: { state, startedAt, finishedAt } }: { readonly deployment: DeploymentDetail }) {
  const now = useNow(1000);
  if (startedAt === undefined) return null;
  if (finishedAt !== undefined && isTerminalDeployment(state))
    return <span>{text.runs.took(durationText((Date.parse(finishedAt) - Date.parse(startedAt)) / 1000))}</span>;
  return state === 'running' || state === 'cancelling' ? (
    <span>{text.runs.runningFor(durationText((now - Date.parse(startedAt)) / 1000))}</span>
  ) : null;
}
