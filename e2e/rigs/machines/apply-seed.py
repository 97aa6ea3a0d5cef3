#!/usr/bin/env python3
"""Prepares a worker at its first start by its seed (what the user data said, as JSON). Usage: apply-seed.py SEED.json"""
import base64
import json
import os
import pwd
import sys

seed = json.load(open(sys.argv[1]))


def write(path, content, mode, owner=None):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
    os.chmod(path, mode)
    if owner:
        os.chown(path, owner.pw_uid, owner.pw_gid)


def run(command):
    # Imported late: most seeds have no commands, and on an emulated machine each module costs.
    import subprocess

    return subprocess.run(command, shell=isinstance(command, str)).returncode


def add_account(user):
    try:
        return pwd.getpwnam(user["name"])
    except KeyError:
        pass
    uid = 1 + max([1000] + [one.pw_uid for one in pwd.getpwall() if one.pw_uid < 60000])
    home = "/home/" + user["name"]
    for path, line in (
        ("/etc/passwd", "%s:x:%d:%d::%s:%s" % (user["name"], uid, uid, home, user.get("shell") or "/bin/bash")),
        ("/etc/group", "%s:x:%d:" % (user["name"], uid)),
        ("/etc/shadow", "%s:*:19000:0:99999:7:::" % user["name"]),
    ):
        with open(path, "a") as file:
            file.write(line + "\n")
    os.makedirs(home, exist_ok=True)
    os.chown(home, uid, uid)
    return pwd.getpwnam(user["name"])


for user in seed["users"]:
    account = add_account(user)
    if user.get("sudo"):
        write("/etc/sudoers.d/91-" + user["name"], ("%s %s\n" % (user["name"], user["sudo"])).encode(), 0o440)
    if user["authorizedKeys"]:
        folder = account.pw_dir + "/.ssh"
        os.makedirs(folder, mode=0o700, exist_ok=True)
        os.chown(folder, account.pw_uid, account.pw_gid)
        write(folder + "/authorized_keys", ("\n".join(user["authorizedKeys"]) + "\n").encode(), 0o600, account)

for name, content in seed["hostKeys"].items():
    # cloud-config names: ed25519_private, ed25519_public, ...
    kind, part = name.rsplit("_", 1)
    path = "/etc/ssh/ssh_host_%s_key" % kind + (".pub" if part == "public" else "")
    write(path, content.rstrip("\n").encode() + b"\n", 0o644 if part == "public" else 0o600)
if not any(name.endswith("_private") for name in seed["hostKeys"]):
    if not os.path.exists("/etc/ssh/ssh_host_ed25519_key"):
        run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "/etc/ssh/ssh_host_ed25519_key"])

for file in seed["files"]:
    owner = pwd.getpwnam(file["owner"].split(":")[0]) if file.get("owner") else None
    write(file["path"], base64.b64decode(file["content"]), int(file["permissions"], 8), owner)

for command in seed["commands"]:
    code = run(command)
    if code != 0:
        print("seed: command ended with %d" % code, file=sys.stderr)
