"""A boot loader where firmware looks that knows nothing of this machine: the destination's has an empty boot list."""

from .protocol import warn

_LOADERS = {'x86_64': ('BOOTX64.EFI', 'x64'), 'aarch64': ('BOOTAA64.EFI', 'aa64')}


def ensure(morph):
    """Copies the installed loader to EFI/BOOT when nothing is there. Returns (changed, notes)."""
    guest = morph.guest
    if morph.guest_facts['firmware'] != 'uefi':
        return False, ['the guest boots by BIOS']
    names = _LOADERS.get(morph.guest_facts['architecture'])
    if names is None:
        return False, ['no fallback name is known for this architecture']
    fallback, suffix = names
    for esp in ('/boot/efi', '/efi', '/boot'):
        if not guest.is_folder(esp + '/EFI'):
            continue
        folder = _folder(guest, esp + '/EFI')
        present = next((name for name in guest.names(folder) if name.upper() == fallback), None)
        if present:
            added = _configure_legacy(guest, esp + '/EFI', folder, present)
            return bool(added), added or ['%s/%s is there already' % (folder, fallback)]
        # Of several, the guest's own: others are left over from earlier systems.
        for vendor in sorted(guest.names(esp + '/EFI'), key=lambda name: name.lower() not in _vendors_of(guest)):
            source = '%s/EFI/%s' % (esp, vendor)
            files = dict((name.lower(), name) for name in guest.names(source))
            # SUSE's have no architecture in their names.
            shim, grub, boot = (
                files.get('shim%s.efi' % suffix) or files.get('shim.efi'),
                files.get('grub%s.efi' % suffix) or files.get('grub.efi'),
                files.get('systemd-boot%s.efi' % suffix),
            )
            first = shim or grub or boot
            if vendor.upper() == 'BOOT' or not first:
                continue
            copies = [(first, fallback)]
            if shim:
                # The first stage looks for the second one, and for its key manager, beside itself; the second one for
                # its configuration, where it does not have that from its own image.
                beside = ('grub%s.efi' % suffix, 'mm%s.efi' % suffix, 'grub.efi', 'mokmanager.efi', 'grub.cfg')
                copies += [(files[name], files[name]) for name in beside if name in files]
            elif first == grub and 'grub.cfg' not in files and 'grub.conf' in files:
                # GRUB legacy reads the file with its own name.
                copies.append((files['grub.conf'], _legacy_name(fallback)))
            guest.make_folder(folder)
            for name, target in copies:
                guest.copy('%s/%s' % (source, name), '%s/%s' % (folder, target))
                guest.changed.append('%s/%s' % (folder, target))
            return True, ['copied %s to %s' % (', '.join(name for name, _ in copies), folder)]
    warn('the EFI system partition has no boot loader to use as the fallback')
    return False, []


def _vendors_of(guest):
    own = guest.release.get('ID', '').lower()
    return {'rhel': ('redhat', 'rhel'), 'ol': ('redhat', 'oracle'), 'scientific': ('redhat',), 'centos': ('centos', 'redhat')}.get(own, (own,))


def _legacy_name(loader):
    return loader[: -len('.EFI')] + '.conf'


def _configure_legacy(guest, efi, folder, loader):
    """Gives a copy of GRUB legacy that has no configuration the one that belongs to it: it would stop at its prompt."""
    wanted = _legacy_name(loader)
    if any(name.lower() == wanted.lower() for name in guest.names(folder)):
        return []
    for vendor in guest.names(efi):
        source = '%s/%s' % (efi, vendor)
        files = dict((name.lower(), name) for name in guest.names(source))
        if source == folder or 'grub.efi' not in files or 'grub.conf' not in files or 'grub.cfg' in files:
            continue
        if guest.digest('%s/%s' % (source, files['grub.efi'])) == guest.digest('%s/%s' % (folder, loader)):
            guest.copy('%s/%s' % (source, files['grub.conf']), '%s/%s' % (folder, wanted))
            guest.changed.append('%s/%s' % (folder, wanted))
            return ['copied %s to %s/%s' % (files['grub.conf'], folder, wanted)]
    return []


def _folder(guest, efi):
    """The name as it is spelt; the file system may or may not care."""
    return '%s/%s' % (efi, next((name for name in guest.names(efi) if name.upper() == 'BOOT'), 'BOOT'))
