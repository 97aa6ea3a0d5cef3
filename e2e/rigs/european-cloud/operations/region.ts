import { notFound, ok } from '../../cloud-kit/call.ts';
import type { Operation } from '../call.ts';
import type { AboutRequest } from '../records.ts';
import { parseFilter } from '../filter-expression.ts';
import { now } from '../world.ts';

/** What the region and the project offer: zones, machine types, performance classes, quotas; and requests. */
export const getProject: Operation = ({ world }) =>
  ok({
    id: world.setup.projectId,
    areaId: 'PUBLIC',
    internetAccess: true,
    status: 'CREATED',
    createdAt: now(),
    updatedAt: now(),
  });

export const listZones: Operation = ({ world }) => ok({ items: world.setup.zones });

export const listMachineTypes: Operation = ({ world, query }) => {
  const filter = query.get('filter');
  const matches = filter === null ? () => true : parseFilter(filter);
  return ok({
    items: world.setup.machineTypes.filter(({ name, vcpus, ram, disk, description }) =>
      matches({ name, vcpus, ram, disk, description }),
    ),
  });
};

export const getMachineType: Operation = ({ world, params }) => {
  const found = world.setup.machineTypes.find((one) => one.name === params['machineType']);
  if (found === undefined) throw notFound('machine type');
  return ok(found);
};

export const listPerformanceClasses: Operation = ({ world }) => ok({ items: world.setup.performanceClasses });

export const getPerformanceClass: Operation = ({ world, params }) => {
  const found = world.setup.performanceClasses.find((one) => one.name === params['volumePerformanceClass']);
  if (found === undefined) throw notFound('volume performance class');
  return ok(found);
};

export const listQuotas: Operation = ({ world }) => {
  const usage = world.usage();
  const entries = Object.entries(world.setup.quotas).map(([name, limit]) => [
    name,
    { limit, usage: usage[name as keyof typeof usage] },
  ]);
  return ok({ quotas: Object.fromEntries(entries) });
};

export const getRequest: Operation = ({ world, params }) => {
  const request = world.operations.get(params['requestId'] ?? '');
  if (request === undefined) throw notFound('request');
  const { action, type, resourceIds } = request.about as AboutRequest;
  const status = {
    running: { CREATE: 'CREATING', UPDATE: 'UPDATING', DELETE: 'DELETING' }[action],
    succeeded: { CREATE: 'CREATED', UPDATE: 'UPDATED', DELETE: 'DELETED' }[action],
    failed: 'FAILED',
  }[request.state];
  return ok({
    requestId: request.id,
    requestAction: action,
    requestType: type,
    status,
    resources: resourceIds.map((id) => ({ type, id, status })),
    ...(request.reason === undefined ? {} : { details: request.reason }),
  });
};
