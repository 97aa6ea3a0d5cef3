import type { FeaturePolicy } from '../../../ports/platform-common.ts';

/**
 * The statements of an IAM policy that the endpoint's user needs, for a group of users and a compartment. Verbs are the smallest ones that
 * cover the calls that are made.
 */
export function destinationPolicy(): readonly FeaturePolicy[] {
  const allow = (verb: string, what: string, where = 'compartment <compartment>'): string =>
    `Allow group <group> to ${verb} ${what} in ${where}`;
  return [
    {
      feature: 'Sign in and find compartments',
      isEssential: true,
      // Availability domains have no type of their own: who may list compartments may list them.
      privileges: [allow('inspect', 'compartments', 'tenancy'), allow('inspect', 'work-requests')],
    },
    {
      feature: 'Replicate: volumes and workers',
      isEssential: true,
      privileges: [
        allow('manage', 'volume-family'),
        allow('manage', 'instance-family'),
        allow('use', 'subnets'),
        allow('use', 'vnics'),
        allow('manage', 'network-security-groups'),
        // A security group is attached to its network when it is created.
        `${allow('manage', 'vcns')} where any {request.permission = 'VCN_READ', request.permission = 'VCN_ATTACH', request.permission = 'VCN_DETACH'}`,
        'If the networks are in another compartment: the statements on subnets, vnics, network-security-groups and vcns for that one as well',
      ],
    },
    {
      feature: 'Create boot volumes from an empty image',
      isEssential: true,
      privileges: [
        allow('manage', 'instance-images'),
        allow('manage', 'compute-image-capability-schema'),
        allow('read', 'compute-global-image-capability-schema', 'tenancy'),
        allow('manage', 'buckets'),
        allow('manage', 'objects'),
        allow('read', 'objectstorage-namespaces', 'tenancy'),
      ],
    },
    {
      feature: 'Check service limits',
      isEssential: false,
      privileges: [allow('read', 'resource-availability', 'tenancy')],
    },
    {
      feature: 'Read the console of migrated VMs',
      isEssential: false,
      privileges: [allow('manage', 'console-histories')],
    },
  ];
}
