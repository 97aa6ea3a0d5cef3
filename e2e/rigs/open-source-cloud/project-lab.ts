import { execFile } from 'node:child_process';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { CoreOptions } from '../../../electron/engine/core/core.ts';
import { openProject } from '../../../electron/engine/core/open-project.ts';
import { ensureStateFolder } from '../../../electron/engine/store/database.ts';
import { keyFileWrapper, makeKeyFile } from '../../../electron/secrets/key-file-wrapper.ts';
import { createVault, openVault } from '../../../electron/secrets/vault.ts';
import type { CoreClient } from '../../../shared/contract/core-client.ts';
import type { DeploymentDetail, DeploymentOptions } from '../../../shared/model/deployment.ts';
import type { ExecutionDetail } from '../../../shared/model/execution.ts';
import type { JsonObject } from '../../../shared/model/json.ts';
import { closing, temporaryFolder } from '../closing.ts';
import { run } from '../machines/child-process.ts';
import type { RigApi } from './admin-api.ts';
import { privateNetwork, workingEnvironment } from './destination-environment.ts';
import { inventoryOf } from './inventory.ts';
import { startOpenSourceCloud, type OpenSourceCloud } from './start.ts';

/** A project with a folder of disk images as source and a project of the open-source cloud as destination. */
export interface OpenSourceLab {
  readonly cloud: OpenSourceCloud;
  /** The destination's project as its user sees it. */
  readonly api: RigApi;
  readonly images: string;
  readonly folder: string;
  /** A destination environment in which everything works; to be changed by a test. */
  readonly environment: JsonObject;
  /** The project's private network. */
  readonly network: string;
  use<T>(work: (core: CoreClient) => Promise<T>): Promise<T>;
  /** @param source default: the folder of disk images */
  createReplica(
    name: string,
    vm: string,
    more?: JsonObject,
    source?: { readonly endpoint: string; readonly environment?: JsonObject },
  ): Promise<void>;
  execute(replica: string): Promise<ExecutionDetail>;
  /** Bytes that crossed the link in an execution. */
  bytesSent(execution: Pick<ExecutionDetail, 'id'>): Promise<number>;
  deploy(replica: string, options?: DeploymentOptions): Promise<DeploymentDetail>;
  /** Undefined when every disk of the replica is, byte for byte, at the beginning of its volume; else where it is not. */
  difference(replica: string, files: Readonly<Record<string, string>>): Promise<string | undefined>;
  /** What is there of the lab's replicas, or of nobody, and was not when the lab began, as `<kind> <id> <name>`. */
  leftovers(): Promise<string[]>;
  close(): Promise<void>;
}

const never = new AbortController().signal;

export async function startOpenSourceLab(core: Partial<CoreOptions> = {}): Promise<OpenSourceLab> {
  await using stack = new AsyncDisposableStack();
  const cloud = stack.adopt(await startOpenSourceCloud(), closing);
  const api = await cloud.api('target');
  const folder = await temporaryFolder(stack, 'causeway-open-source-');
  const images = join(folder, 'images');
  const projectFolder = join(folder, 'project');
  const keyFile = join(folder, 'key');
  for (const made of [images, projectFolder]) await mkdir(made);
  makeKeyFile(keyFile);
  await createVault(join(ensureStateFolder(projectFolder), 'vault.json'), keyFileWrapper(keyFile));
  const use = async <T>(work: (core: CoreClient) => Promise<T>): Promise<T> => {
    const vault = openVault(join(projectFolder, '.causeway/vault.json'), async () => keyFileWrapper(keyFile));
    const { client } = await openProject({ projectFolder, vault, ...core }, never);
    try {
      return await work(client);
    } finally {
      await client.close();
    }
  };
  await use(async (client) => {
    await client.call('endpoint.add', {
      name: 'images',
      plugin: 'disk-images',
      connection: { path: images, os_type: 'linux' },
    });
    await client.call('endpoint.add', {
      name: 'cloud',
      plugin: 'open-source-cloud',
      connection: cloud.connection('target') as JsonObject,
    });
  });
  const environment: JsonObject = { ...workingEnvironment(api, 'default'), security_groups: ['open'] };
  /** Ids of this lab's replicas; others may use the cloud's project at the same time. */
  const own: string[] = [];
  const before = new Set(await inventoryOf(api));
  const opened = stack.move();
  return {
    cloud,
    api,
    images,
    folder,
    environment,
    use,
    network: privateNetwork(api),
    async createReplica(name, vm, more = {}, source = { endpoint: 'images' }) {
      const { id } = await use((client) =>
        client.call('replica.create', {
          name,
          source: source.endpoint,
          destination: 'cloud',
          vm,
          sourceEnvironment: source.environment ?? {},
          destinationEnvironment: { ...environment, ...more },
        }),
      );
      own.push(id);
    },
    async bytesSent({ id }) {
      const events = await use((client) => client.call('execution.events', { execution: id }));
      return events
        .filter((event) => event.type === 'disk.done')
        .reduce((sum, { details }) => sum + Number(details['bytesSent']), 0);
    },
    async execute(replica) {
      const { id } = await use((client) => client.call('replica.execute', { replica }));
      return use((client) => client.call('execution.show', { execution: id }));
    },
    async deploy(replica, options = {}) {
      const { id } = await use((client) => client.call('deployment.create', { replica, options }));
      return use((client) => client.call('deployment.show', { deployment: id }));
    },
    async difference(replica, files) {
      const { disks } = await use((client) => client.call('replica.show', { replica }));
      for (const [diskId, file] of Object.entries(files)) {
        const volumeId = disks.find((disk) => disk.diskId === diskId)?.volumeId;
        if (volumeId === undefined) return `disk ${diskId} has no volume`;
        const copy = join(folder, 'volume.raw');
        await exportVolume(cloud, api, volumeId, copy);
        const { size } = await stat(file);
        const said = await compare(file, copy, size);
        await rm(copy);
        if (said !== undefined) return `disk ${diskId}: ${said}`;
      }
      return undefined;
    },
    async leftovers() {
      return (await inventoryOf(api, new RegExp(`^(${own.join('|')})$`))).filter((line) => !before.has(line));
    },
    async close() {
      await using _rest = opened;
      await use(async (client) => {
        for (const { id } of await client.call('replica.list', {}))
          await client.call('replica.delete', { replica: id });
      }).catch((error: unknown) => console.error('the lab leaves something in the cloud:', error));
    },
  };
}

/** Reads a volume straight from the storage, behind the cloud's back. */
async function exportVolume(cloud: OpenSourceCloud, api: RigApi, volumeId: string, target: string): Promise<void> {
  const { volume } = await api.call<{ volume: { volume_type: string } }>(
    'block-storage',
    'GET',
    `/volumes/${volumeId}`,
  );
  const pool = volume.volume_type === 'archive' ? 'archive' : 'volumes';
  await rm(target, { force: true });
  await run('rbd', ['-c', cloud.cephConfiguration, '--no-progress', 'export', `${pool}/volume-${volumeId}`, target]);
}

function compare(file: string, other: string, size: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile('cmp', ['-n', String(size), file, other], { env: { LC_ALL: 'C' } }, (error, stdout, stderr) =>
      resolve(error === null ? undefined : `${stdout}${stderr}`.trim()),
    );
  });
}
