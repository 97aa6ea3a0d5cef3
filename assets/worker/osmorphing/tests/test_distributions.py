"""Trees of distributions, made from what their documents say of them: what is told of each, and what a preparation does to it. The programs
are stand-ins; that a distribution's own then do their work is not shown here."""

from causeway_osmorphing.command import Result
from causeway_osmorphing.guest_facts import guest_facts_of
from causeway_osmorphing.initramfs_tools import tool_of
from causeway_osmorphing.roots import Root
from causeway_osmorphing.steps import prepare

from .test_boot import MACHINE, BootTest
from .trees import asked_for, everything, kernel, StandIns, tree

ELF_AARCH64 = b'\x7fELF\x02\x01\x01' + b'\0' * 11 + b'\xb7\x00' + b'\0' * 44
SCRIPTS = '/etc/sysconfig/network-scripts/'
KEY_FILES = '/etc/NetworkManager/system-connections/'
MAC = '00:50:56:00:00:01'
SERIAL = ' console=tty0 console=ttyS0,115200n8'


def os_release(name, version, like=''):
    return {'/etc/os-release': 'ID="%s"\nVERSION_ID="%s"\nID_LIKE="%s"\nPRETTY_NAME="%s %s"\n' % (name, version, like, name, version)}


def programs(*names):
    return dict(('/usr/bin/' + name, '') for name in names)


SYSTEMD = {'/usr/lib/systemd/systemd': ''}
DRACUT = programs('dracut', 'lsinitrd')
INITRAMFS_TOOLS = dict({'/usr/sbin/update-initramfs': '', '/usr/sbin/mkinitramfs': '', '/etc/initramfs-tools/modules': '# none\n', '/etc/initramfs-tools/initramfs.conf': 'MODULES=most\n'}, **programs('lsinitramfs', 'apt-get', 'dpkg'))
# GRUB 2 as grub-mkconfig writes it; the root by the name that it has on the source.
GRUB_2 = "menuentry 'Linux' --id a {\n\tlinux /boot/vmlinuz-%s root=/dev/sda2 ro quiet%s\n\tinitrd /boot/%s-%s%s\n}\n"
LEGACY = 'default=0\ntimeout=5\ntitle Linux\n\troot (hd0,0)\n\tkernel /vmlinuz-%s ro root=/dev/sda2%s\n\tinitrd /%s\n'
ENTRY = 'title Linux\nversion %s\nlinux /vmlinuz-%s\ninitrd /initramfs-%s.img\noptions %s\n'
IFCFG = 'DEVICE=%s\nTYPE=Ethernet\nHWADDR=%s\nBOOTPROTO=none\nONBOOT=yes\nIPADDR=10.0.0.5\nNETMASK=255.255.255.0\nGATEWAY=10.0.0.1\n'
IFCFG_DHCP = 'DEVICE=%s\nTYPE=Ethernet\nONBOOT=yes\nBOOTPROTO=dhcp\n'
KEY_FILE = '[connection]\nid=%s\ntype=ethernet\ninterface-name=%s\n\n[ethernet]\n\n[ipv4]\n%smethod=%s\n'
WICKED = "BOOTPROTO='static'\nIPADDR='10.0.0.5/24'\nSTARTMODE='auto'\n"
WICKED_DHCP = "STARTMODE='auto'\nBOOTPROTO='dhcp'\n"
IFUPDOWN = 'auto lo\niface lo inet loopback\n\nauto %s\niface %s inet static\n\taddress 10.0.0.5/24\n\tgateway 10.0.0.1\n'
IFUPDOWN_DHCP = 'auto lo\niface lo inet loopback\n\nauto %s\niface %s inet dhcp\n'
NETPLAN = 'network:\n  version: 2\n  ethernets:\n    ens192:\n      addresses: [10.0.0.5/24]\n      routes: [{to: default, via: 10.0.0.1}]\n'
NETPLAN_DHCP = 'network:\n  version: 2\n  ethernets:\n    ens192:\n      dhcp4: true\n'


class Distribution(object):
    """`installs`: the command with which cloud-init comes. `images`: that are built. `after`: files as they are then; None: gone."""

    def __init__(self, name, files, family, tool, loader, init, network, installs, images, after, card='ens192'):
        self.name = name
        self.files = files
        self.told = {'family': family, 'bootloader': loader, 'init': init, 'network': network}
        self.tool = tool
        self.installs = installs
        self.images = images
        self.after = after
        self.card = card


