"""Talks to the rig as a client of another make does and prints what it gets, as JSON: host port user password certificate."""
import json
import ssl
import sys

from pyVim.connect import Disconnect, SmartConnect
from pyVmomi import vim

host, port, user, password, certificate = sys.argv[1:6]
service = SmartConnect(host=host, port=int(port), user=user, pwd=password, sslContext=ssl.create_default_context(cafile=certificate))
content = service.RetrieveContent()
view = content.viewManager.CreateContainerView(content.rootFolder, [vim.VirtualMachine], True)
vm = next(one for one in view.view if any(isinstance(device, vim.vm.device.VirtualDisk) for device in one.config.hardware.device))


def wait(task):
    while task.info.state in ("queued", "running"):
        pass
    return task.info


info = wait(vm.CreateSnapshot_Task(name="peer", description="", memory=False, quiesce=False))
snapshot = info.result
disks = []
for device in snapshot.config.hardware.device:
    if not isinstance(device, vim.vm.device.VirtualDisk):
        continue
    areas, start = [], 0
    while start < device.capacityInBytes:
        answer = vm.QueryChangedDiskAreas(snapshot, device.key, start, device.backing.changeId)
        areas += [[area.start, area.length] for area in answer.changedArea]
        start = answer.startOffset + answer.length
    disks.append({"key": device.key, "size": device.capacityInBytes, "file": device.backing.fileName, "changeId": device.backing.changeId, "areas": areas})
try:
    vm.QueryChangedDiskAreas(snapshot, disks[0]["key"], 0, "00/1")
    refused = None
except vim.fault.FileFault as fault:
    refused = fault.file
privileges = content.authorizationManager.HasPrivilegeOnEntities([vm], content.sessionManager.currentSession.key, ["VirtualMachine.Provisioning.DiskRandomRead"])
events = content.eventManager.QueryEvents(vim.event.EventFilterSpec(entity=vim.event.EventFilterSpec.ByEntity(entity=vm, recursion="self")))
result = {
    "vm": vm._moId,
    "consolidationNeeded": vm.runtime.consolidationNeeded,
    "disks": disks,
    "refused": refused,
    "granted": privileges[0].privAvailability[0].isGranted,
    "events": [type(event).__name__ for event in events],
}
# The simulator says of this task that it is about a snapshot, which pyVmomi refuses to read: what is left tells the end as well.
snapshot.RemoveSnapshot_Task(removeChildren=False, consolidate=True)
while vm.snapshot is not None:
    pass
Disconnect(service)
print(json.dumps(result))
