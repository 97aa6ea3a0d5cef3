// needs: installed guests, slirp4netns
// lease: emulated guests
import { copyFile, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeAll } from '../rigs/closing.ts';
import { RigClient } from '../rigs/european-cloud/rig-client.ts';
import { GuestFiles } from '../rigs/guests/guest-files.ts';
import { ensureDebianGuest } from '../rigs/images/ensure.ts';
import { run } from '../rigs/machines/child-process.ts';
import { labMachines } from '../rigs/machines/kinds.ts';
import { resolveAddress } from '../rigs/machines/reachable-port.ts';
import { startProjectLab, type ProjectLab } from '../rigs/project/lab-project.ts';
import { RigSsh } from '../rigs/rig-ssh.ts';
import { startManager, stockVm, type SimulatedManager } from '../rigs/server-virtualization-manager/start.ts';

// Minutes of processor time, so that it runs when it is asked for.
const isAskedFor = process.env['CAUSEWAY_FULL_CHAIN'] === '1';
const minute = 60_000;

/** An installed Debian that its owner ran on Xen: its table of file systems names the disks as Xen does. */
describe.runIf(isAskedFor)('a guest of Oracle VM', () => {
  let folder: string;
  let manager: SimulatedManager;
  let lab: ProjectLab;
  let key: string;
  let file: string;
  let diskId: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'causeway-ovm-guest-'));
    const image = await ensureDebianGuest();
    key = join(folder, 'key');
    await copyFile(join(image, 'id_ed25519'), key);
    await run('chmod', ['600', key]);
    manager = await startManager({ transitionMs: 3, machines: labMachines({ worker: 'user' }) });
    const { vm, disks } = await stockVm(manager.world, 'web', [(await stat(join(image, 'disk.raw'))).size]);
    diskId = disks[0]?.id.value ?? '';
    file = manager.world.ground.files.path(diskId);
    await run('cp', ['--sparse=always', '--reflink=auto', join(image, 'disk.raw'), file]);
    await writeFile(
      join(folder, 'fstab'),
      '/dev/xvda1 / ext4 errors=remount-ro 0 1\n/dev/xvdb1 /srv/gone ext4 nofail 0 2\n',
    );
    await new GuestFiles(file).replace('/etc/fstab', join(folder, 'fstab'));
    lab = await startProjectLab({ outbound: true, patience: { workerMs: 2 * minute, linkMs: 2 * minute } });
    const client = new RigClient(lab.cloud);
    await client.signIn();
    const { body: group } = await client.call('POST', 'security-groups', { name: 'ssh-from-here' });
    await client.call('POST', `security-groups/${String(group['id'])}/rules`, {
      direction: 'ingress',
      protocol: 'tcp',
      portRange: { min: 22, max: 22 },
      ipRange: '127.0.0.0/8',
    });
    await lab.use(async (core) => {
      await core.call('endpoint.add', {
        name: 'manager',
        plugin: 'server-virtualization-manager',
        connection: manager.connection,
      });
      await core.call('replica.create', {
        name: 'web',
        source: 'manager',
        destination: 'cloud',
        vm: vm.id.value,
        destinationEnvironment: {
          network_map: { 'VM Network': 'production' },
          availability_zone: 'eu01-1',
          migr_network: 'migration',
          migr_machine_type: 'g1.1',
          migr_image_map: { linux: 'Debian 12' },
          security_groups: ['ssh-from-here'],
          use_public_ip: true,
          use_config_drive: true,
          retain_user_credentials: true,
        },
      });
    });
  }, 20 * minute);
  afterAll(() =>
    closeAll(
      () => lab?.close(),
      () => manager?.close(),
      () => rm(folder, { recursive: true, force: true }),
    ),
  );

  it(
    'is read by the exporter, prepared, and answers SSH at the European cloud with its root mounted by a name that it still has',
    async () => {
      expect(await lab.execute('web')).toMatchObject({ state: 'completed', leftBehind: 0 });
      expect(await lab.difference('web', { [diskId]: file })).toBeUndefined();
      const { id } = await lab.use((core) =>
        core.call('deployment.create', {
          replica: 'web',
          options: { bootCheck: { mode: 'network', deadlineSeconds: 1_800 } },
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
        guest: { dossier: { distribution: 'debian' } },
      });
      const ssh = new RigSsh({
        ...resolveAddress(deployment.server?.addresses[0] ?? '', 22),
        user: 'root',
        keyPath: key,
      });
      await ssh.waitUntilUp(10 * minute);
      const shown = await ssh.text(
        'findmnt -no SOURCE,FSTYPE / | tr -s " "; grep -c "^/dev/xvd" /etc/fstab; grep -w / /etc/fstab | cut -d= -f1; touch /root/written && echo written',
        { timeoutMs: 5 * minute },
      );
      expect(shown.split('\n')).toEqual(['/dev/vda1 ext4', expect.stringMatching(/^[01]$/), 'UUID', 'written']);
      await lab.use((core) => core.call('deployment.delete', { deployment: id, dryRun: false }));
      await lab.use((core) => core.call('replica.delete', { replica: 'web' }));
      expect(manager.world.leftovers()).toEqual([]);
    },
    60 * minute,
  );
});
