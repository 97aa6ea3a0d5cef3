// needs: openssl
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { VsphereConnection } from '../../../electron/engine/platforms/virtualization-platform/source/index.ts';
import { readInventory } from '../../../electron/engine/platforms/virtualization-platform/client/properties.ts';
import { value } from '../../../electron/engine/platforms/virtualization-platform/client/request.ts';
import { awaitTask } from '../../../electron/engine/platforms/virtualization-platform/client/tasks.ts';
import { closing, temporaryFolder } from '../closing.ts';
import { passOn, soapProtocol } from '../cloud-kit/soap-protocol.ts';
import { startSimulation, type Simulation, type SimulationOptions } from '../cloud-kit/start.ts';
import { run } from '../machines/child-process.ts';
import { datastoreAnswer } from './file-answers.ts';
import { administrator, demandSession, rigOperations } from './operations.ts';
import { problemsOf } from './soap-check.ts';
import { labUser, startVcsim, type VcsimOptions } from './vcsim.ts';
import { VsphereWorld, type RigVm } from './world.ts';

export type VsphereRigOptions = VcsimOptions & Pick<SimulationOptions, 'onCall'>;

export interface VsphereRig extends Simulation<VsphereWorld> {
  /** What an endpoint's form takes. */
  readonly connection: VsphereConnection;
  /** By id, with their names. */
  readonly hosts: ReadonlyMap<string, string>;
  /** VMs in the order of their names. */
  readonly vms: readonly RigVm[];
  /** Takes a snapshot as somebody else would; its id. */
  takeSnapshot(vm: RigVm, name: string, description?: string): Promise<string>;
  /** Removes a snapshot as somebody else would. */
  removeSnapshot(vm: RigVm, snapshotId: string): Promise<void>;
  /** Tags VMs, as somebody does in the platform's own client. */
  tag(vms: readonly RigVm[], category: string, name: string): Promise<void>;
  /** Sessions of the service for tags that were begun and not ended. */
  readonly openTagSessions: () => number;
}

