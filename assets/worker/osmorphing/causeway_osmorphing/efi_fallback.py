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
        if any(name.upper() == fallback for name in guest.names(folder)):
            return False, ['%s/%s is there already' % (folder, fallback)]
        for vendor in guest.names(esp + '/EFI'):
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
            guest.make_folder(folder)
            for name, target in copies:
                guest.copy('%s/%s' % (source, name), '%s/%s' % (folder, target))
                guest.changed.append('%s/%s' % (folder, target))
            return True, ['copied %s to %s' % (', '.join(name for name, _ in copies), folder)]
    warn('the EFI system partition has no boot loader to use as the fallback')
    return False, []


def _folder(guest, efi):
    """The name as it is spelt; the file system may or may not care."""
    return '%s/%s' % (efi, next((name for name in guest.names(efi) if name.upper() == 'BOOT'), 'BOOT'))
