import { z } from 'zod';
import type { FeaturePolicy } from '../../../ports/platform-common.ts';
import type { AzureCloud } from './open-azure.ts';

const permissionSchema = z.looseObject({
  actions: z.array(z.string()).default([]),
  notActions: z.array(z.string()).default([]),
});

/** What the signed-in identity may do in the subscription, or in one of its resource groups, as its roles say. */
export async function readPermissions(
  cloud: AzureCloud,
  signal: AbortSignal,
  group?: string,
): Promise<(action: string) => boolean> {
  const { subscriptionId } = cloud.connection;
  const within = group === undefined ? '' : `/resourcegroups/${encodeURIComponent(group)}`;
  const path = `/subscriptions/${encodeURIComponent(subscriptionId)}${within}/providers/Microsoft.Authorization/permissions`;
  const permissions = await cloud.armList('read permissions', permissionSchema, path, '2022-04-01', signal);
  const grants = permissions.map(({ actions, notActions }) => ({
    actions: actions.map(pattern),
    notActions: notActions.map(pattern),
  }));
  return (action) =>
    grants.some(
      ({ actions, notActions }) =>
        actions.some((one) => one.test(action)) && !notActions.some((one) => one.test(action)),
    );
}

/** `Microsoft.Compute/*` of a role: a star stands for any text. */
function pattern(action: string): RegExp {
  return new RegExp(
    `^${action
      .split('*')
      .map((part) => part.replaceAll(/[$()+.?[\\\]^{|}]/g, String.raw`\$&`))
      .join('.*')}$`,
    'i',
  );
}

/** What roles allow of the data of storage accounts, apart from all else: an owner of the subscription has none of it. */
export const isDataAction = (action: string): boolean => action.includes('/containers/blobs/');

/** A role with least privilege, as `az role definition create` takes it. */
export function customRole(name: string, subscriptionId: string, features: readonly FeaturePolicy[]): string {
  const all = [...new Set(features.flatMap(({ privileges }) => privileges))].sort();
  const [actions, dataActions] = [all.filter((action) => !isDataAction(action)), all.filter(isDataAction)];
  const role = {
    Name: name,
    IsCustom: true,
    Description: 'What Causeway needs to migrate VMs.',
    Actions: actions,
    NotActions: [],
    DataActions: dataActions,
    NotDataActions: [],
    AssignableScopes: [`/subscriptions/${subscriptionId}`],
  };
  return JSON.stringify(role, undefined, 2);
}
