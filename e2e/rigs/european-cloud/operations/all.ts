import { ok } from '../../cloud-kit/call.ts';
import { jsonProtocol } from '../../cloud-kit/json-protocol.ts';
import type { Operation } from '../call.ts';
import * as affinityGroups from './affinity-groups.ts';
import * as attachments from './attachments.ts';
import * as creation from './create-server.ts';
import * as images from './images.ts';
import * as keyPairs from './key-pairs.ts';
import * as networks from './networks.ts';
import * as publicIps from './public-ips.ts';
import * as region from './region.ts';
import * as securityGroups from './security-groups.ts';
import * as servers from './servers.ts';
import * as snapshots from './snapshots.ts';
import * as volumes from './volumes.ts';

/** `METHOD path` → the operation's id and what it does; `P` is the project's and region's prefix. */
const table: Readonly<Record<string, readonly [id: string, operation: Operation]>> = {
  'POST /token': ['CreateShortLivedAccessToken', ({ world, body }) => ok(world.tokens.issue(body))],
  'GET /v2/projects/{projectId}': ['GetProjectDetails', region.getProject],
  'GET /v2/regions/{region}/availability-zones': ['ListAvailabilityZones', region.listZones],
  'GET /v2/keypairs': ['ListKeyPairs', keyPairs.listKeyPairs],
  'POST /v2/keypairs': ['CreateKeyPair', keyPairs.createKeyPair],
  'GET /v2/keypairs/{keypairName}': ['GetKeyPair', keyPairs.getKeyPair],
  'DELETE /v2/keypairs/{keypairName}': ['DeleteKeyPair', keyPairs.deleteKeyPair],
  'GET P/affinity-groups': ['ListAffinityGroups', affinityGroups.listAffinityGroups],
  'POST P/affinity-groups': ['CreateAffinityGroup', affinityGroups.createAffinityGroup],
  'GET P/affinity-groups/{affinityGroupId}': ['GetAffinityGroup', affinityGroups.getAffinityGroup],
  'DELETE P/affinity-groups/{affinityGroupId}': ['DeleteAffinityGroup', affinityGroups.deleteAffinityGroup],
  'GET P/images': ['ListImages', images.listImages],
  'GET P/images/{imageId}': ['GetImage', images.getImage],
  'PATCH P/images/{imageId}': ['UpdateImage', images.updateImage],
  'DELETE P/images/{imageId}': ['DeleteImage', images.deleteImage],
  'GET P/machine-types': ['ListMachineTypes', region.listMachineTypes],
  'GET P/machine-types/{machineType}': ['GetMachineType', region.getMachineType],
  'GET P/networks': ['ListNetworks', networks.listNetworks],
  'GET P/networks/{networkId}': ['GetNetwork', networks.getNetwork],
  'GET P/networks/{networkId}/nics': ['ListNics', networks.listNics],
  'POST P/networks/{networkId}/nics': ['CreateNic', networks.createNic],
  'GET P/networks/{networkId}/nics/{nicId}': ['GetNic', networks.getNic],
  'PATCH P/networks/{networkId}/nics/{nicId}': ['UpdateNic', networks.updateNic],
  'DELETE P/networks/{networkId}/nics/{nicId}': ['DeleteNic', networks.deleteNic],
  'GET P/nics': ['ListProjectNICs', networks.listProjectNics],
  'GET P/nics/{nicId}': ['GetProjectNIC', networks.getNic],
  'GET P/public-ips': ['ListPublicIPs', publicIps.listPublicIps],
  'POST P/public-ips': ['CreatePublicIP', publicIps.createPublicIp],
  'GET P/public-ips/{publicIpId}': ['GetPublicIP', publicIps.getPublicIp],
  'PATCH P/public-ips/{publicIpId}': ['UpdatePublicIP', publicIps.updatePublicIp],
  'DELETE P/public-ips/{publicIpId}': ['DeletePublicIP', publicIps.deletePublicIp],
  'GET P/quotas': ['ListQuotas', region.listQuotas],
  'GET P/requests/{requestId}': ['GetProjectRequest', region.getRequest],
  'GET P/security-groups': ['ListSecurityGroups', securityGroups.listSecurityGroups],
  'POST P/security-groups': ['CreateSecurityGroup', securityGroups.createSecurityGroup],
  'GET P/security-groups/{securityGroupId}': ['GetSecurityGroup', securityGroups.getSecurityGroup],
  'DELETE P/security-groups/{securityGroupId}': ['DeleteSecurityGroup', securityGroups.deleteSecurityGroup],
  'GET P/security-groups/{securityGroupId}/rules': ['ListSecurityGroupRules', securityGroups.listRules],
  'POST P/security-groups/{securityGroupId}/rules': ['CreateSecurityGroupRule', securityGroups.createRule],
  'GET P/security-groups/{securityGroupId}/rules/{securityGroupRuleId}': [
    'GetSecurityGroupRule',
    securityGroups.getRule,
  ],
  'DELETE P/security-groups/{securityGroupId}/rules/{securityGroupRuleId}': [
    'DeleteSecurityGroupRule',
    securityGroups.deleteRule,
  ],
  'GET P/servers': ['ListServers', servers.listServers],
  'POST P/servers': ['CreateServer', creation.createServer],
  'GET P/servers/{serverId}': ['GetServer', servers.getServer],
  'PATCH P/servers/{serverId}': ['UpdateServer', servers.updateServer],
  'DELETE P/servers/{serverId}': ['DeleteServer', servers.deleteServer],
  'GET P/servers/{serverId}/console': ['GetServerConsole', servers.getConsole],
  'GET P/servers/{serverId}/log': ['GetServerLog', servers.getLog],
  'POST P/servers/{serverId}/start': ['StartServer', creation.startServer],
  'POST P/servers/{serverId}/stop': ['StopServer', servers.stopServer],
  'POST P/servers/{serverId}/reboot': ['RebootServer', servers.rebootServer],
  'POST P/servers/{serverId}/deallocate': ['DeallocateServer', servers.deallocateServer],
  'GET P/servers/{serverId}/nics': ['ListServerNICs', servers.listServerNics],
  'PUT P/servers/{serverId}/nics/{nicId}': ['AddNicToServer', servers.addNic],
  'DELETE P/servers/{serverId}/nics/{nicId}': ['RemoveNicFromServer', servers.removeNic],
  'GET P/servers/{serverId}/volume-attachments': ['ListAttachedVolumes', attachments.listAttachments],
  'GET P/servers/{serverId}/volume-attachments/{volumeId}': ['GetAttachedVolume', attachments.getAttachment],
  'PUT P/servers/{serverId}/volume-attachments/{volumeId}': ['AddVolumeToServer', attachments.attachVolume],
  'PATCH P/servers/{serverId}/volume-attachments/{volumeId}': ['UpdateAttachedVolume', attachments.updateAttachment],
  'DELETE P/servers/{serverId}/volume-attachments/{volumeId}': ['RemoveVolumeFromServer', attachments.detachVolume],
  'GET P/snapshots': ['ListSnapshotsInProject', snapshots.listSnapshots],
  'POST P/snapshots': ['CreateSnapshot', snapshots.createSnapshot],
  'GET P/snapshots/{snapshotId}': ['GetSnapshot', snapshots.getSnapshot],
  'PATCH P/snapshots/{snapshotId}': ['UpdateSnapshot', snapshots.updateSnapshot],
  'DELETE P/snapshots/{snapshotId}': ['DeleteSnapshot', snapshots.deleteSnapshot],
  'GET P/volume-performance-classes': ['ListVolumePerformanceClasses', region.listPerformanceClasses],
  'GET P/volume-performance-classes/{volumePerformanceClass}': [
    'GetVolumePerformanceClass',
    region.getPerformanceClass,
  ],
  'GET P/volumes': ['ListVolumes', volumes.listVolumes],
  'POST P/volumes': ['CreateVolume', volumes.createVolume],
  'GET P/volumes/{volumeId}': ['GetVolume', volumes.getVolume],
  'PATCH P/volumes/{volumeId}': ['UpdateVolume', volumes.updateVolume],
  'DELETE P/volumes/{volumeId}': ['DeleteVolume', volumes.deleteVolume],
  'POST P/volumes/{volumeId}/resize': ['ResizeVolume', volumes.resizeVolume],
};

export const operations: Readonly<Record<string, Operation>> = Object.fromEntries(Object.values(table));

export const protocol = jsonProtocol(Object.fromEntries(Object.entries(table).map(([route, [id]]) => [route, id])), {
  prefixes: { P: '/v2/projects/{projectId}/regions/{region}' },
  forms: ['CreateShortLivedAccessToken'],
  errorBody: ({ status, message }) => ({ code: status, msg: message }),
});
