"""What a guest boots from: its partitions, loaders, entries and kernels."""

import os
import shutil
import struct

from causeway_osmorphing.command import Result
from causeway_osmorphing import boot_entries, efi_fallback, fstab, fstab_names, initramfs, kernel_command_line, leftovers, mounting
from causeway_osmorphing.protocol import MorphError
from causeway_osmorphing.roots import Root
from causeway_osmorphing.steps import Morph
from causeway_osmorphing.undo_log import UndoLog

from .test_disk_names import boot_disk, device
from .trees import TreeTest, everything, kernel, tree

ESP = 'C12A7328-F81F-11D2-BA4B-00A0C93EC93B'
EXTENDED_BOOT = 'bc13c2ff-59e6-4262-a352-b275fd6f7172'


class BootTest(TreeTest):
    def morph(self, guest, request=None, devices=None):
        devices = devices or boot_disk()
        undo_log = UndoLog(os.path.join(self.root, '..', os.path.basename(self.root) + '-session'))
        self.addCleanup(shutil.rmtree, undo_log.folder, True)
        root = Root(next(one for one in devices if one.uuid == 'u-root'), '', guest.release)
        return Morph(guest, devices, root, {'/': root.device}, undo_log, dict({'nics': []}, **(request or {})))


class Partitions(BootTest):
    def found(self, files, devices, table='', mounted=None):
        guest = self.guest('debian', dict({'/etc/fstab': 'UUID=u-root / ext4 defaults 0 1\n' + table}, **files))
        root = next(one for one in devices if one.uuid == 'u-root')
        resolver = fstab.resolver_for(guest, devices, root)
        entries = fstab.parse(guest.read('/etc/fstab'))
        return [(one.path, point) for one, point in mounting.boot_partitions(guest, root, devices, entries, mounted or {'/': root}, resolver)]

    def esp(self, disk=0, **more):
        return device('/dev/w%d9' % disk, 'partition', 9, disk, 'vfat', 'u-esp-%d' % disk, **dict({'PART_ENTRY_TYPE': ESP}, **more))

    def folders(self, *paths):
        return dict((path + '/.keep', '') for path in paths)

    def test_the_loaders_partition_is_found_by_its_type_where_no_table_mounts_it(self):
        esp = self.esp()
        for files, table, point in (
            ({}, '', '/efi'),
            ({'/boot/grub/grub.cfg': ''}, 'UUID=u-esp-0 /boot/efi vfat noauto,x-systemd.automount 0 0\n', '/boot/efi'),
            ({'/boot/efi/old': ''}, '', '/efi'),
            (dict(self.folders('/boot', '/efi')), '', None),
        ):
            with self.subTest(table=table, files=files):
                self.clear()
                self.assertEqual(self.found(files, boot_disk() + [esp], table), [('/dev/w09', point)] if point else [])
        self.clear()
        os.makedirs(self.root + '/boot/efi')
        self.assertEqual(self.found({}, boot_disk() + [esp]), [('/dev/w09', '/boot/efi')])

    def test_kernels_on_a_partition_of_their_own_come_before_the_loader(self):
        os.makedirs(self.root + '/boot')
        kernels = device('/dev/w08', 'partition', 8, 0, 'ext4', 'u-boot', PART_ENTRY_TYPE=EXTENDED_BOOT)
        self.assertEqual(self.found({}, boot_disk() + [kernels, self.esp()]), [('/dev/w08', '/boot'), ('/dev/w09', '/efi')])

    def test_what_is_mounted_or_belongs_to_another_system_stays(self):
        esp = self.esp()
        self.assertEqual(self.found({}, boot_disk() + [esp], mounted={'/': boot_disk()[2], '/boot/efi': esp}), [])
        # The one beside the root is meant; of two elsewhere, neither.
        self.clear()
        self.assertEqual(self.found({}, boot_disk() + [self.esp(1), esp]), [('/dev/w09', '/efi')])
        self.clear()
        self.assertEqual(self.found({}, boot_disk() + [self.esp(1), self.esp(2)]), [])
        self.assertEqual(len(self.warnings), 1)
        # A partition of that type that holds something else.
        self.clear()
        self.assertEqual(self.found({}, boot_disk() + [device('/dev/w09', 'partition', 9, 0, 'ext4', 'x', PART_ENTRY_TYPE=ESP)]), [])


class Loaders(BootTest):
    def ensure(self, files):
        guest = self.guest('rocky', files)
        return guest, efi_fallback.ensure(self.morph(guest))

    def test_grub_legacy_gets_its_configuration_under_the_name_that_it_reads(self):
        vendor = '/boot/efi/EFI/redhat/'
        files = {vendor + 'grub.efi': 'legacy', vendor + 'grub.conf': 'default=0\n'}
        guest, (changed, _) = self.ensure(files)
        self.assertTrue(changed)
        self.assertEqual(guest.read('/boot/efi/EFI/BOOT/BOOTX64.EFI'), 'legacy')
        self.assertEqual(guest.read('/boot/efi/EFI/BOOT/BOOTX64.conf'), 'default=0\n')
        self.assertEqual(efi_fallback.ensure(self.morph(guest))[0], False)
        # Somebody copied the loader alone.
        self.clear()
        guest, (changed, notes) = self.ensure(dict(files, **{'/boot/efi/EFI/BOOT/BOOTX64.EFI': 'legacy'}))
        self.assertEqual((changed, guest.read('/boot/efi/EFI/BOOT/BOOTX64.conf')), (True, 'default=0\n'))
        # The fallback is another loader, with settings of its own.
        self.clear()
        guest, (changed, _) = self.ensure(dict(files, **{'/boot/efi/EFI/BOOT/BOOTX64.EFI': 'another'}))
        self.assertEqual((changed, guest.exists('/boot/efi/EFI/BOOT/BOOTX64.conf')), (False, False))

    def test_of_several_loaders_the_one_of_the_guest_is_taken(self):
        guest, _ = self.ensure({'/boot/efi/EFI/almalinux/grubx64.efi': 'of an earlier system', '/boot/efi/EFI/rocky/grubx64.efi': 'own'})
        self.assertEqual(guest.read('/boot/efi/EFI/BOOT/BOOTX64.EFI'), 'own')


