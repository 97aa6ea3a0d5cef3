import type { JsonObject } from '../../../shared/model/json.ts';
import type { PluginId } from '../../../shared/model/plugin-id.ts';
import { classicCloudEnvironment } from '../../conformance/classic-cloud-labs.ts';
import { compartmentCloudConnection, compartmentCloudEnvironment } from '../../conformance/compartment-cloud-labs.ts';
import { ovmEnvironment } from '../../conformance/ovm-labs.ts';
import { resourceGroupCloudConnection } from '../../conformance/resource-group-cloud-calls.ts';
import { startClassicCloud } from '../classic-infrastructure-cloud/start.ts';
import { fileOf, machineOf } from '../classic-infrastructure-cloud/world.ts';
import { startCompartmentCloud } from '../compartment-cloud/start.ts';
import type { EuropeanCloud } from '../european-cloud/start.ts';
import { labMachines, usualWorkerKind } from '../machines/kinds.ts';
import { startResourceGroupCloud } from '../resource-group-cloud/start.ts';
import { startManager } from '../server-virtualization-manager/start.ts';

/** A destination with real workers. */
export interface PairDestination {
  readonly connection: JsonObject;
  /** What a replica says; the networks are those of the source's VM. */
  environment(networks: readonly string[]): JsonObject;
  /** A file with the volume's content. */
  volumePath(volumeId: string): string | Promise<string>;
  /** What a migrated VM has said on its console so far. */
  console(serverId: string): Promise<string>;
  leftovers(): readonly string[] | Promise<readonly string[]>;
  close(): Promise<void>;
}

const machines = labMachines({ worker: usualWorkerKind });
const caller = { caller_address: '127.0.0.0/8' };
const toEach = <T>(networks: readonly string[], target: T): Record<string, T> =>
  Object.fromEntries(networks.map((network) => [network, target]));

/** What the simulators of clouds have in common. */
interface Simulated {
  readonly world: {
    readonly ground: { readonly machines: { log(serverId: string): Promise<string> } };
    leftovers(): readonly string[];
  };
}

/** @param machine what the machine behind a server is called, where that is not the server's id */
const seen = (
  { world }: Simulated,
  machine: (serverId: string) => string = (id) => id,
): Pick<PairDestination, 'console' | 'leftovers'> => ({
  console: (id) => world.ground.machines.log(machine(id)),
  leftovers: () => world.leftovers(),
});

/** The lab of a project has this one anyhow. */
export function europeanCloud(cloud: EuropeanCloud): PairDestination {
  return {
    ...seen(cloud),
    connection: {
      project_id: cloud.projectId,
      region_name: cloud.region,
      iaas_url: cloud.urls.iaas,
      token_url: cloud.urls.token,
      service_account_key: JSON.stringify(cloud.serviceAccountKey),
      ...caller,
    },
    environment: (networks) => ({
      network_map: toEach(networks, 'production'),
      availability_zone: 'eu01-1',
      machine_type: 'g1.1',
      migr_network: 'migration',
      migr_machine_type: 'g1.1',
      migr_image_map: { linux: 'Debian 12' },
    }),
    volumePath: (id) => cloud.volumePath(id),
    close: async () => undefined,
  };
}

/** Starts each of the others. */
export const pairDestinations: Readonly<Partial<Record<PluginId, () => Promise<PairDestination>>>> = {
  async 'resource-group-cloud'() {
    const cloud = await startResourceGroupCloud({ transitionMs: 3, machines });
    return {
      ...seen(cloud, (id) => cloud.world.virtualMachines.get(id.toLowerCase())?.properties.vmId ?? ''),
      connection: resourceGroupCloudConnection(cloud, { ...caller, use_public_ip: true }) as JsonObject,
      environment: (networks) => ({
        location: 'westeurope',
        resource_group: 'migration',
        network_map: toEach(networks, 'production/default'),
        storage_map: { default: 'Premium_LRS' },
        vm_size: 'Standard_D2s_v5',
        worker_size: 'Standard_D2s_v5',
        linux_migr_image: { publisher: 'Canonical', offer: 'ubuntu-24_04-lts', sku: 'server', version: 'latest' },
      }),
      volumePath: (id) => cloud.volumePath(id),
      close: () => cloud.close(),
    };
  },
  async 'compartment-cloud'() {
    const cloud = await startCompartmentCloud({ transitionMs: 3, machines });
    // Workers that are processes of a user know volumes by their order alone.
    const image = process.geteuid?.() === 0 ? 'Oracle-Linux-9' : 'Debian-12';
    return {
      ...seen(cloud),
      connection: compartmentCloudConnection(cloud, caller) as JsonObject,
      environment: (networks) => ({
        ...compartmentCloudEnvironment(cloud),
        network_map: toEach(networks, { id: cloud.idOf('subnet', 'production') }),
        migr_image_map: { linux: cloud.idOf('image', image) },
        use_pv_mode: false,
      }),
      volumePath: (id) => cloud.world.ground.files.path(id),
      async close() {
        await cloud.close();
        if (cloud.violations.length > 0) throw new Error(cloud.violations.join('; '));
      },
    };
  },
  async 'classic-infrastructure-cloud'() {
    const cloud = await startClassicCloud({ transitionMs: 3, machines });
    return {
      ...seen(cloud, machineOf),
      connection: cloud.connection(caller) as JsonObject,
      environment: (networks) => ({ ...classicCloudEnvironment(cloud), network_map: toEach(networks, 'production') }),
      volumePath: (id) => cloud.world.ground.files.path(fileOf(id)),
      close: () => cloud.close(),
    };
  },
  async 'server-virtualization-manager'() {
    // Its workers are signed in to by a password, which those of another kind do not take.
    const manager = await startManager({ transitionMs: 3, machines: labMachines({ worker: 'user' }) });
    return {
      ...seen(manager),
      connection: manager.connection,
      environment: (networks) => ({ ...ovmEnvironment, network_map: toEach(networks, 'VM Network') }),
      volumePath: (id) => manager.world.ground.files.path(id),
      close: () => manager.close(),
    };
  },
};
