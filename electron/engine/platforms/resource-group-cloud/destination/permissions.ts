import { z } from 'zod';
import type { FeaturePolicy } from '../../../ports/platform-common.ts';
import type { AzureSession } from './session.ts';

const compute = (kind: string, ...actions: readonly string[]): readonly string[] => actions.map((action) => `Microsoft.Compute/${kind}/${action}`);
const network = (kind: string, ...actions: readonly string[]): readonly string[] => actions.map((action) => `Microsoft.Network/${kind}/${action}`);
const life = ['read', 'write', 'delete'] as const;

/** What a role has to allow, by feature; the actions of the vendor's custom roles. */
export const destinationPrivileges: readonly FeaturePolicy[] = [
  {
    feature: 'Lists and checks', isEssential: true,
    privileges: [
      'Microsoft.Resources/subscriptions/resourceGroups/read', 'Microsoft.Resources/subscriptions/locations/read', 'Microsoft.Authorization/permissions/read',
      'Microsoft.Compute/skus/read', 'Microsoft.Compute/locations/usages/read', 'Microsoft.Network/locations/usages/read', 'Microsoft.Compute/locations/publishers/artifacttypes/offers/skus/versions/read',
      ...network('virtualNetworks', 'read', 'checkIpAddressAvailability/read'), ...network('virtualNetworks/subnets', 'read'),
      'Microsoft.Compute/locations/operations/read', 'Microsoft.Network/locations/operations/read',
    ],
  },
  { feature: 'Replica disks', isEssential: true, privileges: compute('disks', ...life) },
  {
    feature: 'Workers', isEssential: true,
    privileges: [
      ...compute('virtualMachines', ...life, 'attachDetachDataDisks/action', 'instanceView/read'), ...network('networkInterfaces', ...life, 'join/action'),
      ...network('networkSecurityGroups', ...life, 'join/action'), ...network('virtualNetworks/subnets', 'join/action'),
    ],
  },
  { feature: 'Workers with public addresses', isEssential: false, privileges: network('publicIPAddresses', ...life, 'join/action') },
  { feature: 'Networks made for workers', isEssential: false, privileges: [...network('virtualNetworks', 'write', 'delete'), ...network('virtualNetworks/subnets', 'write')] },
  { feature: 'Windows workers', isEssential: false, privileges: compute('virtualMachines/extensions', 'read', 'write') },
  { feature: 'Deployment', isEssential: true, privileges: [...compute('snapshots', ...life), ...compute('virtualMachines', 'retrieveBootDiagnosticsData/action')] },
  { feature: 'Availability sets', isEssential: false, privileges: compute('availabilitySets', 'read', 'vmSizes/read') },
  { feature: 'Storage accounts', isEssential: false, privileges: ['Microsoft.Storage/storageAccounts/read', 'Microsoft.Storage/storageAccounts/listKeys/action'] },
];

/** A role with all of it, as the vendor's tools take it. */
export function customRole(subscriptionId: string, name: string, features: readonly FeaturePolicy[]): object {
  return {
    Name: name, IsCustom: true, Description: 'Lets Causeway migrate VMs to and from this subscription.',
    Actions: [...new Set(features.flatMap(({ privileges }) => privileges))].sort(), NotActions: [], DataActions: [], NotDataActions: [],
    AssignableScopes: [`/subscriptions/${subscriptionId}`],
  };
}

const permissionsSchema = z.looseObject({ value: z.array(z.looseObject({ actions: z.array(z.string()).default([]), notActions: z.array(z.string()).default([]) })) });

/** What the signed-in identity lacks of each feature, in a resource group or the subscription. */
export async function missingPrivileges(session: AzureSession, group: string | undefined, features: readonly FeaturePolicy[], signal: AbortSignal): Promise<readonly FeaturePolicy[]> {
  const scope = `/subscriptions/${session.connection.subscriptionId}${group === undefined ? '' : `/resourcegroups/${group}`}`;
  const { value } = await session.armGet('list permissions', permissionsSchema, `${scope}/providers/Microsoft.Authorization/permissions`, '2022-04-01', signal);
  const allowed = (action: string): boolean => value.some(({ actions, notActions }) => actions.some((one) => covers(one, action)) && !notActions.some((one) => covers(one, action)));
  return features.map((feature) => ({ ...feature, privileges: feature.privileges.filter((action) => !allowed(action)) })).filter(({ privileges }) => privileges.length > 0);
}

/** Whether an action of a role, in which a star is any text, allows an action. */
export function covers(pattern: string, action: string): boolean {
  const parts = pattern.toLowerCase().split('*');
  const text = action.toLowerCase();
  if (parts.length === 1) return parts[0] === text;
  const [first = ''] = parts;
  const last = parts.at(-1) ?? '';
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > text.length - last.length) return false;
    at = found + part.length;
  }
  return true;
}
