import { connect } from 'node:net';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { runChecks, type EndpointCheck } from '../../../endpoint-checks/run-checks.ts';
import type { CheckReport } from '../../../ports/platform-common.ts';
import { readInventory } from '../client/properties.ts';
import { describeLibrary } from '../vendor-library/vendor-disk.ts';
import type { SourceContext } from './source-context.ts';
import { featurePrivileges, missingPrivileges } from './privileges.ts';

const patienceMs = 5000;

export interface CheckedConnection {
  readonly allowUntrusted: boolean;
  readonly nfcPort: number;
  /** Of disk data, from hosts that don't offer encryption. */
  readonly mayBeUnencrypted?: boolean;
  /** Of the vendor's disk library. */
  readonly libraryFolder?: string | undefined;
}

/** Tries what an endpoint is needed for, without changing anything. */
export function checkSource(
  context: SourceContext,
  connection: CheckedConnection,
  signal: AbortSignal,
): Promise<CheckReport> {
  const { session } = context;
  const untrusted: EndpointCheck = {
    name: 'Verify certificates',
    essential: false,
    run: async () => ({
      warning: `the certificate of ${session.host} is NOT verified: anyone on the network path can read and change the password and all data. Specify the certificate authority instead`,
    }),
  };
  const unencrypted: EndpointCheck = {
    name: 'Encrypt disk data',
    essential: false,
    run: async () => ({
      warning:
        'hosts that offer no TLS on their data port are read WITHOUT ENCRYPTION: anyone on the network path can read and change the data of disks. Set disk_access_encryption to required unless there are such hosts',
    }),
  };
  const { libraryFolder } = connection;
  const checks: readonly EndpointCheck[] = [
    ...(connection.allowUntrusted ? [untrusted] : []),
    ...(connection.mayBeUnencrypted === true ? [unencrypted] : []),
    {
      name: 'Reach the server',
      essential: true,
      run: async (within) => {
        const { fullName, apiType, apiVersion } = await session.content(within);
        return `${fullName}, API ${apiVersion}, ${apiType === 'HostAgent' ? 'a single host' : 'a management server'}`;
      },
    },
    {
      name: 'Sign in',
      essential: true,
      run: async (within) => `the server's time is ${await session.currentTime(within)}`,
    },
    {
      name: 'List VMs',
      essential: false,
      run: async (within) => {
        const found = await readInventory(session, { VirtualMachine: ['name'] }, within);
        return found.length === 0
          ? { warning: 'no VM is visible: the account may lack Read-only access to their folders' }
          : `${found.length} ${found.length === 1 ? 'VM' : 'VMs'}`;
      },
    },
    {
      name: 'Read tags',
      essential: false,
      run: async (within) => {
        if ((await session.content(within)).apiType !== 'VirtualCenter') return 'a single host has none';
        const vms = (await readInventory(session, { VirtualMachine: ['name'] }, within))
          .slice(0, 50)
          .map(({ object }) => object.id);
        try {
          return `${(await context.readTags(vms, within)).size} of ${vms.length} VMs that were asked for have tags`;
        } catch (error) {
          if (within.aborted || !(error instanceof CausewayError)) throw error;
          return { warning: `VMs are listed without tags: ${error.message}` };
        }
      },
    },
    ...featurePrivileges.map(({ feature, privileges, isEssential }): EndpointCheck => ({
      name: `Privileges: ${feature}`,
      essential: false,
      run: async (within) => {
        const vms = await readInventory(session, { VirtualMachine: ['name'] }, within);
        // Privileges are granted on folders: a sample shows them, and every VM of thousands is not asked for.
        const asked = vms.slice(0, 50).map(({ object }) => object);
        if (asked.length === 0) return 'no VM to check them on';
        const missing = await missingPrivileges(session, asked, privileges, within);
        if (missing.length === 0) return privileges.join(', ');
        return {
          warning: `${isEssential ? 'VMs cannot be replicated' : 'this is not possible'} until the role has ${missing.join(', ')}`,
        };
      },
    })),
    {
      name: 'Reach the hosts for disk data',
      essential: false,
      run: async (within) => {
        const hosts = await readInventory(session, { HostSystem: ['name'] }, within);
        const names = hosts.flatMap(({ properties }) => properties.get('name')?.text ?? []);
        const [first, ...rest] = names;
        // A single host may call itself `localhost`: it is reached where it was signed in.
        const isSingle = (await session.content(within)).apiType === 'HostAgent';
        const asked = isSingle || first === undefined ? [session.host] : [first, ...rest].slice(0, 16);
        const failed = (
          await Promise.all(
            asked.map(async (host) => ((await isReachable(host, connection.nfcPort, within)) ? [] : [host])),
          )
        ).flat();
        if (failed.length === 0) return `TCP ${connection.nfcPort} is open on ${asked.join(', ')}`;
        return {
          warning: `TCP ${connection.nfcPort} cannot be reached on ${failed.join(', ')}: open it from this computer, or disks are read in slower ways where that is possible`,
        };
      },
    },
    ...(libraryFolder === undefined
      ? []
      : [
          {
            name: 'Find the vendor’s disk library',
            essential: false,
            run: (within: AbortSignal) => describeLibrary(libraryFolder, within),
          },
        ]),
  ];
  return runChecks(checks, signal);
}

function isReachable(host: string, port: number, signal: AbortSignal): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ host, port, signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]) });
  socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  return promise.finally(() => socket.destroy());
}
