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

/** Operation id → what it does. */
export const operations: Readonly<Record<string, Operation>> = {
  GetProjectDetails: region.getProject,
  ListAvailabilityZones: region.listZones,
  ListMachineTypes: region.listMachineTypes,
  GetMachineType: region.getMachineType,
  ListVolumePerformanceClasses: region.listPerformanceClasses,
  GetVolumePerformanceClass: region.getPerformanceClass,
  ListQuotas: region.listQuotas,
  GetProjectRequest: region.getRequest,
  ListKeyPairs: keyPairs.listKeyPairs,
  CreateKeyPair: keyPairs.createKeyPair,
  GetKeyPair: keyPairs.getKeyPair,
  DeleteKeyPair: keyPairs.deleteKeyPair,
  ListAffinityGroups: affinityGroups.listAffinityGroups,
  CreateAffinityGroup: affinityGroups.createAffinityGroup,
  GetAffinityGroup: affinityGroups.getAffinityGroup,
  DeleteAffinityGroup: affinityGroups.deleteAffinityGroup,
  ListImages: images.listImages,
  GetImage: images.getImage,
  UpdateImage: images.updateImage,
  DeleteImage: images.deleteImage,
  ListNetworks: networks.listNetworks,
  GetNetwork: networks.getNetwork,
  ListNics: networks.listNics,
  CreateNic: networks.createNic,
  GetNic: networks.getNic,
  UpdateNic: networks.updateNic,
  DeleteNic: networks.deleteNic,
  ListProjectNICs: networks.listProjectNics,
  GetProjectNIC: networks.getNic,
  ListPublicIPs: publicIps.listPublicIps,
  CreatePublicIP: publicIps.createPublicIp,
  GetPublicIP: publicIps.getPublicIp,
  UpdatePublicIP: publicIps.updatePublicIp,
  DeletePublicIP: publicIps.deletePublicIp,
  ListSecurityGroups: securityGroups.listSecurityGroups,
  CreateSecurityGroup: securityGroups.createSecurityGroup,
  GetSecurityGroup: securityGroups.getSecurityGroup,
  DeleteSecurityGroup: securityGroups.deleteSecurityGroup,
  ListSecurityGroupRules: securityGroups.listRules,
  CreateSecurityGroupRule: securityGroups.createRule,
  GetSecurityGroupRule: securityGroups.getRule,
  DeleteSecurityGroupRule: securityGroups.deleteRule,
  ListServers: servers.listServers,
  CreateServer: creation.createServer,
  GetServer: servers.getServer,
  UpdateServer: servers.updateServer,
  DeleteServer: servers.deleteServer,
  GetServerConsole: servers.getConsole,
  GetServerLog: servers.getLog,
  StartServer: creation.startServer,
  StopServer: servers.stopServer,
  RebootServer: servers.rebootServer,
  DeallocateServer: servers.deallocateServer,
  ListServerNICs: servers.listServerNics,
  AddNicToServer: servers.addNic,
  RemoveNicFromServer: servers.removeNic,
  ListAttachedVolumes: attachments.listAttachments,
  GetAttachedVolume: attachments.getAttachment,
  UpdateAttachedVolume: attachments.updateAttachment,
  AddVolumeToServer: attachments.attachVolume,
  RemoveVolumeFromServer: attachments.detachVolume,
  ListSnapshotsInProject: snapshots.listSnapshots,
  CreateSnapshot: snapshots.createSnapshot,
  GetSnapshot: snapshots.getSnapshot,
  UpdateSnapshot: snapshots.updateSnapshot,
  DeleteSnapshot: snapshots.deleteSnapshot,
  ListVolumes: volumes.listVolumes,
  CreateVolume: volumes.createVolume,
  GetVolume: volumes.getVolume,
  UpdateVolume: volumes.updateVolume,
  DeleteVolume: volumes.deleteVolume,
  ResizeVolume: volumes.resizeVolume,
};
