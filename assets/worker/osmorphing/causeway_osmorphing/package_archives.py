"""Where distributions keep the packages of releases that they no longer maintain. Used for the time of one installation, where
the guest's own sources have nothing any more; its settings stay, and so does what it asks of signatures."""

import re

from .confined import write_all

_SOURCES = '/run/causeway-sources.list'
_LISTS = '/run/causeway-lists'
_REPOSITORIES = '/run/causeway-repositories'
# Hosts of a distribution's mirrors → its archive.
_DEBIAN = re.compile(r'(https?://)(?:(?:deb|http|httpredir|ftp(?:\.\w+)?|security|cdn-fastly\.deb)\.debian\.org)(?=/)')
_UBUNTU = re.compile(r'(https?://)(?:(?:[\w.-]+\.)?archive|security)\.ubuntu\.com(?=/)')
# Of CentOS: major version → last release, and its repositories.
_CENTOS = {6: ('6.10', ('os', 'updates', 'extras')), 7: ('7.9.2009', ('os', 'updates', 'extras')), 8: ('8.5.2111', ('BaseOS/$basearch/os', 'AppStream/$basearch/os', 'extras/$basearch/os'))}


def _lend(guest, path, text):
    """A file that disappears with the mounts, and is no change of the guest."""
    guest.files.create(path, lambda made: write_all(made, text.encode('utf-8', 'surrogateescape')), 0o644)


def apt_options(guest):
    """Options of apt for the archives of Debian and Ubuntu; None where the guest has none of their sources."""
    texts = [guest.read('/etc/apt/sources.list', '')] + [guest.read(path, '') for path in guest.find('/etc/apt/sources.list.d', '.list')]
    lines = [line.strip() for text in texts for line in text.splitlines() if re.match(r'^\s*deb\s', line)]
    archived = []
    for line in lines:
        new = _DEBIAN.sub(r'\g<1>archive.debian.org', _UBUNTU.sub(r'\g<1>old-releases.ubuntu.com', line))
        # Updates between releases are not archived.
        if new != line and not re.search(r'\s[\w.-]+-(updates|backports)(\s|$)', new):
            archived.append(new)
    if not archived:
        return None
    _lend(guest, _SOURCES, '\n'.join(archived) + '\n')
    guest.make_folder(_LISTS + '/partial')
    settings = ('Dir::Etc::sourcelist=' + _SOURCES, 'Dir::Etc::sourceparts=-', 'Dir::State::lists=' + _LISTS, 'Acquire::Check-Valid-Until=false')
    return [word for setting in settings for word in ('-o', setting)]


def yum_options(guest):
    """Options of yum and dnf for the archive of CentOS; None for others, and where a signature could not be checked."""
    if guest.release.get('ID') != 'centos' or 'Stream' in guest.release.get('PRETTY_NAME', '') or guest.major not in _CENTOS:
        return None
    release, repositories = _CENTOS[guest.major]
    keys = ['file:///etc/pki/rpm-gpg/' + name for name in guest.names('/etc/pki/rpm-gpg') if re.match(r'RPM-GPG-KEY-(CentOS-\d+|centosofficial)$', name)]
    if not keys:
        return None
    text = ''
    for index, repository in enumerate(repositories):
        path = repository if '$' in repository else repository + '/$basearch'
        text += '[causeway-%d]\nname=archive %d\nbaseurl=http://vault.centos.org/%s/%s/\nenabled=1\ngpgcheck=1\ngpgkey=%s\n\n' % (index, index, release, path, ' '.join(keys))
    _lend(guest, _REPOSITORIES + '/archive.repo', text)
    return ['--setopt=reposdir=' + _REPOSITORIES]
