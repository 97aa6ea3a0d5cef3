import type { MorphGuest, MorphOutcome, MorphRequest } from '../../osmorphing/index.ts';
import type { SshConnection } from '../../transport/ssh-connection.ts';

/** A preparation that does what a test says, and remembers what it was asked for. */
export function recordingMorph(work: (request: MorphRequest) => Promise<void> | void = () => undefined, found: () => Partial<MorphOutcome> = () => ({})) {
  const requests: MorphRequest[] = [];
  const morph: MorphGuest = async (request) => {
    requests.push(request);
    request.onStep?.({ step: 'mount', title: 'Mount the installation', state: 'running' });
    await work(request);
    request.onStep?.({ step: 'mount', title: 'Mount the installation', state: 'done', seconds: 0.1, changed: true });
    return { ...outcome, ...found() };
  };
  return { requests, guests: { morphOf: () => morph, openSsh: async () => idleConnection() } };
}

/** A connection that nothing is sent over. */
function idleConnection(): SshConnection {
  return { lost: new AbortController().signal, close: async () => undefined } as unknown as SshConnection;
}

const unchanged = { added: {}, removed: {}, changed: {} };
const device = { path: '/dev/vda1', kind: 'partition', content: 'ext4', uuid: 'u' } as const;
const outcome: MorphOutcome = {
  dossier: {
    distribution: 'debian', version: '12', name: 'Debian GNU/Linux 12', family: 'debian', architecture: 'x86_64', hostname: 'web',
    root: { ...device, id: 'root', distribution: 'debian', version: '12', name: 'Debian GNU/Linux 12' }, mounts: { '/': device }, kernels: ['6.1.0-1-amd64'],
    bootloader: 'grub-bios', firmware: 'bios', init: 'systemd', network: ['ifupdown'], selinux: 'absent', cloudInit: null, hypervisorTools: {},
  },
  steps: [{ step: 'initramfs', title: 'Rebuild the initial RAM disk', seconds: 0.1, changed: true, notes: ['added virtio_blk'] }],
  diff: {
    files: { added: [], removed: [], changed: [] }, packages: { ...unchanged, added: { 'cloud-init': '22.4.2' } }, services: { enabled: ['cloud-init'], disabled: [] },
    users: unchanged, sshPolicy: unchanged, sshHostKeys: unchanged, network: {},
  },
  warnings: [], scripts: [], fixedAddresses: [], seconds: 0.2,
};
