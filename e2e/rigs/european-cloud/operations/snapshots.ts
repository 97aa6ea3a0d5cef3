import { badRequest, created, noContent, ok } from '../../cloud-kit/call.ts';
import { labelsField, mergedLabels, nameField, optionalString, selected, stringField } from '../call.ts';
import type { Operation } from '../call.ts';
import type { SnapshotRecord } from '../records.ts';
import { demandStatus, newId, now } from '../world.ts';

export const listSnapshots: Operation = (call) => ok({ items: selected(call, call.world.snapshots.listed()) });

export const getSnapshot: Operation = ({ world, params }) => ok(world.snapshots.demand(params['snapshotId']));

export const createSnapshot: Operation = (call) => {
  const { world } = call;
  const volume = world.volumes.demand(stringField(call, 'volumeId'));
  demandStatus('volume', volume.status, ['AVAILABLE', 'ATTACHED']);
  world.demandQuota({ snapshots: 1, gigabytes: volume.size }, 413);
  const id = newId();
  const description = optionalString(call, 'description');
  const snapshot: SnapshotRecord = {
    id,
    createdAt: now(),
    updatedAt: now(),
    name: nameField(call, id),
    labels: labelsField(call),
    volumeId: volume.id,
    availabilityZone: volume.availabilityZone,
    size: volume.size,
    status: 'CREATING',
    ...(description === undefined ? {} : { description }),
  };
  world.snapshots.set(id, snapshot);
  world.transition({
    fault: call.fault,
    operation: world.openRequest(call.requestId, 'CREATE', 'SNAPSHOT', [id]),
    work: () => world.ground.files.copy(volume.id, id),
    succeed: () => {
      snapshot.status = 'AVAILABLE';
    },
    fail: () => {
      snapshot.status = 'ERROR';
    },
  });
  return created({ ...snapshot });
};

export const updateSnapshot: Operation = (call) => {
  const snapshot = call.world.snapshots.demand(call.params['snapshotId']);
  if (call.body['name'] !== undefined) snapshot.name = nameField(call);
  snapshot.labels = mergedLabels(call, snapshot.labels);
  snapshot.updatedAt = now();
  return ok({ ...snapshot });
};

export const deleteSnapshot: Operation = (call) => {
  const { world } = call;
  const snapshot = world.snapshots.demand(call.params['snapshotId']);
  if (snapshot.status === 'CREATING') throw badRequest('snapshot is being created');
  snapshot.status = 'DELETING';
  world.transition({
    fault: call.fault,
    operation: world.openRequest(call.requestId, 'DELETE', 'SNAPSHOT', [snapshot.id]),
    work: () => world.ground.files.remove(snapshot.id),
    succeed: () => {
      world.snapshots.delete(snapshot.id);
    },
    fail: () => {
      snapshot.status = 'ERROR';
    },
  });
  return noContent();
};
