import type { HttpClient } from '../../../http/http-client.ts';
import { createApi } from './api.ts';
import { catalogListsOf, type CatalogLists } from './catalog-lists.ts';
import { networksOf, nicsOf, publicIpsOf, type Networks, type Nics, type PublicIps } from './networks.ts';
import { quotasOf, type QuotaReader } from './quotas.ts';
import { requestsOf, type Requests } from './requests.ts';
import { securityGroupsOf, type SecurityGroups } from './security-groups.ts';
import { serversOf, type Servers } from './servers.ts';
import { snapshotsOf, type Snapshots } from './snapshots.ts';
import { volumesOf, type Volumes } from './volumes.ts';

/** The calls that a migration makes, for one project of one region. */
export interface Iaas {
  readonly projectId: string;
  readonly region: string;
  readonly lists: CatalogLists;
  readonly networks: Networks;
  readonly nics: Nics;
  readonly publicIps: PublicIps;
  readonly quotas: QuotaReader;
  readonly requests: Requests;
  readonly securityGroups: SecurityGroups;
  readonly servers: Servers;
  readonly snapshots: Snapshots;
  readonly volumes: Volumes;
}

export function createIaas(client: HttpClient, projectId: string, region: string): Iaas {
  const api = createApi(client, projectId, region);
  return {
    projectId,
    region,
    lists: catalogListsOf(api),
    networks: networksOf(api),
    nics: nicsOf(api),
    publicIps: publicIpsOf(api),
    quotas: quotasOf(api),
    requests: requestsOf(api),
    securityGroups: securityGroupsOf(api),
    servers: serversOf(api),
    snapshots: snapshotsOf(api),
    volumes: volumesOf(api),
  };
}
