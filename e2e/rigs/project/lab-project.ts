import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { CoreClient } from '../../../shared/contract/core-client.ts';
import type { Event } from '../../../shared/model/event.ts';
import type { ExecutionDetail, ExecutionOptions } from '../../../shared/model/execution.ts';
import type { ExecutionProgress } from '../../../shared/model/progress.ts';
import type { CoreOptions } from '../../../electron/engine/core/core.ts';
import { openProject } from '../../../electron/engine/core/open-project.ts';
import type { JsonObject } from '../../../shared/model/json.ts';
import { ensureStateFolder } from '../../../electron/engine/store/database.ts';
import { keyFileWrapper, makeKeyFile } from '../../../electron/secrets/key-file-wrapper.ts';
import { createVault } from '../../../electron/secrets/vault.ts';
import { startEuropeanCloud, type EuropeanCloud, type EuropeanCloudOptions } from '../european-cloud/start.ts';
import { closing, temporaryFolder } from '../closing.ts';
import { kill, spawnBound } from '../machines/child-process.ts';
import { labMachines, usualWorkerKind, type WorkerKind } from '../machines/kinds.ts';
import type { LabMachines } from '../machines/lab-machines.ts';
import { firstDifference } from '../sparse-files.ts';
import { labCore, type LabPatience, type LabProject } from './lab-options.ts';

/** A cloud, a folder of disk images, a project with endpoints for both, and engines for it. */
export interface ProjectLab {
  readonly cloud: EuropeanCloud;
  readonly machines: LabMachines;
  readonly project: LabProject;
  /** Folder of the images; a file is a VM with one disk, a folder one with several. */
  readonly images: string;
  /** Opens the project in this process for a moment. */
  use<T>(work: (core: CoreClient) => Promise<T>): Promise<T>;
  createReplica(name: string, vm: string, mechanism: 'HTTPS' | 'SSH', more?: JsonObject): Promise<void>;
  /** An engine in a process of its own. */
  start(replica: string, options?: ExecutionOptions, dieIn?: DeathPoint, setClock?: ClockSet): EngineProcess;
  /** Runs one to its end. */
  execute(replica: string, options?: ExecutionOptions): Promise<ExecutionDetail>;
  /** Undefined when every disk of the replica is, byte for byte, at the beginning of its volume; else where it is not. */
  difference(replica: string, images: Readonly<Record<string, string>>): Promise<string | undefined>;
  close(): Promise<void>;
}

/** When the clock of an engine's computer is set, and by how many milliseconds. */
export interface ClockSet {
  readonly task: string;
  readonly ms: number;
}

/** Where an engine ends itself: in this task, once a request of this method to an OpenStack was answered, or when it begins. */
export interface DeathPoint {
  readonly task: string;
  readonly method?: 'POST' | 'DELETE' | undefined;
}

export interface EngineProcess {
  readonly child: ChildProcess;
  readonly events: readonly Event[];
  /** Calls back for every event; to be set at once. */
  onEvent: (event: Event) => void;
  /** The same for the numbers, which come at most five times a second. */
  onProgress: (progress: ExecutionProgress) => void;
  /** The final state; undefined when the process ended before it. */
  readonly ended: Promise<ExecutionDetail | undefined>;
  kill(): Promise<void>;
}

export interface ProjectLabOptions {
  /** Default: the kind that this user can have at once. */
  readonly workers?: WorkerKind | (() => WorkerKind);
  readonly patience?: LabPatience;
  /** Whether native workers reach package mirrors. */
  readonly outbound?: boolean;
  /** Instead of the product's own parts, for whoever opens the project in this process. */
  readonly core?: Partial<CoreOptions>;
  /** Of the cloud, instead of its usual ones. */
  readonly quotas?: EuropeanCloudOptions['quotas'];
  /** Called at the beginning of every call of the cloud's API. */
  readonly onCall?: () => void;
}

