import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../../shared/model/json.ts';
import { makeCertificate } from '../../../electron/engine/transport/certificates.ts';
import { ApiError, type Call, type KitRequest, type Operation } from '../cloud-kit/call.ts';
import { closing } from '../closing.ts';
import { jsonProtocol } from '../cloud-kit/json-protocol.ts';
import { startSimulation, type Simulation, type SimulationOptions } from '../cloud-kit/start.ts';
import { exporterOperations, exporterRoutes } from './exporter-operations.ts';
import { managerOperations, managerRoutes } from './manager-operations.ts';
import { account, World, type DiskRecord, type VmRecord } from './world.ts';

export interface SimulatedManager extends Simulation<World> {
  /** What an endpoint's form takes. */
  readonly connection: JsonObject;
  readonly exporterUrl: string;
}

const manager = '/ovm/core/wsapi/rest';
const exporter = '/api/v1';

/** Starts a manager of its own on loopback, with the exporter services of its servers behind the same address. */
export async function startManager(options: SimulationOptions = {}): Promise<SimulatedManager> {
  const { keyPem, certPem } = await makeCertificate('localhost');
  await using stack = new AsyncDisposableStack();
  const simulation = await startSimulation(
    'server-virtualization-manager',
    { ...options, tls: { key: keyPem, cert: certPem } },
    (ground) => new World(ground),
    (world) => ({
      protocol: jsonProtocol(
        { ...managerRoutes, ...exporterRoutes },
        {
          prefixes: { M: manager, X: exporter },
          errorBody: ({ code, message }) => ({ errorCode: code ?? 'OVMAPI_0', message }),
        },
      ),
      operations: {
        ...Object.fromEntries(
          Object.entries(managerOperations).map(([name, operation]) => [name, withSession(operation)]),
        ),
        ...exporterOperations,
      },
      authenticate: (request, operation) => authenticate(world, request, operation),
    }),
  );
  stack.adopt(simulation, closing);
  await stock(simulation.world);
  // From here on it goes when it is closed.
  stack.move();
  const { port } = new URL(simulation.url);
  return {
    ...simulation,
    connection: {
      host: 'localhost',
      port: Number(port),
      username: account.username,
      password: account.password,
      ca_certificate: certPem,
    },
    exporterUrl: `https://localhost:${port}${exporter}`,
  };
}

const expected = `Basic ${Buffer.from(`${account.username}:${account.password}`).toString('base64')}`;

function sessionOf({ headers }: Pick<KitRequest, 'headers'>): string | undefined {
  return /JSESSIONID=([^;]+)/.exec(headers.cookie ?? '')?.[1];
}

function authenticate(world: World, request: KitRequest, operation: string): void {
  if (operation === 'exporterLogin') return;
  if (request.url.pathname.startsWith(exporter)) {
    if (!world.hasExporter) throw new ApiError(503, 'no such service');
    if (!world.tokens.has((request.headers.authorization ?? '').replace(/^Bearer /, '')))
      throw new ApiError(401, 'the token is not valid');
    return;
  }
  if (world.sessions.has(sessionOf(request) ?? '') || request.headers.authorization === expected) return;
  throw new ApiError(401, 'the user name or the password is wrong');
}

/** Who came with the password gets a session. */
function withSession(operation: Operation<World>): Operation<World> {
  return async (call: Call<World>) => {
    const reply = await operation(call);
    if (call.headers.authorization === undefined) return reply;
    const session = randomUUID();
    call.world.sessions.add(session);
    call.world.signIns += 1;
    const cookies = [
      `JSESSIONID=${session}; path=/ovm; secure; HttpOnly`,
      'locale=en; expires=Wed, 09 Jun 2100 10:18:14 GMT; path=/',
    ];
    return { ...reply, headers: { ...reply.headers, 'set-cookie': cookies } };
  };
}

/** A pool of two servers, repositories, networks and a worker template with a disk. */
async function stock(world: World): Promise<void> {
  const pool = world.add(world.serverPools, 'ServerPool', 'pool-1', {});
  for (const name of ['server-1', 'server-2'])
    world.add(world.servers, 'Server', name, { hostname: `${name}.example.com`, serverPoolId: pool.id });
  const [main] = ['repo-1', 'repo-2'].map((name) => world.add(world.repositories, 'Repository', name, {}));
  for (const name of ['VM Network', 'vlan-20']) world.add(world.networks, 'Network', name, {});
  if (main === undefined) throw new Error('there is no repository');
  const template = world.add(world.vms, 'Vm', 'linux-worker', {
    vmRunState: 'TEMPLATE',
    vmDomainType: 'XEN_HVM_PV_DRIVERS',
    osType: 'Oracle Linux 8',
    memory: 2048,
    cpuCount: 2,
    vmDiskMappingIds: [],
    virtualNicIds: [],
    repositoryId: main.id,
    serverPoolId: pool.id,
    serverId: null,
  });
  world.map(template, await world.addDisk('linux-worker-system', 2 ** 20, main.id), 0);
  world.stocked();
}

/** A running VM with disks and a NIC, as if it had always been there. */
export async function stockVm(
  world: World,
  name: string,
  sizes: readonly number[],
): Promise<{ readonly vm: VmRecord; readonly disks: readonly DiskRecord[] }> {
  const [repository] = world.repositories.values();
  const [pool] = world.serverPools.values();
  const [server] = world.servers.values();
  const [network] = world.networks.values();
  if (repository === undefined || pool === undefined || server === undefined || network === undefined)
    throw new Error('the manager is empty');
  const nic = world.add(world.nics, 'VirtualNic', 'eth0', {
    macAddress: '00:21:F6:0F:D6:2C',
    networkId: network.id,
    ipAddresses: [{ address: '10.20.0.4' }],
  });
  const vm = world.add(world.vms, 'Vm', name, {
    vmRunState: 'RUNNING',
    vmDomainType: 'XEN_HVM_PV_DRIVERS',
    osType: 'Oracle Linux 7',
    memory: 1024,
    cpuCount: 2,
    vmDiskMappingIds: [],
    virtualNicIds: [nic.id],
    repositoryId: repository.id,
    serverPoolId: pool.id,
    serverId: server.id,
  });
  const disks: DiskRecord[] = [];
  for (const [index, size] of sizes.entries()) {
    const disk = await world.addDisk(`${name}-${index}`, size, repository.id);
    world.map(vm, disk, index);
    disks.push(disk);
  }
  world.stocked();
  return { vm, disks };
}