VIRTIO = ('virtio', 'virtio_ring', 'virtio_pci', 'virtio_blk', 'virtio_scsi', 'virtio_net')
DRACUT = {'/usr/bin/dracut': '', '/usr/bin/lsinitrd': '', '/etc/dracut.conf.d/.keep': ''}
MACHINE = '0123456789abcdef0123456789abcdef'


def installed(version, modules=VIRTIO):
    """A kernel that lies with its modules, as newer distributions install them."""
    files = {'/usr/lib/modules/%s/vmlinuz' % version: 'kernel', '/usr/lib/modules/%s/modules.builtin' % version: 'kernel/fs/ext4/ext4.ko\n'}
    files.update(('/usr/lib/modules/%s/kernel/virtio/%s.ko.xz' % (version, name), '') for name in modules)
    return dict(files, **{'/lib': '→usr/lib'})


def unified(version, image, sections=None):
    """A program of the firmware with a kernel in it."""
    parts = sections if sections is not None else [(b'.linux', b'kernel'), (b'.uname', version.encode() + b'\n'), (b'.initrd', image)]
    at = 64 + 24 + 40 * len(parts)
    table, content = b'', b''
    for name, data in parts:
        table += name.ljust(8, b'\0') + struct.pack('<IIII', len(data), 0, len(data), at + len(content)) + b'\0' * 16
        content += data
    return b'MZ' + b'\0' * 58 + struct.pack('<I', 64) + b'PE\0\0' + struct.pack('<HH', 0x8664, len(parts)) + b'\0' * 12 + struct.pack('<HH', 0, 0) + table + content


