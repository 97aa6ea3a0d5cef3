import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { stringify } from 'yaml';
import type { Endpoint } from '../../../shared/model/endpoint.ts';
import type { Replica } from '../../../shared/model/replica.ts';
import { hrefOf } from '../../app/route.ts';
import { useQuery } from '../../app/workbench-context.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { durationText, timeText } from '../../components/quantities.ts';
import { QueryView } from '../../components/query-view.tsx';
import { Screen } from '../../components/screen.tsx';
import { useNow } from '../../components/use-now.ts';
import { Section } from '../../components/section.tsx';
import { text } from '../../text/text.ts';
import { useRunQuery } from '../../components/executions/use-run-query.ts';
import { VaultNeeded } from '../../components/vault-card.tsx';
import { DeploymentTable } from '../../components/executions/deployment-table.tsx';
import { RunLine } from '../../components/executions/run-line.tsx';
import { LifeButton } from '../../forms/life/life-button.tsx';
import { ChecksSection } from '../../forms/life/checks-section.tsx';
import { choicesOf, isHandedOver } from '../../forms/life/life-choices.ts';
import { LifeSection } from '../../forms/life/life-section.tsx';
import { DeleteReplica } from './delete-replica.tsx';
import { GuestReadiness } from './guest-readiness.tsx';
import { LifeLabel } from '../../components/replicas/life-label.tsx';
import { NextStep } from './next-step.tsx';
import { DiskTable, RunTable } from './replica-tables.tsx';
import {
  isActive,
  isIdle,
  latestOf,
  replicaStatus,
  type ReplicaStatus,
} from '../../components/replicas/replica-status.ts';

/** One replica: where it stands, its disks, its runs, its environment. */
export function ReplicaScreen({ replicaId }: { readonly replicaId: string }) {
  const replicas = useRunQuery('replica.list', {}, 'states');
  const endpoints = useQuery('endpoint.list', {});
  return (
    <QueryView query={replicas}>
      {(all) => {
        const replica = all.find(({ id }) => id === replicaId);
        if (replica === undefined) {
          return (
            <EmptyState title={text.replicas.missing}>
              <Button href={hrefOf('replicas')}>{text.replicas.title}</Button>
            </EmptyState>
          );
        }
        return (
          <QueryView query={endpoints}>
            {(known) => <Detail replica={replica} endpoints={known} onChanged={replicas.reload} />}
          </QueryView>
        );
      }}
    </QueryView>
  );
}

/** What a replica whose VM was handed over is still asked: neither an execution nor another deployment. */
const stepsAfterwards = [
  'watch',
  'resume',
  'why',
  'watch-deployment',
  'resume-deployment',
  'why-deployment',
  'open',
] as const;

