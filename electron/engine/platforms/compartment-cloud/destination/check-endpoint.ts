import { CausewayError, toErrorRecord } from '../../../../../shared/model/causeway-error.ts';
import { errorText } from '../../../../../shared/model/errors/catalogue.ts';
import { runChecks, type EndpointCheck } from '../../../endpoint-checks/run-checks.ts';
import type { CheckReport } from '../../../ports/platform-common.ts';
import { callerRanges } from '../../../workers/caller-address.ts';
import { fingerprintOf, readPrivateKey, tokenEnd } from '../client/sign-in.ts';
import { callerOf, type OciSession } from './session.ts';

/** Tries, in order, everything that a migration will need of an endpoint, without changing anything there. */
export function checkEndpoint(session: OciSession, signal: AbortSignal): Promise<CheckReport> {
  const root = (s: AbortSignal): Promise<string> => session.tenancy(s);
  const { connection, compute, network, images, volumes, limits } = session;
  const listings: readonly Listing[] = [
    ['shapes', (id, s) => compute.shapes(id, undefined, s), 'manage instance-family'],
    ['images', (id, s) => images.list(id, s), 'manage instance-images'],
    ['subnets', (id, s) => network.subnets(id, s), 'use subnets'],
    ['network security groups', (id, s) => network.groups(id, s), 'manage network-security-groups'],
    ['volumes', (id, s) => volumes.list(id, s), 'manage volume-family'],
    ['instances', (id, s) => compute.list(id, s), 'manage instance-family'],
  ];
  const checks: readonly EndpointCheck[] = [
    { name: 'Read the credentials', essential: true, run: async () => credentialsSeen(session) },
    {
      name: 'Sign in',
      essential: true,
      async run(s) {
        const key = await session.signIn(s);
        const compartments = await session.compartments(s);
        return `requests signed with ${key}; tenancy ${compartments[0]?.name ?? ''}, ${compartments.length} compartments`;
      },
    },
    {
      name: 'Connect to the region',
      essential: true,
      async run(s) {
        const domains = await session.domains(s);
        return domains.length === 0
          ? { warning: `region ${connection.region} lists no availability domains` }
          : `region ${connection.region}: ${domains.map(({ name }) => name).join(', ')}`;
      },
    },
    ...listings.map(([name, list, right]) => inSomeCompartment(session, name, list, right)),
    {
      name: 'Read the service limits',
      essential: false,
      async run(s) {
        const [domain] = await session.domains(s);
        const of = { compartmentId: await root(s), availabilityDomain: domain?.name ?? '' };
        const shown = await Promise.all(
          (['volume-count', 'total-storage-gb'] as const).map(async (name) => {
            const limit = await limits.availability('block-storage', name, of, s);
            return limit === undefined ? `${name} unknown` : `${name} ${limit.usage} of ${limit.limit}`;
          }),
        );
        return shown.every((each) => each.endsWith('unknown'))
          ? { warning: 'the service limits cannot be read: what is short is noticed only when it is created' }
          : shown.join(', ');
      },
    },
    {
      name: 'Connect to object storage',
      essential: false,
      run: async (s) => `namespace ${await session.objects.namespace(s)}, for the empty image of boot volumes`,
    },
    {
      name: 'Detect the caller address',
      essential: false,
      async run(s) {
        try {
          const ranges = await callerRanges(
            callerOf(session),
            { publicAddress: connection.workerUsePublicIp ?? true, prefixes: [] },
            s,
          );
          return `workers with public addresses accept connections from ${ranges.join(', ')}`;
        } catch (error) {
          const record = toErrorRecord(error);
          if (record.code !== 'cloud.caller-address-unknown') throw error;
          return { warning: `${record.message}. ${errorText(record.code).remedy}` };
        }
      },
    },
  ];
  return runChecks(checks, signal);
}

type Listing = readonly [
  name: string,
  list: (compartmentId: string, signal: AbortSignal) => Promise<readonly unknown[]>,
  right: string,
];

/** More compartments than these are not asked one after the other. */
const mostCompartments = 20;

/** Lists something in the first compartment that allows it: rights are often given for some compartments alone. */
function inSomeCompartment(session: OciSession, name: string, list: Listing[1], right: string): EndpointCheck {
  return {
    name: `List ${name}`,
    essential: false,
    async run(signal) {
      const compartments = (await session.compartments(signal)).slice(0, mostCompartments);
      for (const { id, name: compartment } of compartments) {
        try {
          return `${(await list(id, signal)).length} found in compartment ${compartment}`;
        } catch (error) {
          if (!(error instanceof CausewayError) || !['cloud.not-found', 'cloud.permission-denied'].includes(error.code))
            throw error;
        }
      }
      throw new CausewayError(
        'cloud.permission-denied',
        `list ${name}: refused in ${compartments.length} compartments; needed: Allow group <group> to ${right} in compartment <compartment>`,
        { details: { right } },
      );
    },
  };
}

const oneHourMs = 3_600_000;

function credentialsSeen({ connection, clock }: OciSession): string | { readonly warning: string } {
  const { signIn, privateKey = '', passphrase, fingerprint, sessionToken = '' } = connection;
  if (signIn === 'instance_principal') return 'the certificate of this instance signs in';
  const own = fingerprintOf(readPrivateKey(privateKey, passphrase));
  if (signIn === 'api_key') {
    return own === fingerprint
      ? `API key ${own}`
      : {
          warning: `the private key has the fingerprint ${own}, not ${fingerprint ?? 'the one that is set'}: upload its public key, or correct the fingerprint`,
        };
  }
  const end = tokenEnd(sessionToken);
  if (end === undefined) return 'session token';
  const text = `session token, valid until ${new Date(end).toISOString()}`;
  return end - clock.wallTime() < oneHourMs ? { warning: `${text}: a migration may take longer` } : text;
}
