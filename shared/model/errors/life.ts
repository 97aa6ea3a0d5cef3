import type { ErrorTable } from './error-text.ts';

/** Codes of the life of a VM: rehearsal, cut-over, roll-back, finalising. */
export const lifeErrors = {
  'life.wrong-state': {
    title: "This is not possible in the VM's present state",
    cause:
      'The step does not fit where the VM stands: for example, only a cut-over can be rolled back, and only a VM that runs at its destination can be finalised.',
    remedy: 'Check the state and its next step in the list of replicas.',
    retryable: false,
  },
  'life.finalised': {
    title: 'The replica is finalised',
    cause: 'Its volumes, snapshots and change tracking have been released, or are being released.',
    remedy: 'Delete the replica and create another one to copy the VM again.',
    retryable: false,
  },
  'life.busy': {
    title: 'The replica is being rolled back or finalised',
    cause: 'Another roll-back or finalising of the same replica has not ended.',
    remedy: 'Wait until it ends.',
    retryable: true,
  },
  'life.rehearsal-network': {
    title: 'The rehearsal has no isolated network',
    cause:
      'A NIC would be connected to a network that the VM is meant for, where it would meet its source, or no network was given for it.',
    remedy: 'Name another destination network for the rehearsal, for all NICs or for each source network.',
    retryable: false,
  },
  'life.source-not-started': {
    title: 'The source VM was not started',
    cause: 'The source platform cannot start VMs, or did not start this one. The deployed VM has been removed.',
    remedy: 'Start the source VM on its platform, then roll back again and say that it was started by hand.',
    retryable: false,
  },
  'evidence.no-browser': {
    title: 'No browser can print the report',
    cause: 'A PDF is printed by Chromium, Chrome or Edge, and none of them was found on this computer.',
    remedy: 'Open the HTML report in any browser and print it there, or install Chromium, Chrome or Edge.',
    retryable: false,
  },
  'evidence.not-printed': {
    title: 'The report could not be printed',
    cause: 'The browser ended without a PDF. The details have what it said.',
    remedy: 'Open the HTML report in any browser and print it there.',
    retryable: true,
  },
  'evidence.foreign-page': {
    title: 'The report is not one of Causeway',
    cause:
      'The engine, e.g. that of a mover, gave a page without the policy that keeps reports from running scripts and loading files. It was neither saved nor printed.',
    remedy:
      'Check who administers the mover. Place its engine again with this version of Causeway, or write the report on another computer.',
    retryable: false,
  },
} as const satisfies ErrorTable;
