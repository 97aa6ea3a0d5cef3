import os

from causeway_osmorphing import hibernation
from causeway_osmorphing.protocol import MorphError

from .test_disk_names import boot_disk
from .trees import TreeTest


def image(page=4096, signature=b'S1SUSPEND'):
    return b'\0' * (page - 10) + signature.ljust(10, b'\0') + b'rest'


class Hibernation(TreeTest):
    def test_a_swap_file_with_a_hibernated_system_is_found_wherever_the_guest_says_it_is(self):
        unit = '[Swap]\nWhat=/by/unit\n'
        for path, files in (
            ('/swapfile', {}),
            ('/swap/swapfile', {}),
            ('/odd/place', {'/etc/fstab': 'UUID=1 / ext4 defaults 0 1\n/odd/place none swap sw 0 0\n'}),
            ('/by/unit', {'/etc/systemd/system/by-unit.swap': unit}),
        ):
            with self.subTest(path):
                self.clear()
                self.assertEqual(hibernation.hibernated_file(self.guest('debian', dict(files, **{path: image()}))), path)

    def test_signatures_of_all_page_sizes_and_programs_are_known_and_plain_swap_is_none(self):
        for page in (4096, 8192, 16384, 65536):
            for signature in (b'S1SUSPEND', b'S2SUSPEND', b'ULSUSPEND', b'LINHIB0001'):
                self.assertTrue(hibernation.is_image(image(page, signature)))
            self.assertFalse(hibernation.is_image(image(page, b'SWAPSPACE2')))
        self.assertFalse(hibernation.is_image(b''))

    def test_what_is_no_file_is_not_read(self):
        guest = self.guest('debian', {'/swap/x': '', '/etc/fstab': '/dev/sda1 none swap sw 0 0\n/gone none swap sw 0 0\n/up none swap sw 0 0\n', '/up': '→../../../etc/passwd'})
        os.mkfifo(os.path.join(self.root, 'swapfile'))
        self.assertIsNone(hibernation.hibernated_file(guest))

    def test_an_offset_on_the_command_line_leads_to_a_file_that_no_table_names(self):
        guest = self.guest('debian', {'/etc/default/grub': 'GRUB_CMDLINE_LINUX="resume=UUID=1 resume_offset=3 x.resume_offset=9"\n'})
        self.assertEqual(hibernation.resume_offsets(guest), [3])
        device = os.path.join(self.root, 'device')
        with open(device, 'wb') as file:
            file.write(b'\0' * (3 * 4096) + image())
        self.assertTrue(hibernation.is_image_at(device, 3))
        self.assertFalse(hibernation.is_image_at(device, 2))
        self.assertFalse(hibernation.is_image_at(device, 10 ** 9))
        self.assertFalse(hibernation.is_image_at(device + '-gone', 3))

    def test_it_is_refused_before_anything_is_written(self):
        devices = boot_disk()
        hibernation.refuse_hibernated(devices)
        devices[2].properties['HIBERNATED'] = '/swapfile'
        with self.assertRaises(MorphError) as caught:
            hibernation.refuse_hibernated(devices)
        self.assertEqual(caught.exception.code, 'osmorphing.hibernated')
        self.assertIn('/swapfile on /dev/w02 (UUID=u-root)', caught.exception.message)
