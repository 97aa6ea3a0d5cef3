import os

from causeway_osmorphing import fstab, mounting
from causeway_osmorphing import undo_log as undo_log_module
from causeway_osmorphing.block_devices import BlockDevice
from causeway_osmorphing.command import Result
from causeway_osmorphing.guest import family_of
from causeway_osmorphing.undo_log import UndoLog
from causeway_osmorphing.luks import guests_names
from causeway_osmorphing.protocol import MorphError
from causeway_osmorphing.roots import Root, choose_root, is_root, is_root_without_table, read_release

from .trees import TreeTest


def device(path, kind, number=None, disk=0, name=None, **properties):
    made = BlockDevice(path, kind, disk=disk, number=number, name=name)
    made.properties = properties
    return made


DEVICES = [
    device('/dev/vdb', 'disk'),
    device('/dev/vdb1', 'partition', 1, TYPE='ext4', UUID='u-boot', LABEL='BOOT', PART_ENTRY_UUID='p-1'),
    device('/dev/vdb2', 'partition', 2, TYPE='crypto_LUKS', UUID='u-luks'),
    device('/dev/vdc', 'disk', disk=1, TYPE='xfs', UUID='u-data'),
    device('/dev/mapper/causeway-u-luks', 'decrypted', name='u-luks', TYPE='LVM2_member', UUID='x'),
    device('/dev/mapper/vg--a-root', 'logical', name='vg-a/root', TYPE='ext4', UUID='u-root'),
    device('/dev/md100', 'raid', name='aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee', TYPE='ext4', UUID='u-raid'),
]


class Table(TreeTest):
    def test_each_way_to_name_a_device_leads_to_it(self):
        guest = self.guest(
            'debian',
            {
                '/etc/crypttab': 'cryptroot UUID=u-luks none luks\n',
                '/etc/mdadm/mdadm.conf': 'ARRAY /dev/md/0 metadata=1.2 UUID=aaaaaaaa:bbbbcccc:ddddeeee:eeeeeeee name=x:0\n',
            },
        )
        resolver = fstab.resolver_for(guest, DEVICES)
        for spec, path in (
            ('UUID=u-boot', '/dev/vdb1'),
            ('UUID="u-boot"', '/dev/vdb1'),
            ('LABEL=BOOT', '/dev/vdb1'),
            ('PARTUUID=P-1', '/dev/vdb1'),
            ('/dev/disk/by-uuid/u-root', '/dev/mapper/vg--a-root'),
            ('/dev/vg-a/root', '/dev/mapper/vg--a-root'),
            ('/dev/mapper/vg--a-root', '/dev/mapper/vg--a-root'),
            ('/dev/sda1', '/dev/vdb1'),
            ('/dev/hda1', '/dev/vdb1'),
            ('/dev/nvme0n1p1', '/dev/vdb1'),
            ('/dev/sdb', '/dev/vdc'),
            ('/dev/mapper/cryptroot', '/dev/mapper/causeway-u-luks'),
            ('/dev/md/0', '/dev/md100'),
            ('/dev/sdz9', None),
            ('tmpfs', None),
            ('UUID=nobody', None),
            ('server:/export', None),
        ):
            with self.subTest(spec):
                found = resolver.find(spec)
                self.assertEqual(found.path if found else None, path)

    def test_opened_volumes_get_the_names_that_the_guest_gives_them(self):
        guest = self.guest('debian', {'/etc/crypttab': '# x\nvda2_crypt UUID=u-luks none luks\nswap UUID=nobody none swap\n'})
        encrypted = fstab.encrypted_names(guest, DEVICES)
        self.assertEqual(encrypted, {'vda2_crypt': 'u-luks'})
        self.assertEqual(guests_names(DEVICES, encrypted), {'u-luks': 'vda2_crypt'})
        for told in ({'a/b': 'u-luks'}, {'causeway-u-luks': 'u-luks'}, {'data': 'locked'}, {}):
            self.assertEqual(guests_names(DEVICES, told), {})

    def test_entries_are_read_with_escapes_and_without_comments(self):
        entries = fstab.parse('# x\nLABEL=a\\040b /my\\040data xfs noatime,subvol=@x 0 0\n\nbroken\n')
        self.assertEqual(
            [(one.spec, one.point, one.kind, one.option('subvol'), one.line) for one in entries],
            [('LABEL=a b', '/my data', 'xfs', '@x', 1)],
        )


