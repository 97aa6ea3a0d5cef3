import type { Event } from '../../../shared/model/event.ts';
import type { Notification } from '../../../shared/model/notifications.ts';

/** What an event alone does not say. */
export interface Surroundings {
  nameOf(replicaId: string): string | undefined;
  /** Whether a wave that a replica belongs to is in progress: it tells of its members at its end. */
  isInActiveWave(replicaId: string): boolean;
  /** Whether an execution is part of a deployment, which then tells of both. */
  isPartOfDeployment(executionId: string): boolean;
  isCutOver(deploymentId: string): boolean;
}

/** What people who are away want to know of an event; most are nothing to them. */
export function toldBy(event: Event, about: Surroundings): Notification | undefined {
  const { type, at, replicaId, executionId, deploymentId, message, details } = event;
  const { state } = details;
  if (type === 'wave.state') {
    if (state !== 'completed' && state !== 'failed' && state !== 'cancelled') return undefined;
    const { wave } = details;
    return { kind: 'wave-ended', text: message, at, ...(typeof wave === 'string' ? { wave } : {}) };
  }
  if (
    (type !== 'execution.state' && type !== 'deployment.state') ||
    replicaId === undefined ||
    about.isInActiveWave(replicaId)
  )
    return undefined;
  const replica = about.nameOf(replicaId) ?? replicaId;
  const isDeployment = type === 'deployment.state';
  if (state === 'failed' && (isDeployment || executionId === undefined || !about.isPartOfDeployment(executionId))) {
    return {
      kind: 'failed',
      text: `${replica}: ${isDeployment ? 'deployment' : 'execution'} failed: ${message}`,
      at,
      replica,
    };
  }
  if (state === 'completed' && isDeployment && deploymentId !== undefined && about.isCutOver(deploymentId))
    return { kind: 'cut-over-done', text: `${replica} is running at the destination`, at, replica };
  return undefined;
}
