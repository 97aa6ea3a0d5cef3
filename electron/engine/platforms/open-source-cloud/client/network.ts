import { z } from 'zod';
import type { ServiceApi } from './service-api.ts';
import { queryOf, segment } from './wire.ts';

const networkSchema = z.looseObject({
  id: z.string(),
  name: z.string(),
  status: z.string().optional(),
  project_id: z.string().optional(),
  shared: z.boolean().optional(),
  'router:external': z.boolean().optional(),
  subnets: z.array(z.string()).default([]),
  mtu: z.number().nullish(),
  port_security_enabled: z.boolean().optional(),
});

export type Network = z.infer<typeof networkSchema>;

const subnetSchema = z.looseObject({
  id: z.string(),
  name: z.string().nullish(),
  network_id: z.string(),
  cidr: z.string(),
  ip_version: z.number(),
  gateway_ip: z.string().nullish(),
  enable_dhcp: z.boolean().optional(),
});

export type Subnet = z.infer<typeof subnetSchema>;

const portSchema = z.looseObject({
  id: z.string(),
  name: z.string().nullish(),
  network_id: z.string(),
  mac_address: z.string(),
  status: z.string().optional(),
  /** The server that has it; empty when none does. */
  device_id: z.string().nullish(),
  device_owner: z.string().nullish(),
  fixed_ips: z.array(z.looseObject({ subnet_id: z.string(), ip_address: z.string() })).default([]),
  security_groups: z.array(z.string()).default([]),
  description: z.string().nullish(),
  project_id: z.string().optional(),
});

export type Port = z.infer<typeof portSchema>;

const floatingIpSchema = z.looseObject({
  id: z.string(),
  floating_ip_address: z.string(),
  floating_network_id: z.string(),
  fixed_ip_address: z.string().nullish(),
  port_id: z.string().nullish(),
  description: z.string().nullish(),
});

export type FloatingIp = z.infer<typeof floatingIpSchema>;

const securityGroupSchema = z.looseObject({
  id: z.string(),
  name: z.string(),
  description: z.string().nullish(),
  project_id: z.string().optional(),
  stateful: z.boolean().optional(),
});

export type SecurityGroup = z.infer<typeof securityGroupSchema>;

const ruleSchema = z.looseObject({
  id: z.string(),
  security_group_id: z.string(),
  direction: z.string(),
  ethertype: z.string().optional(),
  protocol: z.string().nullish(),
  port_range_min: z.number().nullish(),
  port_range_max: z.number().nullish(),
  remote_ip_prefix: z.string().nullish(),
  description: z.string().nullish(),
});

export type SecurityGroupRule = z.infer<typeof ruleSchema>;

const quotaSchema = z.looseObject({
  limit: z.number(),
  used: z.number().default(0),
  reserved: z.union([z.number(), z.string()]).default(0),
});

export interface NewPort {
  readonly network_id: string;
  readonly name: string;
  readonly description?: string;
  readonly mac_address?: string;
  readonly fixed_ips?: readonly { readonly subnet_id?: string; readonly ip_address?: string }[];
  readonly security_groups?: readonly string[];
}

export type PortChange = Partial<Pick<NewPort, 'name' | 'description' | 'security_groups' | 'fixed_ips'>>;

export interface NewFloatingIp {
  readonly floating_network_id: string;
  readonly subnet_id?: string;
  readonly port_id?: string;
  readonly description?: string;
}

export interface NewSecurityGroupRule {
  readonly security_group_id: string;
  readonly direction: 'ingress' | 'egress';
  readonly ethertype: 'IPv4' | 'IPv6';
  readonly protocol: string;
  readonly port_range_min: number;
  readonly port_range_max: number;
  readonly remote_ip_prefix: string;
  readonly description: string;
}

interface Filter {
  readonly name?: string;
  readonly projectId?: string;
  readonly description?: string;
}

/** -1: no limit. By resource: `port`, `floatingip`, `security_group`, `security_group_rule`… */
export type NetworkQuotas = Readonly<Record<string, { readonly limit: number; readonly used: number }>>;

export interface NetworkService {
  networks(filter: Filter & { readonly external?: boolean }, signal: AbortSignal): Promise<readonly Network[]>;
  network(id: string, signal: AbortSignal): Promise<Network | undefined>;
  subnets(filter: { readonly networkId?: string }, signal: AbortSignal): Promise<readonly Subnet[]>;
  ports(
    filter: Filter & { readonly macAddress?: string; readonly networkId?: string; readonly address?: string },
    signal: AbortSignal,
  ): Promise<readonly Port[]>;
  port(id: string, signal: AbortSignal): Promise<Port | undefined>;
  createPort(port: NewPort, signal: AbortSignal): Promise<Port>;
  changePort(id: string, change: PortChange, signal: AbortSignal): Promise<Port>;
  deletePort(id: string, signal: AbortSignal): Promise<void>;
  floatingIps(
    filter: { readonly portId?: string; readonly description?: string },
    signal: AbortSignal,
  ): Promise<readonly FloatingIp[]>;
  floatingIp(id: string, signal: AbortSignal): Promise<FloatingIp | undefined>;
  createFloatingIp(floatingIp: NewFloatingIp, signal: AbortSignal): Promise<FloatingIp>;
  /** @param portId null: of no port any more */
  assignFloatingIp(id: string, portId: string | null, signal: AbortSignal): Promise<FloatingIp>;
  deleteFloatingIp(id: string, signal: AbortSignal): Promise<void>;
  securityGroups(filter: Filter, signal: AbortSignal): Promise<readonly SecurityGroup[]>;
  securityGroup(id: string, signal: AbortSignal): Promise<SecurityGroup | undefined>;
  createSecurityGroup(
    group: { readonly name: string; readonly description: string },
    signal: AbortSignal,
  ): Promise<SecurityGroup>;
  deleteSecurityGroup(id: string, signal: AbortSignal): Promise<void>;
  rules(securityGroupId: string, signal: AbortSignal): Promise<readonly SecurityGroupRule[]>;
  createRule(rule: NewSecurityGroupRule, signal: AbortSignal): Promise<SecurityGroupRule>;
  deleteRule(id: string, signal: AbortSignal): Promise<void>;
  quotas(projectId: string, signal: AbortSignal): Promise<NetworkQuotas>;
}