class Roots(TreeTest):
    def one(self, uuid, subvolume=''):
        return Root(device('/dev/x' + uuid, 'partition', TYPE='ext4', UUID=uuid), subvolume, {'PRETTY_NAME': 'One'})

    def test_several_are_never_guessed_at(self):
        with self.assertRaises(MorphError) as caught:
            choose_root([self.one('a'), self.one('b', '@')], None, DEVICES, [])
        self.assertEqual(caught.exception.code, 'osmorphing.several-roots')
        self.assertEqual([one['id'] for one in caught.exception.details['candidates']], ['UUID=a', 'UUID=b,subvol=@'])
        self.assertEqual(
            choose_root([self.one('a'), self.one('b', '@')], 'UUID=b,subvol=@', DEVICES, []).id, 'UUID=b,subvol=@'
        )

    def test_none_says_what_was_looked_at_and_which_volume_is_locked(self):
        for locked, code in (([], 'osmorphing.root-not-found'), ([DEVICES[2]], 'osmorphing.locked')):
            with self.assertRaises(MorphError) as caught:
                choose_root([], None, DEVICES, locked)
            self.assertEqual(caught.exception.code, code)
            self.assertIn('/dev/vdb2', caught.exception.message)

    def test_a_file_system_that_is_never_mounted_is_named_with_what_to_do(self):
        for content, name in (('zfs_member', 'ZFS'), ('reiserfs', 'ReiserFS'), ('jfs', 'JFS'), ('f2fs', 'F2FS')):
            disks = [device('/dev/w01', 'partition', TYPE='ext4', UUID='u1'), device('/dev/w02', 'partition', TYPE=content, UUID='u2')]
            with self.assertRaises(MorphError) as caught:
                choose_root([], None, disks, [])
            self.assertEqual(caught.exception.code, 'osmorphing.not-supported')
            self.assertIn('/dev/w02 (%s)' % name, caught.exception.message)
            self.assertIn('without OSMorphing', caught.exception.message)
            # The root may be on what is locked, and then this is a disk of data.
            with self.assertRaises(MorphError) as caught:
                choose_root([], None, disks, [DEVICES[2]])
            self.assertEqual(caught.exception.code, 'osmorphing.locked')

    def test_families_are_known_by_name_or_by_whom_they_are_like(self):
        for release, family in (
            *(({'ID': name}, 'debian') for name in ('debian', 'ubuntu')),
            *(({'ID': name}, 'redhat') for name in ('rhel', 'centos', 'almalinux', 'rocky', 'ol', 'amzn', 'fedora')),
            *(({'ID': name}, 'suse') for name in ('sles', 'opensuse-leap', 'opensuse-tumbleweed')),
            ({'ID': 'mine', 'ID_LIKE': 'rhel fedora'}, 'redhat'),
            ({'ID': 'alpine'}, ''),
            ({'ID': 'arch'}, ''),
            ({}, ''),
        ):
            self.assertEqual(family_of(release), family)

    def test_systems_older_than_os_release_are_read_by_their_own_files(self):
        guest = self.guest('debian')
        for path in ('/etc/os-release', '/etc/fstab'):
            os.unlink(guest.root + path)
        self.assertFalse(is_root(guest))
        guest.write('/etc/fstab', '')
        guest.write('/etc/redhat-release', 'CentOS release 6.10 (Final)\n')
        self.assertTrue(is_root(guest))
        self.assertEqual((read_release(guest)['ID'], read_release(guest)['VERSION_ID']), ('centos', '6.10'))


    def test_an_installation_without_a_table_of_file_systems_is_one_and_a_container_is_none(self):
        files = {'/etc/passwd': 'root:x:0:0::/root:/bin/sh\n', '/usr/lib/systemd/systemd': '', '/usr/lib/modules/6.1/vmlinuz': ''}
        guest = self.guest('debian', files)
        self.assertFalse(is_root_without_table(guest))
        os.unlink(guest.root + '/etc/fstab')
        self.assertTrue(is_root_without_table(guest))
        for missing in files:
            self.clear()
            guest = self.guest('debian', dict(files, **({'/.dockerenv': ''} if missing == '/etc/passwd' else {})))
            os.unlink(guest.root + '/etc/fstab')
            if missing != '/etc/passwd':
                os.unlink(guest.root + missing)
                if missing.endswith('vmlinuz'):
                    os.rmdir(guest.root + '/usr/lib/modules/6.1')
            self.assertFalse(is_root_without_table(guest), missing)


