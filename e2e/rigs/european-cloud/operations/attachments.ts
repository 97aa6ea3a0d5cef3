import { accepted, badRequest, conflict, noContent, notFound, ok } from '../../cloud-kit/call.ts';
import type { Call, Operation } from '../call.ts';
import type { ServerRecord, VolumeRecord } from '../records.ts';
import { demandStatus, now } from '../world.ts';

const maximumAttachments = 27;

function parties(call: Call): { server: ServerRecord; volume: VolumeRecord } {
  const server = call.world.servers.demand(call.params['serverId']);
  return { server, volume: call.world.volumes.demand(call.params['volumeId']) };
}

function attachmentOf(call: Call): { server: ServerRecord; volumeId: string; deleteOnTermination: boolean } {
  const server = call.world.servers.demand(call.params['serverId']);
  const volumeId = call.params['volumeId'] ?? '';
  const deleteOnTermination = server.attachments.get(volumeId);
  if (deleteOnTermination === undefined) throw notFound('volume attachment');
  return { server, volumeId, deleteOnTermination };
}

export const listAttachments: Operation = ({ world, params }) => {
  const server = world.servers.demand(params['serverId']);
  return ok({
    items: [...server.attachments].map(([volumeId, deleteOnTermination]) => ({
      serverId: server.id,
      volumeId,
      deleteOnTermination,
    })),
  });
};

export const getAttachment: Operation = (call) => {
  const { server, volumeId, deleteOnTermination } = attachmentOf(call);
  return ok({ serverId: server.id, volumeId, deleteOnTermination });
};

export const updateAttachment: Operation = (call) => {
  const { server, volumeId } = attachmentOf(call);
  const deleteOnTermination = call.body['deleteOnTermination'] === true;
  server.attachments.set(volumeId, deleteOnTermination);
  return ok({ serverId: server.id, volumeId, deleteOnTermination });
};

export const attachVolume: Operation = (call) => {
  const { world } = call;
  const { server, volume } = parties(call);
  demandStatus('server', server.status, ['ACTIVE', 'INACTIVE']);
  if (volume.serverId !== undefined) throw conflict('volume is already attached');
  demandStatus('volume', volume.status, ['AVAILABLE']);
  if (volume.availabilityZone !== server.availabilityZone)
    throw badRequest('volume and server are in different availability zones');
  if (server.attachments.size >= maximumAttachments) throw conflict('server has the maximum number of volumes');
  const deleteOnTermination = call.body['deleteOnTermination'] === true;
  volume.status = 'ATTACHING';
  volume.serverId = server.id;
  world.transition({
    fault: call.fault,
    operation: world.openRequest(call.requestId, 'CREATE', 'VOLUME', [volume.id]),
    work: () =>
      world.ground.machines.attach(server.id, { volumeId: volume.id, path: world.ground.files.path(volume.id) }),
    succeed: () => {
      volume.status = 'ATTACHED';
      server.attachments.set(volume.id, deleteOnTermination);
      volume.updatedAt = now();
    },
    fail: () => {
      volume.status = 'AVAILABLE';
      delete volume.serverId;
    },
  });
  return accepted({ serverId: server.id, volumeId: volume.id, deleteOnTermination });
};

export const detachVolume: Operation = (call) => {
  const { world } = call;
  const { server, volume } = parties(call);
  if (!server.attachments.has(volume.id)) throw notFound('volume attachment');
  if (server.bootVolume.id === volume.id) throw conflict('the boot volume cannot be detached');
  demandStatus('volume', volume.status, ['ATTACHED']);
  volume.status = 'DETACHING';
  world.transition({
    fault: call.fault,
    operation: world.openRequest(call.requestId, 'DELETE', 'VOLUME', [volume.id]),
    work: () => world.ground.machines.detach(server.id, volume.id),
    succeed: () => {
      volume.status = 'AVAILABLE';
      server.attachments.delete(volume.id);
      delete volume.serverId;
      volume.updatedAt = now();
    },
    fail: () => {
      volume.status = 'ATTACHED';
    },
  });
  return noContent();
};
