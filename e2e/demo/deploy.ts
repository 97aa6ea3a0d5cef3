import { RigClient } from '../rigs/european-cloud/rig-client.ts';
import type { EuropeanCloud } from '../rigs/european-cloud/start.ts';
import type { SourceVm } from '../rigs/emulated-vm.ts';
import { resolveAddress } from '../rigs/machines/reachable-port.ts';
import { RigSsh } from '../rigs/rig-ssh.ts';
import type { Commands } from './command-line.ts';
import { vmName } from './lab.ts';
import type { Story } from './story.ts';

const groupName = 'ssh-from-here';
const bootMs = 15 * 60_000;

/** Settings of the deployed VM, as lines of the environment document: an address that this machine reaches, SSH open to it. */
export const deployedEnvironment = [
  'use_public_ip: true',
  `security_groups: [${groupName}]`,
  // The lab has no metadata service; on the drive, cloud-init finds its instance.
  'use_config_drive: true',
  'retain_user_credentials: true',
];

/** A security group that lets SSH in from this machine. Resolves with what deletes it. */
export async function openSsh(cloud: EuropeanCloud): Promise<() => Promise<void>> {
  const client = new RigClient(cloud);
  await client.signIn();
  const { body: group } = await client.call('POST', 'security-groups', { name: groupName });
  const path = `security-groups/${String(group['id'])}`;
  await client.call('POST', `${path}/rules`, {
    direction: 'ingress',
    protocol: 'tcp',
    portRange: { min: 22, max: 22 },
    ipRange: '127.0.0.0/8',
  });
  return async () => void (await client.call('DELETE', path));
}

/** Deploys the replica with default options, logs in to the VM that comes of it, and deletes that VM. */
export async function deployReplica(story: Story, causeway: Commands, vm: SourceVm): Promise<void> {
  story.chapter('Deploy the replica: prepare its guest for VirtIO, start it in the cloud, wait until it has booted');
  story.say('The new VM boots in an emulated machine; this takes 3 to 10 minutes.');
  const status = await causeway.show(['replica', 'deploy', vmName]);
  story.prove('The replica is deployed, and its guest has booted', status === 0, 'exit status 0, with default options');
  const deployment = JSON.parse(
    (await causeway.expect(['deployment', 'show', vmName, '--json'])).trim().split('\n')[0]!,
  ) as { readonly server?: { readonly addresses: readonly string[] } };
  const ssh = new RigSsh({ ...vm.ssh.access, ...resolveAddress(deployment.server?.addresses[0] ?? '', 22) });
  await ssh.waitUntilUp(bootMs);
  const answer = await ssh.text(
    'ls /sys/bus/virtio/drivers/virtio_blk | grep -c "^virtio"; cd /srv/data && sha256sum --quiet --ignore-missing -c SHA256SUMS && hostname',
    { timeoutMs: bootMs },
  );
  const [disks = '0', hostname = ''] = answer.split('\n');
  story.prove(
    'It answers SSH as what the source was, on VirtIO disks',
    Number(disks) > 0 && hostname !== '',
    `${hostname}; the checksums of its files are right`,
  );
  await causeway.expect(['deployment', 'delete', vmName, '--yes']);
}
