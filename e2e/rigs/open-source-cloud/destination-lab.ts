import type { OpenStackContext } from '../../../electron/engine/platforms/open-source-cloud/destination/context.ts';
import { createOpenStackDestination } from '../../../electron/engine/platforms/open-source-cloud/destination/openstack-destination.ts';
import type { DeploymentPlatform, DeploymentRun } from '../../../electron/engine/ports/deployment-platform.ts';
import type { DestinationPlatform } from '../../../electron/engine/ports/destination-platform.ts';
import { ledgerScope } from '../../../electron/engine/store/ledger.ts';
import { openStore } from '../../../electron/engine/store/store.ts';
import type { JsonObject } from '../../../shared/model/json.ts';
import type { Vm } from '../../../shared/model/vm.ts';
import { closing, temporaryFolder } from '../closing.ts';
import type { RigApi } from './admin-api.ts';
import { privateNetwork, workingEnvironment } from './destination-environment.ts';
import { startOpenSourceCloud, type OpenSourceCloud } from './start.ts';
import { hurriedClock } from '../hurried-clock.ts';

/** The destination's adapter on the project `target`, with a ledger and nothing else of the engine. */
export interface DestinationLab {
  readonly cloud: OpenSourceCloud;
  /** The project as its user sees it. */
  readonly api: RigApi;
  /** The project's private network. */
  readonly network: string;
  readonly folder: string;
  readonly platform: DestinationPlatform;
  readonly deployment: DeploymentPlatform;
  /** A destination environment in which everything works, for VMs on the network `VM Network`. */
  readonly environment: JsonObject;
  /**
   * A deployment of a replica of its own, or an execution of it.
   *
   * @param vm what is to be other than in a Linux of one disk of 1 GiB
   */
  newRun(vm?: Partial<Vm>, environment?: JsonObject): DeploymentRun;
  close(): Promise<void>;
}

/** @param name of the replicas, which others that use the project don't have */
export async function startDestinationLab(
  name: string,
  timing: OpenStackContext['timing'] = {},
): Promise<DestinationLab> {
  await using stack = new AsyncDisposableStack();
  const cloud = stack.adopt(await startOpenSourceCloud(), closing);
  const api = await cloud.api('target');
  const folder = await temporaryFolder(stack, `causeway-${name}-`);
  const store = stack.adopt(openStore(folder, undefined, hurriedClock(20)), closing);
  const platform = stack.adopt(
    createOpenStackDestination(cloud.connection('target'), {
      timing: { pollFirstMs: 300, pollCapMs: 1_000, ...timing },
    }),
    closing,
  );
  const { deployment } = platform;
  if (deployment === undefined) throw new Error('no deployments');
  const environment = workingEnvironment(api, 'VM Network');
  let count = 0;
  const opened = stack.move();
  return {
    cloud,
    api,
    folder,
    platform,
    deployment,
    environment,
    network: privateNetwork(api),
    newRun(vm = {}, of = environment) {
      count += 1;
      const binding = {
        endpointId: 'endpoint',
        replicaId: `${name}-${process.pid}-${count}`,
        executionId: `deployment-${count}`,
      };
      return {
        ...binding,
        deploymentId: binding.executionId,
        preparationRole: 'osmorphing-linux',
        vm: {
          id: `vm-${count}`,
          name: 'web',
          os_type: 'linux',
          vcpus: 1,
          memory_mb: 512,
          disks: [{ id: 'd0', size_bytes: 2 ** 30 }],
          nics: [{ id: 'nic-0', network: 'VM Network' }],
          ...vm,
        },
        environment: of,
        ledger: ledgerScope(store.ledger, binding),
        note: () => undefined,
      };
    },
    close: () => opened.disposeAsync(),
  };
}
