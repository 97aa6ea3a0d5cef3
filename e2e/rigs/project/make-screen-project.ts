import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { CoreOptions } from '../../../electron/engine/core/core.ts';
import { openProject, type OpenedProject } from '../../../electron/engine/core/open-project.ts';
import { ensureStateFolder } from '../../../electron/engine/store/database.ts';
import { passphraseWrapper } from '../../../electron/secrets/passphrase-wrapper.ts';
import { createVault, openVault } from '../../../electron/secrets/vault.ts';
import { createProject } from '../../../electron/workbench/project-file.ts';
import type { JsonObject } from '../../../shared/model/json.ts';
import type { ScreenLab } from './screen-lab.ts';

export const passphrase = 'correct horse battery staple';

interface Options {
  /** Names of virtual machines of the lab's images, a replica each. */
  readonly replicas: readonly string[];
  /** Over what every replica here has. */
  readonly environment?: JsonObject;
}

/** A project with a locked vault and nothing else. */
export async function makeEmptyProject(folder: string, name: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  createProject(folder, name);
  await createVault(join(ensureStateFolder(folder), 'vault.json'), passphraseWrapper(passphrase));
}

/** Opens a project that was made here in this process, with other platforms than the product's where they are given. */
export async function openMadeProject(
  folder: string,
  options: Pick<CoreOptions, 'platforms' | 'connectWorker'> = {},
): Promise<OpenedProject['client']> {
  const vault = openVault(join(ensureStateFolder(folder), 'vault.json'), async () => passphraseWrapper(passphrase));
  return (await openProject({ projectFolder: folder, vault, ...options }, new AbortController().signal)).client;
}

/** Opens what `makeScreenProject` made, in this process. */
export function openScreenProject({ project }: Pick<ScreenLab, 'project'>): Promise<OpenedProject['client']> {
  return openMadeProject(project);
}

/** A project as it would be after somebody worked with it: a locked vault, endpoints "Images" and "Cloud", and replicas. */
export async function makeScreenProject(lab: ScreenLab, { replicas, environment = {} }: Options): Promise<void> {
  await makeEmptyProject(lab.project, 'Web shop');
  const client = await openScreenProject(lab);
  await client.call('endpoint.add', { name: 'Images', plugin: 'disk-images', connection: { path: lab.images } });
  await client.call('endpoint.add', {
    name: 'Cloud',
    plugin: 'european-cloud',
    connection: {
      project_id: lab.cloud.projectId,
      region_name: lab.cloud.region,
      iaas_url: lab.cloud.urls.iaas,
      token_url: lab.cloud.urls.token,
      service_account_key: JSON.stringify(lab.cloud.serviceAccountKey),
    },
  });
  for (const vm of replicas) {
    await client.call('replica.create', {
      source: 'Images',
      destination: 'Cloud',
      vm,
      destinationEnvironment: {
        network_map: { default: 'production' },
        availability_zone: 'eu01-1',
        machine_type: 'g1.1',
        migr_network: 'migration',
        migr_machine_type: 'g1.2',
        migr_image_map: { linux: 'Debian 12' },
        ...environment,
      },
    });
  }
  await client.close();
}
