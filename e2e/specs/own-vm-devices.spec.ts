// needs: native workers
// A mover that is a VM of a destination whose devices have no serials: whole executions write to the volumes that are attached to it, and never to a disk of
// the user's, although that appears with the number and the size of a volume that went to another VM.
import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, open, readFile, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAzureDestination } from '../../electron/engine/platforms/resource-group-cloud/destination/azure-destination.ts';
import type { DestinationRun } from '../../electron/engine/ports/destination-platform.ts';
import { ensureStateFolder } from '../../electron/engine/store/database.ts';
import { ledgerScope } from '../../electron/engine/store/ledger.ts';
import { openStore } from '../../electron/engine/store/store.ts';
import { defaultAgentPath } from '../../electron/engine/transport/agent-launch.ts';
import { keyFileWrapper, makeKeyFile } from '../../electron/secrets/key-file-wrapper.ts';
import { createVault } from '../../electron/secrets/vault.ts';
import type { CoreClient } from '../../shared/contract/core-client.ts';
import type { ExecutionDetail } from '../../shared/model/execution.ts';
import type { JsonObject } from '../../shared/model/json.ts';
import { resourceGroupCloudConnection } from '../conformance/resource-group-cloud-calls.ts';
import { closeAll } from '../rigs/closing.ts';
import { hurriedClock } from '../rigs/hurried-clock.ts';
import { labMachines, usualWorkerKind } from '../rigs/machines/kinds.ts';
import type { LabMachines } from '../rigs/machines/lab-machines.ts';
import { resolveAddress } from '../rigs/machines/reachable-port.ts';
import { withLabProject, type LabProject } from '../rigs/project/lab-options.ts';
import { stockVm } from '../rigs/resource-group-cloud/source-lab.ts';
import { startResourceGroupCloud, type ResourceGroupCloud } from '../rigs/resource-group-cloud/start.ts';

const [MiB, GiB] = [1024 * 1024, 1024 ** 3];
const agentPath = '/opt/causeway_agent.py';

