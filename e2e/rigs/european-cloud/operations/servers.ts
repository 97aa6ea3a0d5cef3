import { accepted, badRequest, conflict, noContent, ok } from '../../cloud-kit/call.ts';
import { mergedLabels, objectField, selected, stringField } from '../call.ts';
import type { Call, Operation } from '../call.ts';
import { exposeServers, exposeServersLater } from '../reachability.ts';
import type { NicRecord, ServerRecord } from '../records.ts';
import { demandStatus, now } from '../world.ts';
import type { World } from '../world.ts';
import { showNic } from './networks.ts';

export const nicsOf = (world: World, server: ServerRecord): NicRecord[] =>
  [...world.nics.values()].filter((nic) => nic.device === server.id);

function showServer(world: World, server: ServerRecord, details: boolean): Record<string, unknown> {
  const { attachments, userData: _, ...shown } = server;
  if (!details) return shown;
  const nics = nicsOf(world, server).map((nic) => {
    const publicIp = [...world.publicIps.values()].find((one) => one.networkInterface === nic.id)?.ip;
    return {
      nicId: nic.id,
      networkId: nic.networkId,
      networkName: world.networks.get(nic.networkId)?.name ?? '',
      mac: nic.mac,
      ipv4: nic.ipv4,
      nicSecurity: nic.nicSecurity,
      allowedAddresses: nic.allowedAddresses,
      securityGroups: nic.securityGroups,
      ...(publicIp === undefined ? {} : { publicIp }),
    };
  });
  const volumes = [...attachments.keys()].filter((id) => id !== server.bootVolume.id);
  return { ...shown, nics, volumes };
}

const serverOf = (call: Call): ServerRecord => call.world.servers.demand(call.params['serverId']);

export const listServers: Operation = (call) => {
  const details = call.query.get('details') === 'true';
  return ok({
    items: selected(call, call.world.servers.listed()).map((server) => showServer(call.world, server, details)),
  });
};

export const getServer: Operation = (call) =>
  ok(showServer(call.world, serverOf(call), call.query.get('details') === 'true'));

export const updateServer: Operation = (call) => {
  const server = serverOf(call);
  if (call.body['name'] !== undefined) server.name = stringField(call, 'name');
  if (call.body['metadata'] !== undefined) {
    Object.assign(server, { metadata: { ...server.metadata, ...objectField(call.body['metadata'], 'metadata') } });
  }
  server.labels = mergedLabels(call, server.labels);
  server.updatedAt = now();
  return ok(showServer(call.world, server, false));
};

export const deleteServer: Operation = (call) => {
  const { world } = call;
  const server = serverOf(call);
  // Asking again while it is being deleted is no error.
  server.status = 'DELETING';
  world.transition({
    fault: call.fault,
    operation: world.openRequest(call.requestId, 'DELETE', 'SERVER', [server.id]),
    work: () => world.ground.machines.stop(server.id),
    succeed: () => {
      world.servers.delete(server.id);
      for (const nic of world.nics.values()) if (nic.device === server.id) releaseNic(world, nic);
      for (const volume of world.volumes.values()) {
        if (volume.serverId !== server.id) continue;
        delete volume.serverId;
        volume.status = 'AVAILABLE';
        if (server.attachments.get(volume.id) === true) {
          world.volumes.delete(volume.id);
          void world.ground.files.remove(volume.id);
        }
      }
      for (const group of world.affinityGroups.values()) {
        const index = group.members.indexOf(server.id);
        if (index >= 0) group.members.splice(index, 1);
      }
      exposeServersLater(world);
    },
    fail: (reason) => Object.assign(server, { status: 'ERROR', errorMessage: reason }),
  });
  return noContent();
};

function releaseNic(world: World, nic: NicRecord): void {
  if (nic.ownedByServer) {
    world.nics.delete(nic.id);
    for (const publicIp of world.publicIps.values())
      if (publicIp.networkInterface === nic.id) delete publicIp.networkInterface;
    return;
  }
  delete nic.device;
  nic.status = 'DOWN';
}

/** start, stop, deallocate and reboot: a way through an intermediate status. */
function powerOperation(
  from: readonly string[],
  through: string,
  to: string,
  act: (world: World, id: string) => Promise<void>,
): Operation {
  return (call) => {
    const { world } = call;
    const server = serverOf(call);
    demandStatus('server', server.status, from);
    server.status = through;
    world.transition({
      fault: call.fault,
      operation: world.openRequest(call.requestId, 'UPDATE', 'SERVER', [server.id]),
      work: () => act(world, server.id),
      succeed: () => {
        Object.assign(server, { status: to, powerStatus: to === 'ACTIVE' ? 'RUNNING' : 'STOPPED', updatedAt: now() });
        exposeServersLater(world);
      },
      fail: (reason) => Object.assign(server, { status: 'ERROR', errorMessage: reason }),
    });
    return accepted();
  };
}

export const stopServer = powerOperation(['ACTIVE', 'ERROR'], 'STOPPING', 'INACTIVE', (world, id) =>
  world.ground.machines.stop(id),
);
export const deallocateServer = powerOperation(['ACTIVE', 'INACTIVE'], 'DEALLOCATING', 'DEALLOCATED', (world, id) =>
  world.ground.machines.stop(id),
);
export const rebootServer = powerOperation(['ACTIVE'], 'REBOOTING', 'ACTIVE', (world, id) =>
  world.ground.machines.reboot(id),
);

export const getConsole: Operation = (call) => ok({ url: `https://console.invalid/${serverOf(call).id}` });

export const getLog: Operation = async (call) => {
  const output = await call.world.ground.machines.log(serverOf(call).id);
  const lines = Number(call.query.get('length') ?? '2000');
  return ok({ output: output.split('\n').slice(-lines).join('\n') });
};

export const listServerNics: Operation = (call) => ok({ items: nicsOf(call.world, serverOf(call)).map(showNic) });

export const addNic: Operation = (call) => {
  const { world } = call;
  const server = serverOf(call);
  const nic = world.nics.demand(call.params['nicId']);
  if (nic.device !== undefined) throw conflict('network interface is in use by a server');
  demandStatus('server', server.status, ['ACTIVE', 'INACTIVE', 'DEALLOCATED']);
  nic.device = server.id;
  world.transition({
    fault: call.fault,
    operation: world.openRequest(call.requestId, 'CREATE', 'NIC', [nic.id]),
    work: () => exposeServers(world),
    succeed: () => {
      nic.status = 'ACTIVE';
    },
    fail: () => {
      delete nic.device;
    },
  });
  return accepted();
};

export const removeNic: Operation = (call) => {
  const { world } = call;
  const server = serverOf(call);
  const nic = world.nics.demand(call.params['nicId']);
  if (nic.device !== server.id) throw badRequest('network interface does not belong to the server');
  world.transition({
    fault: call.fault,
    operation: world.openRequest(call.requestId, 'DELETE', 'NIC', [nic.id]),
    succeed: () => {
      releaseNic(world, nic);
      exposeServersLater(world);
    },
    fail: () => {},
  });
  return noContent();
};
