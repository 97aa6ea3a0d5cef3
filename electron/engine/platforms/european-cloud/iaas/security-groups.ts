import { z } from 'zod';
import { labelsSchema, listOf, selectorQuery, type Api } from './api.ts';
import type { Labels } from '../../../cloud-resources/labels.ts';

const groupSchema = z.looseObject({
  id: z.string(),
  name: z.string(),
  stateful: z.boolean().optional(),
  labels: labelsSchema,
});
const ruleSchema = z.looseObject({
  id: z.string(),
  direction: z.string(),
  description: z.string().optional(),
  ipRange: z.string().optional(),
  portRange: z.looseObject({ min: z.number(), max: z.number() }).optional(),
});

export type CloudSecurityGroup = z.infer<typeof groupSchema>;
export type CloudSecurityGroupRule = z.infer<typeof ruleSchema>;

export interface NewIngressRule {
  readonly description: string;
  readonly port: number;
  /** CIDR from which the port may be reached. */
  readonly ipRange: string;
}

export interface SecurityGroups {
  list(labels: Labels | undefined, signal: AbortSignal): Promise<readonly CloudSecurityGroup[]>;
  get(id: string, signal: AbortSignal): Promise<CloudSecurityGroup | undefined>;
  create(
    group: { readonly name: string; readonly description: string; readonly labels: Labels },
    signal: AbortSignal,
  ): Promise<CloudSecurityGroup>;
  delete(id: string, signal: AbortSignal): Promise<void>;
  rules(groupId: string, signal: AbortSignal): Promise<readonly CloudSecurityGroupRule[]>;
  allowTcp(groupId: string, rule: NewIngressRule, signal: AbortSignal): Promise<CloudSecurityGroupRule>;
  deleteRule(groupId: string, ruleId: string, signal: AbortSignal): Promise<void>;
}

export function securityGroupsOf(api: Api): SecurityGroups {
  const path = `${api.prefix}/security-groups`;
  const one = (id: string): string => `${path}/${encodeURIComponent(id)}`;
  return {
    async list(labels, signal) {
      const query = selectorQuery(labels);
      return (
        await api.read(listOf(groupSchema), { operation: 'list security groups', method: 'GET', path, query }, signal)
      ).items;
    },
    get: (id, signal) =>
      api.find(groupSchema, { operation: `read security group ${id}`, method: 'GET', path: one(id) }, signal),
    create: (group, signal) =>
      api.read(
        groupSchema,
        { operation: `create security group ${group.name}`, method: 'POST', path, json: { ...group, stateful: true } },
        signal,
      ),
    delete: (id, signal) => api.remove({ operation: `delete security group ${id}`, path: one(id) }, signal),
    async rules(groupId, signal) {
      const request = {
        operation: `rules of security group ${groupId}`,
        method: 'GET',
        path: `${one(groupId)}/rules`,
      } as const;
      return (await api.find(listOf(ruleSchema), request, signal))?.items ?? [];
    },
    allowTcp: (groupId, rule, signal) =>
      api.read(
        ruleSchema,
        {
          operation: `open TCP port ${rule.port} for ${rule.ipRange} in security group ${groupId}`,
          method: 'POST',
          path: `${one(groupId)}/rules`,
          json: {
            direction: 'ingress',
            ethertype: rule.ipRange.includes(':') ? 'IPv6' : 'IPv4',
            protocol: 'tcp',
            portRange: { min: rule.port, max: rule.port },
            ipRange: rule.ipRange,
            description: rule.description,
          },
        },
        signal,
      ),
    deleteRule: (groupId, ruleId, signal) =>
      api.remove(
        {
          operation: `delete rule ${ruleId} of security group ${groupId}`,
          path: `${one(groupId)}/rules/${encodeURIComponent(ruleId)}`,
        },
        signal,
      ),
  };
}
