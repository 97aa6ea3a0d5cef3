import { badRequest, created, noContent, ok } from '../../cloud-kit/call.ts';
import { nameField, stringField } from '../call.ts';
import type { Operation } from '../call.ts';
import { newId } from '../world.ts';

const policies = ['hard-affinity', 'hard-anti-affinity', 'soft-affinity', 'soft-anti-affinity'];

export const listAffinityGroups: Operation = ({ world }) => ok({ items: world.affinityGroups.listed() });

export const getAffinityGroup: Operation = ({ world, params }) =>
  ok(world.affinityGroups.demand(params['affinityGroupId']));

export const createAffinityGroup: Operation = (call) => {
  const policy = stringField(call, 'policy');
  if (!policies.includes(policy)) throw badRequest('The affinity group policy is not supported');
  const group = { id: newId(), name: nameField(call), policy, members: [] };
  call.world.affinityGroups.set(group.id, group);
  return created(group);
};

export const deleteAffinityGroup: Operation = ({ world, params }) => {
  const group = world.affinityGroups.demand(params['affinityGroupId']);
  world.affinityGroups.delete(group.id);
  return noContent();
};