class ReadOnlySnapshots(TreeTest):
    def test_a_read_only_root_is_writable_until_it_is_unmounted(self):
        point, said = os.path.join(self.root, 'guest'), []
        os.mkdir(point)
        undo_log = UndoLog(self.root + '/session')

        def run(args, **_):
            said.append(' '.join(args[1:]).replace(point, 'POINT'))
            return Result(0, 'ro=%s\n' % state[0], '')

        for module in (mounting, undo_log_module):
            self.addCleanup(setattr, module, 'run', module.run)
            module.run = run
        self.addCleanup(setattr, undo_log_module, 'mounts_below', undo_log_module.mounts_below)
        state = ['false']
        mounting.make_writable(point, undo_log)
        self.assertEqual(undo_log.entries(), [])
        state, said[:] = ['true'], []
        mounting.make_writable(point, undo_log)
        self.assertEqual(said, ['property get -t subvol POINT ro', 'property set -t subvol POINT ro false'])
        undo_log_module.mounts_below = lambda folder: [folder]
        self.assertEqual(undo_log.undo_all(), [])
        self.assertEqual(said[2:], ['property set -t subvol POINT ro true'])


    def test_settings_in_layers_are_mounted_as_the_guest_mounts_them(self):
        said = []
        self.addCleanup(setattr, mounting, 'run', mounting.run)
        mounting.run = lambda args, **_: said.append(' '.join(args).replace(self.root, ''))
        layers = 'overlay /etc overlay defaults,lowerdir=/sysroot/var/lib/overlay/1/etc:/sysroot/etc,upperdir=/sysroot/var/lib/overlay/2/etc,workdir=/sysroot/var/lib/overlay/work-etc%s,x-initrd.mount 0 0\n'
        guest = self.guest('sles', dict((path + '/.keep', '') for path in ('/var/lib/overlay/1/etc', '/var/lib/overlay/2/etc', '/var/lib/overlay/work-etc', '/var/lib/overlay/work-etc;x')))
        mounting.mount_layers(guest, fstab.parse(layers % '')[0], False)
        mounting.mount_layers(guest, fstab.parse(layers % '')[0], True)
        self.assertEqual(said, [
            'mount -t overlay -o nodev,lowerdir=/var/lib/overlay/1/etc:/etc,upperdir=/var/lib/overlay/2/etc,workdir=/var/lib/overlay/work-etc overlay /etc',
            'mount -t overlay -o nodev,lowerdir=/var/lib/overlay/2/etc:/var/lib/overlay/1/etc:/etc,ro overlay /etc'])
        for odd in ('-gone', ';x'):
            with self.assertRaises(MorphError):
                mounting.mount_layers(guest, fstab.parse(layers % odd)[0], False)


class Undoing(TreeTest):
    def test_entries_are_undone_last_first_and_a_failing_one_stops_nothing(self):
        undo_log = UndoLog(self.root + '/session')
        folder, inner = self.root + '/a', self.root + '/a/b'
        for path in (folder, inner):
            undo_log.will('remove-folder', path=path)
            os.mkdir(path)
        undo_log.will('no-such-deed')
        self.assertEqual(len(UndoLog(self.root + '/session').undo_all()), 1)
        self.assertFalse(os.path.exists(folder))
        self.assertEqual(undo_log.undo_all(), [])
