"""Settings that no system writes: a guest decides what is in its files, and none of them may end a preparation without a reason."""

import os
import random

from causeway_osmorphing import boot_default, boot_entries, cloud_init, hibernation, kernel_command_line, other_disk_names, package_archives, selinux, time_sources
from causeway_osmorphing.network import name_servers
from causeway_osmorphing.own_command_line import arguments_of
from causeway_osmorphing.protocol import MorphError

from .test_boot import VIRTIO, BootTest, unified
from .trees import kernel, tree

GRUB = (
    'set default="${saved_entry}"\nif [ "${next_entry}" ] ; then\n  set default="${next_entry}"\nfi\nblscfg\n'
    "submenu 'Advanced options' $menuentry_id_option 'gnulinux-advanced' {\nmenuentry 'Linux 5.1' --class gnu $menuentry_id_option 'gnulinux-5.1' {\n"
    '  linux /boot/vmlinuz-5.1 root=/dev/sda2 ro\n  initrd /boot/ucode.img /boot/initrd.img-5.1\n}\n}\n'
)
FILES = {
    '/usr/sbin/dhcpcd': '', '/etc/dhcpcd.conf': 'interface eth0\nstatic ip_address=10.0.0.5/24\nstatic routers=10.0.0.1\n',
    '/boot/grub/grub.cfg': GRUB,
    '/boot/grub/menu.lst': 'default 1\ntitle Xen\nroot (hd0,0)\nkernel /xen.gz\nmodule /vmlinuz-5.1 root=/dev/sda2\ninitrd /initrd-5.1\ntitle Linux\nkernel (hd0,0)/vmlinuz-6.1 root=/dev/sda2\n',
    '/boot/grub/grubenv': '# GRUB Environment Block\nsaved_entry=0>1\nkernelopts=root=/dev/sda2 ro\n' + '#' * 900,
    '/boot/extlinux/extlinux.conf': 'LABEL l0\n  linux ../vmlinuz-5.1\n  initrd ../initrd.img-5.1\n  append initrd=a,b root=/dev/sda2\n',
    '/boot/grub/grub.conf': 'default ²\ntitle x\nkernel /vmlinuz-5.1\n',
    '/boot/loader/loader.conf': 'timeout 3\ndefault 0123-*\n',
    '/boot/loader/entries/0123-5.1.conf': 'title Linux\nversion 5.1\nlinux /0123/5.1/linux\ninitrd /0123/5.1/initrd\noptions root=/dev/sda2 resume_offset=34816\n',
    '/etc/default/grub': 'GRUB_DEFAULT=saved\nGRUB_CMDLINE_LINUX="root=/dev/sda2 ds=ec2"\n',
    '/etc/fstab': '/dev/sda2 / ext4 defaults 0 1\n/swapfile none swap sw 0 0\n',
    '/etc/systemd/system/a.swap': '[Swap]\nWhat=/swapfile\n',
    '/swapfile': '\0' * 4086 + 'SWAPSPACE2',
    '/etc/chrony.conf': 'server 169.254.169.123 iburst\nrefclock PHC /dev/ptp_hyperv poll 3\npool a.example\n',
    '/etc/apt/sources.list': 'deb http://deb.debian.org/debian stretch main\ndeb [trusted=yes] http://security.debian.org/ stretch/updates main\n',
    '/etc/apt/sources.list.d/a.sources': 'Types: deb\nURIs: http://deb.debian.org/debian\nSuites: stretch\nComponents: main\nSigned-By: /usr/share/keyrings/a.gpg\n',
    '/etc/yum.repos.d/a.repo': '[main]\n[appstream]\nenabled=0\ngpgcheck=1\n',
    '/etc/dhcp/dhclient.conf': 'supersede domain-name-servers 10.0.0.2,\n 10.0.0.3;\n',
    '/etc/resolv.conf': 'nameserver 10.0.0.2\n',
    '/etc/udev/rules.d/99-a.rules': 'KERNEL=="sd?1", RESULT=="36000c29a1b2c3d4", NAME="a"\n',
    '/etc/cloud/ds-identify.cfg': 'datasource: Ec2\npolicy: enabled\n',
    '/etc/selinux/config': 'SELINUX=enforcing\nSELINUXTYPE=targeted\n',
}
PIECES = ('{', '}', '\n', '"', "'", '>', '=', '$', '\\', '²', '٣', '9' * 5000, '../' * 30, '\0', 'é', '#', 'menuentry x {\n', 'submenu "a" {\n', 'default ', '%s', '(hd0)' * 50, '0x')


def spoilt(text, dice):
    for _ in range(dice.randint(1, 6)):
        at, until = dice.randint(0, len(text)), dice.randint(0, 40)
        text = text[:at] + dice.choice(PIECES) * dice.choice((1, 1, 1, 40)) + text[at + dice.choice((0, until)) :]
    return text


class OddSettings(BootTest):
    def test_whatever_is_in_a_file_no_step_ends_without_a_reason(self):
        dice = random.Random(7)
        for turn in range(60 if os.environ.get('CAUSEWAY_EVERY_STEP') == '1' else 15):
            self.clear()
            files = dict(kernel('5.1', image='/boot/initrd.img-%s'), **kernel('6.1', VIRTIO, '/boot/initrd.img-%s'))
            files.update((path, spoilt(text, dice) if dice.random() < 0.6 else text) for path, text in FILES.items())
            program = bytearray(unified('5.1', b'x'))
            for _ in range(dice.randint(0, 8)):
                program[dice.randrange(len(program))] = dice.randrange(256)
            files['/boot/efi/EFI/Linux/a.efi'] = bytes(program)
            guest = self.guest('debian')
            tree(self.root, files)
            with self.subTest(turn):
                for one in boot_entries.unified_kernels(guest):
                    one.image(guest)
                arguments_of(guest)
                package_archives.disabled_repositories(guest)
                other_disk_names.tell(guest)
                name_servers.follow_dhcp(guest, ['netplan'])
                hibernation.hibernated_file(guest)
                hibernation.resume_offsets(guest)
                time_sources.remove(guest)
                package_archives.apt_options(guest)
                selinux.labels_told(spoilt('Would relabel /a from b to c:d:e\n' * 3, dice))
                try:
                    morph = self.morph(guest)
                    morph.unable_kernels = {'5.1'}
                    cloud_init.configure(morph)
                    kernel_command_line.apply(morph)
                    boot_default.choose(morph)
                except MorphError as error:
                    self.assertTrue(error.message)


