import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import type { DeploymentDetail } from '../../../shared/model/deployment.ts';
import { isTerminalExecution } from '../../../shared/model/execution.ts';
import { hrefOf } from '../../app/route.ts';
import { bytesText } from '../../components/quantities.ts';
import { text } from '../../text/text.ts';
import { useRunQuery } from '../../components/executions/use-run-query.ts';
import { ExecutionLabel } from '../../components/executions/execution-label.tsx';
import { RunLine } from '../../components/executions/run-line.tsx';

/** The executions of a migration, with how far they are. */
export function MigrationRuns({ deployment }: { readonly deployment: DeploymentDetail }) {
  if (deployment.executionIds.length === 0) return null;
  return <Runs replicaId={deployment.replicaId} ids={deployment.executionIds} />;
}

function Runs({ replicaId, ids }: { readonly replicaId: string; readonly ids: readonly string[] }) {
  const executions = useRunQuery('execution.list', { replica: replicaId, limit: 100 }, 'states').data ?? [];
  const runs = ids.flatMap((id) => executions.filter((execution) => execution.id === id));
  if (runs.length === 0) return null;
  return (
    <Paper component="section" variant="outlined" aria-label={text.deployments.runs} sx={{ p: 2.5 }}>
      <Typography variant="h6" component="h2" sx={{ mb: 1 }}>
        {text.deployments.runs}
      </Typography>
      <Box component="ul" sx={{ m: 0, p: 0, listStyle: 'none', display: 'flex', flexDirection: 'column', gap: 1 }}>
        {runs.map((execution) => (
          <Box
            component="li"
            key={execution.id}
            sx={{ display: 'flex', gap: 2, alignItems: 'center', flexWrap: 'wrap' }}
          >
            <Link href={hrefOf('runs', execution.id)}>
              {text.replicas.run} {execution.number}
            </Link>
            <ExecutionLabel state={execution.state} member={execution.member} />
            {isTerminalExecution(execution.state) ? (
              execution.progress !== undefined && (
                <span>{text.runs.sent(bytesText(execution.progress.total.bytesSent))}</span>
              )
            ) : (
              <Box sx={{ flexGrow: 1 }}>
                <RunLine execution={execution} />
              </Box>
            )}
          </Box>
        ))}
      </Box>
    </Paper>
  );
}