class Images(BootTest):
    def test_the_image_that_the_boot_entry_names_is_rebuilt_and_no_other_is_made(self):
        for base, linux in (('/boot/efi', '/opensuse-tumbleweed/6.11.8-1-default/'), ('/boot', '/%s/6.11.8-1-default/' % MACHINE)):
            with self.subTest(base):
                self.clear()
                entry = 'title openSUSE\nversion 6.11.8-1-default\nlinux %slinux\ninitrd\t%sinitrd-ab12\noptions root=UUID=u-root\n' % (linux, linux)
                guest = self.guest('tumbleweed', dict(DRACUT, **dict(installed('6.11.8-1-default'), **{
                    base + '/loader/entries/opensuse-6.11.8-1-default-1.conf': entry, base + linux + 'linux': 'kernel', base + linux + 'initrd-ab12': 'old'})))
                _, notes = initramfs.rebuild(self.morph(guest))
                self.assertIn('rebuilt %s%sinitrd-ab12' % (base, linux), notes)
                self.assertIn('/virtio_blk.ko.xz', guest.read(base + linux + 'initrd-ab12'))
                self.assertFalse(guest.exists('/boot/initramfs-6.11.8-1-default.img'))
                self.assertEqual(initramfs.rebuild(self.morph(guest))[0], False)

    def test_debians_tool_writes_to_one_place_so_that_its_image_is_copied_to_the_entry(self):
        folder = '/boot/efi/%s/6.1.0-1/' % MACHINE
        guest = self.guest('debian', dict(kernel('6.1.0-1', image='/boot/initrd.img-%s'), **{
            '/usr/sbin/update-initramfs': '', '/usr/bin/lsinitramfs': '', '/etc/initramfs-tools/conf.d/.keep': '',
            '/boot/efi/loader/entries/%s-6.1.0-1.conf' % MACHINE: 'version 6.1.0-1\nlinux /%s/6.1.0-1/linux\ninitrd /%s/6.1.0-1/initrd.img-6.1.0-1\n' % (MACHINE, MACHINE),
            folder + 'linux': '', folder + 'initrd.img-6.1.0-1': 'old'}))
        _, notes = initramfs.rebuild(self.morph(guest))
        self.assertEqual([note for note in notes if note.startswith('rebuilt')], ['rebuilt /boot/initrd.img-6.1.0-1', 'rebuilt %sinitrd.img-6.1.0-1' % folder])
        self.assertEqual(guest.read(folder + 'initrd.img-6.1.0-1'), guest.read('/boot/initrd.img-6.1.0-1'))
        self.assertEqual(initramfs.rebuild(self.morph(guest))[0], False)

    def test_entries_of_all_loaders_lead_to_their_files(self):
        menu = (
            "menuentry 'Top' --class x $menuentry_id_option 'top-id' {\n\tif [ x ]; then\n\tsearch x\n\tfi\n\tlinux\t/vmlinuz-5.14.0-1 root=x\n\tinitrd\t/intel-ucode.img /other.img\n}\n"
            "submenu 'More' $menuentry_id_option 'more-id' {\n\tmenuentry 'Second' $menuentry_id_option 'second-id' {\n\t\tlinux ($root)/boot/vmlinuz-5.14.0-2\n\t\tinitrd /@/boot/initramfs-5.14.0-2.img\n\t}\n}\n"
            "menuentry 'Xen' {\n\tmultiboot2 /xen.gz\n\tmodule2 /vmlinuz-5.14.0-1 x\n}\n"
        )
        files = dict(kernel('5.14.0-1'), **kernel('5.14.0-2'))
        guest = self.guest('rocky', dict(files, **{
            '/boot/grub2/grub.cfg': menu, '/boot/other.img': '', '/boot/intel-ucode.img': '', '/boot/vmlinuz': '→vmlinuz-5.14.0-2', '/boot/initrd': '→initramfs-5.14.0-2.img',
            '/boot/grub/menu.lst': 'default 0\ntitle Old\n  root (hd0,0)\n  kernel (hd0,0)/vmlinuz root=x\n  initrd (hd0,0)/initrd\ntitle Xen\n  kernel /xen.gz\n  module /vmlinuz-5.14.0-1\n',
            '/boot/extlinux/extlinux.conf': 'DEFAULT l0\nLABEL l0\n  LINUX /boot/vmlinuz-5.14.0-1\n  APPEND initrd=/boot/other.img ro\n'}))
        told = [(one.place, one.numbers, one.version, one.images, one.hypervisor) for one in boot_entries.entries_of(guest)]
        self.assertEqual(told, [
            ('top-id', '0', '5.14.0-1', ['/boot/other.img'], False),
            ('more-id>second-id', '1>0', '5.14.0-2', ['/boot/initramfs-5.14.0-2.img'], False),
            ('Xen', '2', '5.14.0-1', [], True),
            ('0', None, '5.14.0-2', ['/boot/initramfs-5.14.0-2.img'], False),
            ('1', None, '5.14.0-1', [], True),
            ('l0', None, '5.14.0-1', ['/boot/other.img'], False),
        ])

    def test_odd_menus_end_without_an_error(self):
        for text in ('menuentry "a" {\n' * 3000, '}\n' * 50, 'menuentry {\nlinux\ninitrd\n}\n', 'submenu "x" {\n', "menuentry 'a' {\nlinux /../../etc/passwd\ninitrd /\n}\n"):
            self.clear()
            guest = self.guest('rocky', {'/boot/grub2/grub.cfg': text, '/boot/grub/menu.lst': 'title\nkernel\ninitrd\nmodule\n' * 30,
                                         '/boot/loader/entries/a.conf': 'linux\ninitrd /\nversion\n', '/boot/loader/entries/b.conf': b'\xff\xfe linux /x\n'})
            self.assertEqual([one.images for one in boot_entries.entries_of(guest) if one.images], [])

    def test_a_kernel_in_one_file_with_its_image_is_examined(self):
        version = '6.11.8-1.fc41'
        good = ('usr/lib/modules/%s/virtio_blk.ko.xz\nvirtio_pci.ko\nvirtio_scsi.ko\n' % version).encode()
        for image, refused in ((good, False), (b'usr/lib/modules/x/vmw_pvscsi.ko\n', True)):
            with self.subTest(refused):
                self.clear()
                guest = self.guest('rocky', dict(DRACUT, **dict(installed(version), **{'/boot/efi/EFI/Linux/a.efi': unified(version, image)})))
                if not refused:
                    initramfs.rebuild(self.morph(guest))
                    continue
                with self.assertRaises(MorphError) as caught:
                    initramfs.rebuild(self.morph(guest))
                self.assertEqual(caught.exception.code, 'osmorphing.initramfs')
                self.assertIn('/boot/efi/EFI/Linux/a.efi', caught.exception.message)
                self.assertFalse(guest.exists('/run/causeway-initial-ram-disk'))
                # With another kernel to start, it is a warning.
                tree(self.root, {'/boot/loader/entries/b.conf': 'version %s\nlinux /vmlinuz\ninitrd /image\n' % version, '/boot/vmlinuz': '', '/boot/image': ''})
                initramfs.rebuild(self.morph(guest))
                self.assertEqual(len([one for one in self.warnings if 'a.efi' in one]), 1)

    def test_odd_programs_of_the_firmware_are_told_and_not_read(self):
        version = '6.11.8-1.fc41'
        whole = unified(version, b'image')
        for content in (b'', b'MZ', whole[:70], whole[:-3], unified(version, b''), unified(version, b'', [(b'.linux', b'x')]), whole[:60] + b'\xff\xff\xff\x7f' + whole[64:]):
            self.clear()
            guest = self.guest('rocky', dict(DRACUT, **dict(installed(version), **{'/boot/efi/EFI/Linux/a.efi': content})))
            initramfs.rebuild(self.morph(guest))

    def test_the_layers_and_the_file_system_of_the_root_are_asked_for_and_looked_for(self):
        """Dracut leaves out what it sees on none of the devices, and it sees those of the worker."""
        files = dict(DRACUT, **dict(kernel('5.14.0-1'), **{'/lib/modules/5.14.0-1/kernel/fs/xfs/xfs.ko.xz': ''}))
        devices = boot_disk() + [device('/dev/mapper/g-root', 'logical', None, 0, 'xfs', 'u-lv', LV='x')]
        guest = self.guest('rocky', files)
        morph = self.morph(guest, devices=devices)
        morph.root_device = devices[-1]
        with self.assertRaises(MorphError) as caught:
            initramfs.rebuild(morph)
        self.assertEqual((caught.exception.code, caught.exception.message), ('osmorphing.initramfs', '/boot/initramfs-5.14.0-1.img still lacks lvm'))
        self.assertEqual([command for command in guest.commands if command.startswith('dracut')], [
            'dracut --force --add lvm --add-drivers virtio virtio_blk virtio_net virtio_pci virtio_ring virtio_scsi xfs /boot/initramfs-5.14.0-1.img 5.14.0-1'])
        image = guest._image

        def with_layers(path, version):
            image(path, version)
            with open(self.root + path, 'a') as file:
                file.write('usr/sbin/lvm\nusr/lib/modules/%s/kernel/fs/xfs/xfs.ko.xz\n' % version)

        guest._image = with_layers
        self.assertIn('rebuilt /boot/initramfs-5.14.0-1.img', initramfs.rebuild(morph)[1])

    def test_the_modules_of_dracut_are_set_where_there_is_no_folder_for_them_yet(self):
        guest = self.guest('rocky', dict(kernel('5.14.0-1'), **{'/usr/bin/dracut': '', '/usr/bin/lsinitrd': '', '/etc/dracut.conf': ''}))
        initramfs.rebuild(self.morph(guest))
        self.assertIn('virtio_blk', guest.read('/etc/dracut.conf.d/50-causeway-virtio.conf'))

    def test_a_file_system_without_inodes_is_told_before_anything_is_built(self):
        guest = self.guest('rocky', dict(DRACUT, **kernel('5.14.0-1')))
        guest.free_inodes = lambda path: 0
        with self.assertRaises(MorphError) as caught:
            initramfs.rebuild(self.morph(guest))
        self.assertEqual((caught.exception.code, guest.commands), ('osmorphing.no-space', []))

    def test_what_the_tool_leaves_out_of_an_image_that_is_due_is_asked_for_and_it_is_built_once_more(self):
        guest = self.guest('debian', dict(kernel('6.1.0-1', image='/boot/initrd.img-%s'), **{
            '/usr/sbin/update-initramfs': '', '/usr/bin/lsinitramfs': '', '/etc/initramfs-tools/conf.d/.keep': '', '/lib/modules/6.1.0-1/kernel/fs/ext4/ext4.ko': ''}))
        rooms = []
        self.addCleanup(setattr, initramfs, 'make_room', initramfs.make_room)
        initramfs.make_room = lambda guest, image, size=None: rooms.append(image)
        _, notes = initramfs.rebuild(self.morph(guest))
        self.assertEqual(len([one for one in guest.commands if one.startswith('update-initramfs')]), 2)
        self.assertEqual(rooms, ['/boot/initrd.img-6.1.0-1'] * 2)
        self.assertIn('ext4.ko', guest.read('/boot/initrd.img-6.1.0-1'))
        self.assertIn('added ext4 to /etc/initramfs-tools/modules', notes)

    def test_where_there_is_no_room_for_two_images_the_old_one_goes_first(self):
        guest = self.guest('rocky', dict(DRACUT, **dict(kernel('5.14.0-1'), **{'/boot/initramfs-5.14.0-1.img': 'x' * (1 << 20)})))
        image, made = '/boot/initramfs-5.14.0-1.img', guest._image
        for free, removed in ((1 << 10, None), (1 << 19, True), (2 << 20, False)):
            there = []
            guest.free_bytes = lambda path, free=free: free
            guest._image = lambda path, version, there=there: there.append(guest.exists(path)) or made(path, version)
            with open(self.root + image, 'wb') as file:
                file.write(b'x' * (1 << 20))
            if removed is not None:
                initramfs.rebuild(self.morph(guest))
                self.assertEqual(there, [not removed])
                self.assertIn('/virtio_blk.ko', guest.read(image))
                continue
            with self.assertRaises(MorphError) as caught:
                initramfs.rebuild(self.morph(guest))
            self.assertEqual((caught.exception.code, there, guest.real_size(image)), ('osmorphing.no-space', [], 1 << 20))

    def test_an_image_with_all_drivers_is_rebuilt_when_it_has_copies_of_what_changed(self):
        guest = self.guest('rocky', dict(DRACUT, **dict(kernel('5.14.0-1'), **{'/etc/fstab': 'UUID=u-root / ext4 defaults 0 1\n/dev/sda1 none swap sw 0 0\n'})))
        initramfs.rebuild(self.morph(guest))
        self.assertEqual(initramfs.rebuild(self.morph(guest))[0], False)
        del guest.commands[:]
        morph = self.morph(guest)
        fstab_names.by_uuid(morph)
        self.assertEqual(initramfs.rebuild(morph)[1], ['rebuilt /boot/initramfs-5.14.0-1.img'])

    def test_lists_of_the_sources_disks_go_from_the_image_as_well(self):
        guest = self.guest('rocky', dict(DRACUT, **kernel('5.14.0-1')))
        leftovers.remove(self.morph(guest))
        initramfs.rebuild(self.morph(guest))
        self.assertEqual(initramfs.rebuild(self.morph(guest))[0], False)
        for path, text in (
            ('/etc/multipath/wwids', '/36000c29f0000000000000000000000a1/\n'), ('/etc/multipath/bindings', 'mpatha 36000c29f0000000000000000000000a1\n'),
            ('/etc/lvm/devices/system.devices', 'IDTYPE=devname IDNAME=/dev/sda2 DEVNAME=/dev/sda2 PVID=x\n'),
        ):
            with self.subTest(path):
                tree(self.root, {path: text})
                morph = self.morph(guest)
                leftovers.remove(morph)
                self.assertEqual(initramfs.rebuild(morph)[1], ['rebuilt /boot/initramfs-5.14.0-1.img'])
                morph = self.morph(guest)
                leftovers.remove(morph)
                self.assertEqual(initramfs.rebuild(morph)[0], False)

    def test_what_cannot_be_listed_is_told_and_not_taken_for_right(self):
        guest = self.guest('rocky', dict(DRACUT, **kernel('5.14.0-1')))
        guest._lsinitrd = lambda args: Result(1, '', 'cpio: premature end of archive')
        initramfs.rebuild(self.morph(guest))
        self.assertEqual([one for one in self.warnings if '/boot/initramfs-5.14.0-1.img' in one and 'unknown' in one], self.warnings)
        self.assertEqual(len(self.warnings), 1)

    def test_a_guest_of_debians_family_that_builds_with_dracut_is_known_by_the_program_that_is_missing(self):
        both = {'/usr/bin/dracut': '', '/usr/sbin/update-initramfs': '', '/etc/initramfs-tools/initramfs.conf': 'MODULES=most\n', '/usr/bin/lsinitrd': '', '/usr/bin/lsinitramfs': ''}
        for more, made_by in (({}, 'dracut'), ({'/usr/sbin/mkinitramfs': ''}, 'update-initramfs')):
            with self.subTest(made_by):
                self.clear()
                guest = self.guest('ubuntu', dict(kernel('6.17.0-5', image='/boot/initrd.img-%s'), **dict(both, **more)))
                self.assertIn('rebuilt /boot/initrd.img-6.17.0-5', initramfs.rebuild(self.morph(guest))[1])
                self.assertEqual([command.split(' ')[0] for command in guest.commands if 'lsinit' not in command], [made_by])

    def test_a_kernel_without_a_list_of_what_is_built_in_is_known_by_its_configuration(self):
        files = kernel('2.6.32-5', modules=())
        files.pop('/lib/modules/2.6.32-5/modules.builtin')
        files['/boot/config-2.6.32-5'] = 'CONFIG_VIRTIO_PCI=y\nCONFIG_VIRTIO_BLK=y\nCONFIG_SCSI_VIRTIO=m\n# CONFIG_VIRTIO_NET is not set\n'
        files['/lib/modules/2.6.32-5/kernel/fs/ext3.ko'] = ''
        guest = self.guest('rocky', dict(DRACUT, **files))
        self.assertEqual(initramfs.builtin_of(guest, '2.6.32-5', initramfs.drivers_for({})), {'virtio_blk', 'virtio_pci'})
        initramfs.rebuild(self.morph(guest))

    def test_a_kernel_that_finds_no_devices_has_no_drivers_for_them(self):
        without = ('virtio', 'virtio_ring', 'virtio_blk', 'virtio_scsi', 'virtio_net')
        builtin, config = '/lib/modules/5.0/modules.builtin', '/boot/config-5.0'
        for files, buses, able in (
            ({}, None, False), ({}, ['scsi'], False), ({}, ['ide', 'virtio'], False), ({}, ['xen'], True),
            ({builtin: 'kernel/drivers/virtio/virtio_pci.ko\n'}, None, True), ({builtin: '', config: 'CONFIG_VIRTIO_PCI=y\n'}, None, True), ({builtin: '', config: 'CONFIG_EXT4_FS=y\n'}, None, False),
            # Nothing tells.
            ({builtin: ''}, ['scsi'], True),
        ):
            with self.subTest((files, buses)):
                self.clear()
                modules = without + ('ata_piix', 'xen_blkfront')
                guest = self.guest('rocky', dict(DRACUT, **dict(kernel('5.0', modules=modules), **files)))
                if able:
                    self.assertEqual(initramfs.able_kernels(guest, initramfs.drivers_for({'diskBuses': buses}))[1], ['5.0'])
                    continue
                with self.assertRaises(MorphError) as caught:
                    initramfs.able_kernels(guest, initramfs.drivers_for({'diskBuses': buses}))
                self.assertEqual((caught.exception.code, caught.exception.message.endswith(' with virtio_pci')), ('osmorphing.no-virtio', True))


