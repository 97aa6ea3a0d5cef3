"""Clocks that only the source's platform has. With a device that is missing, chrony does not start at all; with servers that
do not answer, the clock drifts until logins fail."""

import re

from . import protocol

_CHRONY = (('/etc/chrony/chrony.conf', '/etc/chrony/conf.d', '/etc/chrony/sources.d'), ('/etc/chrony.conf', '/etc/chrony.d', '/etc/chrony.d'))
_NTP = ('/etc/ntp.conf', '/etc/ntpsec/ntp.conf')
# Addresses of the platforms' own servers, on each machine's link, and their names.
_SERVERS = r'169\.254\.\d+\.\d+|fd00:ec2::123|metadata\.google\.internal|metadata(?=\s|$)'
_SERVER_LINE = re.compile(r'^[ \t]*(?:server|peer|pool)[ \t]+(?:%s)(?=\s|$).*$' % _SERVERS, re.MULTILINE)
_DEVICE_LINE = re.compile(r'^[ \t]*refclock[ \t]+PHC[ \t]+/dev/ptp(?:_hyperv|_ena|\d+)\b.*$', re.MULTILINE)
# The clock of KVM's host has a number for a name, too, in guests that load its driver or have it in their kernel.
_OWN_CLOCK = re.compile(r'^[ \t]*ptp_kvm\b', re.MULTILINE)
_BUILT_IN = re.compile(r'/ptp_kvm\.ko$', re.MULTILINE)
_LOADED = ('/etc/modules-load.d', '/usr/lib/modules-load.d')
_OTHERS = re.compile(r'^[ \t]*(?:server|peer|pool)[ \t]+\S|^[ \t]*(?:sourcedir|include|confdir)[ \t]', re.MULTILINE)


def remove(guest, hypervisor='kvm'):
    """Returns notes. Lines are kept as comments."""
    notes = []
    for main, settings, sources in _CHRONY:
        paths = [main] + guest.find(settings, '.conf') + guest.find(sources, '.sources')
        notes += _without(guest, [path for path in paths if guest.is_file(path)], hypervisor)
    notes += _without(guest, [path for path in _NTP if guest.is_file(path)], hypervisor)
    for path in ['/etc/systemd/timesyncd.conf'] + guest.find('/etc/systemd/timesyncd.conf.d', '.conf'):
        text = guest.read(path, '')
        new = re.sub(r'^(NTP=[ \t]*)(?:(?:%s)[ \t]*)+$' % _SERVERS, r'#\g<0>', text, flags=re.MULTILINE)
        if new != text and guest.write(path, new):
            notes.append('%s no longer asks the time of the source\'s platform' % path)
    return notes


def _has_own_clock(guest):
    paths = ['/etc/modules'] + [path for folder in _LOADED for path in guest.find(folder, '.conf')]
    if any(_OWN_CLOCK.search(guest.read(path, '')) for path in paths if guest.is_file(path)):
        return True
    kernels = guest.kernels()
    # Any of them may be started.
    return bool(kernels) and all(_BUILT_IN.search(guest.read('/lib/modules/%s/modules.builtin' % version, '')) for version in kernels)


def _without(guest, paths, hypervisor):
    notes, left = [], False
    for path in paths:
        text = guest.read(path, '')
        new = _SERVER_LINE.sub(lambda found: '#' + found.group(0), text)
        if hypervisor != 'hyperv' and not _has_own_clock(guest):
            new = _DEVICE_LINE.sub(lambda found: '#' + found.group(0), new)
        if new != text and guest.write(path, new):
            notes.append('%s no longer asks the time of the source\'s platform' % path)
        left = left or bool(_OTHERS.search(new))
    if notes and not left:
        protocol.warn('%s has no other time server: enter one that the destination reaches' % paths[0])
    return notes