export function networkServiceOf(api: ServiceApi): NetworkService {
  const at = (collection: string, id: string): string => `/${collection}/${segment(id)}`;
  const list = <S extends z.ZodType>(
    item: S,
    collection: string,
    query: Readonly<Record<string, string | undefined>>,
    signal: AbortSignal,
  ): Promise<readonly z.infer<S>[]> =>
    api.list(
      item,
      {
        operation: `list ${collection}`,
        path: `/${collection}`,
        key: collection.replaceAll('-', '_'),
        query: queryOf(query),
      },
      signal,
    );
  return {
    networks: ({ name, projectId, external }, signal) =>
      list(
        networkSchema,
        'networks',
        { name, project_id: projectId, 'router:external': external === undefined ? undefined : String(external) },
        signal,
      ),
    network: (id, signal) =>
      api.findIn(
        'network',
        networkSchema,
        { operation: `read network ${id}`, method: 'GET', path: at('networks', id) },
        signal,
      ),
    subnets: ({ networkId }, signal) => list(subnetSchema, 'subnets', { network_id: networkId }, signal),
    ports: ({ name, projectId, description, macAddress, networkId, address }, signal) =>
      list(
        portSchema,
        'ports',
        {
          name,
          project_id: projectId,
          description,
          mac_address: macAddress,
          network_id: networkId,
          fixed_ips: address === undefined ? undefined : `ip_address=${address}`,
        },
        signal,
      ),
    port: (id, signal) =>
      api.findIn('port', portSchema, { operation: `read port ${id}`, method: 'GET', path: at('ports', id) }, signal),
    createPort: (port, signal) =>
      api.readIn(
        'port',
        portSchema,
        { operation: `create port ${port.name}`, method: 'POST', path: '/ports', json: { port } },
        signal,
      ),
    changePort: (id, port, signal) =>
      api.readIn(
        'port',
        portSchema,
        { operation: `change port ${id}`, method: 'PUT', path: at('ports', id), json: { port } },
        signal,
      ),
    deletePort: (id, signal) => api.remove({ operation: `delete port ${id}`, path: at('ports', id) }, signal),
    floatingIps: ({ portId, description }, signal) =>
      list(floatingIpSchema, 'floatingips', { port_id: portId, description }, signal),
    floatingIp: (id, signal) =>
      api.findIn(
        'floatingip',
        floatingIpSchema,
        { operation: `read floating IP ${id}`, method: 'GET', path: at('floatingips', id) },
        signal,
      ),
    createFloatingIp: (floatingip, signal) =>
      api.readIn(
        'floatingip',
        floatingIpSchema,
        {
          operation: `allocate a floating IP from network ${floatingip.floating_network_id}`,
          method: 'POST',
          path: '/floatingips',
          json: { floatingip },
        },
        signal,
      ),
    assignFloatingIp: (id, port_id, signal) =>
      api.readIn(
        'floatingip',
        floatingIpSchema,
        {
          operation: `assign floating IP ${id}`,
          method: 'PUT',
          path: at('floatingips', id),
          json: { floatingip: { port_id } },
        },
        signal,
      ),
    deleteFloatingIp: (id, signal) =>
      api.remove({ operation: `release floating IP ${id}`, path: at('floatingips', id) }, signal),
    securityGroups: ({ name, projectId, description }, signal) =>
      list(securityGroupSchema, 'security-groups', { name, project_id: projectId, description }, signal),
    securityGroup: (id, signal) =>
      api.findIn(
        'security_group',
        securityGroupSchema,
        { operation: `read security group ${id}`, method: 'GET', path: at('security-groups', id) },
        signal,
      ),
    createSecurityGroup: (security_group, signal) =>
      api.readIn(
        'security_group',
        securityGroupSchema,
        {
          operation: `create security group ${security_group.name}`,
          method: 'POST',
          path: '/security-groups',
          json: { security_group },
        },
        signal,
      ),
    deleteSecurityGroup: (id, signal) =>
      api.remove({ operation: `delete security group ${id}`, path: at('security-groups', id) }, signal),
    rules: (security_group_id, signal) => list(ruleSchema, 'security-group-rules', { security_group_id }, signal),
    createRule: (security_group_rule, signal) =>
      api.readIn(
        'security_group_rule',
        ruleSchema,
        {
          operation: `open port ${security_group_rule.port_range_min} for ${security_group_rule.remote_ip_prefix}`,
          method: 'POST',
          path: '/security-group-rules',
          json: { security_group_rule },
        },
        signal,
      ),
    deleteRule: (id, signal) =>
      api.remove({ operation: `delete security group rule ${id}`, path: at('security-group-rules', id) }, signal),
    async quotas(projectId, signal) {
      const answer = await api.readIn(
        'quota',
        z.record(z.string(), z.unknown()),
        {
          operation: 'read the quotas of networks',
          method: 'GET',
          path: `${at('quotas', projectId)}/details`,
        },
        signal,
      );
      return Object.fromEntries(
        Object.entries(answer).flatMap(([name, value]) => {
          const quota = quotaSchema.safeParse(value);
          return quota.success ? [[name, { limit: quota.data.limit, used: quota.data.used }]] : [];
        }),
      );
    },
  };
}
