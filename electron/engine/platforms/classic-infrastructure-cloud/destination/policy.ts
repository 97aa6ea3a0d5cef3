import type { FeaturePolicy } from '../../../ports/platform-common.ts';

/**
 * What the endpoint's user needs. The platform has two roles for its compute service, and none that is finer: whoever may
 * create one kind of object may create every kind.
 */
export function destinationPolicy(): readonly FeaturePolicy[] {
  return [
    {
      feature: 'Check the endpoint and list what there is',
      isEssential: true,
      privileges: ['Compute_Monitor role of the site'],
    },
    {
      feature: 'Replicate and deploy: volumes, snapshots, workers, security lists, address reservations',
      isEssential: true,
      privileges: [
        'Compute_Operations role of the site',
        'A replication policy of the storage service, set once: snapshots of a deployment are copies there',
      ],
    },
  ];
}
