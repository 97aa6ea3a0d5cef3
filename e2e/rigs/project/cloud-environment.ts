import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PluginId } from '../../../shared/model/plugin-id.ts';

/** Writes the environment document of replicas to the simulated European cloud, from disk images or another source without settings. Resolves with its path. */
export async function writeCloudEnvironment(folder: string, source: PluginId = 'disk-images'): Promise<string> {
  const path = join(folder, 'environment.json');
  await writeFile(
    path,
    JSON.stringify({
      source: { plugin: source, environment: {} },
      destination: {
        plugin: 'european-cloud',
        environment: {
          network_map: { default: 'production' },
          availability_zone: 'eu01-1',
          machine_type: 'g1.1',
          migr_network: 'migration',
          migr_machine_type: 'g1.2',
          migr_image_map: { linux: 'Debian 12' },
        },
      },
    }),
  );
  return path;
}