/** The management server (or a single host) in front of the simulator: what that lacks is answered here, over TLS. */
export async function startVsphere(options: VsphereRigOptions = {}): Promise<VsphereRig> {
  await using stack = new AsyncDisposableStack();
  const folder = await temporaryFolder(stack, 'causeway-vsphere-');
  const vcsim = stack.adopt(await startVcsim(options), closing);
  const admin = stack.adopt(administrator(vcsim), closing);
  const signal = new AbortController().signal;
  const found = await readInventory(admin, { VirtualMachine: ['name', 'runtime.host'], HostSystem: ['name'] }, signal);
  const tls = await certificate(folder);
  const others = passOn(vcsim.url);
  let tagSessions = 0;
  const cloud = await startSimulation(
    'vsphere',
    { ...(options.onCall === undefined ? {} : { onCall: options.onCall }), folder, tls },
    (ground) => {
      const world = new VsphereWorld(ground, options.singleHost ?? false);
      for (const { object, properties } of found.filter(({ object: { type } }) => type === 'VirtualMachine')) {
        world.vms.set(object.id, {
          id: object.id,
          name: properties.get('name')?.text ?? object.id,
          hostId: properties.get('runtime.host')?.text ?? '',
          disks: [],
          snapshots: new Map(),
          isRunning: true,
          isTracked: false,
          canTrack: true,
          hasTools: true,
          failsToQuiesce: false,
          needsConsolidation: false,
          failsToConsolidate: false,
          bootTime: '2026-01-01T00:00:00Z',
          tasks: [],
        });
      }
      return world;
    },
    (world) => ({
      protocol: soapProtocol('urn:vim25'),
      operations: rigOperations(world, vcsim, admin),
      authenticate: ({ headers, raw }, operation) => {
        if (operation === 'unknown') return;
        if (headers['user-agent'] === 'causeway') world.problems.push(...problemsOf(raw.toString()));
        demandSession(world, headers.cookie, operation);
      },
      fallback: async (request) => {
        const isTagSession = request.url.pathname.endsWith('/com/vmware/cis/session');
        if (isTagSession) tagSessions += request.method === 'DELETE' ? -1 : 1;
        return (
          (await datastoreAnswer(world, request)) ??
          others({ ...request, headers: { ...request.headers, 'accept-encoding': 'identity' } })
        );
      },
    }),
  );
  stack.defer(() => cloud.world.closeDisks());
  stack.adopt(cloud, closing);
  const { hostname, port } = new URL(cloud.url);
  const opened = stack.move();
  return {
    ...cloud,
    connection: { host: hostname, port: Number(port), ...labUser, ca_certificate: tls.cert },
    hosts: new Map(
      found
        .filter(({ object }) => object.type === 'HostSystem')
        .map(({ object, properties }) => [object.id, properties.get('name')?.text ?? object.id]),
    ),
    vms: [...cloud.world.vms.values()].toSorted((one, other) => one.name.localeCompare(other.name)),
    takeSnapshot: async (vm, name, description = '') => {
      const parts = [
        value('name', name),
        value('description', description),
        value('memory', false),
        value('quiesce', false),
      ];
      const task = await admin.callForObject(
        'CreateSnapshot_Task',
        { type: 'VirtualMachine', id: vm.id },
        parts,
        signal,
      );
      cloud.world.beginTask(vm, task.id, 'VirtualMachine.createSnapshot');
      const { result } = await awaitTask(admin, task, 'take a snapshot', signal);
      if (result === undefined) throw new Error('the simulator made no snapshot');
      await cloud.world.freeze(vm, result.id);
      return result.id;
    },
    removeSnapshot: async (vm, snapshotId) => {
      const task = await admin.callForObject(
        'RemoveSnapshot_Task',
        { type: 'VirtualMachineSnapshot', id: snapshotId },
        [value('removeChildren', false)],
        signal,
      );
      cloud.world.beginTask(vm, task.id, 'vm.Snapshot.remove');
      await awaitTask(admin, task, 'remove a snapshot', signal);
      await cloud.world.thaw(vm, snapshotId);
    },
    openTagSessions: () => tagSessions,
    tag: async (vms, category, name) => {
      const basic = `Basic ${Buffer.from(`${labUser.username}:${labUser.password}`).toString('base64')}`;
      const send = async (path: string, headers: Record<string, string>, body?: unknown): Promise<string> => {
        const answer = await fetch(new URL(`/rest/com/vmware/cis/${path}`, vcsim.url), {
          method: 'POST',
          headers,
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        if (!answer.ok) throw new Error(`${path}: HTTP ${answer.status}`);
        const said = await answer.text();
        return said === '' ? '' : ((JSON.parse(said) as { value?: string }).value ?? '');
      };
      const own = { 'vmware-api-session-id': await send('session', { authorization: basic }) };
      const categoryId = await send('tagging/category', own, {
        create_spec: { name: category, cardinality: 'MULTIPLE', associable_types: [], description: '' },
      });
      const tagId = await send('tagging/tag', own, { create_spec: { name, category_id: categoryId, description: '' } });
      for (const { id } of vms)
        await send(`tagging/tag-association/id:${tagId}?~action=attach`, own, {
          object_id: { id, type: 'VirtualMachine' },
        });
    },
    close: () => opened.disposeAsync(),
  };
}

async function certificate(folder: string): Promise<{ readonly key: string; readonly cert: string }> {
  const at = (name: string): string => join(folder, name);
  await run('openssl', [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-days',
    '2',
    '-subj',
    '/CN=localhost',
    '-addext',
    'subjectAltName=DNS:localhost,IP:127.0.0.1',
    '-addext',
    'basicConstraints=critical,CA:FALSE',
    '-keyout',
    at('server.key'),
    '-out',
    at('server.pem'),
  ]);
  const [key = '', cert = ''] = await Promise.all(
    ['server.key', 'server.pem'].map((name) => readFile(at(name), 'utf8')),
  );
  return { key, cert };
}
