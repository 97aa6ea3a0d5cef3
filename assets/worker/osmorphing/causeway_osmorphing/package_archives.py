"""Other sources of a distribution than those that the guest uses: its archive of releases that are no longer maintained, and repositories
that are there but switched off. Used for the time of one installation, where the guest's own sources do not have a package; its settings
stay, and so does what it asks of signatures."""

import re

from .confined import write_all

_SOURCES = '/run/causeway-sources.list'
_LISTS = '/run/causeway-lists'
_REPOSITORIES = '/run/causeway-repositories'
# Hosts of a distribution's mirrors → its archive.
_DEBIAN = re.compile(r'(https?://)(?:(?:deb|http|httpredir|ftp(?:\.\w+)?|security|cdn-fastly\.deb)\.debian\.org)(?=/)')
_UBUNTU = re.compile(r'(https?://)(?:(?:(?:[\w.-]+\.)?archive|security)\.ubuntu\.com(?=/)|ports\.ubuntu\.com/ubuntu-ports(?=/?(?:\s|$)))')
_MOST_LINES = 200
# Of a block, which stands for a line for each of its addresses with each of its suites.
_LONGEST_FIELD, _MOST_WORDS = 4096, 20
# Of CentOS: major version → last release, and its repositories.
_STREAMS = {8: ('8-stream', ('BaseOS/$basearch/os', 'AppStream/$basearch/os', 'extras/$basearch/os'))}
_CENTOS = {6: ('6.10', ('os', 'updates', 'extras')), 7: ('7.9.2009', ('os', 'updates', 'extras')), 8: ('8.5.2111', ('BaseOS/$basearch/os', 'AppStream/$basearch/os', 'extras/$basearch/os'))}


def _lend(guest, path, text):
    """A file that disappears with the mounts, and is no change of the guest."""
    guest.files.create(path, lambda made: write_all(made, text.encode('utf-8', 'surrogateescape')), 0o644)


def apt_options(guest):
    """Options of apt for the archives of Debian and Ubuntu; None where the guest has none of their sources."""
    archived = []
    for line in _apt_lines(guest)[:_MOST_LINES]:
        ubuntu = _UBUNTU.sub(_old_ubuntu, line)
        new = _DEBIAN.sub(r'\g<1>archive.debian.org', ubuntu)
        # Debian's updates between releases are not archived.
        if new != line and not (new != ubuntu and re.search(r'\s[\w.-]+-(updates|backports)(\s|$)', new)):
            archived.append(new)
    if not archived:
        return None
    _lend(guest, _SOURCES, '\n'.join(archived) + '\n')
    guest.make_folder(_LISTS + '/partial')
    settings = ('Dir::Etc::sourcelist=' + _SOURCES, 'Dir::Etc::sourceparts=-', 'Dir::State::lists=' + _LISTS, 'Acquire::Check-Valid-Until=false')
    return [word for setting in settings for word in ('-o', setting)]


def _old_ubuntu(found):
    return found.group(1) + 'old-releases.ubuntu.com' + ('/ubuntu' if 'ports' in found.group(0) else '')


def _apt_lines(guest):
    """Sources of binary packages, in the form that has one on each line."""
    texts = [guest.read('/etc/apt/sources.list', '')] + [guest.read(path, '') for path in guest.find('/etc/apt/sources.list.d', '.list')]
    lines = [line.strip() for text in texts for line in text.splitlines() if re.match(r'^\s*deb\s', line)]
    for path in guest.find('/etc/apt/sources.list.d', '.sources'):
        for block in re.split(r'\n[ \t]*\n', guest.read(path, '')):
            lines += _from_block(block)
    return lines


def _from_block(block):
    """Since Ubuntu 24.04 and Debian 13, a source is a block of fields. A key that stands in the block itself is not taken along."""
    fields = dict((key.lower(), value.strip()) for key, value in re.findall(r'^([\w-]+):[ \t]*([^\n]*(?:\n[ \t]+[^\n]*)*)', block, re.MULTILINE))
    if 'deb' not in fields.get('types', '').split() or fields.get('enabled', 'yes').lower() in ('no', 'false'):
        return []
    key = fields.get('signed-by', '')
    signed = ' [signed-by=%s]' % key if re.match(r'^/[\w./+-]+$', key) else ''
    uris, suites, components = (fields.get(name, '')[:_LONGEST_FIELD].split()[:_MOST_WORDS] for name in ('uris', 'suites', 'components'))
    return ['deb%s %s' % (signed, ' '.join([uri, suite] + components)) for uri in uris for suite in suites]


def yum_options(guest):
    """Options of yum and dnf for the archive of CentOS; None for others, and where a signature could not be checked."""
    if guest.release.get('ID') != 'centos':
        return None
    known = _STREAMS if 'Stream' in guest.release.get('PRETTY_NAME', '') else _CENTOS
    if guest.major not in known:
        return None
    release, repositories = known[guest.major]
    if guest.major == 7 and guest.exists('/lib/ld-linux-aarch64.so.1'):
        release = 'altarch/' + release
    keys = ['file:///etc/pki/rpm-gpg/' + name for name in guest.names('/etc/pki/rpm-gpg') if re.match(r'RPM-GPG-KEY-(CentOS-\d+|centosofficial)$', name)]
    if not keys:
        return None
    text = ''
    for index, repository in enumerate(repositories):
        path = repository if '$' in repository else repository + '/$basearch'
        text += '[causeway-%d]\nname=archive %d\nbaseurl=http://vault.centos.org/%s/%s/\nenabled=1\ngpgcheck=1\ngpgkey=%s\n\n' % (index, index, release, path, ' '.join(keys))
    _lend(guest, _REPOSITORIES + '/archive.repo', text)
    return ['--setopt=reposdir=' + _REPOSITORIES]


# Distribution → repositories of its own, as their files call them: those that have cloud-init, and what that needs. Not the ones for
# tests, for debugging, of sources, or for products beside the system.
_OWN = {
    'rhel': r'(?:rhui-)?rhel-\d+-(?:server|for-\w+)-(?:rhui-)?(?:(?:baseos|appstream|rh-common|extras|optional)-)?(?:rhui-)?rpms',
    'ol': r'(?:public_)?ol\d+_(?:latest|addons|optional_latest|baseos_latest|appstream)',
    'centos': r'base|updates|extras|baseos|appstream',
    'rocky': r'baseos|appstream|extras',
    'almalinux': r'baseos|appstream|extras',
    'amzn': r'amzn-main|amzn-updates|amzn2-core|amazonlinux',
}


def disabled_repositories(guest):
    """Identifiers of the distribution's own repositories that are switched off. One whose signatures are not checked is none of them."""
    pattern = _OWN.get(guest.release.get('ID', ''))
    found = []
    for path in guest.find('/etc/yum.repos.d', '.repo')[:_MOST_LINES] if pattern else ():
        for part in re.split(r'^(?=\[)', guest.read(path, ''), flags=re.MULTILINE):
            name = re.match(r'\[(%s)\]' % pattern, part)
            settings = dict((key, value.strip().lower()) for key, value in re.findall(r'^(\w+)[ \t]*=([^\n]*)', part, re.MULTILINE))
            if name and settings.get('enabled') in ('0', 'false', 'no') and settings.get('gpgcheck') not in ('0', 'false', 'no') and name.group(1) not in found:
                found.append(name.group(1))
    return found[:20]
