import { RigClient } from '../european-cloud/rig-client.ts';
import type { ProjectLab } from './lab-project.ts';

/** Makes the security group `ssh-from-here`, which lets SSH in from this machine. */
export async function openSsh(lab: ProjectLab): Promise<void> {
  const client = new RigClient(lab.cloud);
  await client.signIn();
  const { body: group } = await client.call('POST', 'security-groups', { name: 'ssh-from-here' });
  await client.call('POST', `security-groups/${String(group['id'])}/rules`, {
    direction: 'ingress',
    protocol: 'tcp',
    portRange: { min: 22, max: 22 },
    ipRange: '127.0.0.0/8',
  });
}
