import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { missing } from '../../../cloud-resources/read-environment.ts';
import type { Caller, EgressAddress } from '../../../workers/caller-address.ts';
import { openAzure, type AzureCloud, type AzureOptions } from '../client/open-azure.ts';
import { resourceId } from '../client/resource-id.ts';
import { locationName, required, type DestinationEnvironment } from './environment.ts';

/** What surrounds the adapter. All of it has a sensible default. */
export interface AzureContext extends AzureOptions {
  readonly egressAddress?: EgressAddress;
  /** Where a port of a worker is reached from here, when not at its own address (port forwarding, a lab). */
  readonly resolveAddress?: (address: string, port: number) => { readonly host: string; readonly port: number };
}

/** One endpoint. */
export interface AzureSession extends AzureCloud {
  readonly context: AzureContext;
}

/** @throws `general.invalid-input` when the connection lacks a key */
export function openSession(connection: unknown, context: AzureContext): AzureSession {
  return { ...openAzure(connection, context), context };
}

/** Where resources of an environment are made. */
export interface Place {
  readonly group: string;
  readonly location: string;
}

/** @throws `cloud.parameter-missing` */
export function placeOf(session: AzureSession, environment: DestinationEnvironment): Place {
  return {
    group: groupOf(session, environment.resource_group),
    location: locationName(required(environment, 'location')),
  };
}

/** The resource group of an environment, or that of the endpoint. @throws `cloud.parameter-missing` */
export function groupOf({ connection }: AzureSession, named: string | undefined): string {
  return named ?? connection.defaultResourceGroup ?? missing('resource_group');
}

/** How this computer will reach workers, as far as the endpoint knows. */
export function callerOf({ connection, context, profile }: AzureSession): Caller {
  return {
    addresses: connection.callerAddresses,
    egressAddress: context.egressAddress,
    publicHost: new URL(profile.resourceManager).hostname,
  };
}

/** The one spelling of an id that the ledger and the engine see: answers spell groups and providers in several ways. */
export function ownId(
  { connection }: AzureSession,
  group: string,
  type: string,
  ...names: readonly (string | undefined)[]
): string {
  const known = names.map((name) => {
    if (name === undefined || name === '')
      throw new CausewayError('cloud.unexpected-answer', `a resource of type ${type} has no name`);
    return name;
  });
  return resourceId(connection.subscriptionId, group, type, ...known);
}