describe('an engine on a VM whose devices have no serials', () => {
  let machines: LabMachines;
  let root: string;
  let cloud: ResourceGroupCloud;
  let project: LabProject;
  let files: readonly string[];
  let moverId: string;
  let destinationEnvironment: JsonObject;
  const serverOf = (vmId: string): string => cloud.world.virtualMachines.get(vmId.toLowerCase())?.properties.vmId ?? '';
  const dataDisks = (vmId: string) =>
    cloud.world.virtualMachines.get(vmId.toLowerCase())?.properties.storageProfile.dataDisks ?? [];

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'causeway-own-vm-azure-'));
    await mkdir(join(root, 'images', 'web'), { recursive: true });
    await mkdir(join(root, 'project'));
    files = ['a.raw', 'b.raw'].map((name) => join(root, 'images', 'web', name));
    for (const path of files) {
      await using file = await open(path, 'w');
      await file.write(randomBytes(2 * MiB), 0, 2 * MiB, 5 * MiB);
      await truncate(path, 16 * MiB);
    }
    cloud = await startResourceGroupCloud({
      folder: join(root, 'cloud'),
      transitionMs: 3,
      machines: async (folder) => (machines = await labMachines({ worker: usualWorkerKind })(folder)),
    });
    const connection = resourceGroupCloudConnection(cloud, {
      caller_address: '127.0.0.0/8',
      use_public_ip: true,
    }) as JsonObject;
    destinationEnvironment = {
      location: 'westeurope',
      resource_group: 'migration',
      network_map: { default: 'production/default' },
      storage_map: { default: 'Premium_LRS' },
      vm_size: 'Standard_D2s_v5',
      worker_size: 'Standard_D2s_v5',
      linux_migr_image: { publisher: 'Canonical', offer: 'ubuntu-24_04-lts', sku: 'server', version: 'latest' },
    };
    moverId = await startMachine(connection);
    const within = machines.within(serverOf(moverId));
    await copyFile(defaultAgentPath(), `/proc/${within[within.indexOf('--target') + 1]}/root${agentPath}`);
    project = {
      folder: join(root, 'project'),
      keyFile: join(root, 'key'),
      cloudFolder: join(root, 'cloud'),
      agentHere: { within: [...within], agentPath },
      patience: { workerMs: 10_000 },
    };
    makeKeyFile(project.keyFile);
    await createVault(join(ensureStateFolder(project.folder), 'vault.json'), keyFileWrapper(project.keyFile));
    await use(async (core) => {
      await core.call('endpoint.add', {
        name: 'images',
        plugin: 'disk-images',
        connection: { path: join(root, 'images'), os_type: 'linux' },
      });
      await core.call('endpoint.add', { name: 'cloud', plugin: 'resource-group-cloud', connection });
      await core.call('replica.create', {
        name: 'web',
        source: 'images',
        destination: 'cloud',
        vm: 'web',
        destinationEnvironment,
      });
    });
  });
  afterAll(() =>
    closeAll(
      () => cloud?.close(),
      () => rm(root, { recursive: true, force: true }),
    ),
  );

  /** A machine of the lab, which stands for the mover: the project knows nothing of how it was made. */
  async function startMachine(connection: JsonObject): Promise<string> {
    const folder = join(root, 'other-project');
    await mkdir(folder);
    const clock = hurriedClock(20);
    const store = openStore(folder, undefined, clock);
    const platform = createAzureDestination(connection, {
      clock,
      resolveAddress,
      timing: { pollFirstMs: 10, pollCapMs: 50, requestMs: 10_000 },
    });
    const run: DestinationRun = {
      replicaId: 'mover',
      executionId: 'mover',
      vm: { id: 'mover', name: 'mover', os_type: 'linux', disks: [], nics: [] },
      environment: destinationEnvironment,
      note: () => undefined,
      ledger: ledgerScope(store.ledger, { endpointId: 'elsewhere', replicaId: 'mover', executionId: 'mover' }),
    };
    const { workerId } = await platform.startWorker(run, 'disk-copy', AbortSignal.timeout(170_000));
    await platform.close();
    store.close();
    return workerId;
  }

  const use = <T>(work: (core: CoreClient) => Promise<T>): Promise<T> => withLabProject(project, work);

  async function execute(): Promise<ExecutionDetail> {
    const { id } = await use((core) => core.call('replica.execute', { replica: 'web' }));
    return use((core) => core.call('execution.show', { execution: id }));
  }

  const attachments = (): number =>
    cloud.calls.filter(({ operation }) => operation === 'VirtualMachines_AttachDetachDataDisks').length;

  it('sees a volume come and go once, and writes to the volumes alone', async () => {
    await use((core) => core.call('workers.setOwnVm', { endpoint: 'cloud', vm: moverId }));
    const vms = cloud.world.virtualMachines.size;
    const counts: number[] = [];
    for (const _attempt of ['first', 'next']) {
      const before = attachments();
      const execution = await execute();
      expect(execution, execution.error?.message).toMatchObject({ state: 'completed', leftBehind: 0 });
      counts.push(attachments() - before);
    }
    // Two volumes are attached and detached, and the first time one of them once more.
    expect(counts).toEqual([6, 4]);
    const { disks } = await use((core) => core.call('replica.show', { replica: 'web' }));
    for (const path of files) {
      const wanted = await readFile(path);
      await using volume = await open(
        cloud.volumePath(disks.find(({ diskId }) => diskId.includes(path.split('/').at(-1) ?? ''))?.volumeId ?? ''),
      );
      const { buffer } = await volume.read(Buffer.alloc(wanted.length), 0, wanted.length, 0);
      expect(buffer.equals(wanted), path).toBe(true);
    }
    expect([cloud.world.virtualMachines.size, dataDisks(moverId)]).toEqual([vms, []]);
  });

  it("neither reads nor writes a disk of the user's that has the number and the size of a volume at another VM", async () => {
    const { id: otherId } = await stockVm(cloud, { name: 'other', disks: [{ name: 'other-root', sizeBytes: MiB }] });
    await use((core) => core.call('workers.setOwnVm', { endpoint: 'cloud', vm: otherId }));
    const path = join(root, 'of-the-user');
    await using file = await open(path, 'w+');
    const content = randomBytes(2 * MiB);
    await file.write(content, 0, content.length, 5 * MiB);
    await file.truncate(GiB);
    let isAttached = false;
    const watch = setInterval(() => {
      const [disk] = dataDisks(otherId);
      if (isAttached || disk === undefined) return;
      isAttached = true;
      void machines.attach(serverOf(moverId), {
        volumeId: 'of-the-user',
        path,
        device: { lun: disk.lun, links: [`disk/azure/scsi1/lun${disk.lun}`] },
      });
    }, 5);
    try {
      const execution = await execute();
      expect(isAttached).toBe(true);
      expect(execution).toMatchObject({
        state: 'failed',
        leftBehind: 0,
        error: {
          code: 'engine.own-vm-mismatch',
          message: expect.stringContaining('and stayed when it was detached') as string,
        },
      });
    } finally {
      clearInterval(watch);
    }
    const { buffer } = await file.read(Buffer.alloc(16 * MiB), 0, 16 * MiB, 0);
    expect(buffer.equals(Buffer.concat([Buffer.alloc(5 * MiB), content, Buffer.alloc(9 * MiB)]))).toBe(true);
    expect([dataDisks(otherId), cloud.violations]).toEqual([[], []]);
  });
});
