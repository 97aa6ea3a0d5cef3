import type { FeaturePolicy } from '../../../ports/platform-common.ts';

/** What the account has to be allowed, by feature: actions of a policy. */
export const featureActions = {
  inventory: {
    feature: 'List and describe VMs',
    privileges: [
      'ec2:DescribeInstances',
      'ec2:DescribeVolumes',
      'ec2:DescribeInstanceTypes',
      'ec2:DescribeSubnets',
      'ec2:DescribeSnapshots',
    ],
    isEssential: true,
  },
  snapshots: {
    feature: 'Take and remove snapshots',
    privileges: ['ec2:CreateSnapshots', 'ec2:CreateTags', 'ec2:DeleteSnapshot'],
    isEssential: true,
  },
  direct: {
    feature: 'Read disks through the EBS direct APIs (disk_access auto or ebs_direct)',
    privileges: ['ebs:ListSnapshotBlocks', 'ebs:ListChangedBlocks', 'ebs:GetSnapshotBlock'],
    isEssential: false,
  },
  worker: {
    feature: 'Read disks by a worker (disk_access auto or worker)',
    privileges: [
      'ec2:DescribeImages',
      'ec2:DescribeSecurityGroups',
      'ec2:RunInstances',
      'ec2:TerminateInstances',
      'ec2:CreateTags',
      'ec2:CreateVolume',
      'ec2:AttachVolume',
      'ec2:DetachVolume',
      'ec2:DeleteVolume',
      'ec2:CreateSecurityGroup',
      'ec2:AuthorizeSecurityGroupIngress',
      'ec2:DeleteSecurityGroup',
    ],
    isEssential: false,
  },
  keys: {
    feature: 'Read encrypted volumes (also in the policies of their keys)',
    privileges: [
      'kms:Decrypt',
      'kms:DescribeKey',
      'kms:CreateGrant',
      'kms:GenerateDataKeyWithoutPlaintext',
      'kms:ReEncryptFrom',
      'kms:ReEncryptTo',
    ],
    isEssential: false,
  },
  shutdown: {
    feature: 'Shut down the VM (shutdown_migrated_instance, or before the last execution)',
    privileges: ['ec2:StopInstances'],
    isEssential: false,
  },
  options: {
    feature: 'Choose machine images and instance types from lists',
    privileges: ['ec2:DescribeImages', 'ec2:DescribeInstanceTypes'],
    isEssential: false,
  },
} as const satisfies Readonly<Record<string, FeaturePolicy>>;

export const featurePolicies: readonly FeaturePolicy[] = Object.values(featureActions);
