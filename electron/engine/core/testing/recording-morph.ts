import type { InspectOutcome, InspectRequest, MorphGuest, MorphOutcome, MorphRequest } from '../../osmorphing/index.ts';
import type { SshConnection } from '../../transport/ssh-connection.ts';

/** A preparation that does what a test says, and remembers what it was asked for. */
export function recordingMorph(
  work: (request: MorphRequest) => Promise<void> | void = () => undefined,
  found: () => Partial<MorphOutcome> = () => ({}),
  seen: (request: InspectRequest) => Partial<InspectOutcome> = () => ({}),
) {
  const requests: MorphRequest[] = [];
  const inspections: InspectRequest[] = [];
  const inspect = async (request: InspectRequest): Promise<InspectOutcome> => {
    inspections.push(request);
    request.onStep?.({ step: 'open-disks', title: 'Open disks and volumes', state: 'running' });
    return { ...recordedInspection, ...seen(request) };
  };
  const morph: MorphGuest = async (request) => {
    requests.push(request);
    request.onStep?.({ step: 'mount', title: 'Mount the installation', state: 'running' });
    await work(request);
    request.onStep?.({ step: 'mount', title: 'Mount the installation', state: 'done', seconds: 0.1, changed: true });
    return { ...outcome, ...found() };
  };
  return { requests, inspections, guests: { inspect, morphOf: () => morph, openSsh: async () => idleConnection() } };
}

/** A connection that nothing is sent over. */
function idleConnection(): SshConnection {
  return { lost: new AbortController().signal, close: async () => undefined } as unknown as SshConnection;
}

const unchanged = { added: {}, removed: {}, changed: {} };
const device = { path: '/dev/vda1', kind: 'partition', content: 'ext4', uuid: 'u' } as const;
const outcome: MorphOutcome = {
  dossier: {
    distribution: 'debian',
    version: '12',
    name: 'Debian GNU/Linux 12',
    family: 'debian',
    architecture: 'x86_64',
    hostname: 'web',
    root: { ...device, id: 'root', distribution: 'debian', version: '12', name: 'Debian GNU/Linux 12' },
    mounts: { '/': device },
    kernels: ['6.1.0-1-amd64'],
    bootloader: 'grub-bios',
    firmware: 'bios',
    init: 'systemd',
    network: ['ifupdown'],
    selinux: 'absent',
    cloudInit: null,
    hypervisorTools: {},
  },
  steps: [
    {
      step: 'initramfs',
      title: 'Rebuild the initial RAM disk',
      seconds: 0.1,
      changed: true,
      notes: ['added virtio_blk'],
    },
  ],
  diff: {
    files: { added: [], removed: [], changed: [] },
    packages: { ...unchanged, added: { 'cloud-init': '22.4.2' } },
    services: { enabled: ['cloud-init'], disabled: [] },
    users: unchanged,
    sshPolicy: unchanged,
    sshHostKeys: unchanged,
    network: {},
  },
  warnings: [],
  scripts: [],
  fixedAddresses: [],
  seconds: 0.2,
};

/** An inspection that has found nothing to say of that guest. */
export const recordedInspection: InspectOutcome = {
  dossier: outcome.dossier,
  candidates: [],
  devices: [],
  supported: true,
  warnings: [],
  changes: [],
  files: [],
  doubts: [],
  findings: [],
};