export async function startProjectLab(options: ProjectLabOptions = {}): Promise<ProjectLab> {
  await using stack = new AsyncDisposableStack();
  const root = await temporaryFolder(stack, 'causeway-project-');
  const images = join(root, 'images');
  const project: LabProject = {
    folder: join(root, 'project'),
    keyFile: join(root, 'key'),
    cloudFolder: join(root, 'cloud'),
    patience: options.patience ?? {},
  };
  await mkdir(images);
  await mkdir(project.folder);
  let machines: LabMachines | undefined;
  const cloud = stack.adopt(
    await startEuropeanCloud({
      folder: project.cloudFolder,
      transitionMs: 3,
      ...(options.quotas === undefined ? {} : { quotas: options.quotas }),
      ...(options.onCall === undefined ? {} : { onCall: options.onCall }),
      machines: async (folder) =>
        (machines = await labMachines({
          worker: options.workers ?? usualWorkerKind,
          outbound: options.outbound ?? false,
        })(folder)),
    }),
    closing,
  );
  if (machines === undefined) throw new Error('the cloud started no machines');
  makeKeyFile(project.keyFile);
  await createVault(join(ensureStateFolder(project.folder), 'vault.json'), keyFileWrapper(project.keyFile));

  const use = async <T>(work: (core: CoreClient) => Promise<T>): Promise<T> => {
    const { client } = await openProject({ ...labCore(project), ...options.core }, new AbortController().signal);
    try {
      return await work(client);
    } finally {
      await client.close();
    }
  };
  await use(async (core) => {
    await core.call('endpoint.add', {
      name: 'images',
      plugin: 'disk-images',
      connection: { path: images, os_type: 'linux' },
    });
    await core.call('endpoint.add', {
      name: 'cloud',
      plugin: 'european-cloud',
      connection: {
        project_id: cloud.projectId,
        region_name: cloud.region,
        iaas_url: cloud.urls.iaas,
        token_url: cloud.urls.token,
        service_account_key: JSON.stringify(cloud.serviceAccountKey),
        caller_address: '127.0.0.0/8',
      },
    });
  });

  const lab: ProjectLab = {
    cloud,
    machines,
    project,
    images,
    use,
    async createReplica(name, vm, mechanism, more = {}) {
      const destinationEnvironment = {
        network_map: { default: 'production' },
        availability_zone: 'eu01-1',
        machine_type: 'g1.1',
        migr_network: 'migration',
        migr_machine_type: 'g1.1',
        migr_image_map: { linux: 'Debian 12' },
        data_transfer_mechanism: mechanism,
        ...more,
      };
      await use((core) =>
        core.call('replica.create', { name, source: 'images', destination: 'cloud', vm, destinationEnvironment }),
      );
    },
    start: (replica, options = {}, dieIn, setClock) =>
      opened.adopt(
        startEngine({
          project,
          replica,
          options,
          ...(dieIn === undefined ? {} : { dieIn }),
          ...(setClock === undefined ? {} : { setClock }),
        }),
        (engine) => engine.kill(),
      ),
    async execute(replica, options) {
      const execution = await lab.start(replica, options).ended;
      if (execution === undefined) throw new Error('the engine ended before its execution');
      return execution;
    },
    async difference(replica, files) {
      const { disks } = await use((core) => core.call('replica.show', { replica }));
      for (const [diskId, file] of Object.entries(files)) {
        const volumeId = disks.find((disk) => disk.diskId === diskId)?.volumeId;
        if (volumeId === undefined)
          return `disk ${diskId} has no volume; there are ${disks.map((disk) => disk.diskId).join(', ')}`;
        const at = await firstDifference(file, cloud.volumePath(volumeId));
        if (at !== undefined) return `disk ${diskId} differs at byte ${at}`;
      }
      return undefined;
    },
    close: () => opened.disposeAsync(),
  };
  const opened = stack.move();
  return lab;
}

function startEngine(request: object): EngineProcess {
  // `npm test` bundles it once (`scripts/test/lab-engine.ts`).
  const script = process.env['CAUSEWAY_LAB_ENGINE'] ?? fileURLToPath(new URL('./engine-process.ts', import.meta.url));
  const child = spawnBound(process.execPath, [script, JSON.stringify(request)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const events: Event[] = [];
  let final: ExecutionDetail | undefined;
  const engine: EngineProcess = {
    child,
    events,
    onEvent: () => undefined,
    onProgress: () => undefined,
    ended: Promise.resolve(undefined),
    kill: () => kill(child),
  };
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  lines.on('line', (line) => {
    const message = JSON.parse(line) as { event?: Event; progress?: ExecutionProgress; execution?: ExecutionDetail };
    if (message.event !== undefined) {
      events.push(message.event);
      engine.onEvent(message.event);
    }
    if (message.progress !== undefined) engine.onProgress(message.progress);
    final = message.execution ?? final;
  });
  return Object.assign(engine, { ended: Promise.all([once(child, 'exit'), once(lines, 'close')]).then(() => final) });
}
