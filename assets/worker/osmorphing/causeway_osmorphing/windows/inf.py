"""A driver's INF file: its devices and its service."""

import re

_START = {'0': 0, '1': 1, '2': 2, '3': 3, '4': 4}


class Inf(object):
    """`devices`: (hardware id, install section, description); `services`: install section → [service]."""

    def __init__(self, raw, architecture):
        self._sections = _sections(_decoded(raw))
        self._strings = dict((key.lower(), value.strip().strip('"')) for key, value in self._pairs('strings'))
        version = dict((key.lower(), value) for key, value in self._pairs('version'))
        self.class_name = self._text(version.get('class', ''))
        self.class_guid = self._text(version.get('classguid', '')).lower()
        self.provider = self._text(version.get('provider', ''))
        self.catalog = self._text(version.get('catalogfile', version.get('catalogfile.nt' + architecture, '')))
        self.driver_version = self._text(version.get('driverver', ''))
        # As the INF file names the processors and versions of Windows that it is for; '' for all.
        self.decorations = self._decorations()
        self.devices = self._devices(architecture)

    def service_of(self, section, architecture):
        """(name, fields) of the service of an install section; None when it has none."""
        for ending in ('.nt' + architecture, '.nt', ''):
            for key, value in self._pairs(section.lower() + ending + '.services'):
                if key.lower() != 'addservice':
                    continue
                parts = [part.strip() for part in value.split(',')]
                # The function driver's service has the flag 2; a filter's has not.
                if len(parts) >= 3 and _number(self._text(parts[1]) or '0') & 2:
                    fields = dict((name.lower(), self._text(text)) for name, text in self._pairs(parts[2].lower()))
                    return self._text(parts[0]), fields
        return None

    def _decorations(self):
        named = [[part.strip().lower() for part in value.split(',')[1:] if part.strip()] for _, value in self._pairs('manufacturer')]
        return sorted(set(one for found in named for one in found or ['']))

    def _devices(self, architecture):
        found = []
        for _, value in self._pairs('manufacturer'):
            parts = [part.strip() for part in value.split(',')]
            models, decorations = parts[0].lower(), [part.lower() for part in parts[1:] if part]
            names = [models + '.' + one for one in decorations if one.split('.')[0] == 'nt' + architecture]
            for name in names or [models]:
                for description, told in self._pairs(name):
                    install, _, ids = told.partition(',')
                    for one in ids.split(','):
                        if one.strip():
                            found.append((self._text(one.strip()), install.strip(), self._text(description)))
        return found

    def _pairs(self, section):
        for line in self._sections.get(section, ()):
            key, separator, value = line.partition('=')
            if separator:
                yield key.strip(), value.strip()

    def _text(self, value):
        value = value.strip().strip('"')
        return re.sub(r'%([^%]+)%', lambda found: self._strings.get(found.group(1).lower(), found.group(0)), value)


def _decoded(raw):
    if raw[:2] in (b'\xff\xfe', b'\xfe\xff'):
        return raw.decode('utf-16', 'replace')
    return raw.decode('utf-8-sig', 'replace')


def _sections(content):
    found, current = {}, None
    for line in re.sub(r'\\[ \t]*\r?\n', ' ', content).splitlines():
        line = _without_comment(line).strip()
        named = re.match(r'^\[([^\]]*)\]', line)
        if named:
            current = found.setdefault(named.group(1).strip().lower(), [])
        elif line and current is not None:
            current.append(line)
    return found


def _without_comment(line):
    quoted = False
    for position, letter in enumerate(line):
        if letter == '"':
            quoted = not quoted
        elif letter == ';' and not quoted:
            return line[:position]
    return line


def _number(text):
    try:
        return int(text, 0)
    except ValueError:
        return 0


def start_of(fields):
    """How its service starts, as a number."""
    return _START.get(fields.get('starttype', '3').strip(), _number(fields.get('starttype', '3')))
