import { z } from 'zod';
import { labelsSchema, listOf, selectorQuery, type Api } from './api.ts';
import type { Labels } from '../../../cloud-resources/labels.ts';

const networkSchema = z.looseObject({
  id: z.string(),
  name: z.string(),
  status: z.string().optional(),
  routed: z.boolean().optional(),
  dhcp: z.boolean().optional(),
  ipv4: z.looseObject({ prefixes: z.array(z.string()).optional(), gateway: z.string().nullish() }).nullish(),
});
const nicSchema = z.looseObject({
  id: z.string(),
  name: z.string().optional(),
  networkId: z.string().optional(),
  ipv4: z.string().optional(),
  mac: z.string().optional(),
  device: z.string().nullish(),
  labels: labelsSchema,
});
const publicIpSchema = z.looseObject({
  id: z.string(),
  ip: z.string().optional(),
  networkInterface: z.string().nullish(),
  labels: labelsSchema,
});

export type CloudNetwork = z.infer<typeof networkSchema>;
export type CloudNic = z.infer<typeof nicSchema>;
export type CloudPublicIp = z.infer<typeof publicIpSchema>;

export interface NewNic {
  readonly name: string;
  readonly ipv4?: string;
  /** Ids; left out, the project's default group applies. */
  readonly securityGroups?: readonly string[];
  readonly labels: Labels;
}

export interface Networks {
  list(signal: AbortSignal): Promise<readonly CloudNetwork[]>;
}

export interface Nics {
  list(labels: Labels, signal: AbortSignal): Promise<readonly CloudNic[]>;
  listOfNetwork(networkId: string, signal: AbortSignal): Promise<readonly CloudNic[]>;
  get(id: string, signal: AbortSignal): Promise<CloudNic | undefined>;
  create(networkId: string, nic: NewNic, signal: AbortSignal): Promise<CloudNic>;
  delete(networkId: string, id: string, signal: AbortSignal): Promise<void>;
}

export interface PublicIps {
  list(labels: Labels, signal: AbortSignal): Promise<readonly CloudPublicIp[]>;
  get(id: string, signal: AbortSignal): Promise<CloudPublicIp | undefined>;
  /** Takes a public address and binds it to the NIC in one call. */
  create(nicId: string, labels: Labels, signal: AbortSignal): Promise<CloudPublicIp>;
  delete(id: string, signal: AbortSignal): Promise<void>;
}

export function networksOf(api: Api): Networks {
  return {
    async list(signal) {
      return (
        await api.read(
          listOf(networkSchema),
          { operation: 'list networks', method: 'GET', path: `${api.prefix}/networks` },
          signal,
        )
      ).items;
    },
  };
}

export function nicsOf(api: Api): Nics {
  const path = `${api.prefix}/nics`;
  const ofNetwork = (networkId: string): string => `${api.prefix}/networks/${encodeURIComponent(networkId)}/nics`;
  return {
    async list(labels, signal) {
      return (
        await api.read(
          listOf(nicSchema),
          { operation: 'list NICs', method: 'GET', path, query: selectorQuery(labels) },
          signal,
        )
      ).items;
    },
    async listOfNetwork(networkId, signal) {
      return (
        await api.read(
          listOf(nicSchema),
          { operation: `list NICs of network ${networkId}`, method: 'GET', path: ofNetwork(networkId) },
          signal,
        )
      ).items;
    },
    get: (id, signal) =>
      api.find(
        nicSchema,
        { operation: `read NIC ${id}`, method: 'GET', path: `${path}/${encodeURIComponent(id)}` },
        signal,
      ),
    create: (networkId, nic, signal) =>
      api.read(
        nicSchema,
        { operation: `create NIC ${nic.name}`, method: 'POST', path: ofNetwork(networkId), json: nic },
        signal,
      ),
    delete: (networkId, id, signal) =>
      api.remove({ operation: `delete NIC ${id}`, path: `${ofNetwork(networkId)}/${encodeURIComponent(id)}` }, signal),
  };
}

export function publicIpsOf(api: Api): PublicIps {
  const path = `${api.prefix}/public-ips`;
  const one = (id: string): string => `${path}/${encodeURIComponent(id)}`;
  return {
    async list(labels, signal) {
      const query = selectorQuery(labels);
      return (
        await api.read(listOf(publicIpSchema), { operation: 'list public IPs', method: 'GET', path, query }, signal)
      ).items;
    },
    get: (id, signal) =>
      api.find(publicIpSchema, { operation: `read public IP ${id}`, method: 'GET', path: one(id) }, signal),
    create: (nicId, labels, signal) =>
      api.read(
        publicIpSchema,
        {
          operation: `create public IP for NIC ${nicId}`,
          method: 'POST',
          path,
          json: { networkInterface: nicId, labels },
        },
        signal,
      ),
    delete: (id, signal) => api.remove({ operation: `delete public IP ${id}`, path: one(id) }, signal),
  };
}
