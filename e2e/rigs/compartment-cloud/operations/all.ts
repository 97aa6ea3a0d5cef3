import { ok } from '../../cloud-kit/call.ts';
import { jsonProtocol } from '../../cloud-kit/json-protocol.ts';
import type { OperationRecord } from '../../cloud-kit/transitions.ts';
import type { AboutWork } from '../records.ts';
import { demand, listReply, notFound } from '../world.ts';
import type { Operation, World } from '../world.ts';
import * as attachments from './attachments.ts';
import * as backups from './backups.ts';
import * as images from './images.ts';
import * as instances from './instances.ts';
import * as network from './network.ts';
import * as volumes from './volumes.ts';

const listCompartments: Operation = (call) => {
  const { world, query } = call;
  if (query.get('compartmentIdInSubtree') === 'true' && query.get('compartmentId') !== world.setup.tenancy)
    throw notFound('tenancy');
  return listReply(
    call,
    world.compartments.listed().filter(({ id }) => id !== world.setup.tenancy),
    [],
    (one) => ({ ...one }),
  );
};
const getCompartment: Operation = ({ world, params }) => ok({ ...demand(world.compartments, params['compartmentId']) });
const listDomains: Operation = (call) => {
  const compartmentId = demand(call.world.compartments, call.query.get('compartmentId') ?? undefined).id;
  return ok(
    call.world.setup.domains.map((name) => ({
      name,
      compartmentId,
      id: `ocid1.availabilitydomain.oc1..${name.at(-1) ?? ''}`,
    })),
  );
};

const limitOf: Operation = ({ world, params, query }) => {
  const name = `${params['serviceName']}/${params['limitName']}`;
  const limit = world.setup.limits[name];
  if (limit === undefined) throw notFound('limit');
  const used = world.usage(query.get('availabilityDomain') ?? '')[name] ?? 0;
  return ok({ used, available: Math.max(0, limit - used) });
};

type Work = OperationRecord<AboutWork>;
const states = { running: 'IN_PROGRESS', succeeded: 'SUCCEEDED', failed: 'FAILED' };
const shownWork = (work: Work): object => ({
  id: work.id,
  operationType: work.about.operationType,
  compartmentId: work.about.compartmentId,
  status: states[work.state],
  percentComplete: work.state === 'running' ? 50 : 100,
  timeAccepted: new Date(work.startedAt).toISOString(),
  resources: [{ actionType: 'CREATED', entityType: 'resource', identifier: work.about.resourceId }],
});
const workOf = (world: World, id: string | undefined): Work => {
  const found = world.operations.get(id ?? '');
  if (found === undefined) throw notFound('work request');
  return found as Work;
};
const listWork: Operation = (call) => {
  const wanted = call.query.get('resourceId');
  const all = [...call.world.operations.values()] as Work[];
  return listReply(
    call,
    all.filter(({ about }) => wanted === null || about.resourceId === wanted),
    [],
    shownWork,
  );
};
const getWork: Operation = ({ world, params }) => ok(shownWork(workOf(world, params['workRequestId'])));
const workErrors: Operation = ({ world, params }) => {
  const work = workOf(world, params['workRequestId']);
  return ok(
    work.state !== 'failed'
      ? []
      : [
          {
            code: 'InternalError',
            message: work.reason ?? 'it failed',
            timestamp: new Date(work.endedAt ?? 0).toISOString(),
          },
        ],
  );
};

