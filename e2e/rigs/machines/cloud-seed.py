#!/usr/bin/env python3
"""Makes the seed that apply-seed.py takes from a cloud's config drive. Usage: cloud-seed.py SEED.json

Of cloud-config it understands what is written as JSON, which is YAML: there is no YAML parser on a small worker.
"""
import base64
import json
import os
import sys
import time
import ctypes

LABEL_OFFSET = 16 * 2048 + 40  # Volume identifier in the primary descriptor of an ISO 9660 file system.


def label_of(device):
    try:
        with open(device, "rb") as file:
            file.seek(LABEL_OFFSET)
            return file.read(32).decode("ascii", "replace").strip()
    except OSError:
        return ""


def mount_config_drive():
    libc = ctypes.CDLL(None, use_errno=True)
    for _ in range(50):
        for name in sorted(os.listdir("/sys/block")):
            device = "/dev/" + name
            if label_of(device) == "config-2":
                os.makedirs("/run/config-drive", exist_ok=True)
                if libc.mount(device.encode(), b"/run/config-drive", b"iso9660", 1, None) == 0:
                    return "/run/config-drive"
        time.sleep(0.1)
    sys.exit("no config drive: nobody can log in here")


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""


folder = mount_config_drive() + "/openstack/latest/"
metadata = json.loads(read(folder + "meta_data.json") or "{}")
user_data = read(folder + "user_data")
if user_data and not user_data.startswith("#cloud-config"):
    sys.exit("user data is no cloud-config")
config = json.loads(user_data.split("\n", 1)[1]) if user_data else {}
keys = [key.strip() for key in metadata.get("public_keys", {}).values()]
hostname = metadata.get("hostname", "worker").split(".")[0]
with open("/proc/sys/kernel/hostname", "w") as file:
    file.write(hostname)
image_keys = keys + config.get("ssh_authorized_keys", [])


def seed_user(user):
    if user == "default":
        return {"name": "debian", "authorizedKeys": image_keys}
    sudo = user.get("sudo")
    sudo = sudo[0] if isinstance(sudo, list) else sudo
    seed = {"name": user["name"], "authorizedKeys": user.get("ssh_authorized_keys", []), "shell": user.get("shell")}
    return dict(seed, sudo=sudo) if isinstance(sudo, str) else seed


seed = {
    "users": [seed_user(user) for user in config.get("users", ["default"])] + [{"name": "root", "authorizedKeys": keys}],
    "hostKeys": config.get("ssh_keys", {}),
    "files": [
        {
            "path": file["path"],
            "content": file["content"] if file.get("encoding") in ("b64", "base64")
            else base64.b64encode(file.get("content", "").encode()).decode(),
            "permissions": file.get("permissions", "0644"),
            "owner": file.get("owner"),
        }
        for file in config.get("write_files", [])
    ],
    "commands": config.get("bootcmd", []) + config.get("runcmd", []),
}
with open(sys.argv[1], "w") as file:
    json.dump(seed, file)