def red_hat(name, release, version, more, loader, init, network, after, program='dnf', tool='Dracut', image='/boot/initramfs-%s.img', images=None, card='ens192'):
    option = '--setopt=install_weak_deps=False ' if program == 'dnf' else ''
    files = dict(release, **kernel(version, image=image))
    return Distribution(
        name, dict(files, **dict(programs('rpm', program), **more)), 'redhat', tool, loader, init, network, '%s -y %sinstall cloud-init' % (program, option), images or [image % version], after, card)


def suse(name, release, version, more, loader, network, after, tool='Dracut', init='systemd', kernel_file='/boot/vmlinuz-', card='eth0'):
    made = kernel(version, image='/boot/initrd-%s')
    made[kernel_file + version] = made.pop('/boot/vmlinuz-' + version)
    files = dict(release, **dict(made, **dict(programs('rpm', 'zypper'), **more)))
    return Distribution(
        name, files, 'suse', tool, loader, init, network, 'zypper --non-interactive install --no-recommends --auto-agree-with-licenses cloud-init', ['/boot/initrd-' + version], after, card)


def ubuntu(number, version, more, network, after, tool='InitramfsTools', init='systemd', card='ens192'):
    menu = '/boot/grub/grub.cfg'
    files = dict(os_release('ubuntu', number, 'debian'), **dict(kernel(version, image='/boot/initrd.img-%s'), **{menu: GRUB_2 % (version, '', 'initrd.img', version, '')}))
    changed = {menu: (GRUB_2 % (version, SERIAL, 'initrd.img', version, '')).replace('/dev/sda2', 'UUID=u-root')}
    return Distribution('Ubuntu ' + number, dict(files, **more), 'debian', tool, 'grub-bios', init, network, 'apt-get', ['/boot/initrd.img-' + version], dict(changed, **after), card)


EL5, EL6, EL7, EL8, EL9, EL10 = '2.6.18-398.el5', '2.6.32-754.el6.x86_64', '3.10.0-1160.el7.x86_64', '4.18.0-553.el8_10.x86_64', '5.14.0-503.el9.x86_64', '6.12.0-55.el10_0.x86_64'
UEK, AMZN2, AMZN2023 = '5.15.0-206.153.7.1.el8uek.x86_64', '5.10.226-214.880.amzn2.x86_64', '6.1.109-118.189.amzn2023.x86_64'
SLE11, SLE12, SLE15, SLE16 = '3.0.101-108.13-default', '4.12.14-120-default', '5.14.21-150500.55.7-default', '6.12.0-160000.5-default'


def entries(version, options):
    return {'/boot/loader/entries/%s-%s.conf' % (MACHINE, version): ENTRY % (version, version, version, options)}


def environment(arguments):
    return ('# GRUB Environment Block\nsaved_entry=%s-%s\nkernelopts=%s\n' % (MACHINE, EL8, arguments)).ljust(1024, '#')


