import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listenPort } from '../rigs/machines/reachable-port.ts';
import type { SshdRig } from '../rigs/sshd.ts';
import type { Commands } from './command-line.ts';
import type { Lab } from './lab.ts';

export const cloudEndpoint = 'lab-cloud';
export const hostEndpoint = 'lab-host';

/**
 * Makes the project's vault and describes both ends of the lab in it. Resolves with the endpoints' names.
 *
 * @param ssh the way to the VM's host, where that is another computer
 */
export async function addEndpoints(
  causeway: Commands,
  { cloud, vm }: Pick<Lab, 'cloud' | 'vm'>,
  ssh?: SshdRig,
): Promise<readonly string[]> {
  await causeway.expect(['vault', 'init']);
  await causeway.expect(['vault', 'set', 'cloud-key'], JSON.stringify(cloud.serviceAccountKey));
  const connection = join(causeway.project, 'cloud.yaml');
  await writeFile(
    connection,
    `${JSON.stringify(
      {
        project_id: cloud.projectId,
        region_name: cloud.region,
        iaas_url: cloud.urls.iaas,
        token_url: cloud.urls.token,
        service_account_key: { $secret: 'cloud-key' },
        ...mappedPorts(),
      },
      undefined,
      2,
    )}\n`,
  );
  await causeway.expect([
    'endpoint',
    'add',
    cloudEndpoint,
    '--plugin',
    'european-cloud',
    '--connection',
    causeway.path(connection),
  ]);
  if (vm === undefined) return [cloudEndpoint];
  if (ssh === undefined)
    await causeway.expect([
      'endpoint',
      'add',
      hostEndpoint,
      '--plugin',
      'qemu-hypervisor',
      '--set',
      `qmp_socket=${vm.qmpSocket}`,
    ]);
  else await addHostOverSsh(causeway, vm.qmpSocket, ssh);
  return [hostEndpoint, cloudEndpoint];
}

async function addHostOverSsh(causeway: Commands, qmpSocket: string, ssh: SshdRig): Promise<void> {
  await causeway.expect(['vault', 'set', 'host-key'], ssh.privateKeyPem);
  const connection = join(causeway.project, 'host.yaml');
  await writeFile(
    connection,
    `${JSON.stringify(
      {
        qmp_socket: qmpSocket,
        ssh_host: '127.0.0.1',
        ssh_port: ssh.port,
        ssh_username: ssh.username,
        ssh_private_key: { $secret: 'host-key' },
        ssh_host_keys: [ssh.hostKey],
      },
      undefined,
      2,
    )}\n`,
  );
  await causeway.expect([
    'endpoint',
    'add',
    hostEndpoint,
    '--plugin',
    'qemu-hypervisor',
    '--connection',
    causeway.path(connection),
  ]);
}

/** Where this user may not listen on a worker's port, or the machine's own sshd has it, the lab has another one. */
function mappedPorts(): { readonly worker_ssh_port?: number; readonly worker_https_port?: number } {
  return {
    ...(listenPort(22) === 22 ? {} : { worker_ssh_port: listenPort(22) }),
    ...(listenPort(5566) === 5566 ? {} : { worker_https_port: listenPort(5566) }),
  };
}
