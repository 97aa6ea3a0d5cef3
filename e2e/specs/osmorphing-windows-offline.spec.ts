// needs: native workers
// lease: emulated guests
import { createHash } from 'node:crypto';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { morphGuestOf, type MorphOptions, type MorphOutcome } from '../../electron/engine/osmorphing/index.ts';
import { defaultProgramFolder } from '../../electron/engine/osmorphing/program-archive.ts';
import { startMorphLab, type MorphLab } from '../rigs/guests/morph-lab.ts';
import { imageCache } from '../rigs/images/ensure.ts';
import { run } from '../rigs/machines/child-process.ts';
import { contentDigest } from '../rigs/sparse-files.ts';
import {
  inWindowsDisk,
  makeInitAgentArchive,
  makeVirtioDisc,
  makeWindowsDisk,
  readWindowsDisk,
  requireWindowsRig,
  type WindowsState,
} from '../rigs/windows/windows-guest.ts';

const never = new AbortController().signal;
const services = 'SYSTEM\\ControlSet001\\Services';
const activation = 'SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion\\SoftwareProtectionPlatform';
const leaveRunning = `/usr/bin/python3 -B '${join(import.meta.dirname, '../rigs/windows/leave_running.py')}' Windows/System32/config/SYSTEM`;

/**
 * The guest is a synthetic disk that tools take for Windows Server 2019: what is shown is that files and registry are
 * changed as they should be, not that a Windows starts with them.
 */
