import { join } from 'node:path';
import type { ExecutionDetail } from '../../../shared/model/execution.ts';
import type { JsonObject } from '../../../shared/model/json.ts';
import { closing, temporaryFolder } from '../closing.ts';
import { startProjectLab, type ProjectLab, type ProjectLabOptions } from '../project/lab-project.ts';
import { volumeBytes, type OriginServer } from './origin-server.ts';
import { startOpenSourceCloud, type OpenSourceCloud } from './start.ts';

/** Servers of the open-source cloud's project `origin`, to be replicated to the lab's cloud. */
export interface ExportLab {
  readonly cloud: OpenSourceCloud;
  readonly lab: ProjectLab;
  /** What `service_backups` needs of its worker. */
  readonly exportOptions: JsonObject;
  /** The source environment of an export mechanism, once the cloud is as it has to be for it. */
  mechanism(name: string): Promise<JsonObject>;
  createReplica(name: string, vm: string, sourceEnvironment: JsonObject): Promise<void>;
  /**
   * Compares each disk as it is now with what the replica has of it. Undefined when they are the same.
   *
   * @param files of disks that are no volumes
   */
  difference(
    name: string,
    server: OriginServer,
    pool?: string,
    files?: Record<string, string>,
  ): Promise<string | undefined>;
  /** Bytes that crossed the link in an execution. */
  bytesSent(execution: ExecutionDetail): Promise<number>;
  close(): Promise<void>;
}

export async function startExportLab(options: ProjectLabOptions = {}): Promise<ExportLab> {
  await using stack = new AsyncDisposableStack();
  const cloud = stack.adopt(await startOpenSourceCloud(), closing);
  const folder = await temporaryFolder(stack, 'causeway-exported-');
  const lab = stack.adopt(await startProjectLab(options), closing);
  await lab.use((core) =>
    core.call('endpoint.add', {
      name: 'origin',
      plugin: 'open-source-cloud',
      connection: cloud.connection('origin') as JsonObject,
    }),
  );
  const exportOptions = await exportWorkerOptions(cloud);
  const opened = stack.move();
  return {
    cloud,
    lab,
    exportOptions,
    mechanism: (name) => exportEnvironment(cloud, name),
    async createReplica(name, vm, sourceEnvironment) {
      const { nics } = await lab.use((core) => core.call('vm.show', { endpoint: 'origin', vm }));
      const destinationEnvironment = {
        network_map: Object.fromEntries(nics.map(({ network }) => [network, 'production'])),
        availability_zone: 'eu01-1',
        machine_type: 'g1.1',
        migr_network: 'migration',
        migr_machine_type: 'g1.1',
        migr_image_map: { linux: 'Debian 12' },
      };
      await lab.use((core) =>
        core.call('replica.create', {
          name,
          source: 'origin',
          destination: 'cloud',
          vm,
          sourceEnvironment,
          destinationEnvironment,
        }),
      );
    },
    async difference(name, server, pool = 'volumes', files = {}) {
      for (const id of server.volumeIds) await volumeBytes(cloud, id, (files[id] = join(folder, `${id}.raw`)), pool);
      return lab.difference(name, files);
    },
    async bytesSent({ id }) {
      const events = await lab.use((core) => core.call('execution.events', { execution: id }));
      return events
        .filter((event) => event.type === 'disk.done')
        .reduce((sum, { details }) => sum + Number(details['bytesSent']), 0);
    },
    close: () => opened.disposeAsync(),
  };
}

/** What `service_backups` needs of its worker in the project `origin`. */
async function exportWorkerOptions(cloud: OpenSourceCloud): Promise<JsonObject> {
  const { networks } = await (
    await cloud.api('origin')
  ).call<{ networks: { name: string }[] }>('network', 'GET', '/v2.0/networks');
  return {
    export_image: 'worker',
    export_flavor_name: 'rig.disk',
    export_network: networks.find(({ name }) => name.startsWith('private-'))?.name ?? '',
    export_worker_use_config_drive: true,
    export_worker_use_fip: true,
    export_fip_pool_name: 'outside',
  };
}

/** The source environment of an export mechanism, once the cloud is as it has to be for it. */
export async function exportEnvironment(cloud: OpenSourceCloud, mechanism: string): Promise<JsonObject> {
  const backups: Readonly<Record<string, string>> = { objectstore_backups: 'swift', distributed_backups: 'ceph' };
  if (backups[mechanism] !== undefined) await cloud.phase('backup-driver', backups[mechanism]);
  return {
    replica_export_mechanism: mechanism,
    ...(mechanism === 'service_backups' ? { service_backups_options: await exportWorkerOptions(cloud) } : {}),
  };
}