function Detail({
  replica,
  endpoints,
  onChanged,
}: {
  readonly replica: Replica;
  readonly endpoints: readonly Endpoint[];
  readonly onChanged: () => void;
}) {
  const executions = useRunQuery('execution.list', { replica: replica.id, limit: 100 }, 'states');
  const [isDeleting, setIsDeleting] = useState(false);
  const name = (id: string): string =>
    endpoints.find((endpoint) => endpoint.id === id)?.name ?? text.replicas.unknownEndpoint;
  const deployments = useRunQuery('deployment.list', { replica: replica.id, limit: 100 }, 'states');
  const lives = useRunQuery('replica.life', { replica: replica.id }, 'states');
  const machine = lives.data?.[0];
  const leading = machine === undefined ? undefined : choicesOf(machine).next;
  const life =
    executions.data === undefined || deployments.data === undefined
      ? undefined
      : replicaStatus(replica, latestOf(executions.data).get(replica.id), latestOf(deployments.data).get(replica.id));
  return (
    <Screen
      isWide
      title={replica.name}
      lead={`${replica.vmName}: ${name(replica.sourceEndpointId)} → ${name(replica.destinationEndpointId)}`}
      actions={
        <>
          {machine !== undefined && leading !== undefined && (
            <LifeButton choice={leading} lives={[machine]} look="leads" onDone={lives.reload} />
          )}
          {life !== undefined && machine !== undefined && (
            <NextStep
              replica={replica}
              life={life}
              size="medium"
              isBeside={leading !== undefined}
              {...(isHandedOver(machine) ? { only: stepsAfterwards } : {})}
            />
          )}
          <Button href={hrefOf('replicas', replica.id, 'configure')}>{text.configure.open}</Button>
          {machine !== undefined && machine.synchronisedTo !== undefined && (
            <Button href={hrefOf('evidence', replica.id)}>{text.proof.evidence.title}</Button>
          )}
          {life !== undefined && isIdle(life) && (
            <Button color="error" onClick={() => setIsDeleting(true)}>
              {text.replicas.delete}
            </Button>
          )}
        </>
      }
    >
      <VaultNeeded />
      {life !== undefined && (machine === undefined || !isHandedOver(machine)) && <LifeCard life={life} />}
      {machine !== undefined && <LifeSection life={machine} onDone={lives.reload} />}
      {machine !== undefined && (
        <ChecksSection
          replica={replica}
          life={machine}
          deploymentId={deployments.data === undefined ? undefined : latestOf(deployments.data).get(replica.id)?.id}
          onDone={onChanged}
        />
      )}
      {replica.lastSuccess !== undefined && life !== undefined && (machine === undefined || !isHandedOver(machine)) && (
        <GuestReadiness
          replica={replica}
          keys={latestOf(deployments.data ?? []).get(replica.id)?.options.luksKeys}
          isBusy={!isIdle(life)}
        />
      )}
      <Section title={text.replicas.disks}>
        {replica.disks.length === 0 ? (
          <Typography sx={{ color: 'text.secondary' }}>{text.replicas.noDisks}</Typography>
        ) : (
          <DiskTable disks={replica.disks} />
        )}
      </Section>
      <Section title={text.replicas.runs}>
        <QueryView query={executions}>
          {(runs) =>
            runs.length === 0 ? (
              <Typography sx={{ color: 'text.secondary' }}>{text.replicas.noRuns}</Typography>
            ) : (
              <RunTable runs={runs} />
            )
          }
        </QueryView>
      </Section>
      <Section title={text.deployments.table}>
        <QueryView query={deployments}>
          {(all) =>
            all.length === 0 ? (
              <Typography sx={{ color: 'text.secondary' }}>{text.deployments.none}</Typography>
            ) : (
              <DeploymentTable deployments={all} />
            )
          }
        </QueryView>
      </Section>
      <Environment replica={replica} endpoints={endpoints} />
      {isDeleting && <DeleteReplica replica={replica} onClose={() => setIsDeleting(false)} />}
    </Screen>
  );
}

function LifeCard({ life }: { readonly life: ReplicaStatus }) {
  const now = useNow(10_000);
  return (
    <Paper variant="outlined" sx={{ p: 2.5, display: 'flex', gap: 4, flexWrap: 'wrap', alignItems: 'center' }}>
      <Box role="status" sx={{ fontSize: '1.1rem', fontWeight: 600 }}>
        <LifeLabel kind={life.kind} />
      </Box>
      {life.latest !== undefined && isActive(life.latest) && <RunLine execution={life.latest} />}
      <Box>
        <Typography variant="caption" component="div" sx={{ color: 'text.secondary' }}>
          {text.replicas.synced}
        </Typography>
        {life.syncedTo === undefined
          ? text.replicas.neverSynced
          : `${timeText(life.syncedTo)} (${text.replicas.lag(durationText((now - Date.parse(life.syncedTo)) / 1000))})`}
      </Box>
      <Box sx={{ flexGrow: 1, color: 'text.secondary', flexBasis: 260 }}>
        {life.kind === 'failed' && life.syncedTo === undefined
          ? text.replicas.failedFirst
          : text.replicas.meaning[life.kind]}
      </Box>
    </Paper>
  );
}

/** The document as it would be written into a file; secrets stand in it by name only. */
function Environment({ replica, endpoints }: { readonly replica: Replica; readonly endpoints: readonly Endpoint[] }) {
  const side = (endpointId: string, environment: object) => ({
    plugin: endpoints.find(({ id }) => id === endpointId)?.plugin,
    environment,
  });
  const document = stringify({
    source: side(replica.sourceEndpointId, replica.sourceEnvironment),
    destination: side(replica.destinationEndpointId, replica.destinationEnvironment),
  });
  return (
    <Section title={text.replicas.environment}>
      <Box
        component="pre"
        tabIndex={0}
        role="region"
        aria-label={text.replicas.environment}
        sx={{ m: 0, mb: 1, fontSize: 13, overflow: 'auto', maxHeight: 400 }}
      >
        {document}
      </Box>
      <CopyButton content={document} label={text.replicas.copyEnvironment} />
    </Section>
  );
}
