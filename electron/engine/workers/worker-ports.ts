import type { WorkerRole } from '../ports/destination-platform.ts';
import { winrmPort } from './windows-worker-user-data.ts';

export const sshPort = 22;
export const agentPort = 5566;

export function workerOs(role: WorkerRole): 'linux' | 'windows' {
  return role === 'osmorphing-windows' ? 'windows' : 'linux';
}

/** The ports that a worker has to be reached on. SSH is needed in either way of transfer. */
export function workerPorts(role: WorkerRole, transferMechanism: string): readonly number[] {
  if (role === 'osmorphing-windows') return [winrmPort];
  return role === 'disk-copy' && transferMechanism === 'HTTPS' ? [sshPort, agentPort] : [sshPort];
}
