import { useMemo } from 'react';
import type { LedgerItem } from '../../../shared/model/ledger.ts';
import { isPooled } from '../../../shared/model/worker-pool.ts';
import { hrefOf } from '../../app/route.ts';
import { text } from '../../text/text.ts';
import { useRunQuery } from '../../components/executions/use-run-query.ts';

/** What a resource was made for. */
export interface Owner {
  readonly words: string;
  /** Absent for what is gone. */
  readonly href?: string;
}

export type Owners = (item: LedgerItem) => Owner;

/** Finds what resources belong to, by name: a replica, one of its runs, a deployment. */
export function useOwners(): Owners {
  const replicas = useRunQuery('replica.list', {}, 'states').data;
  const executions = useRunQuery('execution.list', { limit: 1000 }, 'states').data;
  const deployments = useRunQuery('deployment.list', { limit: 1000 }, 'states').data;
  return useMemo(() => {
    const replicaById = new Map((replicas ?? []).map((replica) => [replica.id, replica]));
    const executionById = new Map((executions ?? []).map((execution) => [execution.id, execution]));
    const deploymentById = new Map((deployments ?? []).map((deployment) => [deployment.id, deployment]));
    return ({ lifetime, replicaId = '', executionId = '' }) => {
      if (isPooled(executionId)) return { words: text.ledger.poolOwner, href: hrefOf('settings') };
      const deployment = deploymentById.get(executionId);
      if (deployment !== undefined && lifetime !== 'replica') {
        return {
          words: text.deployments.title(deployment.number, deployment.replicaName),
          href: hrefOf('deployments', deployment.id),
        };
      }
      const replica = replicaById.get(replicaId);
      const execution = executionById.get(executionId);
      if (execution !== undefined && lifetime === 'temporary') {
        return { words: text.runs.title(execution.number, replica?.name ?? '?'), href: hrefOf('runs', execution.id) };
      }
      if (replica !== undefined)
        return { words: text.runs.toReplica(replica.name), href: hrefOf('replicas', replica.id) };
      return { words: text.ledger.goneOwner[lifetime] };
    };
  }, [replicas, executions, deployments]);
}
