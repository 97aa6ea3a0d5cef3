#!/usr/bin/python3
"""Prints the registry and the files of a Windows disk as JSON. Its registry reader is hivexregedit, another one than the
preparation's. Needs root, ntfs-3g and libwin-hivex-perl."""

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time


def registry(path, name):
    text = subprocess.run(['hivexregedit', '--export', path, '\\'], check=True, stdout=subprocess.PIPE).stdout.decode('utf-8', 'replace')
    found, key = {}, ''
    for line in re.sub(r'\\\r?\n\s*', '', text).splitlines():
        if line.startswith('[') and line.endswith(']'):
            key = name + line[1:-1].rstrip('\\')
            found[key] = 'key'
        elif '=' in line and key:
            value, _, content = line.partition('=') if not line.startswith('"') else _named(line)
            found['%s @%s' % (key, value)] = _readable(content)
    return found


def _named(line):
    end = re.match(r'^"((?:[^"\\]|\\.)*)"=', line)
    return end.group(1).replace('\\\\', '\\'), '=', line[end.end() :]


def _readable(content):
    """Texts as texts: their bytes are hard to compare by eye."""
    told = re.match(r'^hex\(([127])\):([0-9a-f,]*)$', content)
    if not told:
        return content
    return '%s:%s' % (told.group(1), bytes.fromhex(told.group(2).replace(',', '')).decode('utf-16-le', 'replace').rstrip('\0').replace('\0', '|'))


def files(root):
    found = {}
    for here, _, names in os.walk(root):
        for name in names:
            path = os.path.join(here, name)
            with open(path, 'rb') as file:
                content = file.read()
            found[path[len(root) :]] = '%d %s' % (len(content), hashlib.sha256(content).hexdigest())
    return found


def main(disk):
    point = tempfile.mkdtemp()
    loop = subprocess.run(['losetup', '-r', '-f', '--show', '-o', '1048576', disk], check=True, stdout=subprocess.PIPE).stdout.decode().strip()
    try:
        subprocess.run(['ntfs-3g', '-o', 'ro', loop, point], check=True)
        try:
            found = {}
            for name in ('SYSTEM', 'SOFTWARE'):
                found.update(registry(os.path.join(point, 'Windows/System32/config', name), name))
            print(json.dumps({'registry': found, 'files': files(point)}))
        finally:
            subprocess.run(['umount', point], check=True)
    finally:
        for _ in range(50):
            if subprocess.run(['losetup', '-d', loop], stderr=subprocess.DEVNULL).returncode == 0:
                break
            time.sleep(0.1)
        os.rmdir(point)


if __name__ == '__main__':
    main(sys.argv[1])
