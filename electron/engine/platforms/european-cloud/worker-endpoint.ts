import type { CloudSession } from './session.ts';
import { agentPort, sshPort } from '../../workers/worker-ports.ts';

/** Where a port of a worker is reached from here: as the context says, else at the port that the connection maps it to. */
export function workerEndpoint(
  { context, connection }: Pick<CloudSession, 'context' | 'connection'>,
  address: string,
  port: number,
): { readonly host: string; readonly port: number } {
  if (context.resolveAddress !== undefined) return context.resolveAddress(address, port);
  const mapped = { [sshPort]: connection.workerSshPort, [agentPort]: connection.workerHttpsPort }[port];
  return { host: address, port: mapped ?? port };
}
