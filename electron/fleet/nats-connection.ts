import { readFileSync } from 'node:fs';
import {
  connect,
  credsAuthenticator,
  nkeyAuthenticator,
  PermissionViolationError,
  type NatsConnection,
} from '@nats-io/transport-node';
import { CausewayError } from '../../shared/model/causeway-error.ts';
import type { FleetConfig } from './fleet-config.ts';

/** Connects outwards to the servers of a fleet, and again whenever the connection breaks. Rejects with `fleet.unreachable`. */
export async function connectToFleet(
  { servers, user, passwordFile, credentialsFile, seedFile, tls }: FleetConfig,
  name: string,
): Promise<NatsConnection> {
  try {
    return await connect({
      servers: [...servers],
      name,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 250,
      timeout: 5000,
      ...(user === undefined || passwordFile === undefined
        ? {}
        : { user, pass: readFileSync(passwordFile, 'utf8').replace(/\r?\n$/, '') }),
      ...(credentialsFile === undefined ? {} : { authenticator: credsAuthenticator(readFileSync(credentialsFile)) }),
      ...(seedFile === undefined
        ? {}
        : { authenticator: nkeyAuthenticator(new TextEncoder().encode(readFileSync(seedFile, 'utf8').trim())) }),
      ...(tls === undefined && !servers.some(isSecure)
        ? {}
        : {
            tls: {
              ...(tls === undefined ? {} : { caFile: tls.caFile }),
              ...(tls?.certFile === undefined ? {} : { certFile: tls.certFile }),
              ...(tls?.keyFile === undefined ? {} : { keyFile: tls.keyFile }),
            },
          }),
    });
  } catch (cause) {
    throw unreachable(cause);
  }
}

/** The client takes the scheme for decoration: unless it is told to, it would send a password in clear to a server that offers no TLS. */
function isSecure(server: string): boolean {
  return /^(?:tls|wss):/i.test(server);
}

/** Whatever the client says, as an error of the fleet. */
export function unreachable(cause: unknown): CausewayError {
  if (cause instanceof CausewayError) return cause;
  if (isForbidden(cause)) return new CausewayError('fleet.forbidden', (cause as Error).message, { cause });
  return new CausewayError('fleet.unreachable', cause instanceof Error ? cause.message : String(cause), { cause });
}

/** Whether the servers do not let this user do it; the reason is the cause of what the client throws. */
export function isForbidden(error: unknown): boolean {
  return (
    error instanceof PermissionViolationError ||
    (error instanceof Error && error.cause !== undefined && isForbidden(error.cause))
  );
}
