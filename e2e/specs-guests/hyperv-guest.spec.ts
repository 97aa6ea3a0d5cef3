// needs: installed guests, ovmf, slirp4netns
import { createHash, randomBytes } from 'node:crypto';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ExecutionDetail } from '../../shared/model/execution.ts';
import type { JsonObject } from '../../shared/model/json.ts';
import { closeAll } from '../rigs/closing.ts';
import { GuestFiles } from '../rigs/guests/guest-files.ts';
import { ensureLayout, layoutDisk } from '../rigs/guests/layouts.ts';
import type { WorkerKind } from '../rigs/machines/kinds.ts';
import { resolveAddress } from '../rigs/machines/reachable-port.ts';
import { startProjectLab, type ProjectLab } from '../rigs/project/lab-project.ts';
import { openSsh } from '../rigs/project/open-ssh.ts';
import { RigSsh } from '../rigs/rig-ssh.ts';
import { startHyperv, type HypervRig } from '../rigs/windows-hypervisor/start.ts';
import type { RigDisk, RigVm } from '../rigs/windows-hypervisor/world.ts';

// A worker and a guest on an emulator, one after the other: minutes of processor time.
const isAskedFor = process.env['CAUSEWAY_FULL_CHAIN'] === '1';
const minute = 60_000;
const gib = 2 ** 30;
/** Where its root begins, behind the EFI system partition. */
const rootBytes = 206_848 * 512;
const ways = ['rct', 'reader'] as const;

/**
 * A Debian guest as a VM of generation 2 has it: UEFI with secure boot, an initial RAM disk that knows Hyper-V alone, integration services. Its disk
 * is the VHDX of a VM of the rig; it has never run on the lab's machines, which it could not.
 */
