#!/usr/bin/env python3
"""Runs the agent of a worker that has no block devices of its own: every file of a folder is a device, and its name is
the device's serial; a file of the same name in the folder "names" beside it says what else the device is known by, and then
nothing but that. Usage: user-worker-agent.py DEVICE_FOLDER AGENT.py ARGUMENTS..."""
import importlib.util
import json
import os
import sys

folder, path = sys.argv[1], sys.argv[2]
spec = importlib.util.spec_from_file_location("causeway_agent", path)
agent = importlib.util.module_from_spec(spec)
spec.loader.exec_module(agent)


def names_of(name):
    try:
        with open(os.path.join(os.path.dirname(folder), "names", name)) as handle:
            return json.load(handle)
    except FileNotFoundError:
        return {"serial": name}


def list_devices():
    found = []
    for name in sorted(os.listdir(folder)):
        place = os.path.join(folder, name)
        names = names_of(name)
        found.append({
            "path": place, "serial": names.get("serial", ""), "lun": names.get("lun"),
            "byPath": [names["byPath"]] if "byPath" in names else [], "sizeBytes": os.path.getsize(place), "inUse": False,
        })
    return found


agent.list_devices = list_devices
agent.main(sys.argv[3:])
