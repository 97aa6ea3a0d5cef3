import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { runChecks, type EndpointCheck } from '../../../endpoint-checks/run-checks.ts';
import type { CheckReport } from '../../../ports/platform-common.ts';
import type { AzureCloud } from '../client/open-azure.ts';
import { isDataAction, readPermissions } from '../client/permissions.ts';
import { sourcePermissions } from './permissions.ts';

/** Signs in, then tries what exporting VMs needs, and names the permissions that are missing. Changes nothing. */
export function checkSource(cloud: AzureCloud, signal: AbortSignal): Promise<CheckReport> {
  const check = (name: string, run: EndpointCheck['run'], essential = false): EndpointCheck => ({
    name,
    essential,
    run,
  });
  return runChecks(
    [
      check(
        'Sign in',
        async (within) => {
          await cloud.signIn(within);
          return `${new URL(cloud.profile.activeDirectory).host} accepted the ${cloud.connection.signIn.replaceAll('_', ' ')}`;
        },
        true,
      ),
      check(
        'List VMs',
        async (within) => {
          const compute = await cloud.compute();
          const { length } = await cloud.list(
            'list VMs',
            (options) => compute.virtualMachines.listAll(options),
            within,
          );
          return length === 0
            ? { warning: 'no VM is visible: the identity may lack the role Reader on their resource groups' }
            : `${length} ${length === 1 ? 'VM' : 'VMs'}`;
        },
        true,
      ),
      check('List disks', async (within) => {
        const compute = await cloud.compute();
        return `${(await cloud.list('list disks', (options) => compute.disks.list(options), within)).length} managed disks`;
      }),
      check('List snapshots', async (within) => {
        const compute = await cloud.compute();
        return `${(await cloud.list('list snapshots', (options) => compute.snapshots.list(options), within)).length} snapshots`;
      }),
      ...sourcePermissions.map(({ feature, privileges, isEssential }): EndpointCheck =>
        check(`Permissions: ${feature}`, async (within) => {
          const isAllowed = await readPermissions(cloud, within).catch((error: unknown) => {
            // Roles can be assigned on resource groups alone: the subscription then says nothing.
            if (error instanceof CausewayError && error.code === 'cloud.permission-denied') return undefined;
            throw error;
          });
          if (isAllowed === undefined)
            return {
              warning: 'the identity may not read its permissions on the subscription, so they are not checked',
            };
          // What concerns the data of one storage account shows when that is used.
          const missing = privileges.filter((action) => !isDataAction(action) && !isAllowed(action));
          if (missing.length === 0) return privileges.join(', ');
          return {
            warning: `${isEssential ? 'VMs cannot be replicated' : 'this is not possible'} until a role on the subscription or the resource groups of the VMs has ${missing.join(', ')}`,
          };
        }),
      ),
    ],
    signal,
  );
}