/** Routes, operation ids as the vendor's SDK names them, and what they do. */
const table: Readonly<Record<string, readonly [string, Operation]>> = {
  'GET C/volumes': ['BlockstorageClient.listVolumes', volumes.listVolumes],
  'POST C/volumes': ['BlockstorageClient.createVolume', volumes.createVolume],
  'GET C/volumes/{volumeId}': ['BlockstorageClient.getVolume', volumes.getVolume],
  'PUT C/volumes/{volumeId}': ['BlockstorageClient.updateVolume', volumes.updateVolume],
  'DELETE C/volumes/{volumeId}': ['BlockstorageClient.deleteVolume', volumes.deleteVolume],
  'GET C/bootVolumes': ['BlockstorageClient.listBootVolumes', volumes.listBootVolumes],
  'POST C/bootVolumes': ['BlockstorageClient.createBootVolume', volumes.createBootVolume],
  'GET C/bootVolumes/{bootVolumeId}': ['BlockstorageClient.getBootVolume', volumes.getVolume],
  'PUT C/bootVolumes/{bootVolumeId}': ['BlockstorageClient.updateBootVolume', volumes.updateVolume],
  'DELETE C/bootVolumes/{bootVolumeId}': ['BlockstorageClient.deleteBootVolume', volumes.deleteVolume],
  'GET C/volumeBackups': ['BlockstorageClient.listVolumeBackups', backups.listBackups],
  'POST C/volumeBackups': ['BlockstorageClient.createVolumeBackup', backups.createBackup],
  'GET C/volumeBackups/{volumeBackupId}': ['BlockstorageClient.getVolumeBackup', backups.getBackup],
  'DELETE C/volumeBackups/{volumeBackupId}': ['BlockstorageClient.deleteVolumeBackup', backups.deleteBackup],
  'GET C/bootVolumeBackups': ['BlockstorageClient.listBootVolumeBackups', backups.listBootBackups],
  'POST C/bootVolumeBackups': ['BlockstorageClient.createBootVolumeBackup', backups.createBootBackup],
  'GET C/bootVolumeBackups/{bootVolumeBackupId}': ['BlockstorageClient.getBootVolumeBackup', backups.getBackup],
  'DELETE C/bootVolumeBackups/{bootVolumeBackupId}': [
    'BlockstorageClient.deleteBootVolumeBackup',
    backups.deleteBackup,
  ],
  'GET C/instances': ['ComputeClient.listInstances', instances.listInstances],
  'POST C/instances': ['ComputeClient.launchInstance', instances.launchInstance],
  'GET C/instances/{instanceId}': ['ComputeClient.getInstance', instances.getInstance],
  'POST C/instances/{instanceId}': ['ComputeClient.instanceAction', instances.instanceAction],
  'DELETE C/instances/{instanceId}': ['ComputeClient.terminateInstance', instances.terminateInstance],
  'GET C/instances/{instanceId}/devices': ['ComputeClient.listInstanceDevices', instances.listDevices],
  'GET C/shapes': ['ComputeClient.listShapes', instances.listShapes],
  'GET C/volumeAttachments': ['ComputeClient.listVolumeAttachments', attachments.listAttachments],
  'POST C/volumeAttachments': ['ComputeClient.attachVolume', attachments.attachVolume],
  'GET C/volumeAttachments/{volumeAttachmentId}': ['ComputeClient.getVolumeAttachment', attachments.getAttachment],
  'DELETE C/volumeAttachments/{volumeAttachmentId}': ['ComputeClient.detachVolume', attachments.detachVolume],
  'GET C/bootVolumeAttachments': ['ComputeClient.listBootVolumeAttachments', attachments.listBootAttachments],
  'GET C/vnicAttachments': ['ComputeClient.listVnicAttachments', attachments.listVnicAttachments],
  'POST C/vnicAttachments': ['ComputeClient.attachVnic', attachments.attachVnic],
  'GET C/vnics/{vnicId}': ['VirtualNetworkClient.getVnic', network.getVnic],
  'GET C/vcns': ['VirtualNetworkClient.listVcns', network.listVcns],
  'GET C/subnets': ['VirtualNetworkClient.listSubnets', network.listSubnets],
  'GET C/subnets/{subnetId}': ['VirtualNetworkClient.getSubnet', network.getSubnet],
  'GET C/networkSecurityGroups': ['VirtualNetworkClient.listNetworkSecurityGroups', network.listGroups],
  'POST C/networkSecurityGroups': ['VirtualNetworkClient.createNetworkSecurityGroup', network.createGroup],
  'GET C/networkSecurityGroups/{networkSecurityGroupId}': [
    'VirtualNetworkClient.getNetworkSecurityGroup',
    network.getGroup,
  ],
  'DELETE C/networkSecurityGroups/{networkSecurityGroupId}': [
    'VirtualNetworkClient.deleteNetworkSecurityGroup',
    network.deleteGroup,
  ],
  'GET C/networkSecurityGroups/{networkSecurityGroupId}/securityRules': [
    'VirtualNetworkClient.listNetworkSecurityGroupSecurityRules',
    network.listRules,
  ],
  'POST C/networkSecurityGroups/{networkSecurityGroupId}/actions/addSecurityRules': [
    'VirtualNetworkClient.addNetworkSecurityGroupSecurityRules',
    network.addRules,
  ],
  'POST C/networkSecurityGroups/{networkSecurityGroupId}/actions/removeSecurityRules': [
    'VirtualNetworkClient.removeNetworkSecurityGroupSecurityRules',
    network.removeRules,
  ],
  'GET C/images': ['ComputeClient.listImages', images.listImages],
  'POST C/images': ['ComputeClient.createImage', images.createImage],
  'GET C/images/{imageId}': ['ComputeClient.getImage', images.getImage],
  'PUT C/images/{imageId}': ['ComputeClient.updateImage', images.updateImage],
  'DELETE C/images/{imageId}': ['ComputeClient.deleteImage', images.deleteImage],
  'GET C/computeGlobalImageCapabilitySchemas': [
    'ComputeClient.listComputeGlobalImageCapabilitySchemas',
    images.listGlobalSchemas,
  ],
  'GET C/computeImageCapabilitySchemas': ['ComputeClient.listComputeImageCapabilitySchemas', images.listSchemas],
  'POST C/computeImageCapabilitySchemas': ['ComputeClient.createComputeImageCapabilitySchema', images.createSchema],
  'POST C/instanceConsoleHistories': ['ComputeClient.captureConsoleHistory', images.captureHistory],
  'GET C/instanceConsoleHistories/{instanceConsoleHistoryId}': ['ComputeClient.getConsoleHistory', images.getHistory],
  'GET C/instanceConsoleHistories/{instanceConsoleHistoryId}/data': [
    'ComputeClient.getConsoleHistoryContent',
    images.getHistoryText,
  ],
  'DELETE C/instanceConsoleHistories/{instanceConsoleHistoryId}': [
    'ComputeClient.deleteConsoleHistory',
    images.deleteHistory,
  ],
  'GET C/workRequests': ['WorkRequestClient.listWorkRequests', listWork],
  'GET C/workRequests/{workRequestId}': ['WorkRequestClient.getWorkRequest', getWork],
  'GET C/workRequests/{workRequestId}/errors': ['WorkRequestClient.listWorkRequestErrors', workErrors],
  'GET I/compartments': ['IdentityClient.listCompartments', listCompartments],
  'GET I/compartments/{compartmentId}': ['IdentityClient.getCompartment', getCompartment],
  'GET I/availabilityDomains': ['IdentityClient.listAvailabilityDomains', listDomains],
  'GET L/services/{serviceName}/limits/{limitName}/resourceAvailability': [
    'LimitsClient.getResourceAvailability',
    limitOf,
  ],
  'GET O/': ['ObjectStorageClient.getNamespace', images.getNamespace],
  'GET O/{namespaceName}/b/': ['ObjectStorageClient.listBuckets', images.listBuckets],
  'POST O/{namespaceName}/b/': ['ObjectStorageClient.createBucket', images.createBucket],
  'GET O/{namespaceName}/b/{bucketName}': ['ObjectStorageClient.getBucket', images.getBucket],
  'DELETE O/{namespaceName}/b/{bucketName}': ['ObjectStorageClient.deleteBucket', images.deleteBucket],
  'GET O/{namespaceName}/b/{bucketName}/o': ['ObjectStorageClient.listObjects', images.listObjects],
  'PUT O/{namespaceName}/b/{bucketName}/o/{objectName}': ['ObjectStorageClient.putObject', images.putObject],
  'DELETE O/{namespaceName}/b/{bucketName}/o/{objectName}': ['ObjectStorageClient.deleteObject', images.deleteObject],
};

export const operations: Readonly<Record<string, Operation>> = Object.fromEntries(Object.values(table));
export const operationIds: readonly string[] = Object.keys(operations);

export const protocol = jsonProtocol(Object.fromEntries(Object.entries(table).map(([route, [id]]) => [route, id])), {
  prefixes: { C: '/iaas/20160918', I: '/identity/20160918', L: '/limits/20190729', O: '/objectstorage/n' },
  data: ['ObjectStorageClient.putObject'],
});
