import type { ErrorTable } from './error-text.ts';

export const engineErrors = {
  'engine.defaults-damaged': {
    title: 'A file with common values of the project can\'t be read',
    cause: 'The file is damaged or was changed by hand in a way that Causeway does not understand.',
    remedy: 'Correct the file that is named in the evidence, or take an earlier version of it.',
    retryable: false,
  },
  'engine.description-damaged': {
    title: 'A file of the project can\'t be taken',
    cause: 'An endpoint\'s or a replica\'s file is damaged, unfinished or says something that can\'t be, for example after a merge.',
    remedy: 'Correct the file that is named in the evidence, or take an earlier version of it. Until then, what was known before holds.',
    retryable: false,
  },
  'engine.wave-in-use': {
    title: 'The wave still has virtual machines',
    cause: 'Replicas take values from it.',
    remedy: 'Move them to another wave, or out of it, first.',
    retryable: false,
  },
  'engine.database-unreadable': {
    title: 'The project\'s database can\'t be read',
    cause: 'The file is damaged, or is not a database of Causeway. It was set aside, unchanged.',
    remedy:
      'Put a good copy back under its old name, or move the set-aside file out of the folder to start with an empty database. ' +
      'What was created in clouds is then not known to the ledger.',
    retryable: false,
  },
  'engine.database-version': {
    title: 'The project\'s database belongs to another version of Causeway',
    cause: 'It was written by a newer version, or its schema history was changed by hand.',
    remedy: 'Open the project with the version that wrote it, or a newer one.',
    retryable: false,
  },
  'engine.project-busy': {
    title: 'Another process has this project open',
    cause: 'One engine at a time writes a project, and the other one could not be reached over its local socket.',
    remedy: 'Wait for the other process to end, or end it; its number is in the details.',
    retryable: true,
  },
  'engine.connection-lost': {
    title: 'The connection to the running engine ended',
    cause: 'The process that had the project open has ended.',
    remedy: 'Open the project again; what was running goes on where it was.',
    retryable: true,
  },
  'engine.unknown-call': {
    title: 'There is no such call',
    cause: 'The two sides are of different versions, or the name is misspelt.',
    remedy: 'Use the same version of Causeway on both sides.',
    retryable: false,
  },
  'engine.not-found': {
    title: 'There is no such thing in this project',
    cause: 'The id or name is misspelt, or it was removed.',
    remedy: 'List what is there and use one of its ids or names.',
    retryable: false,
  },
  'engine.ambiguous-name': {
    title: 'Several things have this name',
    cause: 'A name was given where more than one match.',
    remedy: 'Use the id instead.',
    retryable: false,
  },
  'engine.name-taken': {
    title: 'The name is in use already',
    cause: 'Names of endpoints and replicas are unique within a project.',
    remedy: 'Choose another name.',
    retryable: false,
  },
  'engine.in-use': {
    title: 'It is still in use',
    cause: 'Something else in the project depends on it.',
    remedy: 'Remove what is named in the evidence first.',
    retryable: false,
  },
  'engine.execution-active': {
    title: 'An execution of this replica is under way',
    cause: 'Two executions of one replica never overlap, because both would write to the same volumes.',
    remedy: 'Wait for it to end or cancel it.',
    retryable: true,
  },
  'engine.not-active': {
    title: 'The execution is not running',
    cause: 'It has ended already, or was never started.',
    remedy: 'Look at its state; start the replica again if you want another run.',
    retryable: false,
  },
  'engine.graph-invalid': {
    title: 'The task graph can\'t be run',
    cause: 'A task needs something that none before it yields, or tasks wait for each other.',
    remedy: 'This is a defect of Causeway; report it with the details.',
    retryable: false,
  },
  'engine.environment-invalid': {
    title: 'An environment has errors',
    cause: 'The checks before the run found values that would make it fail.',
    remedy: 'Correct what the details list; a check of the document shows the same findings.',
    retryable: false,
  },
  'engine.plugin-not-here': {
    title: 'This version can\'t reach that platform',
    cause: 'The plugin\'s parameters are known and checked, but no adapter for this side is built in.',
    remedy: 'Use another plugin for this endpoint.',
    retryable: false,
  },
  'engine.volume-not-matched': {
    title: 'A volume could not be found among the worker\'s devices',
    cause: 'No device, or more than one, carries the volume\'s serial with the right size. Nothing was written.',
    remedy: 'Start the execution again; if it stays, the platform does not pass serials on, and the details show what was seen.',
    retryable: true,
  },
  'engine.snapshot-gone': {
    title: 'The snapshot of the source is gone in the middle of the run',
    cause: 'The VM or its host was restarted, or somebody removed the snapshot.',
    remedy: 'Start the execution again; it takes a new snapshot and sends only what differs.',
    retryable: false,
  },
  'engine.left-behind': {
    title: 'Temporary resources were left behind',
    cause: 'They could not be removed at the end of the run.',
    remedy: 'Look at what the ledger lists as left behind, and remove it from there.',
    retryable: true,
  },
  'engine.source-not-cleaned': {
    title: 'What the replica left on its source could not be removed',
    cause: 'The source is out of reach, or refused. What the replica had at the destination is deleted already.',
    remedy: 'Let the source be reached and delete the replica again. If the source is gone for good, say so when you delete it: what it left there is forgotten then.',
    retryable: true,
  },
  'engine.not-removable': {
    title: 'The ledger\'s entry is not free to be removed',
    cause: 'It belongs to a replica, a deployment or an execution that is still under way.',
    remedy: 'Cancel the execution or delete the replica instead.',
    retryable: false,
  },
} as const satisfies ErrorTable;
