import type { FeaturePolicy } from '../../../ports/platform-common.ts';

/**
 * The statements of an IAM policy that the endpoint's user needs, for a group of users and a compartment. Verbs are the smallest ones that
 * cover the calls that are made.
 */
export function destinationPolicy(): readonly FeaturePolicy[] {
  const allow = (verb: string, what: string, where = 'compartment <compartment>'): string => `Allow group <group> to ${verb} ${what} in ${where}`;
  return [
    {
      feature: 'Sign in and find compartments', isEssential: true,
      privileges: [allow('inspect', 'compartments', 'tenancy'), allow('inspect', 'availability-domains', 'tenancy'), allow('inspect', 'work-requests')],
    },
    {
      feature: 'Replicate: volumes and workers', isEssential: true,
      privileges: [
        allow('manage', 'volume-family'), allow('manage', 'instance-family'), allow('use', 'subnets'), allow('use', 'vnics'), allow('manage', 'network-security-groups'),
        `${allow('use', 'virtual-network-family', 'compartment <vcn_compartment>')} (if the networks are in another compartment)`,
      ],
    },
    {
      feature: 'Create boot volumes from an empty image', isEssential: true,
      privileges: [allow('manage', 'instance-images'), allow('manage', 'compute-image-capability-schema'), allow('inspect', 'compute-global-image-capability-schema', 'tenancy'), allow('manage', 'buckets'), allow('manage', 'objects'), allow('inspect', 'objectstorage-namespaces', 'tenancy')],
    },
    { feature: 'Check service limits', isEssential: false, privileges: [allow('inspect', 'resource-availability', 'tenancy')] },
    { feature: 'Read the console of migrated VMs', isEssential: false, privileges: [allow('manage', 'console-histories')] },
  ];
}
