import { noContent, ok } from '../../cloud-kit/call.ts';
import type { SecurityGroupRecord, SecurityRuleRecord } from '../records.ts';
import { compartmentOf, creation, demand, incorrectState, invalid, isGone, listReply, tagsOf, text } from '../world.ts';
import type { Operation } from '../world.ts';

export const listVcns: Operation = (call) =>
  listReply(call, call.world.vcns.listed(), ['compartmentId', 'displayName']);
export const listSubnets: Operation = (call) =>
  listReply(call, call.world.subnets.listed(), ['compartmentId', 'vcnId', 'displayName']);
export const getSubnet: Operation = ({ world, params }) => ok(demand(world.subnets, params['subnetId']));
export const getVnic: Operation = ({ world, params }) => ok(demand(world.vnics, params['vnicId']));

export const listGroups: Operation = (call) =>
  listReply(call, call.world.groups.listed(), ['compartmentId', 'vcnId', 'displayName']);
export const getGroup: Operation = ({ world, params }) => ok(demand(world.groups, params['networkSecurityGroupId']));

export const createGroup: Operation = creation((call) => {
  const { world, body } = call;
  const group: SecurityGroupRecord = {
    id: world.newId('networksecuritygroup'),
    compartmentId: compartmentOf(call),
    vcnId: demand(world.vcns, body['vcnId']).id,
    displayName: String(body['displayName'] ?? 'group'),
    timeCreated: world.now(),
    lifecycleState: 'AVAILABLE',
    freeformTags: tagsOf(body),
  };
  world.groups.set(group.id, group);
  world.rules.set(group.id, []);
  return ok({ ...group });
});

export const deleteGroup: Operation = ({ world, params }) => {
  const group = demand(world.groups, params['networkSecurityGroupId']);
  if (isGone(group)) throw incorrectState('The group is gone');
  if ([...world.vnics.values()].some((vnic) => !isGone(vnic) && vnic.nsgIds.includes(group.id)))
    throw incorrectState('The group has VNICs');
  group.lifecycleState = 'TERMINATED';
  world.rules.delete(group.id);
  return noContent();
};

export const listRules: Operation = (call) => {
  demand(call.world.groups, call.params['networkSecurityGroupId']);
  return listReply(call, call.world.rules.get(call.params['networkSecurityGroupId'] ?? '') ?? [], ['direction']);
};

export const addRules: Operation = ({ world, params, body }) => {
  const group = demand(world.groups, params['networkSecurityGroupId']);
  if (isGone(group)) throw incorrectState('The group is gone');
  if (!Array.isArray(body['securityRules'])) throw invalid('securityRules must be an array');
  const added = (body['securityRules'] as Record<string, unknown>[]).map((rule): SecurityRuleRecord => {
    if (text(rule, 'direction') === 'INGRESS' && typeof rule['source'] !== 'string')
      throw invalid('source is needed for INGRESS');
    return {
      ...(rule as unknown as SecurityRuleRecord),
      id: world.newId('rule').slice(-6).toUpperCase(),
      protocol: text(rule, 'protocol'),
      isStateless: rule['isStateless'] === true,
      isValid: true,
      timeCreated: world.now(),
    };
  });
  world.rules.get(group.id)?.push(...added);
  return ok({ securityRules: added });
};

export const removeRules: Operation = ({ world, params, body }) => {
  const group = demand(world.groups, params['networkSecurityGroupId']);
  const ids = Array.isArray(body['securityRuleIds']) ? (body['securityRuleIds'] as unknown[]) : [];
  const before = world.rules.get(group.id) ?? [];
  const unknown = ids.find((id) => !before.some((rule) => rule.id === id));
  if (unknown !== undefined) throw invalid(`no rule ${String(unknown)}`);
  world.rules.set(
    group.id,
    before.filter((rule) => !ids.includes(rule.id)),
  );
  return noContent();
};
