import { ApiError, badRequest } from '../api-error.ts';
import { created, labelsField, mergedLabels, nameField, noContent, ok, optionalString, stringField } from '../call.ts';
import type { Operation } from '../call.ts';
import { parseLabelSelector } from '../label-selector.ts';
import { demandQuota } from '../quota.ts';
import type { SnapshotRecord } from '../records.ts';
import { demandStatus, get, newId, now } from '../world.ts';

export const listSnapshots: Operation = ({ world, query }) => {
  const matches = parseLabelSelector(query.get('label_selector') ?? '');
  return ok({ items: [...world.snapshots.values()].filter((snapshot) => matches(snapshot.labels)) });
};

export const getSnapshot: Operation = ({ world, params }) => ok(get(world.snapshots, params['snapshotId'], 'snapshot'));

export const createSnapshot: Operation = (call) => {
  const { world } = call;
  const volume = get(world.volumes, stringField(call, 'volumeId'), 'volume');
  demandStatus('volume', volume.status, ['AVAILABLE', 'ATTACHED']);
  demandQuota(world, { snapshots: 1, gigabytes: volume.size }, (message) => new ApiError(413, message));
  const id = newId();
  const description = optionalString(call, 'description');
  const snapshot: SnapshotRecord = {
    id, createdAt: now(), updatedAt: now(), name: nameField(call, id), labels: labelsField(call), volumeId: volume.id,
    availabilityZone: volume.availabilityZone, size: volume.size, status: 'CREATING',
    ...(description === undefined ? {} : { description }),
  };
  world.snapshots.set(id, snapshot);
  world.transition({
    fault: call.fault,
    request: world.openRequest(call.requestId, 'CREATE', 'SNAPSHOT', [id]),
    work: () => world.setup.files.copy(volume.id, id),
    succeed: () => { snapshot.status = 'AVAILABLE'; },
    fail: () => { snapshot.status = 'ERROR'; },
  });
  return created({ ...snapshot });
};

export const updateSnapshot: Operation = (call) => {
  const snapshot = get(call.world.snapshots, call.params['snapshotId'], 'snapshot');
  if (call.body['name'] !== undefined) snapshot.name = nameField(call);
  snapshot.labels = mergedLabels(call, snapshot.labels);
  snapshot.updatedAt = now();
  return ok({ ...snapshot });
};

export const deleteSnapshot: Operation = (call) => {
  const { world } = call;
  const snapshot = get(world.snapshots, call.params['snapshotId'], 'snapshot');
  if (snapshot.status === 'CREATING') throw badRequest('snapshot is being created');
  snapshot.status = 'DELETING';
  world.transition({
    fault: call.fault,
    request: world.openRequest(call.requestId, 'DELETE', 'SNAPSHOT', [snapshot.id]),
    work: () => world.setup.files.remove(snapshot.id),
    succeed: () => { world.snapshots.delete(snapshot.id); },
    fail: () => { snapshot.status = 'ERROR'; },
  });
  return noContent();
};