BLS = 'set default="${saved_entry}"\ninsmod blscfg\nblscfg\n'
DISTRIBUTIONS = (
    red_hat('RHEL 5', {'/etc/redhat-release': 'Red Hat Enterprise Linux Server release 5.11 (Tikanga)\n'}, EL5, {
        '/sbin/mkinitrd': '', '/etc/modprobe.conf': 'alias eth0 vmxnet\nalias scsi_hostadapter mptspi\n', '/etc/inittab': 'id:3:initdefault:\n1:2345:respawn:/sbin/mingetty tty1\n', '/sbin/agetty': '',
        '/boot/grub/grub.conf': LEGACY % (EL5, '', 'initrd-%s.img' % EL5), '/boot/grub/menu.lst': '→./grub.conf', '/boot/grub/device.map': '(hd0) /dev/sda\n', SCRIPTS + 'ifcfg-eth0': IFCFG % ('eth0', MAC)},
        'grub-legacy', 'sysvinit', ['ifcfg'], {
            '/boot/grub/grub.conf': (LEGACY % (EL5, SERIAL, 'initrd-%s.img' % EL5)).replace('/dev/sda2', 'UUID=u-root'), '/etc/modprobe.conf': 'alias eth0 virtio_net\nalias scsi_hostadapter virtio_blk\n',
            '/etc/inittab': 'id:3:initdefault:\n1:2345:respawn:/sbin/mingetty tty1\nS0:2345:respawn:/sbin/agetty -L 115200 ttyS0 vt102\n', SCRIPTS + 'ifcfg-eth0': IFCFG_DHCP % 'eth0', '/boot/grub/device.map': '(hd0) /dev/vda\n'},
        program='yum', tool='MkinitrdRedHat', image='/boot/initrd-%s.img', card='eth0'),
    red_hat('RHEL 6', {'/etc/redhat-release': 'Red Hat Enterprise Linux Server release 6.10 (Santiago)\n'}, EL6, dict(DRACUT, **{
        '/etc/init/start-ttys.conf': '', '/etc/inittab': 'id:3:initdefault:\n', '/boot/grub/grub.conf': LEGACY % (EL6, '', 'initramfs-%s.img' % EL6), SCRIPTS + 'ifcfg-eth0': IFCFG % ('eth0', MAC),
        '/etc/udev/rules.d/70-persistent-net.rules': 'SUBSYSTEM=="net", ACTION=="add", DRIVERS=="?*", ATTR{address}=="%s", ATTR{type}=="1", KERNEL=="eth*", NAME="eth0"\n' % MAC}),
        'grub-legacy', 'upstart', ['ifcfg'], {
            '/boot/grub/grub.conf': (LEGACY % (EL6, SERIAL, 'initramfs-%s.img' % EL6)).replace('/dev/sda2', 'UUID=u-root'), '/etc/udev/rules.d/70-persistent-net.rules': None, SCRIPTS + 'ifcfg-eth0': IFCFG_DHCP % 'eth0'},
        program='yum', card='eth0'),
    red_hat('RHEL 7 (UEFI)', os_release('rhel', '7.9', 'fedora'), EL7, dict(SYSTEMD, **dict(DRACUT, **{
        '/boot/efi/EFI/redhat/grub.cfg': GRUB_2 % (EL7, '', 'initramfs', EL7, '.img'), '/boot/efi/EFI/redhat/shimx64.efi': 'shim', '/boot/efi/EFI/redhat/grubx64.efi': 'grub', SCRIPTS + 'ifcfg-ens192': IFCFG % ('ens192', MAC)})),
        'grub-efi', 'systemd', ['ifcfg'], {
            '/boot/efi/EFI/redhat/grub.cfg': (GRUB_2 % (EL7, SERIAL, 'initramfs', EL7, '.img')).replace('/dev/sda2', 'UUID=u-root'), '/boot/efi/EFI/BOOT/BOOTX64.EFI': 'shim', '/boot/efi/EFI/BOOT/grubx64.efi': 'grub',
            SCRIPTS + 'ifcfg-ens192': IFCFG_DHCP % 'ens192'}, program='yum'),
    red_hat('RHEL 8', os_release('rhel', '8.10', 'fedora'), EL8, dict(SYSTEMD, **dict(DRACUT, **dict(entries(EL8, '$kernelopts $tuned_params'), **{
        '/boot/grub2/grub.cfg': BLS, '/boot/grub2/grubenv': environment('root=/dev/sda2 ro'), SCRIPTS + 'ifcfg-ens192': IFCFG % ('ens192', MAC)}))),
        'grub-bios', 'systemd', ['ifcfg'], dict(entries(EL8, '$kernelopts $tuned_params'), **{'/boot/grub2/grubenv': environment('root=UUID=u-root ro' + SERIAL), SCRIPTS + 'ifcfg-ens192': IFCFG_DHCP % 'ens192'})),
    red_hat('RHEL 9', os_release('rhel', '9.5', 'fedora'), EL9, dict(SYSTEMD, **dict(DRACUT, **dict(entries(EL9, 'root=UUID=u-root ro'), **{
        '/boot/grub2/grub.cfg': BLS, '/etc/kernel/cmdline': 'root=UUID=u-root ro\n', '/etc/lvm/devices/system.devices': 'x', KEY_FILES + 'ens192.nmconnection': KEY_FILE % ('ens192', 'ens192', 'address1=10.0.0.5/24,10.0.0.1\n', 'manual')}))),
        'grub-bios', 'systemd', ['network-manager'], dict(entries(EL9, 'root=UUID=u-root ro' + SERIAL), **{
            '/etc/kernel/cmdline': 'root=UUID=u-root ro%s\n' % SERIAL, '/etc/lvm/devices/system.devices': None, KEY_FILES + 'ens192.nmconnection': KEY_FILE % ('ens192', 'ens192', '', 'auto')})),
    red_hat('RHEL 10 (aarch64)', os_release('rhel', '10.0', 'centos fedora'), EL10.replace('x86_64', 'aarch64'), dict(SYSTEMD, **dict(DRACUT, **dict(entries(EL10.replace('x86_64', 'aarch64'), 'root=UUID=u-root ro'), **{
        '/bin/sh': ELF_AARCH64, '/boot/efi/EFI/redhat/shimaa64.efi': 'shim', '/boot/efi/EFI/redhat/grubaa64.efi': 'grub', '/boot/efi/EFI/redhat/grub.cfg': 'configfile\n', '/boot/grub2/grub.cfg': BLS,
        KEY_FILES + 'enp1s0.nmconnection': KEY_FILE % ('enp1s0', 'enp1s0', 'address1=10.0.0.5/24,10.0.0.1\n', 'manual')}))),
        'grub-efi', 'systemd', ['network-manager'], dict(entries(EL10.replace('x86_64', 'aarch64'), 'root=UUID=u-root ro'), **{
            '/boot/efi/EFI/BOOT/BOOTAA64.EFI': 'shim', '/boot/efi/EFI/BOOT/grubaa64.efi': 'grub', KEY_FILES + 'enp1s0.nmconnection': KEY_FILE % ('enp1s0', 'enp1s0', '', 'auto')}), card='enp1s0'),
    red_hat('Oracle Linux 8 with UEK', os_release('ol', '8.10', 'fedora'), EL8, dict(SYSTEMD, **dict(DRACUT, **dict(kernel(UEK), **dict(entries(EL8, '$kernelopts'), **dict(entries(UEK, '$kernelopts'), **{
        '/boot/grub2/grub.cfg': BLS, '/boot/grub2/grubenv': environment('root=/dev/sda2 ro'), '/etc/oracle-release': 'Oracle Linux Server release 8.10\n', SCRIPTS + 'ifcfg-ens3': IFCFG % ('ens3', MAC)}))))),
        'grub-bios', 'systemd', ['ifcfg'], {'/boot/grub2/grubenv': environment('root=UUID=u-root ro' + SERIAL), SCRIPTS + 'ifcfg-ens3': IFCFG_DHCP % 'ens3'},
        images=['/boot/initramfs-%s.img' % EL8, '/boot/initramfs-%s.img' % UEK], card='ens3'),
    red_hat('Amazon Linux 2', os_release('amzn', '2', 'centos rhel fedora'), AMZN2, dict(SYSTEMD, **dict(DRACUT, **{
        '/boot/grub2/grub.cfg': GRUB_2 % (AMZN2, SERIAL, 'initramfs', AMZN2, '.img'), SCRIPTS + 'ifcfg-eth0': IFCFG_DHCP % 'eth0'})),
        'grub-bios', 'systemd', ['ifcfg'], {'/boot/grub2/grub.cfg': (GRUB_2 % (AMZN2, SERIAL, 'initramfs', AMZN2, '.img')).replace('/dev/sda2', 'UUID=u-root'), SCRIPTS + 'ifcfg-eth0': IFCFG_DHCP % 'eth0'}, program='yum', card='eth0'),
    red_hat('Amazon Linux 2023', os_release('amzn', '2023', 'fedora'), AMZN2023, dict(SYSTEMD, **dict(DRACUT, **dict(entries(AMZN2023, 'root=UUID=u-root ro console=ttyS0'), **{
        '/boot/grub2/grub.cfg': BLS, '/usr/lib/systemd/systemd-networkd': '', '/usr/lib/systemd/network/80-ec2.network': '[Match]\nDriver=ena ixgbevf vif\n\n[Network]\nDHCP=yes\n'}))),
        'grub-bios', 'systemd', [], dict(entries(AMZN2023, 'root=UUID=u-root ro console=ttyS0'), **{'/etc/systemd/network/95-causeway.network': '[Match]\nName=en* eth*\n\n[Network]\nDHCP=yes\n'}), card=None),
    suse('SLES 11', {'/etc/SuSE-release': 'SUSE Linux Enterprise Server 11 (x86_64)\nVERSION = 11\nPATCHLEVEL = 4\n'}, SLE11, {
        '/sbin/mkinitrd': '', '/etc/sysconfig/kernel': 'INITRD_MODULES="mptspi ext3"\n', '/etc/inittab': 'id:3:initdefault:\n1:2345:respawn:/sbin/mingetty tty1\n', '/sbin/agetty': '',
        '/boot/grub/menu.lst': LEGACY % (SLE11, '', 'initrd-' + SLE11), '/etc/sysconfig/network/ifcfg-eth0': WICKED, '/boot/initrd': '→initrd-' + SLE11, '/boot/vmlinuz': '→vmlinuz-' + SLE11},
        'grub-legacy', ['wicked'], {
            '/etc/sysconfig/kernel': 'INITRD_MODULES="mptspi ext3 virtio virtio_ring virtio_pci virtio_blk virtio_scsi virtio_net"\n', '/etc/sysconfig/network/ifcfg-eth0': WICKED_DHCP,
            '/boot/grub/menu.lst': (LEGACY % (SLE11, SERIAL, 'initrd-' + SLE11)).replace('/dev/sda2', 'UUID=u-root')}, tool='MkinitrdSuse', init='sysvinit'),
    suse('SLES 12', os_release('sles', '12.5'), SLE12, dict(SYSTEMD, **dict(DRACUT, **{
        '/boot/grub2/grub.cfg': GRUB_2 % (SLE12, '', 'initrd', SLE12, ''), '/etc/sysconfig/network/ifcfg-eth0': WICKED, '/etc/sysconfig/network/routes': 'default 10.0.0.1 - -\n'})),
        'grub-bios', ['wicked'], {'/boot/grub2/grub.cfg': (GRUB_2 % (SLE12, SERIAL, 'initrd', SLE12, '')).replace('/dev/sda2', 'UUID=u-root'), '/etc/sysconfig/network/ifcfg-eth0': WICKED_DHCP, '/etc/sysconfig/network/routes': None}),
    suse('SLES 15 (aarch64)', os_release('sles', '15.5', 'suse'), SLE15, dict(SYSTEMD, **dict(DRACUT, **{
        '/bin/sh': ELF_AARCH64, '/boot/grub2/grub.cfg': (GRUB_2 % (SLE15, '', 'initrd', SLE15, '')).replace('vmlinuz', 'Image'), '/etc/sysconfig/network/ifcfg-eth0': WICKED})),
        'grub-bios', ['wicked'], {'/boot/grub2/grub.cfg': (GRUB_2 % (SLE15, '', 'initrd', SLE15, '')).replace('/dev/sda2', 'UUID=u-root').replace('vmlinuz', 'Image'), '/etc/sysconfig/network/ifcfg-eth0': WICKED_DHCP}, kernel_file='/boot/Image-'),
    suse('SLES 16', os_release('sles', '16.0', 'suse'), SLE16, dict(SYSTEMD, **dict(DRACUT, **{
        '/boot/grub2/grub.cfg': GRUB_2 % (SLE16, '', 'initrd', SLE16, ''), KEY_FILES + 'lan.nmconnection': KEY_FILE % ('lan', 'ens192', 'address1=10.0.0.5/24,10.0.0.1\n', 'manual'), '/etc/selinux/config': 'SELINUX=enforcing\nSELINUXTYPE=targeted\n'})),
        'grub-bios', ['network-manager'], {
            '/boot/grub2/grub.cfg': (GRUB_2 % (SLE16, SERIAL, 'initrd', SLE16, '')).replace('/dev/sda2', 'UUID=u-root'), KEY_FILES + 'lan.nmconnection': KEY_FILE % ('lan', 'ens192', '', 'auto'), '/.autorelabel': ''}, card='ens192'),
    ubuntu('14.04', '3.13.0-170-generic', dict(INITRAMFS_TOOLS, **{'/sbin/upstart': '', '/etc/init/tty1.conf': '', '/sbin/getty': '', '/etc/network/interfaces': IFUPDOWN % ('eth0', 'eth0')}),
           ['ifupdown'], {'/etc/network/interfaces': IFUPDOWN_DHCP % ('eth0', 'eth0')}, init='upstart', card='eth0'),
    ubuntu('16.04', '4.4.0-210-generic', dict(INITRAMFS_TOOLS, **dict(SYSTEMD, **{'/etc/network/interfaces': 'source /etc/network/interfaces.d/*\n\n' + IFUPDOWN % ('ens192', 'ens192')})),
           ['ifupdown'], {'/etc/network/interfaces': 'source /etc/network/interfaces.d/*\n\n' + IFUPDOWN_DHCP % ('ens192', 'ens192')}),
    ubuntu('18.04', '4.15.0-213-generic', dict(INITRAMFS_TOOLS, **dict(SYSTEMD, **{'/etc/netplan/01-netcfg.yaml': NETPLAN})), ['netplan'], {'/etc/netplan/01-netcfg.yaml': None, '/etc/netplan/90-causeway.yaml': NETPLAN_DHCP}),
    ubuntu('20.04', '5.4.0-192-generic', dict(INITRAMFS_TOOLS, **dict(SYSTEMD, **{'/etc/netplan/00-installer-config.yaml': NETPLAN, '/etc/cloud/cloud.cfg.d/99-installer.cfg': 'datasource_list: [None]\n'})),
           ['netplan'], {'/etc/netplan/00-installer-config.yaml': None, '/etc/netplan/90-causeway.yaml': NETPLAN_DHCP, '/etc/cloud/cloud.cfg.d/99-installer.cfg': None}),
    ubuntu('22.04', '5.15.0-119-generic', dict(INITRAMFS_TOOLS, **dict(SYSTEMD, **{'/etc/netplan/00-installer-config.yaml': NETPLAN})), ['netplan'], {'/etc/netplan/00-installer-config.yaml': None, '/etc/netplan/90-causeway.yaml': NETPLAN_DHCP}),
    ubuntu('24.04', '6.8.0-41-generic', dict(INITRAMFS_TOOLS, **dict(SYSTEMD, **{'/etc/netplan/50-cloud-init.yaml': NETPLAN})), ['netplan'], {'/etc/netplan/50-cloud-init.yaml': None, '/etc/netplan/90-causeway.yaml': NETPLAN_DHCP}),
    ubuntu('26.04', '7.0.0-14-generic', dict(DRACUT, **dict(SYSTEMD, **dict(programs('apt-get', 'dpkg'), **{'/etc/netplan/50-cloud-init.yaml': NETPLAN, '/usr/sbin/update-initramfs': '', '/etc/initramfs-tools/hooks/left-over': ''}))),
           ['netplan'], {'/etc/netplan/50-cloud-init.yaml': None, '/etc/netplan/90-causeway.yaml': NETPLAN_DHCP}, tool='Dracut'),
)


