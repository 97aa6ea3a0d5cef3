/** The operations that the simulator speaks, as `METHOD path` → operation id; `P` is the project's and region's prefix. */
const table: Readonly<Record<string, string>> = {
  'GET /v2/projects/{projectId}': 'GetProjectDetails',
  'GET /v2/regions/{region}/availability-zones': 'ListAvailabilityZones',
  'GET /v2/keypairs': 'ListKeyPairs',
  'POST /v2/keypairs': 'CreateKeyPair',
  'GET /v2/keypairs/{keypairName}': 'GetKeyPair',
  'DELETE /v2/keypairs/{keypairName}': 'DeleteKeyPair',
  'GET P/affinity-groups': 'ListAffinityGroups',
  'POST P/affinity-groups': 'CreateAffinityGroup',
  'GET P/affinity-groups/{affinityGroupId}': 'GetAffinityGroup',
  'DELETE P/affinity-groups/{affinityGroupId}': 'DeleteAffinityGroup',
  'GET P/images': 'ListImages',
  'GET P/images/{imageId}': 'GetImage',
  'PATCH P/images/{imageId}': 'UpdateImage',
  'DELETE P/images/{imageId}': 'DeleteImage',
  'GET P/machine-types': 'ListMachineTypes',
  'GET P/machine-types/{machineType}': 'GetMachineType',
  'GET P/networks': 'ListNetworks',
  'GET P/networks/{networkId}': 'GetNetwork',
  'GET P/networks/{networkId}/nics': 'ListNics',
  'POST P/networks/{networkId}/nics': 'CreateNic',
  'GET P/networks/{networkId}/nics/{nicId}': 'GetNic',
  'PATCH P/networks/{networkId}/nics/{nicId}': 'UpdateNic',
  'DELETE P/networks/{networkId}/nics/{nicId}': 'DeleteNic',
  'GET P/nics': 'ListProjectNICs',
  'GET P/nics/{nicId}': 'GetProjectNIC',
  'GET P/public-ips': 'ListPublicIPs',
  'POST P/public-ips': 'CreatePublicIP',
  'GET P/public-ips/{publicIpId}': 'GetPublicIP',
  'PATCH P/public-ips/{publicIpId}': 'UpdatePublicIP',
  'DELETE P/public-ips/{publicIpId}': 'DeletePublicIP',
  'GET P/quotas': 'ListQuotas',
  'GET P/requests/{requestId}': 'GetProjectRequest',
  'GET P/security-groups': 'ListSecurityGroups',
  'POST P/security-groups': 'CreateSecurityGroup',
  'GET P/security-groups/{securityGroupId}': 'GetSecurityGroup',
  'DELETE P/security-groups/{securityGroupId}': 'DeleteSecurityGroup',
  'GET P/security-groups/{securityGroupId}/rules': 'ListSecurityGroupRules',
  'POST P/security-groups/{securityGroupId}/rules': 'CreateSecurityGroupRule',
  'GET P/security-groups/{securityGroupId}/rules/{securityGroupRuleId}': 'GetSecurityGroupRule',
  'DELETE P/security-groups/{securityGroupId}/rules/{securityGroupRuleId}': 'DeleteSecurityGroupRule',
  'GET P/servers': 'ListServers',
  'POST P/servers': 'CreateServer',
  'GET P/servers/{serverId}': 'GetServer',
  'PATCH P/servers/{serverId}': 'UpdateServer',
  'DELETE P/servers/{serverId}': 'DeleteServer',
  'GET P/servers/{serverId}/console': 'GetServerConsole',
  'GET P/servers/{serverId}/log': 'GetServerLog',
  'POST P/servers/{serverId}/start': 'StartServer',
  'POST P/servers/{serverId}/stop': 'StopServer',
  'POST P/servers/{serverId}/reboot': 'RebootServer',
  'POST P/servers/{serverId}/deallocate': 'DeallocateServer',
  'GET P/servers/{serverId}/nics': 'ListServerNICs',
  'PUT P/servers/{serverId}/nics/{nicId}': 'AddNicToServer',
  'DELETE P/servers/{serverId}/nics/{nicId}': 'RemoveNicFromServer',
  'GET P/servers/{serverId}/volume-attachments': 'ListAttachedVolumes',
  'GET P/servers/{serverId}/volume-attachments/{volumeId}': 'GetAttachedVolume',
  'PUT P/servers/{serverId}/volume-attachments/{volumeId}': 'AddVolumeToServer',
  'PATCH P/servers/{serverId}/volume-attachments/{volumeId}': 'UpdateAttachedVolume',
  'DELETE P/servers/{serverId}/volume-attachments/{volumeId}': 'RemoveVolumeFromServer',
  'GET P/snapshots': 'ListSnapshotsInProject',
  'POST P/snapshots': 'CreateSnapshot',
  'GET P/snapshots/{snapshotId}': 'GetSnapshot',
  'PATCH P/snapshots/{snapshotId}': 'UpdateSnapshot',
  'DELETE P/snapshots/{snapshotId}': 'DeleteSnapshot',
  'GET P/volume-performance-classes': 'ListVolumePerformanceClasses',
  'GET P/volume-performance-classes/{volumePerformanceClass}': 'GetVolumePerformanceClass',
  'GET P/volumes': 'ListVolumes',
  'POST P/volumes': 'CreateVolume',
  'GET P/volumes/{volumeId}': 'GetVolume',
  'PATCH P/volumes/{volumeId}': 'UpdateVolume',
  'DELETE P/volumes/{volumeId}': 'DeleteVolume',
  'POST P/volumes/{volumeId}/resize': 'ResizeVolume',
};

export interface Route {
  readonly operation: string;
  /** As in the vendor's document, e.g. `/v2/projects/{projectId}/...`. */
  readonly pathTemplate: string;
  readonly params: Readonly<Record<string, string>>;
}

interface CompiledRoute {
  readonly method: string;
  readonly segments: readonly string[];
  readonly pathTemplate: string;
  readonly operation: string;
}

const compiled: readonly CompiledRoute[] = Object.entries(table).map(([key, operation]) => {
  const [method = '', path = ''] = key.split(' ');
  const pathTemplate = path.replace(/^P\//, '/v2/projects/{projectId}/regions/{region}/');
  return { method, segments: pathTemplate.split('/'), pathTemplate, operation };
});

export const operationIds: readonly string[] = compiled.map((route) => route.operation);

export function findRoute(method: string, path: string): Route | undefined {
  const given = path.split('/');
  for (const route of compiled) {
    if (route.method !== method || route.segments.length !== given.length) continue;
    const params: Record<string, string> = {};
    const fits = route.segments.every((segment, index) => {
      const value = given[index] ?? '';
      if (!segment.startsWith('{')) return segment === value;
      params[segment.slice(1, -1)] = decodeURIComponent(value);
      return value !== '';
    });
    if (fits) return { operation: route.operation, pathTemplate: route.pathTemplate, params };
  }
  return undefined;
}
