"""The program that built initial RAM disks before dracut: one of SUSE, another one of Red Hat."""

import re

from .image_builder import Tool
from .kernel_drivers import modules_of


class MkinitrdSuse(Tool):
    """SLES 11."""

    image = '/boot/initrd-%s'
    one_place = False
    has_programs = False

    @staticmethod
    def unlocked(guest, image, listed):
        return None

    @staticmethod
    def settle(guest, drivers):
        path = '/etc/sysconfig/kernel'
        text = guest.read(path, '')
        found = re.search(r'^INITRD_MODULES="([^"]*)"', text, re.MULTILINE)
        present = found.group(1).split() if found else []
        missing = [name for name in drivers.modules if name not in present]
        if not missing:
            return []
        line = 'INITRD_MODULES="%s"' % ' '.join(present + missing)
        guest.write(path, text[: found.start()] + line + text[found.end() :] if found else text + line + '\n')
        return ['added %s to %s' % (', '.join(missing), path)]

    @staticmethod
    def build(guest, version, image, drivers, root, below, is_copied=False):
        kernel = '/boot/vmlinuz-' + version
        # It would look for the root that /etc/fstab names, which the worker's devices have other names for.
        place = ['-d', '/dev/disk/by-uuid/' + root.uuid] if root.uuid else []
        guest.run(
            ['mkinitrd', '-m', ' '.join(drivers.modules), '-k', kernel, '-i', image] + place,
            env={'rootdev': place[1]} if place else None,
            timeout=1800,
            shown=True,
            code='osmorphing.initramfs',
        )

    @staticmethod
    def contents(guest, image):
        result = guest.run(['lsinitrd', image], check=False, timeout=300)
        return result.out if result.code == 0 else None


class MkinitrdRedHat(MkinitrdSuse):
    """RHEL 5 and its likes."""

    image = '/boot/initrd-%s.img'

    _CARDS = r'vmxnet\w*|pcnet32|e1000e?|8139too|8139cp|tulip|hv_netvsc|netvsc|xen_vnif|xennet|xen-vnif|netfront|ne2k-pci'
    _DISKS = r'mptspi|mptbase|mptsas|BusLogic|pvscsi|vmw_pvscsi|hv_storvsc|storvsc|hv_blkvsc|blkvsc|xen_vbd|xenblk|xen-vbd|xen_blkfront'

    @classmethod
    def settle(cls, guest, drivers):
        """Aliases name the drivers of the old hardware; and its program that notices new hardware asks at each start, and
        takes the configuration of cards away whose hardware is gone."""
        notes = []
        for path in ['/etc/modprobe.conf', '/etc/modules.conf'] + guest.find('/etc/modprobe.d'):
            text = guest.read(path, '')
            if 'xen' in drivers.disks:
                # Its own drivers, which have other names on each release, need no aliases.
                break
            card = 'hv_netvsc' if drivers.platform == 'hyperv' else 'virtio_net'
            disk = next(name for modules in drivers.disks.values() for name in modules)
            new = re.sub(r'^(alias[ \t]+eth\d+[ \t]+)(?:%s)[ \t]*$' % cls._CARDS, r'\g<1>' + card, text, flags=re.MULTILINE)
            new = re.sub(r'^(alias[ \t]+scsi_hostadapter\d*[ \t]+)(?:%s)[ \t]*$' % cls._DISKS, r'\g<1>' + disk, new, flags=re.MULTILINE)
            if new != text and guest.write(path, new):
                notes.append('%s names the drivers of the destination' % path)
        started = [path for level in '2345' for path in guest.find('/etc/rc.d/rc%s.d' % level) if re.search(r'/S\d\dkudzu$', path)]
        for path in started:
            guest.remove(path)
        return notes + (['kudzu no longer starts'] if started else [])

    @staticmethod
    def build(guest, version, image, drivers, root, below, is_copied=False):
        args = (
            ['mkinitrd', '-f']
            + ['--with=' + name for name in drivers.modules if name in modules_of(guest, version, drivers)]
            + [image, version]
        )
        guest.run(args, timeout=1800, shown=True, code='osmorphing.initramfs')
