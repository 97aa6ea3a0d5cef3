import { guestPreparation } from '../../../electron/engine/deployments/guest-preparation.ts';
import type { GuestPreparation } from '../../../electron/engine/deployments/deployment-context.ts';
import { recordingMorph } from '../../../electron/engine/core/testing/recording-morph.ts';
import type { MorphRequest } from '../../../electron/engine/osmorphing/index.ts';
import { connectWorker } from '../../../electron/engine/transport/connect-worker.ts';
import { shellQuoted } from '../../../electron/engine/transport/ssh-connection.ts';
import type { GuestDiff } from '../../../shared/model/guest-preparation.ts';
import { bootText, textOffset } from './talking-boot-sector.ts';

export interface PretendedPreparation {
  readonly guests: GuestPreparation;
  /** What each preparation was asked for. */
  readonly requests: readonly MorphRequest[];
  /** Awaited before the guest is written to, so that a test can let it fail or wait. */
  before: (request: MorphRequest) => Promise<void>;
}

/**
 * A preparation for guests that are a talking boot sector: a real worker is logged in to and writes what the guest says
 * from then on. What it tells of files and packages is made up.
 */
export function pretendedPreparation(text: string): PretendedPreparation {
  const own = guestPreparation((access, mechanism, signal) => connectWorker(access, mechanism, {}, signal));
  const pretended: PretendedPreparation = {
    guests: { ...own, morphOf: () => morph },
    requests: [],
    before: async () => undefined,
  };
  const recorded = recordingMorph(async (request) => {
    await pretended.before(request);
    for (const line of log) request.onLog?.(line);
    const result = await request.ssh.exec(
      `sudo -n dd of=${shellQuoted(request.devices[0] ?? '')} bs=1 seek=${textOffset} conv=notrunc,fsync`,
      {
        signal: request.signal,
        timeoutMs: 60_000,
        input: bootText(text),
      },
    );
    if (result.code !== 0) throw new Error(`dd ended with ${result.code}`);
  });
  const morph = async (request: MorphRequest) => ({
    ...(await recorded.guests.morphOf()(request)),
    diff,
    warnings: ['hypervisor tools were disabled, not removed'],
  });
  return Object.assign(pretended, { requests: recorded.requests });
}

const log = [
  'Get:1 http://deb.example bookworm/main amd64 cloud-init all 22.4.2-1 [479 kB]',
  'Setting up cloud-init (22.4.2-1) ...',
  'update-initramfs: Generating /boot/initrd.img-6.1.0-37-amd64',
];

const unchanged = { added: {}, removed: {}, changed: {} };
const file = { kind: 'file', mode: '0644', owner: 'root:root', size: 312 } as const;
const diff: GuestDiff = {
  files: {
    added: [
      {
        ...file,
        path: '/etc/cloud/cloud.cfg.d/90_causeway.cfg',
        lines: ['@@ -0,0 +1,2 @@', '+datasource_list: [OpenStack, ConfigDrive, NoCloud]', '+preserve_hostname: true'],
      },
      { ...file, path: '/etc/initramfs-tools/conf.d/causeway' },
    ],
    removed: [{ ...file, path: '/etc/udev/rules.d/70-persistent-net.rules' }],
    changed: [
      {
        path: '/etc/default/grub',
        before: file,
        after: { ...file, size: 371 },
        lines: [
          '@@ -4,3 +4,3 @@',
          ' GRUB_TIMEOUT=5',
          '-GRUB_CMDLINE_LINUX=""',
          '+GRUB_CMDLINE_LINUX="console=tty0 console=ttyS0,115200"',
        ],
      },
      {
        path: '/boot/initrd.img-6.1.0-37-amd64',
        before: { ...file, size: 7_340_032 },
        after: { ...file, size: 31_457_280 },
      },
    ],
  },
  packages: {
    ...unchanged,
    added: { 'cloud-init': '22.4.2-1', 'python3-yaml': '6.0-3' },
    removed: { 'open-vm-tools': '2:12.2.0-1' },
  },
  services: { enabled: ['cloud-init.service', 'serial-getty@ttyS0.service'], disabled: ['open-vm-tools.service'] },
  users: {
    ...unchanged,
    changed: {
      debian: {
        before: { uid: '1000', gid: '1000', home: '/home/debian', shell: '/bin/bash', password: 'set', keys: 1 },
        after: { uid: '1000', gid: '1000', home: '/home/debian', shell: '/bin/bash', password: 'locked', keys: 1 },
      },
    },
  },
  sshPolicy: { ...unchanged, changed: { passwordauthentication: { before: 'yes', after: 'no' } } },
  sshHostKeys: unchanged,
  network: { 'ifupdown: ens192': { before: 'static 10.0.0.5/24', after: 'dhcp' } },
};