describe('a Windows guest on a Linux worker', () => {
  let lab: MorphLab;
  let disc: string;
  let archive: string;
  let guest: Awaited<ReturnType<MorphLab['volume']>>;
  let before: WindowsState;
  let first: MorphOutcome;
  let after: WindowsState;
  const options = (more: Partial<MorphOptions> = {}): MorphOptions => ({
    nics: [{ macAddress: 'fa:16:3e:00:00:01', addresses: ['10.20.0.15'] }],
    setDhcp: false,
    windows: { virtioDisc: { file: disc }, initAgent: { file: archive } },
    scripts: {
      firstBoot: [{ name: 'hello', content: 'Write-Output hello\n' }],
      inGuest: [{ name: 'look', content: 'test -d Windows && echo found' }],
    },
    ...more,
  });
  const morph = (device: string, more: Partial<MorphOptions> = {}): Promise<MorphOutcome> =>
    morphGuestOf('windows')({ ssh: lab.ssh, devices: [device], options: options(more), signal: never });

  beforeAll(async () => {
    await requireWindowsRig();
    lab = await startMorphLab('native');
    disc = await makeVirtioDisc(join(lab.folder, 'virtio.iso'));
    archive = await makeInitAgentArchive(join(lab.folder, 'agent.zip'));
    const original = join(lab.folder, 'original.raw');
    await makeWindowsDisk(original);
    before = await readWindowsDisk(original);
    guest = await lab.volume(1, (path) => run('cp', ['--sparse=always', original, path]));
    first = await morph(guest.device);
    after = await readWindowsDisk(guest.path);
  });

  afterAll(async () => lab?.close());

  it('is recognised by its registry and its programs', () => {
    expect(first.dossier).toMatchObject({
      distribution: 'windows',
      version: '10.0.17763',
      name: 'Windows Server 2019 Standard',
      architecture: 'x86_64',
      hostname: 'WINSRC',
      firmware: 'bios',
      hypervisorTools: { vmware: ['VMMemCtl', 'VMTools'] },
    });
  });

  it('gets the drivers of its version, in its folders and its driver database', () => {
    for (const name of ['viostor', 'vioscsi', 'netkvm', 'balloon', 'vioser', 'viorng']) {
      for (const ending of ['sys', 'inf', 'cat'])
        expect(after.files).toHaveProperty([`/Windows/Drivers/VirtIO/${name}.${ending}`]);
    }
    for (const name of ['viostor', 'vioscsi']) {
      expect(after.files[`/Windows/System32/drivers/${name}.sys`]).toBe(
        after.files[`/Windows/Drivers/VirtIO/${name}.sys`],
      );
      expect(after.registry).toMatchObject({
        [`${services}\\${name} @Start`]: 'dword:00000000',
        [`${services}\\${name} @ImagePath`]: `2:system32\\drivers\\${name}.sys`,
      });
    }
    expect(
      after.registry[
        'SYSTEM\\DriverDatabase\\DeviceIds\\PCI\\VEN_1AF4&DEV_1042&SUBSYS_11001AF4&REV_01 @causeway_viostor.inf'
      ],
    ).toBe('hex(3):01,ff,00,00');
    expect(after.registry['SOFTWARE\\Microsoft\\Windows\\CurrentVersion @DevicePath']).toBe(
      '2:%SystemRoot%\\inf;%SystemRoot%\\Drivers\\VirtIO',
    );
    expect(first.steps.find(({ step }) => step === 'install-drivers')?.notes).toContain('viostor for 2k19');
  });

  it("gets its agent, the script for its addresses, and the user's scripts", async () => {
    expect(after.registry[`${services}\\cloudbase-init @ImagePath`]).toContain(
      'C:\\Cloudbase-Init\\Bin\\OpenStackService.exe',
    );
    expect(Object.keys(after.files)).toEqual(
      expect.arrayContaining(
        [
          '05-causeway-drivers.ps1',
          '08-causeway-old-cards.ps1',
          '25-causeway-clock.ps1',
          '29-causeway-crashes.ps1',
          '10-causeway-network.ps1',
          '20-causeway-source-tools.ps1',
          '50-00-hello.ps1',
        ].map((name) => `/Cloudbase-Init/FirstBoot/${name}`),
      ),
    );
    // The agent's folder has what runs each of them once, and nothing else.
    expect(Object.keys(after.files).filter((path) => path.startsWith('/Cloudbase-Init/LocalScripts/'))).toEqual([
      '/Cloudbase-Init/LocalScripts/00-causeway.ps1',
    ]);
    expect(first.scripts).toEqual([{ script: 'look', exitCode: 0, output: 'found\n' }]);
    const copy = join(lab.folder, 'copy.raw');
    await run('cp', ['--sparse=always', guest.path, copy]);
    const network = join(lab.folder, 'network.ps1');
    await inWindowsDisk(
      copy,
      `cp Cloudbase-Init/FirstBoot/10-causeway-network.ps1 '${network}'; cp Cloudbase-Init/conf/cloudbase-init.conf '${network}.conf'`,
    );
    const script = await run('cat', [network]);
    expect(script).toContain('"mac": "FA:16:3E:00:00:01"');
    expect(script.match(/"address": "10\.20\.0\.1[56]"/g)).toHaveLength(2);
    expect(script).toContain('"10.20.0.2"');
    expect(script.replaceAll(/\s/g, '')).toContain('"addresses6":[{"address":"fd00::15","length":"64"}]');
    expect(first.steps.find(({ step }) => step === 'install-first-boot-scripts')?.notes).toContain(
      'the first boot sets fixed addresses on the new network cards: 10.20.0.15, 10.20.0.16, fd00::15',
    );
    const configuration = await run('cat', [`${network}.conf`]);
    expect(configuration).toContain('local_scripts_path=C:\\Cloudbase-Init\\LocalScripts\r\n');
    // Also where the platform has no metadata, and the network no DHCP.
    expect(configuration).toMatch(
      /^metadata_services=.*,cloudbaseinit\.metadata\.services\.base\.EmptyMetadataService\r$/m,
    );
  });

  it("keeps its letters, and nothing that only the source's platform has", () => {
    const letters = (state: WindowsState): unknown =>
      Object.entries(state.registry).filter(([key]) => key.startsWith('SYSTEM\\MountedDevices @'));
    expect(letters(after)).toEqual(letters(before));
    expect(letters(after)).toHaveLength(2);
    expect(first.steps.find(({ step }) => step === 'settle-old-platform')?.notes).toEqual([
      'the page file is on C:\\pagefile.sys instead of T:\\pagefile.sys, which is not among the disks',
      'Windows no longer asks kms.core.windows.net for its activation',
    ]);
    expect(after.registry[`${activation} @VLActivationInterval`]).toBe('dword:00000078');
  });

  it('shows its start on the screen, with the boot data as its own library reads them', async () => {
    const script = join(import.meta.dirname, '../rigs/windows/boot_data.py');
    expect(await run('/usr/bin/python3', ['-B', script, defaultProgramFolder()])).toBe(
      'shown True, again False, others kept True\n',
    );
  });

  it('tells in its diff everything that was changed, and nothing else', () => {
    const changedFiles = Object.keys(after.files).filter(
      (path) =>
        after.files[path] !== before.files[path] &&
        !path.startsWith('/Windows/Causeway/') &&
        !path.includes('/System32/config/'),
    );
    expect(first.diff.files.added.map(({ path }) => path).sort()).toEqual(changedFiles.sort());
    expect(first.diff.files.changed).toEqual([]);
    const told = first.diff.registry ?? { added: {}, removed: {}, changed: {} };
    const names = (all: Readonly<Record<string, string>>): string[] =>
      Object.keys(all)
        .map((key) => key.replace(/ @(.)/, ' $1'))
        .sort();
    const changed = Object.fromEntries(
      Object.entries(after.registry).filter(([key, value]) => before.registry[key] !== value),
    );
    expect([...Object.keys(told.added), ...Object.keys(told.changed)].sort()).toEqual(names(changed));
    expect(Object.keys(told.removed)).toEqual([`${activation} KeyManagementServiceName`]);
    expect(Object.keys(before.registry).filter((key) => !(key in after.registry))).toEqual([
      `${activation} @KeyManagementServiceName`,
    ]);
    expect(first.diff.services).toEqual({
      enabled: ['cloudbase-init', 'vioscsi', 'viostor'],
      disabled: ['VMMemCtl', 'VMTools'],
    });
  });

  it('keeps its original registry, leaves nothing on the worker, and a clean file system', async () => {
    for (const name of ['SYSTEM', 'SOFTWARE']) {
      expect(after.files[`/Windows/Causeway/original/Windows/System32/config/${name}`]).toBe(
        before.files[`/Windows/System32/config/${name}`],
      );
    }
    expect(await lab.traces()).toBe('');
    const scratch = join(lab.folder, 'partition.raw');
    await run('dd', [`if=${guest.path}`, `of=${scratch}`, 'bs=1M', 'skip=1', 'count=160', 'status=none']);
    await run('ntfs-3g.probe', ['--readwrite', scratch]);
    await run('ntfsfix', ['--no-action', scratch]);
  });

  it('is not changed by a second preparation', async () => {
    const again = await morph(guest.device, {
      scripts: { firstBoot: [{ name: 'hello', content: 'Write-Output hello\n' }] },
    });
    expect(again.steps.filter(({ changed }) => changed)).toEqual([]);
    expect(again.diff.registry).toEqual({ added: {}, removed: {}, changed: {} });
    expect(await readWindowsDisk(guest.path)).toEqual(after);
  });

  it('has its own agent configured and enabled, wherever its service says that it is', async () => {
    const own = 'Program Files/Cloudbase Solutions/Cloudbase-Init';
    const other = await lab.volume(1, async (path) => {
      await copyFile(join(lab.folder, 'original.raw'), path);
      await inWindowsDisk(
        path,
        `mkdir -p '${own}/bin' '${own}/conf'
        printf x > '${own}/bin/OpenStackService.exe'
        printf '[DEFAULT]\\nusername=Owner\\nplugins=cloudbaseinit.plugins.common.sshpublickeys.SetUserSSHPublicKeysPlugin\\n' > '${own}/conf/cloudbase-init.conf'
        /usr/bin/python3 - <<'END'
import hivex
hive = hivex.Hivex('Windows/System32/config/SYSTEM', write=True)
node = hive.root()
for name in ('ControlSet001', 'Services'):
    node = hive.node_get_child(node, name)
node = hive.node_add_child(node, 'cloudbase-init')
folder = 'C:\\\\' + '${own}'.replace('/', '\\\\')
command = '"%s\\\\bin\\\\OpenStackService.exe" cloudbase-init "%s\\\\Python\\\\Scripts\\\\cloudbase-init.exe" --config-file "%s\\\\conf\\\\cloudbase-init.conf"' % (folder, folder, folder)
hive.node_set_value(node, {'key': 'ImagePath', 't': 2, 'value': (command + '\\0').encode('utf-16-le')})
hive.node_set_value(node, {'key': 'Start', 't': 4, 'value': b'\\4\\0\\0\\0'})
hive.commit(None)
END`,
      );
    });
    const outcome = await morph(other.device, { retainUserCredentials: true, windows: { virtioDisc: { file: disc } } });
    expect(outcome.steps.find(({ step }) => step === 'install-agent')?.notes).toEqual([
      `configured the guest's own agent in ${own}`,
      'the service cloudbase-init starts with the system',
    ]);
    expect(outcome.fixedAddresses).toEqual([
      { macAddress: 'fa:16:3e:00:00:01', addresses: ['10.20.0.15', '10.20.0.16'] },
    ]);
    const state = await readWindowsDisk(other.path);
    expect(state.registry[`${services}\\cloudbase-init @Start`]).toBe('dword:00000002');
    expect(Object.keys(state.files)).toContain(`/${own}/FirstBoot/10-causeway-network.ps1`);
    expect(Object.keys(state.files).filter((path) => path.startsWith('/Cloudbase-Init/'))).toEqual([]);
    const written = join(lab.folder, 'own.conf');
    await inWindowsDisk(other.path, `cp '${own}/conf/cloudbase-init.conf' '${written}'`);
    const configuration = await run('cat', [written]);
    expect(configuration).toContain('username=Owner');
    expect(configuration).not.toContain('SetUserSSHPublicKeysPlugin');
    expect(configuration).toContain(`local_scripts_path=C:\\${own.replaceAll('/', '\\')}\\LocalScripts\r\n`);
    await lab.detach(other.id);
  });

  it.each([
    [
      'hibernated, as fast start-up leaves it',
      'printf hibr > hiberfil.sys; truncate -s 8192 hiberfil.sys',
      'osmorphing.hibernated',
    ],
    [
      'running when it was copied, without the log of its registry',
      `${leaveRunning} 'ControlSet001\\Services\\vmmouse' Note lost --without-log`,
      'osmorphing.not-shut-down',
    ],
    ['without hives', 'rm Windows/System32/config/SYSTEM', 'osmorphing.root-not-found'],
    [
      'with a damaged hive',
      'printf "rubbish" | dd of=Windows/System32/config/SOFTWARE bs=1 seek=4096 conv=notrunc status=none',
      'osmorphing.registry-damaged',
    ],
  ])('is refused when it is %s, and stays as it is', async (_, harm, code) => {
    const other = await lab.volume(1, async (path) => {
      await copyFile(join(lab.folder, 'original.raw'), path);
      await inWindowsDisk(path, harm);
    });
    const bytes = await contentDigest(other.path);
    await expect(morph(other.device)).rejects.toMatchObject({ code });
    expect(await contentDigest(other.path)).toBe(bytes);
    expect(await lab.traces()).toBe('');
    await lab.detach(other.id);
  });

  /** A disk as that of a running Windows: changes to a file and to the registry are only in their logs, one is not completed. */
  async function copiedWhileRunning(path: string, harm: string, journal: readonly string[]): Promise<void> {
    await copyFile(join(lab.folder, 'original.raw'), path);
    const note = join(lab.folder, 'inode');
    await inWindowsDisk(path, `printf 'former text' > probe.txt; stat -c %i probe.txt > '${note}'; ${harm}`);
    const inode = (await run('cat', [note])).trim();
    await run('/usr/bin/python3', [
      '-B',
      join(import.meta.dirname, '../rigs/windows/interrupt_ntfs.py'),
      path,
      '1048576',
      inode,
      'former text',
      'commit text',
      'opened text',
      ...journal,
    ]);
  }

  it.each([
    ['as Windows has it since 8.1', ['--version-2']],
    ['as it was before', []],
  ])('has its journal and its registry completed when it was running as it was copied, %s', async (_, journal) => {
    const other = await lab.volume(1, (path) =>
      copiedWhileRunning(path, `${leaveRunning} 'ControlSet001\\Services\\vmmouse' Note newest`, journal),
    );
    const outcome = await morph(other.device);
    expect(outcome.warnings).toEqual([
      expect.stringContaining('Windows was running when its disks were copied'),
      expect.stringContaining('activate it again'),
    ]);
    const { registry, files } = await readWindowsDisk(other.path);
    expect(registry[`${services}\\vmmouse @Note`]).toBe('1:newest');
    expect(registry[`${services}\\viostor @Start`]).toBe('dword:00000000');
    expect(files['/probe.txt']).toContain(createHash('sha256').update('commit text').digest('hex'));
    expect(await lab.traces()).toBe('');
    await lab.detach(other.id);
  });

  it('is refused when it is hibernated with an open journal, and stays as it is', async () => {
    const other = await lab.volume(1, (path) =>
      copiedWhileRunning(path, 'printf HIBR > hiberfil.sys; truncate -s 8192 hiberfil.sys', ['--version-2']),
    );
    const bytes = await contentDigest(other.path);
    await expect(morph(other.device)).rejects.toMatchObject({ code: 'osmorphing.hibernated' });
    expect(await contentDigest(other.path)).toBe(bytes);
    await lab.detach(other.id);
  });

  it('keeps its registry when the disc has no drivers for it', async () => {
    const other = await lab.volume(1, (path) => copyFile(join(lab.folder, 'original.raw'), path));
    await expect(morph(other.device, { windows: { virtioDisc: { file: archive } } })).rejects.toMatchObject({
      code: 'osmorphing.drivers-missing',
      details: { step: 'install-drivers' },
    });
    expect((await readWindowsDisk(other.path)).registry).toEqual(before.registry);
    await lab.detach(other.id);
  });

  describe.runIf(process.env['CAUSEWAY_VIRT_V2V'] === '1')(
    'beside virt-v2v-in-place on the same disk (some three minutes)',
    () => {
      /** What differs, on whose side, and why. Everything else has to be equal. */
      const explained: readonly (readonly [side: 'ours' | 'theirs', what: RegExp, why: string])[] = [
        [
          'theirs',
          /^SYSTEM\\ControlSet001\\Control\\CrashControl @AutoReboot/,
          "a guest that crashes goes on to restart by itself here: it is the owner's setting",
        ],
        [
          'ours',
          /Memory Management @PagingFiles|@KeyManagementServiceName/,
          'settings that mean something on the source alone',
        ],
        [
          'theirs',
          /\\Services\\firstboot( |\\|$)/,
          'scripts of the first boot are run by the guest initialization agent here',
        ],
        [
          'theirs',
          /^\/Program Files\/Guestfs\/|^\/Windows\/Temp\/|^\/qemu-ga-/,
          "the same, and QEMU's guest agent is not part of the preparation",
        ],
        ['theirs', /\.pdb$/, 'debug symbols do nothing in a guest'],
        ['ours', /\\Services\\cloudbase-init( |$)|^\/Cloudbase-Init\//, 'the guest initialization agent'],
        [
          'ours',
          /\\Services\\(VMTools|VMMemCtl) @Start/,
          'services of the source are switched off; there they are uninstalled on the first boot',
        ],
        ['theirs', /\\Services\\(VMTools|VMMemCtl) @Start/, 'the same'],
        ['ours', /\\Services\\partmgr\\Parameters/, 'data disks come online behind another controller'],
        ['ours', /vioscsi/, 'the system can start from virtio-scsi too, whatever disk_bus says'],
        ['ours', /DEV_(1004|1048)/, 'the same: its devices'],
        [
          'ours',
          /PCI\\VEN_1AF4&DEV_(1001|1042)( |$)/,
          "all device names of the driver's own installation file, not only those of QEMU's",
        ],
        ['ours', /^\/Windows\/Causeway\//, 'the original registry is kept'],
        ['ours', /^\/Windows\/System32\/config\//, 'compared value by value instead'],
        ['theirs', /^\/Windows\/System32\/config\//, 'the same'],
      ];
      /** Their names for the entries of the driver database and ours. */
      const alike = (text: string): string =>
        text
          .replaceAll('guestor.inf_tmp', 'PACKAGE')
          .replaceAll('causeway_viostor.inf_boot', 'PACKAGE')
          .replaceAll('guestor.inf', 'INF')
          .replaceAll('causeway_viostor.inf', 'INF')
          .replaceAll('guestor_conf', 'CONFIGURATION')
          .replaceAll('viostor_boot', 'CONFIGURATION');

      it('does the same but for what is explained', { timeout: 600_000 }, async () => {
        const disk = join(lab.folder, 'original-v2v.raw');
        await run('cp', ['--sparse=always', join(lab.folder, 'original.raw'), disk]);
        await run('bash', [join(import.meta.dirname, '../rigs/windows/virt-v2v.sh'), disk, disc, imageCache]);
        const theirs = comparable(await readWindowsDisk(disk), alike);
        const ours = comparable(after, alike);
        const unexplained: string[] = [];
        const used = new Set<number>();
        const judge = (side: 'ours' | 'theirs', key: string, told: string): void => {
          const index = explained.findIndex(([whose, what]) => whose === side && what.test(key));
          if (index < 0) unexplained.push(`${side}: ${told}`);
          else used.add(index);
        };
        const start = comparable(before, alike);
        let equal = 0;
        for (const key of new Set([...ours.keys(), ...theirs.keys()])) {
          const [mine, other, was] = [ours.get(key), theirs.get(key), start.get(key)];
          if (mine === other) {
            if (mine !== was) equal += 1;
            continue;
          }
          const side =
            other === was
              ? 'ours'
              : mine === was
                ? 'theirs'
                : other === undefined
                  ? 'ours'
                  : mine === undefined
                    ? 'theirs'
                    : 'ours';
          judge(side, key, `${key}: ${was ?? '(none)'} → ours ${mine ?? '(none)'}, theirs ${other ?? '(none)'}`);
        }
        process.stderr.write(`changed alike: ${equal} keys, values and files\n`);
        expect(unexplained).toEqual([]);
        expect(equal).toBeGreaterThan(30);
      });
    },
  );
});

function comparable({ registry, files }: WindowsState, alike: (text: string) => string): Map<string, string> {
  return new Map(
    [...Object.entries(registry), ...Object.entries(files)].map(([key, value]) => [alike(key), alike(value)]),
  );
}
