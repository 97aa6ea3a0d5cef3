"""Security labels of files that were made or changed from outside."""


def relabel(morph):
    """Has the guest label its files anew on its first boot, if it uses labels and anything changed. Returns (changed,
    notes)."""
    if morph.guest_facts['selinux'] in ('absent', 'disabled'):
        return False, ['the guest does not use SELinux']
    if not morph.changed or morph.guest.exists('/.autorelabel'):
        return False, []
    morph.guest.write('/.autorelabel', '')
    return True, ['files are labelled anew on the first boot, which takes longer for that']