class OldSystems(BootTest):
    def test_rhel_5_loads_the_drivers_of_its_new_hardware_and_does_not_look_for_the_old(self):
        guest = self.guest('rocky', dict(kernel('2.6.18-400', image='/boot/initrd-%s.img'), **{
            '/etc/os-release': 'ID=rhel\nVERSION_ID=5.11\n', '/sbin/mkinitrd': '', '/etc/rc.d/init.d/kudzu': '',
            '/etc/modprobe.conf': 'alias eth0 vmxnet3\nalias eth1 bnx2\nalias scsi_hostadapter mptbase\nalias scsi_hostadapter1 mptspi\nalias usb-controller uhci-hcd\n',
            '/etc/rc.d/rc3.d/S05kudzu': '→../init.d/kudzu', '/etc/rc.d/rc3.d/K95kudzu': '→../init.d/kudzu'}))
        _, notes = initramfs.rebuild(self.morph(guest))
        self.assertEqual(guest.read('/etc/modprobe.conf'), (
            'alias eth0 virtio_net\nalias eth1 bnx2\nalias scsi_hostadapter virtio_blk\nalias scsi_hostadapter1 virtio_blk\nalias usb-controller uhci-hcd\n'))
        self.assertEqual(guest.names('/etc/rc.d/rc3.d'), ['K95kudzu'])
        self.assertIn('kudzu no longer starts', notes)
        self.assertEqual(initramfs.rebuild(self.morph(guest))[0], False)

    def test_a_kernel_for_xen_alone_is_not_started_whatever_drivers_it_has(self):
        xen, plain = '2.6.18-400.el5xen', '2.6.18-400.el5'
        menu = 'default=0\ntitle Xen\n\tkernel /xen.gz-2.6.18-400.el5\n\tmodule /vmlinuz-%s ro root=LABEL=/\n\tmodule /initrd-%s.img\ntitle Linux\n\tkernel /vmlinuz-%s ro root=LABEL=/\n\tinitrd /initrd-%s.img\n' % (xen, xen, plain, plain)
        for config, refused in (({'/boot/config-' + xen: 'CONFIG_X86_64_XEN=y\n'}, True), ({}, True), ({'/boot/config-' + xen: '# CONFIG_X86_64_XEN is not set\nCONFIG_PARAVIRT_GUEST=y\n'}, False)):
            with self.subTest(config):
                self.clear()
                del self.warnings[:]
                guest = self.guest('centos7', dict(dict(kernel(xen, image='/boot/initrd-%s.img'), **kernel(plain, image='/boot/initrd-%s.img')), **dict(config, **{'/sbin/mkinitrd': '', '/boot/grub/grub.conf': menu, '/etc/sysconfig/kernel': 'UPDATEDEFAULT=yes\nDEFAULTKERNEL=kernel-xen\n'})))
                morph = self.morph(guest, {'serialConsole': False})
                initramfs.rebuild(morph)
                kernel_command_line.apply(morph)
                self.assertEqual(guest.read('/boot/grub/grub.conf').splitlines()[0], 'default=1' if refused else 'default=0')
                # Nor does an update make it the default again.
                self.assertEqual(guest.read('/etc/sysconfig/kernel'), 'UPDATEDEFAULT=yes\nDEFAULTKERNEL=%s\n' % ('kernel' if refused else 'kernel-xen'))
                self.assertEqual(any('starts on Xen alone' in one for one in self.warnings), refused)
        # For Xen they are none the worse; and nothing else to start is an end.
        self.clear()
        guest = self.guest('centos7', dict(kernel(xen, ('xen_blkfront', 'xen_netfront'), '/boot/initrd-%s.img'), **{'/sbin/mkinitrd': ''}))
        self.assertEqual(initramfs.able_kernels(guest, initramfs.drivers_for({'diskBuses': ['xen']}))[1], [xen])
        self.clear()
        guest = self.guest('centos7', dict(kernel(xen, image='/boot/initrd-%s.img'), **{'/sbin/mkinitrd': ''}))
        with self.assertRaises(MorphError) as caught:
            initramfs.rebuild(self.morph(guest))
        self.assertEqual((caught.exception.code, 'on Xen alone' in caught.exception.message), ('osmorphing.no-virtio', True))

    def test_suses_old_tool_is_told_the_root(self):
        guest = self.guest('sles', dict(kernel('3.0.101', image='/boot/initrd-%s'), **{'/sbin/mkinitrd': '', '/etc/sysconfig/kernel': 'INITRD_MODULES=""\n'}))
        initramfs.rebuild(self.morph(guest))
        self.assertTrue(any(command.endswith(' -d /dev/disk/by-uuid/u-root') for command in guest.commands))


