import type { ErrorTable } from './error-text.ts';

/** Codes of the way from a replica to a running virtual machine. */
export const deploymentErrors = {
  'deployment.active': {
    title: 'A deployment of this replica is under way',
    cause: 'Another deployment of the replica has not ended, or was interrupted and waits to be taken up again.',
    remedy: 'Wait for it, go on with it, or cancel it.',
    retryable: true,
  },
  'deployment.never-executed': {
    title: 'The replica holds nothing to deploy',
    cause: 'No execution of it has been completed, so that its volumes are not a copy of the virtual machine.',
    remedy: 'Execute the replica, then deploy it.',
    retryable: false,
  },
  'deployment.inconsistent': {
    title: 'The replica\'s volumes are half written',
    cause: 'An execution ended in the middle, so that the volumes hold parts of two different moments.',
    remedy: 'Execute the replica again. If the source is lost, deploy with the option to accept inconsistent volumes and expect damage.',
    retryable: false,
  },
  'deployment.volume-gone': {
    title: 'A volume of the replica is gone',
    cause: 'It was deleted on the destination behind Causeway\'s back.',
    remedy: 'Execute the replica again; the volume is created and filled anew.',
    retryable: false,
  },
  'deployment.not-supported': {
    title: 'This destination can\'t make replicas into virtual machines',
    cause: 'Its adapter replicates volumes only.',
    remedy: 'Create the virtual machine from the replica\'s volumes on the destination itself.',
    retryable: false,
  },
  'deployment.execution-failed': {
    title: 'The execution that belongs to the migration failed',
    cause: 'The virtual machine was not deployed, because its copy is not complete.',
    remedy: 'See the execution\'s own error, and start the migration again; what was copied is not copied again.',
    retryable: false,
  },
  'deployment.boot-failed': {
    title: 'The guest did not come up',
    cause: 'Its console shows that it stopped, or it showed no sign of life before the deadline.',
    remedy: 'Read the console text that is kept with the deployment. The replica is not affected: deploy again with other options.',
    retryable: false,
  },
  'deployment.clean-up-failed': {
    title: 'The preparation worker could not be removed',
    cause: 'The volumes may still be attached to it, so that no server was made from them.',
    remedy: 'See the ledger for what is left, remove it, and deploy again.',
    retryable: true,
  },
  'deployment.no-server': {
    title: 'There is no virtual machine yet',
    cause: 'The deployment has not come to the step that creates it, or was undone.',
    remedy: 'Wait for that step, or look at the console text that is kept with the deployment.',
    retryable: false,
  },
  'deployment.not-deletable': {
    title: 'The deployment can\'t be deleted now',
    cause: 'It has not ended.',
    remedy: 'Wait for its end, or cancel it, which removes what it made.',
    retryable: false,
  },
} as const satisfies ErrorTable;
