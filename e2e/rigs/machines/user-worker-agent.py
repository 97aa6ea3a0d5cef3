#!/usr/bin/env python3
"""Runs the agent of a worker that has no block devices of its own: every file of a folder is a device, and its name is
the device's serial. Usage: user-worker-agent.py DEVICE_FOLDER AGENT.py ARGUMENTS..."""
import importlib.util
import os
import sys

folder, path = sys.argv[1], sys.argv[2]
spec = importlib.util.spec_from_file_location("causeway_agent", path)
agent = importlib.util.module_from_spec(spec)
spec.loader.exec_module(agent)


def list_devices():
    found = []
    for name in sorted(os.listdir(folder)):
        place = os.path.join(folder, name)
        found.append({"path": place, "serial": name, "sizeBytes": os.path.getsize(place), "inUse": False})
    return found


agent.list_devices = list_devices
agent.main(sys.argv[3:])