describe.runIf(isAskedFor)('a guest of generation 2 on Hyper-V', () => {
  let folder: string;
  let lab: ProjectLab;
  let rig: HypervRig;
  let vm: RigVm;
  let disk: RigDisk;
  let file: string;
  let key: string;
  let worker: WorkerKind;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cwy-hyperv-'));
    const image = await ensureLayout('generation2');
    [file, key, worker] = [join(folder, 'disk.raw'), join(folder, 'key'), 'native'];
    await layoutDisk(image, 0)(file);
    await copyFile(join(image, 'id_ed25519'), key);
    // Emulated systems on busy processors take their time.
    [lab, rig] = [
      await startProjectLab({
        outbound: true,
        workers: () => worker,
        patience: { workerMs: 2 * minute, linkMs: 2 * minute },
      }),
      await startHyperv(),
    ];
    await openSsh(lab);
    vm = rig.world.addVm('gen2-01');
    disk = rig.world.addDisk(vm, 2 * gib);
    await disk.follow(file);
    const common = {
      host: '127.0.0.1',
      port: rig.hosts[0]?.port ?? 0,
      username: rig.username,
      password: rig.password,
      certificate_sha256: [rig.hosts[0]?.certificateSha256 ?? ''],
    };
    const connections: Readonly<Record<(typeof ways)[number], JsonObject>> = {
      rct: { ...common, rct_port: rig.rct.port, rct_password: rig.rct.key },
      reader: { ...common, reader_port: 0 },
    };
    for (const way of ways) {
      await lab.use((core) =>
        core.call('endpoint.add', { name: way, plugin: 'windows-hypervisor', connection: connections[way] }),
      );
      await lab.use((core) =>
        core.call('replica.create', {
          name: way,
          source: way,
          destination: 'cloud',
          vm: vm.id,
          sourceEnvironment: { verify_rct_server: 'no' },
          destinationEnvironment: {
            network_map: { 'External VLAN 20': 'production' },
            availability_zone: 'eu01-1',
            migr_network: 'migration',
            migr_machine_type: 'g1.1',
            migr_image_map: { linux: 'Debian 12' },
            // The lab has no metadata service; the drive is where the guest's agent finds its instance.
            security_groups: ['ssh-from-here'],
            use_public_ip: true,
            use_config_drive: true,
            retain_user_credentials: true,
          },
        }),
      );
    }
  }, 40 * minute);
  afterAll(() =>
    closeAll(
      () => rig?.close(),
      () => lab?.close(),
      () => rm(folder, { recursive: true, force: true }),
    ),
  );

  const execute = async (way: string, verify?: 'all'): Promise<number> => {
    const execution: ExecutionDetail = await lab.execute(way, verify === undefined ? {} : { verify });
    expect(execution, execution.error?.message).toMatchObject({ state: 'completed', leftBehind: 0 });
    expect(await lab.difference(way, { [disk.identifier]: file })).toBeUndefined();
    const events = await lab.use((core) => core.call('execution.events', { execution: execution.id }));
    return events
      .filter(({ type }) => type === 'disk.done')
      .reduce((sum, { details }) => sum + Number(details['bytesSent']), 0);
  };
  const files = (): GuestFiles => new GuestFiles(file, rootBytes);

  it('knows no virtio', async () => {
    const kernel = (await files().names('/boot')).find((name) => name.startsWith('initrd.img-')) ?? '';
    const names = gunzipSync(await files().bytes(`/boot/${kernel}`)).toString('latin1');
    // Names of files end with a NUL; lists of what the kernel could have do not.
    expect([/hv_storvsc\.ko\0/.test(names), /virtio_blk\.ko\0/.test(names), /ahci\.ko\0/.test(names)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it.each(ways)(
    'is replicated in full, and then by its changes, byte for byte, by way of the %s',
    async (way) => {
      const full = await execute(way, 'all');
      const late = join(folder, 'late');
      await writeFile(late, randomBytes(3_000_000));
      await files().replace(`/srv/data/late-${way}`, late);
      await disk.follow(file);
      const changed = await execute(way);
      expect(changed).toBeGreaterThan(3_000_000);
      expect(changed).toBeLessThan(full / 4);
      expect([vm.checkpoints, [...rig.world.rulesOf('127.0.0.1')], await rig.runningReaders()]).toEqual([[], [], []]);
    },
    30 * minute,
  );

  it(
    'is deployed, boots with secure boot, and answers as what it was, without its integration services',
    async () => {
      // The kernel of this machine need not know its EFI system partition.
      worker = 'qemu';
      const { id } = await lab.use((core) =>
        core.call('deployment.create', {
          replica: 'reader',
          options: { bootCheck: { mode: 'network', deadlineSeconds: 1800 } },
        }),
      );
      const deployment = await lab.use((core) => core.call('deployment.show', { deployment: id }));
      expect(
        deployment,
        `${deployment.error?.code}: ${deployment.error?.message}\n${deployment.boot?.console.slice(-2000)}`,
      ).toMatchObject({
        state: 'completed',
        leftBehind: 0,
        boot: { outcome: 'up' },
        guest: { dossier: { distribution: 'debian', bootloader: 'grub-efi', firmware: 'uefi' } },
      });
      expect(Object.keys(deployment.guest?.diff.packages.removed ?? {})).toContain('hyperv-daemons');
      const ssh = new RigSsh({
        ...resolveAddress(deployment.server?.addresses[0] ?? '', 22),
        user: 'root',
        keyPath: key,
      });
      await ssh.waitUntilUp(10 * minute);
      const shown = await ssh.text(
        [
          // The variable's value follows four bytes of attributes.
          'od -An -tu1 -j4 -N1 /sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c | tr -d " "',
          'cat /sys/kernel/security/lockdown',
          'ls -d /sys/bus/virtio/drivers/virtio_blk/virtio* | wc -l',
          'findmnt -no SOURCE,FSTYPE / | tr -s " "',
          '(cd /srv/data && sha256sum --quiet -c SHA256SUMS) && echo data',
          'sha256sum < /srv/data/late-reader',
          'dpkg-query -W -f "\\${db:Status-Status}\\n" hyperv-daemons 2>/dev/null || echo gone',
        ].join('; '),
        { timeoutMs: 10 * minute },
      );
      const late = createHash('sha256')
        .update(await readFile(join(folder, 'late')))
        .digest('hex');
      expect(shown.split('\n')).toEqual([
        '1',
        expect.stringContaining('[integrity]'),
        '2',
        '/dev/vda2 ext4',
        'data',
        `${late}  -`,
        'gone',
      ]);
    },
    90 * minute,
  );
});
