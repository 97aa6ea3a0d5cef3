import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defaultAgentPath } from '../../../electron/engine/transport/agent-launch.ts';
import { RigClient } from '../european-cloud/rig-client.ts';
import { startUserVm } from '../european-cloud/user-vm.ts';
import { makeKeyPair } from '../rig-ssh.ts';
import { run } from '../machines/child-process.ts';
import type { LabMachines } from '../machines/lab-machines.ts';
import type { LabProject } from './lab-options.ts';
import type { ProjectLab } from './lab-project.ts';

/** A VM of the lab's cloud that stands for the computer that an engine runs on. */
export interface OwnVmRig {
  readonly vmId: string;
  readonly agentHere: NonNullable<LabProject['agentHere']>;
  /** Names of the block devices that it has. */
  devices(): Promise<readonly string[]>;
  /** Process ids of agents that run there. */
  agents(): Promise<readonly string[]>;
}

const user = 'mover';
const agentPath = '/opt/causeway_agent.py';

/**
 * A native worker that users made: the engine's process stays on this machine, its agent runs in there, by a user who may use sudo. So it sees the
 * devices of that VM and no others.
 */
export async function startOwnVm(
  { cloud, machines, project }: Pick<ProjectLab, 'cloud' | 'machines' | 'project'>,
  name: string,
): Promise<OwnVmRig> {
  const client = new RigClient(cloud);
  await client.signIn();
  return enterOwnVm(machines, await startUserVm(client, name, await ownVmUserData(join(project.folder, '..'), name)));
}

/** What makes the account of the engine on such a VM. @param folder for its keys */
export async function ownVmUserData(folder: string, name: string): Promise<string> {
  const account = await makeKeyPair(folder, `${name}-account`);
  return `#cloud-config\n${JSON.stringify({ users: [{ name: user, sudo: 'ALL=(ALL) NOPASSWD:ALL', shell: '/bin/sh', ssh_authorized_keys: [account.publicKey] }] })}`;
}

/** Makes a native worker that was started with that user data the computer that an engine runs on. */
export async function enterOwnVm(machines: Pick<LabMachines, 'within'>, vmId: string): Promise<OwnVmRig> {
  const within = machines.within(vmId);
  const pid = within[within.indexOf('--target') + 1];
  await copyFile(defaultAgentPath(), `/proc/${pid}/root${agentPath}`);
  const asUser = [...within, 'runuser', '-u', user, '--'];
  // Its first process makes the account.
  for (const end = Date.now() + 30_000; ;) {
    try {
      await run(asUser[0]!, [...asUser.slice(1), 'sudo', '-n', 'true']);
      break;
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  const said = async (...command: string[]): Promise<readonly string[]> =>
    (await run(within[0]!, [...within.slice(1), ...command])).split('\n').filter((line) => line !== '');
  return {
    vmId,
    agentHere: { within: asUser, agentPath },
    devices: () => said('ls', '/sys/block'),
    // The brackets keep the shell from finding itself.
    agents: () => said('sh', '-c', "pgrep -f 'causeway_agent[.]py' || true"),
  };
}
