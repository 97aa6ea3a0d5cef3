"""The part of YAML that network configuration is written in: block and flow mappings and lists of plain or quoted
scalars.
Anything else (anchors, tags, block scalars) is refused. Scalars stay text."""

import re


class NotReadable(ValueError):
    """YAML that this reader does not support."""


def load(text):
    """Mappings as dictionaries, lists as lists, scalars as text, nothing as None."""
    lines = []
    for number, raw in enumerate(text.splitlines(), 1):
        bare = _without_comment(raw)
        if not bare.strip() or bare.strip() in ('---', '...'):
            continue
        if '\t' in bare[: len(bare) - len(bare.lstrip())]:
            raise NotReadable('line %d is indented by a tab' % number)
        lines.append((len(bare) - len(bare.lstrip()), bare.strip(), number))
    if not lines:
        return None
    value, rest = _block(lines, 0, lines[0][0])
    if rest != len(lines):
        raise NotReadable('line %d is indented differently' % lines[rest][2])
    return value


def _without_comment(line):
    quote = None
    for index, character in enumerate(line):
        if quote:
            quote = None if character == quote else quote
        elif character in '"\'' and (index == 0 or line[index - 1] in ' [{,:-'):
            quote = character
        elif character == '#' and (index == 0 or line[index - 1] in ' \t'):
            return line[:index].rstrip()
    return line.rstrip()


_KEY = re.compile(r'^("[^"]*"|\'[^\']*\'|[^\s\[\]{}"\'#&*!|>%@,][^#{}\[\]]*?)\s*:(?:\s+(.*))?$')


def _block(lines, at, indent):
    if lines[at][1].startswith('- ') or lines[at][1] == '-':
        return _list(lines, at, indent)
    if _KEY.match(lines[at][1]):
        return _mapping(lines, at, indent)
    return _scalar_or_flow(lines[at][1], lines[at][2]), at + 1


def _mapping(lines, at, indent):
    found = {}
    while at < len(lines) and lines[at][0] == indent and not (lines[at][1].startswith('- ') or lines[at][1] == '-'):
        match = _KEY.match(lines[at][1])
        if not match:
            raise NotReadable('line %d is no key' % lines[at][2])
        key, rest = _scalar(match.group(1), lines[at][2]), match.group(2)
        if key in found:
            raise NotReadable('line %d repeats the key %s' % (lines[at][2], key))
        if rest:
            found[key] = _scalar_or_flow(rest, lines[at][2])
            at += 1
            continue
        nested = at + 1 < len(lines) and (
            lines[at + 1][0] > indent or (lines[at + 1][0] == indent and lines[at + 1][1].startswith('-'))
        )
        if nested:
            found[key], at = _block(lines, at + 1, lines[at + 1][0])
        else:
            found[key] = None
            at += 1
    return found, at


def _list(lines, at, indent):
    found = []
    while at < len(lines) and lines[at][0] == indent and (lines[at][1].startswith('- ') or lines[at][1] == '-'):
        content = lines[at][1][1:].strip()
        if not content:
            value, at = _block(lines, at + 1, lines[at + 1][0])
        elif _KEY.match(content) or content.startswith('- '):
            # What follows the dash is a block of its own, indented by its position.
            inner = indent + len(lines[at][1]) - len(content)
            lines[at] = (inner, content, lines[at][2])
            value, at = _block(lines, at, inner)
        else:
            value, at = _scalar_or_flow(content, lines[at][2]), at + 1
        found.append(value)
    return found, at


def _scalar_or_flow(text, number):
    if text[0] in '[{':
        value, rest = _flow(text, number)
        if rest.strip():
            raise NotReadable('line %d goes on after its end' % number)
        return value
    return _scalar(text, number)


def _scalar(text, number):
    if text[0] in '&*!|>%@`':
        raise NotReadable('line %d has YAML that is not read here' % number)
    if len(text) > 1 and text[0] == text[-1] and text[0] in '"\'':
        return text[1:-1].replace("''", "'") if text[0] == "'" else text[1:-1].replace('\\"', '"')
    return text


def _flow(text, number):
    opening, rest = text[0], text[1:].lstrip()
    found = [] if opening == '[' else {}
    closing = ']' if opening == '[' else '}'
    while True:
        if not rest:
            raise NotReadable('line %d ends within brackets' % number)
        if rest[0] == closing:
            return found, rest[1:]
        if opening == '[':
            value, rest = _flow_value(rest, number)
            found.append(value)
        else:
            match = re.match(r'("[^"]*"|\'[^\']*\'|[^,\[\]{}:]+)\s*:\s*', rest)
            if not match:
                raise NotReadable('line %d has no key in braces' % number)
            value, rest = _flow_value(rest[match.end() :], number)
            found[_scalar(match.group(1).strip(), number)] = value
        rest = rest.lstrip()
        if rest.startswith(','):
            rest = rest[1:].lstrip()


def _flow_value(text, number):
    if not text:
        raise NotReadable('line %d ends within brackets' % number)
    if text[0] in '[{':
        return _flow(text, number)
    match = re.match(r'"[^"]*"|\'[^\']*\'|[^,\[\]{}]+', text)
    if not match:
        raise NotReadable('line %d has an empty value' % number)
    return _scalar(match.group(0).strip(), number), text[match.end() :]


def dump(value, indent=0):
    """Block style, keys in their order."""
    pad = ' ' * indent
    if isinstance(value, dict):
        text = ''
        for key, inner in value.items():
            if isinstance(inner, dict) and inner or isinstance(inner, list) and inner:
                text += '%s%s:\n%s' % (pad, _shown(key), dump(inner, indent + 2))
            else:
                text += '%s%s: %s\n' % (pad, _shown(key), {'{}': '{}', '[]': '[]'}.get(str(inner)) or _shown(inner))
        return text
    text = ''
    for inner in value:
        if isinstance(inner, (dict, list)) and inner:
            block = dump(inner, indent + 2)
            text += pad + '- ' + block[indent + 2 :]
        else:
            text += '%s- %s\n' % (pad, _shown(inner))
    return text


def _shown(value):
    if value is None:
        return 'null'
    if value in ({}, []):
        return str(value)
    text = str(value)
    plain = (
        re.match(r'^[A-Za-z0-9_./-][A-Za-z0-9_./ -]*$', text)
        and text == text.strip()
        and not re.match(r'^-(\s|$)', text)
    )
    return text if plain else '"%s"' % text.replace('\\', '\\\\').replace('"', '\\"')
