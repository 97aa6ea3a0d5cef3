/**
 * What is used of the vendor's SDK. Imported dynamically, by the first request of an endpoint: it is large, and most
 * projects never need it.
 */
export {
  EBSClient,
  GetSnapshotBlockCommand,
  ListChangedBlocksCommand,
  ListSnapshotBlocksCommand,
} from '@aws-sdk/client-ebs';
export {
  AttachVolumeCommand,
  AuthorizeSecurityGroupIngressCommand,
  CreateSecurityGroupCommand,
  CreateSnapshotsCommand,
  CreateVolumeCommand,
  DeleteSecurityGroupCommand,
  DeleteSnapshotCommand,
  DeleteVolumeCommand,
  DescribeImagesCommand,
  DescribeInstancesCommand,
  DescribeInstanceTypesCommand,
  DescribeSecurityGroupsCommand,
  DescribeSnapshotsCommand,
  DescribeSubnetsCommand,
  DescribeVolumesCommand,
  DetachVolumeCommand,
  EC2Client,
  RunInstancesCommand,
  StopInstancesCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
export { AssumeRoleCommand, GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
export { fromIni } from '@aws-sdk/credential-providers';
