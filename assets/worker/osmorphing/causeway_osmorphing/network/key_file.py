"""Files of [sections] with key=value lines, edited line by line: comments and order stay."""


class KeyFile(object):
    """A key may occur several times, and so may a section."""

    def __init__(self, text):
        self.lines = text.splitlines()

    def _walk(self):
        section = ''
        for index, line in enumerate(self.lines):
            bare = line.strip()
            if bare.startswith('[') and bare.endswith(']'):
                section = bare[1:-1]
                yield index, section, None, None
            elif bare and bare[0] not in '#;' and '=' in bare:
                key, _, value = bare.partition('=')
                yield index, section, key.strip(), value.strip()

    def sections(self):
        return [section for _, section, key, _ in self._walk() if key is None]

    def values(self, section, key):
        """All values; `key` may be a function of the key."""
        fits = key if callable(key) else lambda name: name == key
        return [value for _, found, name, value in self._walk() if found == section and name is not None and fits(name)]

    def get(self, section, key):
        values = self.values(section, key)
        return values[-1] if values else None

    def remove(self, section, key):
        """Removes keys (a name, or a function of the name). Returns whether there were any."""
        fits = key if callable(key) else lambda name: name == key
        gone = set(
            index for index, found, name, _ in self._walk() if found == section and name is not None and fits(name)
        )
        self.lines = [line for index, line in enumerate(self.lines) if index not in gone]
        return bool(gone)

    def remove_section(self, section):
        kept, inside, found = [], False, False
        for line in self.lines:
            bare = line.strip()
            if bare.startswith('[') and bare.endswith(']'):
                inside = bare[1:-1] == section
                found = found or inside
            if not inside:
                kept.append(line)
        self.lines = kept
        return found

    def set(self, section, key, value):
        """Sets the key to just this value. Returns whether anything changed."""
        if self.values(section, key) == [value]:
            return False
        places = [index for index, found, name, _ in self._walk() if found == section and name == key]
        line = '%s=%s' % (key, value)
        if places:
            self.lines[places[0]] = line
            self.lines = [text for index, text in enumerate(self.lines) if index not in places[1:]]
            return True
        heads = [index for index, found, name, _ in self._walk() if found == section and name is None]
        if heads:
            self.lines.insert(heads[0] + 1, line)
        else:
            if self.lines and self.lines[-1].strip():
                self.lines.append('')
            self.lines += ['[%s]' % section, line]
        return True

    def text(self):
        return '\n'.join(self.lines).rstrip('\n') + '\n'
