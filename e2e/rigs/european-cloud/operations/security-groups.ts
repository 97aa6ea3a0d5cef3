import { badRequest, conflict, created, noContent, notFound, ok } from '../../cloud-kit/call.ts';
import { invalid, labelsField, nameField, objectField, optionalString, selected, stringField } from '../call.ts';
import type { Call, Operation } from '../call.ts';
import type { SecurityGroupRecord, SecurityGroupRuleRecord } from '../records.ts';
import { exposeServers } from '../reachability.ts';
import { newId, now } from '../world.ts';

const protocols: Readonly<Record<string, number>> = { icmp: 1, tcp: 6, udp: 17, 'ipv6-icmp': 58, sctp: 132 };

export const listSecurityGroups: Operation = (call) =>
  ok({ items: selected(call, call.world.securityGroups.listed()) });

const group = (call: Call): SecurityGroupRecord => call.world.securityGroups.demand(call.params['securityGroupId']);

const rule = (call: Call): SecurityGroupRuleRecord => {
  const found = group(call).rules.find(({ id }) => id === call.params['securityGroupRuleId']);
  if (found === undefined) throw notFound('security group rule');
  return found;
};

export const getSecurityGroup: Operation = (call) => ok(group(call));

export const createSecurityGroup: Operation = (call) => {
  call.world.demandQuota({ securityGroups: 1 });
  const description = optionalString(call, 'description');
  const id = newId();
  // A new group lets everything out, and nothing in.
  const egress = ['IPv4', 'IPv6'].map((ethertype): SecurityGroupRuleRecord => ({
    id: newId(),
    createdAt: now(),
    securityGroupId: id,
    direction: 'egress',
    ethertype,
  }));
  const made: SecurityGroupRecord = {
    id,
    createdAt: now(),
    name: nameField(call),
    labels: labelsField(call),
    stateful: call.body['stateful'] !== false,
    rules: egress,
    ...(description === undefined ? {} : { description }),
  };
  call.world.securityGroups.set(id, made);
  return created({ ...made });
};

export const deleteSecurityGroup: Operation = (call) => {
  const target = group(call);
  const used = [...call.world.nics.values()].some((nic) => nic.securityGroups.includes(target.id));
  if (used) throw conflict('security group is in use');
  call.world.securityGroups.delete(target.id);
  return noContent();
};

export const listRules: Operation = (call) => ok({ items: group(call).rules });
export const getRule: Operation = (call) => ok(rule(call));

export const createRule: Operation = async (call) => {
  const target = group(call);
  call.world.demandQuota({ securityGroupRules: 1 });
  const direction = stringField(call, 'direction');
  if (direction !== 'ingress' && direction !== 'egress') throw badRequest('direction is not valid');
  const ethertype = optionalString(call, 'ethertype') ?? 'IPv4';
  const ipRange = optionalString(call, 'ipRange');
  if (ipRange !== undefined && !/^[0-9a-fA-F.:]+\/\d{1,3}$/.test(ipRange)) throw invalid('ipRange', 'not a CIDR');
  const remote = optionalString(call, 'remoteSecurityGroupId');
  if (ipRange !== undefined && remote !== undefined)
    throw badRequest('ipRange and remoteSecurityGroupId exclude each other');
  if (remote !== undefined) call.world.securityGroups.demand(remote);
  const description = optionalString(call, 'description');
  const protocol = protocolField(call);
  const portRange = portRangeField(call);
  if (portRange !== undefined && protocol === undefined) throw badRequest('portRange needs a protocol');
  const made: SecurityGroupRuleRecord = {
    id: newId(),
    createdAt: now(),
    securityGroupId: target.id,
    direction,
    ethertype,
    ...(description === undefined ? {} : { description }),
    ...(ipRange === undefined ? {} : { ipRange }),
    ...(remote === undefined ? {} : { remoteSecurityGroupId: remote }),
    ...(portRange === undefined ? {} : { portRange }),
    ...(protocol === undefined ? {} : { protocol }),
  };
  const content = (one: SecurityGroupRuleRecord): string =>
    JSON.stringify({ ...one, id: '', createdAt: '', description: '' });
  if (target.rules.some((one) => content(one) === content(made)))
    throw badRequest('security group rule already exists');
  target.rules.push(made);
  await exposeServers(call.world);
  return created(made);
};

export const deleteRule: Operation = async (call) => {
  const target = rule(call);
  const owner = group(call);
  owner.rules = owner.rules.filter((one) => one.id !== target.id);
  await exposeServers(call.world);
  return noContent();
};

function protocolField(call: Call): SecurityGroupRuleRecord['protocol'] {
  if (call.body['protocol'] === undefined) return undefined;
  // A bare name or number when a rule is made, an object with both in answers.
  const given = call.body['protocol'];
  if (typeof given === 'number') {
    return {
      number: given,
      name: Object.entries(protocols).find(([, number]) => number === given)?.[0] ?? String(given),
    };
  }
  if (typeof given !== 'string') throw invalid('protocol', 'value must be a string or an integer');
  const number = protocols[given];
  if (number === undefined) throw badRequest('protocol is not valid');
  return { name: given, number };
}

function portRangeField(call: Call): SecurityGroupRuleRecord['portRange'] {
  if (call.body['portRange'] === undefined) return undefined;
  const { min, max } = objectField(call.body['portRange'], 'portRange');
  if (typeof min !== 'number' || typeof max !== 'number' || min > max)
    throw invalid('portRange', 'min and max are needed');
  return { min, max };
}