class Controllers(BootTest):
    def test_a_kernel_for_one_controller_of_ide_is_no_default_beside_one_for_both(self):
        virtio = ('virtio', 'virtio_ring', 'virtio_pci', 'virtio_blk', 'virtio_scsi', 'virtio_net')
        for versions, buses, unable in (
            ({'5.0': ('ata_piix', 'ahci'), '9.0': ('ata_piix',)}, ['ide'], {'9.0'}), ({'5.0': ('ata_piix',), '9.0': ('ahci',)}, ['ide'], set()),
            ({'5.0': ('ata_piix', 'ahci'), '9.0': ('ata_piix',)}, ['virtio'], set()), ({'5.0': ('piix', 'ahci'), '9.0': ()}, ['virtio', 'ide'], {'9.0'}),
        ):
            with self.subTest((versions, buses)):
                self.clear()
                files = {'/usr/bin/dracut': '', '/usr/bin/lsinitrd': '', '/etc/dracut.conf.d/.keep': ''}
                for version, modules in versions.items():
                    files.update(kernel(version, modules=virtio + modules))
                morph = self.morph(self.guest('rocky', files), {'diskBuses': buses})
                initramfs.rebuild(morph)
                self.assertEqual(morph.unable_kernels, unable)


class Defaults(BootTest):
    """A kernel without the drivers, 9.0, that is newer than the one with them, 5.0."""

    def chosen(self, files, release='rocky'):
        kernels = dict(kernel('5.0'), **kernel('9.0', modules=('vmw_pvscsi',)))
        guest = self.guest(release, dict(kernels, **files))
        morph = self.morph(guest, {'serialConsole': False})
        morph.unable_kernels = {'9.0'}
        changed, _ = kernel_command_line.apply(morph)
        state = everything(self.root)
        self.assertEqual(kernel_command_line.apply(morph)[0], False)
        self.assertEqual(everything(self.root), state)
        return guest, changed

    menu = (
        'if [ "${next_entry}" ] ; then\n   set default="${next_entry}"\nelse\n   set default="%s"\nfi\n'
        "menuentry 'Top' $menuentry_id_option 'top' {\n\tlinux /vmlinuz-9.0 root=x\n\tinitrd /initramfs-9.0.img\n}\n"
        "submenu 'More' $menuentry_id_option 'more' {\n\tmenuentry 'New' $menuentry_id_option 'new' {\n\t\tlinux /vmlinuz-9.0\n\t}\n"
        "\tmenuentry 'Old (recovery mode)' $menuentry_id_option 'old-recovery' {\n\t\tlinux /vmlinuz-5.0\n\t}\n"
        "\tmenuentry 'Old' $menuentry_id_option 'old' {\n\t\tlinux /vmlinuz-5.0\n\t}\n}\n"
    )

    def environment(self, entry):
        return ('# GRUB Environment Block\nsaved_entry=%s\nboot_success=1\n' % entry).ljust(1024, '#')

    def test_grub_starts_the_kernel_that_finds_its_disks(self):
        for default in ('0', 'top', '1', '1>0', 'more>new', 'Top'):
            with self.subTest(default):
                self.clear()
                guest, changed = self.chosen({'/boot/grub2/grub.cfg': self.menu % default, '/etc/default/grub': 'GRUB_DEFAULT=0\nGRUB_TIMEOUT=5\n'})
                self.assertTrue(changed)
                text = guest.read('/boot/grub2/grub.cfg')
                self.assertIn('set default="more>old"\n', text)
                self.assertIn('set default="${next_entry}"\n', text)
                self.assertEqual(guest.read('/etc/default/grub'), 'GRUB_DEFAULT="more>old"\nGRUB_TIMEOUT=5\n')
        self.assertEqual(len(self.warnings), 1)
        for default in ('more>old', '1>2', 'old', 'memtest-that-is-not-here>x'):
            self.clear()
            guest, _ = self.chosen({'/boot/grub2/grub.cfg': (self.menu % default).replace('linux /vmlinuz-9.0 root=x', 'linux /memtest.bin')})
            self.assertIn('set default="%s"' % default, guest.read('/boot/grub2/grub.cfg'))

    def test_a_menu_beside_the_loader_counts_once_whatever_leads_to_it(self):
        beside = '/boot/efi/EFI/redhat/grub.cfg'
        for more in ({}, {'/boot/grub2/grub.cfg': '→../efi/EFI/redhat/grub.cfg'}):
            with self.subTest(more):
                self.clear()
                guest, changed = self.chosen(dict({beside: self.menu % '0'}, **more))
                self.assertTrue(changed)
                self.assertIn('set default="more>old"\n', guest.read(beside))
                self.assertEqual(len(boot_entries.entries_of(guest)), 4)

    def test_what_grub_keeps_in_its_environment_changes_there(self):
        guest, _ = self.chosen({'/boot/grub2/grub.cfg': self.menu % '${saved_entry}', '/boot/grub2/grubenv': self.environment('top')})
        text = guest.read('/boot/grub2/grubenv')
        self.assertIn('\nsaved_entry=more>old\nboot_success=1\n#', text)
        self.assertEqual(len(text), 1024)
        # Entries of the specification: by their names; without a kept one, the newest is started.
        entry = 'title x\nversion %s\nlinux /vmlinuz-%s\ninitrd /initramfs-%s.img\n'
        for kept in (self.environment('m-9.0'), self.environment('gone'), '# GRUB Environment Block\n'.ljust(1024, '#')):
            self.clear()
            guest, _ = self.chosen({
                '/boot/grub2/grub.cfg': 'set default="${saved_entry}"\ninsmod blscfg\nblscfg\n', '/boot/grub2/grubenv': kept,
                '/boot/loader/entries/m-9.0.conf': entry % (('9.0',) * 3), '/boot/loader/entries/m-5.0.conf': entry % (('5.0',) * 3),
                '/boot/loader/entries/m-0-rescue.conf': 'title rescue\nversion 0-rescue\nlinux /vmlinuz-0-rescue\n'})
            text = guest.read('/boot/grub2/grubenv')
            self.assertIn('\nsaved_entry=m-5.0\n', text)
            self.assertEqual(len(text), 1024)
        # An environment that is none is left alone: the menu says it instead.
        self.clear()
        guest, _ = self.chosen({'/boot/grub2/grub.cfg': self.menu % '${saved_entry}', '/boot/grub2/grubenv': 'not one'})
        self.assertEqual(guest.read('/boot/grub2/grubenv'), 'not one')
        self.assertIn('set default="more>old"\n', guest.read('/boot/grub2/grub.cfg'))

    def test_grub_legacy_and_systemd_boot_start_it_as_well(self):
        menu = 'timeout 8\n%stitle New\n\tkernel /vmlinuz-9.0\n\tinitrd /initramfs-9.0.img\ntitle Failsafe\n\tkernel /vmlinuz-5.0\ntitle Old\n\tkernel /vmlinuz-5.0\n'
        for before, after in (('default 0\n', 'default 2\n'), ('default=0\n', 'default=2\n'), ('', None), ('default saved\n', 'default 2\n')):
            with self.subTest(before):
                self.clear()
                guest, _ = self.chosen({'/boot/grub/menu.lst': menu % before})
                expected = menu % after if after else 'default 2\n' + menu % ''
                self.assertEqual(guest.read('/boot/grub/menu.lst'), expected)
        entries = dict(('/boot/efi/loader/entries/m-%s.conf' % one, 'version %s\nlinux /vmlinuz-%s\n' % (one, one)) for one in ('5.0', '9.0'))
        for before, after in (('timeout 3\n', 'timeout 3\ndefault m-5.0.conf\n'), ('default m-*\n', 'default m-5.0.conf\n'), ('default m-5.0.conf\n', 'default m-5.0.conf\n')):
            with self.subTest(before):
                self.clear()
                guest, _ = self.chosen(dict(entries, **{'/boot/efi/loader/loader.conf': before}))
                self.assertEqual(guest.read('/boot/efi/loader/loader.conf'), after)
        # It starts the newest where no file says otherwise. GRUB, which reads the same entries, has no such file.
        for loader, after in (('/boot/efi/EFI/systemd/systemd-bootx64.efi', 'default m-5.0.conf\n'), ('/boot/efi/EFI/debian/grubx64.efi', '')):
            with self.subTest(loader):
                self.clear()
                guest, _ = self.chosen(dict(entries, **{loader: 'MZ'}))
                self.assertEqual(guest.read('/boot/efi/loader/loader.conf', ''), after)

    def test_grub_legacy_beside_its_loader_starts_it_as_well(self):
        path = '/boot/efi/EFI/redhat/grub.conf'
        guest, _ = self.chosen({path: 'default=0\ntitle New\n\tkernel /vmlinuz-9.0 root=UUID=u-root\n\tinitrd /initramfs-9.0.img\ntitle Old\n\tkernel /vmlinuz-5.0\n\tinitrd /initramfs-5.0.img\n'})
        self.assertTrue(guest.read(path).startswith('default=1\n'))
        self.assertEqual(boot_entries.images_of(boot_entries.entries_of(guest), '5.0'), ['/boot/initramfs-5.0.img'])

    def test_menus_of_syslinux_start_it_and_get_the_arguments(self):
        path = '/boot/extlinux/extlinux.conf'
        menu = '%sTIMEOUT 50\nLABEL new\n%s\tLINUX ../vmlinuz-9.0\n\tINITRD ../initramfs-9.0.img\n\tAPPEND root=/dev/sda2 ro\nlabel old\n\tlinux ../vmlinuz-5.0\n\tappend initrd=../initramfs-5.0.img root=/dev/sda2 quiet\n'
        for head, mark, told in (('DEFAULT new\n', '', 'DEFAULT old\n'), ('DEFAULT menu.c32\n', '', 'label old\n\tmenu default\n'), ('default old\n', '\tMENU DEFAULT\n', 'default old\n'), ('', '', 'label old\n\tmenu default\n')):
            with self.subTest(head + mark):
                self.clear()
                guest, changed = self.chosen({path: menu % (head, mark)})
                self.assertTrue(changed)
                text = guest.read(path)
                self.assertIn(told, text)
                self.assertNotIn('MENU DEFAULT', text)
                self.assertIn('\tAPPEND root=UUID=u-root ro\n', text)
                self.assertIn('\tappend initrd=../initramfs-5.0.img root=UUID=u-root quiet\n', text)
        self.clear()
        guest, _ = self.chosen({'/etc/default/extlinux': 'EXTLINUX_ROOT="x"\nEXTLINUX_PARAMETERS="ro root=/dev/sda2 quiet"\n'})
        self.assertEqual(guest.read('/etc/default/extlinux'), 'EXTLINUX_ROOT="x"\nEXTLINUX_PARAMETERS="ro root=UUID=u-root quiet"\n')

    def test_nothing_else_to_start_is_told(self):
        menu = 'set default="0"\nmenuentry \'Only\' {\n\tlinux /vmlinuz-9.0\n}\n'
        guest, changed = self.chosen({'/boot/grub2/grub.cfg': menu})
        self.assertEqual((changed, guest.read('/boot/grub2/grub.cfg')), (False, menu))
        self.assertEqual(len([one for one in self.warnings if 'no entry of another kernel' in one]), 1)
        for path, menu in (
            ('/boot/grub/menu.lst', 'default 0\ntitle Only\n\tkernel /vmlinuz-9.0\n'), ('/boot/extlinux/extlinux.conf', 'DEFAULT only\nLABEL only\n\tLINUX /vmlinuz-9.0\n'),
            ('/boot/efi/loader/entries/only.conf', 'version 9.0\nlinux /vmlinuz-9.0\n'),
        ):
            with self.subTest(path):
                self.clear()
                del self.warnings[:]
                guest, changed = self.chosen({path: menu, '/boot/efi/EFI/systemd/systemd-bootx64.efi': 'MZ'})
                self.assertEqual((changed, guest.read(path)), (False, menu))
                told = path if 'entries' not in path else '/boot/efi/loader/loader.conf'
                self.assertEqual(self.warnings, ['%s starts 9.0, which can\'t boot on the destination, and has no entry of another kernel' % told])
