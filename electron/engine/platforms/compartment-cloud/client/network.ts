import { z } from 'zod';
import type { Labels } from '../../../cloud-resources/labels.ts';
import { tagsSchema } from './block-storage.ts';
import type { ServiceApi } from './service-api.ts';

const vcnSchema = z.looseObject({
  id: z.string(),
  displayName: z.string().nullish(),
  lifecycleState: z.string(),
  cidrBlocks: z.array(z.string()).nullish(),
});
const subnetSchema = z.looseObject({
  id: z.string(),
  displayName: z.string().nullish(),
  lifecycleState: z.string(),
  compartmentId: z.string(),
  vcnId: z.string(),
  cidrBlock: z.string().nullish(),
  virtualRouterIp: z.string().nullish(),
  /** Set for subnets of one availability domain only. */
  availabilityDomain: z.string().nullish(),
  prohibitPublicIpOnVnic: z.boolean().nullish(),
});
const groupSchema = z.looseObject({
  id: z.string(),
  displayName: z.string().nullish(),
  lifecycleState: z.string(),
  vcnId: z.string(),
  compartmentId: z.string(),
  freeformTags: tagsSchema,
});
const ruleSchema = z.looseObject({
  id: z.string(),
  description: z.string().nullish(),
  direction: z.string(),
  source: z.string().nullish(),
  protocol: z.string(),
});
const vnicSchema = z.looseObject({
  id: z.string(),
  displayName: z.string().nullish(),
  lifecycleState: z.string(),
  macAddress: z.string().nullish(),
  privateIp: z.string().nullish(),
  publicIp: z.string().nullish(),
  isPrimary: z.boolean().nullish(),
  subnetId: z.string().nullish(),
  freeformTags: tagsSchema,
});

export type Vcn = z.infer<typeof vcnSchema>;
export type Subnet = z.infer<typeof subnetSchema>;
export type SecurityGroup = z.infer<typeof groupSchema>;
export type SecurityRule = z.infer<typeof ruleSchema>;
export type Vnic = z.infer<typeof vnicSchema>;

export interface Network {
  vcns(compartmentId: string, signal: AbortSignal): Promise<readonly Vcn[]>;
  subnets(compartmentId: string, signal: AbortSignal): Promise<readonly Subnet[]>;
  subnet(id: string, signal: AbortSignal): Promise<Subnet | undefined>;
  vnic(id: string, signal: AbortSignal): Promise<Vnic | undefined>;
  groups(compartmentId: string, signal: AbortSignal): Promise<readonly SecurityGroup[]>;
  group(id: string, signal: AbortSignal): Promise<SecurityGroup | undefined>;
  createGroup(
    group: {
      readonly compartmentId: string;
      readonly vcnId: string;
      readonly displayName: string;
      readonly freeformTags: Labels;
    },
    signal: AbortSignal,
  ): Promise<SecurityGroup>;
  deleteGroup(id: string, signal: AbortSignal): Promise<void>;
  rules(groupId: string, signal: AbortSignal): Promise<readonly SecurityRule[]>;
  /** Lets TCP from a range in on one port. */
  allowTcp(
    groupId: string,
    rule: { readonly description: string; readonly port: number; readonly source: string },
    signal: AbortSignal,
  ): Promise<SecurityRule>;
  removeRule(groupId: string, ruleId: string, signal: AbortSignal): Promise<void>;
}

const base = '/20160918';
const isThere = ({ lifecycleState }: { readonly lifecycleState: string }): boolean =>
  lifecycleState !== 'TERMINATED' && lifecycleState !== 'TERMINATING';
const tcp = '6';

export function networkOf(api: ServiceApi): Network {
  const group = (id: string): string => `${base}/networkSecurityGroups/${encodeURIComponent(id)}`;
  const rules = (groupId: string, signal: AbortSignal): Promise<readonly SecurityRule[]> =>
    api.list(
      ruleSchema,
      `list rules of network security group ${groupId}`,
      `${group(groupId)}/securityRules`,
      {},
      signal,
    );
  return {
    vcns: async (compartmentId, signal) =>
      (await api.list(vcnSchema, 'list VCNs', `${base}/vcns`, { compartmentId }, signal)).filter(isThere),
    subnets: async (compartmentId, signal) =>
      (await api.list(subnetSchema, 'list subnets', `${base}/subnets`, { compartmentId }, signal)).filter(isThere),
    subnet: (id, signal) =>
      api.find(
        subnetSchema,
        { operation: `read subnet ${id}`, method: 'GET', path: `${base}/subnets/${encodeURIComponent(id)}` },
        signal,
      ),
    vnic: (id, signal) =>
      api.find(
        vnicSchema,
        { operation: `read VNIC ${id}`, method: 'GET', path: `${base}/vnics/${encodeURIComponent(id)}` },
        signal,
      ),
    groups: async (compartmentId, signal) =>
      (
        await api.list(
          groupSchema,
          'list network security groups',
          `${base}/networkSecurityGroups`,
          { compartmentId },
          signal,
        )
      ).filter(isThere),
    async group(id, signal) {
      const found = await api.find(
        groupSchema,
        { operation: `read network security group ${id}`, method: 'GET', path: group(id) },
        signal,
      );
      return found === undefined || found.lifecycleState === 'TERMINATED' ? undefined : found;
    },
    createGroup: (wanted, signal) =>
      api.create(
        groupSchema,
        `create network security group ${wanted.displayName}`,
        `${base}/networkSecurityGroups`,
        wanted,
        signal,
      ),
    deleteGroup: (id, signal) =>
      api.remove({ operation: `delete network security group ${id}`, path: group(id) }, signal),
    rules,
    async allowTcp(groupId, { description, port, source }, signal) {
      const securityRules = [
        {
          direction: 'INGRESS',
          protocol: tcp,
          source,
          sourceType: 'CIDR_BLOCK',
          isStateless: false,
          description,
          tcpOptions: { destinationPortRange: { min: port, max: port } },
        },
      ];
      const added = z.looseObject({ securityRules: z.array(ruleSchema).min(1) });
      const path = `${group(groupId)}/actions/addSecurityRules`;
      // Without a token for repetitions: the service takes none here, and a second rule would be one too many.
      const answer = await api.read(
        added,
        { operation: `add rule ${description}`, method: 'POST', path, json: { securityRules } },
        signal,
      );
      return answer.securityRules[0]!;
    },
    async removeRule(groupId, ruleId, signal) {
      try {
        await api.send(
          {
            operation: `remove rule ${ruleId}`,
            method: 'POST',
            path: `${group(groupId)}/actions/removeSecurityRules`,
            json: { securityRuleIds: [ruleId] },
            idempotent: true,
          },
          signal,
        );
      } catch (error) {
        signal.throwIfAborted();
        // Refused, maybe because an earlier request, whose answer was lost, removed it.
        if ((await rules(groupId, signal)).some(({ id }) => id === ruleId)) throw error;
      }
    },
  };
}
