import type { ErrorTable } from './error-text.ts';

export const engineErrors = {
  'engine.defaults-damaged': {
    title: 'A project defaults file cannot be read',
    cause: 'The file is damaged, or a manual edit left it in a form that Causeway does not understand.',
    remedy: 'Correct the file named in the details, or restore an earlier version.',
    retryable: false,
  },
  'engine.description-damaged': {
    title: 'A project file cannot be loaded',
    cause: 'The file of an endpoint or replica is damaged, incomplete or contradictory, for example after a merge.',
    remedy:
      'Correct the file named in the details, or restore an earlier version. Until then, the last valid version stays in effect.',
    retryable: false,
  },
  'engine.wave-in-use': {
    title: 'The wave is not empty',
    cause: 'Replicas belong to the wave and inherit settings from it.',
    remedy: 'Move the replicas to another wave, or remove them from this one, first.',
    retryable: false,
  },
  'engine.database-unreadable': {
    title: 'The project database cannot be read',
    cause: 'The file is damaged or is not a Causeway database. It was set aside unchanged.',
    remedy:
      'Restore a good copy under the original name, or move the set-aside file out of the folder to start with an empty database. ' +
      'With an empty database, the ledger no longer lists the cloud resources that were created.',
    retryable: false,
  },
  'engine.database-version': {
    title: 'The project database belongs to another version of Causeway',
    cause: 'It was written by a newer version, or its schema was modified.',
    remedy: 'Open the project with the version that wrote it, or with a newer one.',
    retryable: false,
  },
  'engine.project-busy': {
    title: 'The project is open in another process',
    cause: 'Only one engine can write to a project, and the other one does not answer on its local socket.',
    remedy: 'Close the project there, or end the process named in the details.',
    retryable: true,
  },
  'engine.connection-lost': {
    title: 'Connection to the engine lost',
    cause: 'The process that had the project open has exited.',
    remedy: 'Open the project again. Interrupted executions can be resumed.',
    retryable: true,
  },
  'engine.message-too-large': {
    title: 'Message too large',
    cause:
      'A call or its answer is larger than what the process that has the project open exchanges with other processes.',
    remedy: 'Use smaller parts, for example several inventories with fewer VMs each.',
    retryable: false,
  },
  'engine.unknown-call': {
    title: 'Unknown call',
    cause: 'The two sides run different versions, or the name is misspelled.',
    remedy: 'Use the same version of Causeway on both sides.',
    retryable: false,
  },
  'engine.not-found': {
    title: 'Not found in this project',
    cause: 'The ID or name is misspelled, or the item was removed.',
    remedy: 'List the existing items and use one of their IDs or names.',
    retryable: false,
  },
  'engine.ambiguous-name': {
    title: 'The name is ambiguous',
    cause: 'More than one item has this name.',
    remedy: 'Use the ID instead.',
    retryable: false,
  },
  'engine.name-taken': {
    title: 'The name is already in use',
    cause: 'Endpoint and replica names are unique within a project.',
    remedy: 'Choose another name.',
    retryable: false,
  },
  'engine.in-use': {
    title: 'The item is still in use',
    cause: 'Something else in the project depends on it.',
    remedy: 'First remove the items named in the details.',
    retryable: false,
  },
  'engine.execution-active': {
    title: 'An execution of this replica is in progress',
    cause: 'Executions of one replica never overlap, because both would write to the same volumes.',
    remedy: 'Wait until it ends, or cancel it.',
    retryable: true,
  },
  'engine.execution-interrupted': {
    title: 'An execution of this replica is interrupted',
    cause: 'It can still be resumed, and may have temporary resources in the cloud.',
    remedy: 'Resume it and wait for its end, or cancel it so that it cleans up. Then try again.',
    retryable: false,
  },
  'engine.not-active': {
    title: 'The execution is not running',
    cause: 'It has already ended, or it was never started.',
    remedy: 'Check its state. Start a new execution of the replica if you need one.',
    retryable: false,
  },
  'engine.pool-in-fleet': {
    title: 'A fleet has no worker pool',
    cause:
      'Several computers share this project. A worker belongs to the execution of one replica there, so that another computer can take it over.',
    remedy: 'Leave workers to each execution, or take the project out of the fleet.',
    retryable: false,
  },
  'engine.own-vm-unsupported': {
    title: 'Volumes of this endpoint cannot be attached to this computer',
    cause:
      'Causeway can use the VM that it runs on as the disk copy worker at STACKIT, OpenStack, Azure, OCI and Oracle classic destinations, and as the export worker at OpenStack and AWS sources. At Oracle VM, disks carry nothing by which the VM could tell them from its own.',
    remedy: 'Have workers started again for this endpoint, in the settings of the project.',
    retryable: false,
  },
  'engine.own-vm-unusable': {
    title: 'The VM that Causeway runs on cannot be used',
    cause:
      "The cloud has no VM with this ID in the project or region of the endpoint, says that it does not run, or can't attach the volumes to it: it is in another zone, has no room for them, or their devices carry nothing by which they are recognised. The message says which.",
    remedy: 'Check the ID of the VM, and the project and region of the endpoint. Then set the VM again.',
    retryable: false,
  },
  'engine.own-vm-not-found': {
    title: 'Causeway did not find out on which VM it runs',
    cause:
      'No metadata service answered, or the cloud has no VM that runs with the ID which the metadata service, cloud-init or the firmware names.',
    remedy: 'Give the ID of the VM as the cloud shows it.',
    retryable: false,
  },
  'engine.own-vm-mismatch': {
    title: 'Causeway runs on another VM than the one that was set',
    cause:
      'The metadata service, cloud-init or the firmware of this computer names another VM that the cloud has, or a disk that appeared here while a volume was attached to the VM stayed when the volume was detached. Nothing was read or written.',
    remedy:
      'Set the VM again with the ID of the one that Causeway runs on, or let Causeway find it. If this is that VM, find what still uses the disk, or wait until nobody attaches disks to it, and start the execution again.',
    retryable: false,
  },
  'engine.own-vm-unclear': {
    title: 'It is not clear on which VM Causeway runs',
    cause: 'The metadata service, cloud-init and the firmware name several VMs.',
    remedy: 'Give the ID of the VM as the cloud shows it.',
    retryable: false,
  },
  'engine.graph-invalid': {
    title: 'The task graph is invalid',
    cause: 'A task needs an input that no earlier task provides, or tasks depend on each other.',
    remedy: 'This is a bug in Causeway. Report it with the details.',
    retryable: false,
  },
  'engine.environment-invalid': {
    title: 'An environment has errors',
    cause: 'The checks found values that would make the execution fail.',
    remedy: 'Correct the findings in the details. Validating the document shows the same findings.',
    retryable: false,
  },
  'engine.plugin-not-here': {
    title: 'This version cannot connect to the platform',
    cause: "The plugin's parameters can be validated, but this version has no adapter for it.",
    remedy: 'Use another plugin for this endpoint.',
    retryable: false,
  },
  'engine.volume-not-matched': {
    title: "A volume was not found among the worker's devices",
    cause:
      "No device, or more than one, has the volume's identity (serial number, LUN, path or order of attachment) and size. Nothing was written.",
    remedy:
      'Start the execution again. If the error persists, compare the identity and the list of devices in the details.',
    retryable: true,
  },
  'engine.snapshot-gone': {
    title: 'The source snapshot disappeared during the execution',
    cause: 'The VM or its host was restarted, or the snapshot was deleted.',
    remedy: 'Start the execution again. It takes a new snapshot and sends only the differences.',
    retryable: false,
  },
  'engine.left-behind': {
    title: 'Temporary resources were left behind',
    cause: 'They could not be deleted at the end of the execution or deployment.',
    remedy: 'Delete the resources that the ledger lists as left behind.',
    retryable: true,
  },
  'engine.source-not-cleaned': {
    title: 'Resources on the source could not be removed',
    cause: "The source is unreachable or refused the request. The replica's destination resources are already deleted.",
    remedy:
      'Make the source reachable, then delete the replica again. If the source no longer exists, choose that option when you delete the replica: its source resources are then dropped from the ledger.',
    retryable: true,
  },
  'engine.not-removable': {
    title: 'The ledger entry cannot be removed now',
    cause: 'It belongs to a replica, or to a deployment or execution in progress.',
    remedy: 'Cancel the execution or delete the replica instead.',
    retryable: false,
  },
} as const satisfies ErrorTable;
