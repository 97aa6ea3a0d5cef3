import type { RetryContextOptions } from '../../../cloud-resources/retry-context.ts';
import { resolve, resolvedOrThrow } from '../../../cloud-resources/resolve-reference.ts';
import type { Caller, EgressAddress } from '../../../workers/caller-address.ts';
import { agentPort, sshPort } from '../../../workers/worker-ports.ts';
import type { AvailabilityDomain, Compartment } from '../client/identity.ts';
import { openOci, type Oci, type OpenOciOptions } from '../client/open-oci.ts';
import { required, type Scope } from './environment.ts';

/** What surrounds the adapter. All of it has a sensible default. */
export interface CompartmentCloudContext extends RetryContextOptions, OpenOciOptions {
  readonly egressAddress?: EgressAddress;
  /** Where a port of a worker is reached from here, when not at its own address (port forwarding, a lab). */
  readonly resolveAddress?: (address: string, port: number) => { readonly host: string; readonly port: number };
}

/** One endpoint. */
export interface OciSession extends Oci {
  readonly context: CompartmentCloudContext;
  /** All compartments that can be seen, the tenancy first. Read once. */
  compartments(signal: AbortSignal): Promise<readonly Compartment[]>;
  domains(signal: AbortSignal): Promise<readonly AvailabilityDomain[]>;
}

export function openSession(connection: unknown, context: CompartmentCloudContext): OciSession {
  const oci = openOci(connection, context);
  let compartments: readonly Compartment[] | undefined;
  let domains: readonly AvailabilityDomain[] | undefined;
  return {
    ...oci,
    context,
    async compartments(signal) {
      return (compartments ??= await oci.identity.compartments(await oci.tenancy(signal), signal));
    },
    async domains(signal) {
      return (domains ??= await oci.identity.availabilityDomains(await oci.tenancy(signal), signal));
    },
  };
}

/** Where a replica's resources are. */
export interface Place {
  readonly compartmentId: string;
  /** Where its networks are. */
  readonly networkCompartmentId: string;
  readonly domain: string;
}

/** What is read of an instance alone does not depend on where it is. */
export const nowhere: Place = { compartmentId: '', networkCompartmentId: '', domain: '' };

/** The id of a compartment that is named, or given by its id. @throws `cloud.name-unknown`, `cloud.name-ambiguous` */
export async function compartmentId(
  session: OciSession,
  parameter: string,
  wanted: string,
  signal: AbortSignal,
): Promise<string> {
  if (wanted.startsWith('ocid1.')) return wanted;
  return resolvedOrThrow('compartment', parameter, wanted, resolve(await session.compartments(signal), wanted)).id;
}

/** The name of an availability domain that is given by its name or id. Volumes and instances take the name alone. */
export async function domainName(session: OciSession, wanted: string, signal: AbortSignal): Promise<string> {
  const domains = (await session.domains(signal)).map(({ id, name }) => ({ id: id ?? name, name }));
  return resolvedOrThrow('availability domain', 'availability_domain', wanted, resolve(domains, wanted)).name;
}

/** @throws `cloud.parameter-missing`, `cloud.name-unknown`, `cloud.name-ambiguous` */
export async function placeOf(session: OciSession, environment: Scope, signal: AbortSignal): Promise<Place> {
  const compartment = await compartmentId(
    session,
    'compartment',
    required({ ...noKeys, ...environment }, 'compartment'),
    signal,
  );
  return {
    compartmentId: compartment,
    networkCompartmentId:
      environment.vcn_compartment === undefined
        ? compartment
        : await compartmentId(session, 'vcn_compartment', environment.vcn_compartment, signal),
    domain: await domainName(session, required({ ...noKeys, ...environment }, 'availability_domain'), signal),
  };
}

const noKeys = { migr_subnet_id: undefined, migr_shape_name: undefined, shape_name: undefined };

/** How this computer will reach workers, as far as the endpoint knows. */
export function callerOf({ connection, context }: OciSession): Caller {
  return {
    addresses: connection.callerAddresses,
    egressAddress: context.egressAddress,
    publicHost: new URL(connection.serviceUrl('iaas')).hostname,
  };
}

/** Where a port of a worker is reached from here: as the context says, else at the port that the connection maps it to. */
export function workerEndpoint(
  { context, connection }: OciSession,
  address: string,
  port: number,
): { readonly host: string; readonly port: number } {
  if (context.resolveAddress !== undefined) return context.resolveAddress(address, port);
  const mapped = { [sshPort]: connection.workerSshPort, [agentPort]: connection.workerHttpsPort }[port];
  return { host: address, port: mapped ?? port };
}