class Distributions(BootTest):
    def make(self, distribution):
        self.clear()
        del self.warnings[:]
        tree(self.root, dict({'/etc/fstab': '/dev/sda2 / ext4 defaults 0 1\n/dev/sda1 none swap sw 0 0\n', '/bin/sh': b'\x7fELF\x02\x01\x01' + b'\0' * 11 + b'\x3e\x00' + b'\0' * 44}, **distribution.files))
        guest = StandIns(self.root)

        def apt_get(args):
            if 'install' in args:
                tree(self.root, {'/var/lib/dpkg/status': '\n'.join('Package: %s\nStatus: install ok installed\nVersion: 1\n' % name for name in asked_for(args) if '=' not in name)})
            return Result(0, '', '')

        guest._apt_get = apt_get
        return guest

    def test_what_is_told_of_each_decides_what_is_done(self):
        for distribution in DISTRIBUTIONS:
            with self.subTest(distribution.name):
                guest = self.make(distribution)
                facts = guest_facts_of(guest, Root(self.morph(guest).root_device, '', guest.release), {})
                self.assertEqual(dict((key, facts[key]) for key in distribution.told), distribution.told)
                self.assertEqual(tool_of(guest).__name__, distribution.tool)

    def test_each_is_prepared_and_a_second_time_changes_nothing(self):
        nics = [{'macAddress': 'fa:16:3e:00:00:01', 'sourceMacAddress': MAC}]
        for distribution in DISTRIBUTIONS:
            with self.subTest(distribution.name):
                guest = self.make(distribution)
                prepare(self.morph(guest, {'nics': nics}))
                self.assertEqual(self.warnings, [])
                installs = [command for command in guest.commands if ' cloud-init' in command and command.split(' ')[0] == distribution.installs.split(' ')[0]]
                self.assertEqual([command if distribution.installs != 'apt-get' else 'apt-get qemu-guest-agent' for command in installs], [distribution.installs + ' qemu-guest-agent'])
                for image in distribution.images:
                    self.assertIn('/virtio_blk.ko', guest.read(image))
                self.assertEqual(dict((path, guest.read(path) if guest.present(path) else None) for path in distribution.after), distribution.after)
                self.assertEqual(guest.read('/etc/fstab'), 'UUID=u-root / ext4 defaults 0 1\nUUID=u-swap none swap sw 0 0\n')
                rules = guest.read('/etc/udev/rules.d/70-causeway-net.rules', '')
                self.assertEqual('ATTR{address}=="fa:16:3e:00:00:01", NAME="%s"' % distribution.card in rules, distribution.card is not None)
                state = everything(self.root)
                again = prepare(self.morph(guest, {'nics': nics}))
                self.assertEqual([step['step'] for step in again if step['changed']], [])
                self.assertEqual(everything(self.root), state)
