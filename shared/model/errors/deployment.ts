import type { ErrorTable } from './error-text.ts';

/** Codes of the way from a replica to a running virtual machine. */
export const deploymentErrors = {
  'deployment.active': {
    title: 'A deployment of this replica is in progress',
    cause: 'Another deployment of the replica has not ended, or was interrupted and can be resumed.',
    remedy: 'Wait until it ends, resume it, or cancel it.',
    retryable: true,
  },
  'deployment.never-executed': {
    title: 'The replica has no completed execution',
    cause: 'Its volumes do not contain a complete copy of the VM yet.',
    remedy: 'Execute the replica, then deploy it.',
    retryable: false,
  },
  'deployment.inconsistent': {
    title: "The replica's volumes are inconsistent",
    cause: 'An execution did not complete, so the volumes contain data from two points in time.',
    remedy:
      'Execute the replica again. If the source is lost, you can deploy with the option to accept inconsistent volumes; expect damaged data.',
    retryable: false,
  },
  'deployment.volume-gone': {
    title: 'A replica volume no longer exists',
    cause: 'It was deleted at the destination outside Causeway.',
    remedy: 'Execute the replica again. The volume is created again and copied in full.',
    retryable: false,
  },
  'deployment.not-supported': {
    title: 'This destination does not support deployments',
    cause: 'Its adapter supports replication only.',
    remedy: "Create the VM from the replica's volumes in the destination's own console.",
    retryable: false,
  },
  'deployment.execution-failed': {
    title: 'The execution of the migration failed',
    cause: 'The VM was not deployed because its copy is incomplete.',
    remedy: 'Check the error of the execution, then start the migration again. Copied data is not copied again.',
    retryable: false,
  },
  'deployment.address-differs': {
    title: 'The guest keeps another address than its NIC has',
    cause:
      'set_dhcp is false, so the guest keeps its static address. The NIC at the destination has another one, usually because the source did not report the address. The VM would be unreachable.',
    remedy:
      'Start the VM on the source with its guest tools running so that it reports its addresses, or set ip_addresses in the VM description; then deploy again. Or set set_dhcp to true.',
    retryable: false,
  },
  'deployment.boot-failed': {
    title: 'The guest did not boot',
    cause: 'The console shows a boot failure, or no sign of a completed boot before the deadline.',
    remedy:
      'Check the console output stored with the deployment. The replica is not affected; you can deploy again with other options.',
    retryable: false,
  },
  'deployment.check-failed': {
    title: 'A check of the deployed VM failed',
    cause: 'The guest has booted, but something that was to be checked did not answer as expected within its time.',
    remedy:
      'Read the results of the checks in the deployment. Correct the guest, the network or the check, then deploy again; set the check to warn if it must not stop the deployment.',
    retryable: false,
  },
  'deployment.clean-up-failed': {
    title: 'The OSMorphing worker could not be deleted',
    cause: 'The volumes may still be attached to it, so no server was created from them.',
    remedy: 'Delete the resources that the ledger lists, then deploy again.',
    retryable: true,
  },
  'deployment.no-server': {
    title: 'The VM does not exist yet',
    cause: 'The deployment has not reached the step that creates the VM, or it was rolled back.',
    remedy: 'Wait for that step, or check the console output stored with the deployment.',
    retryable: false,
  },
  'deployment.not-deletable': {
    title: 'The deployment cannot be deleted now',
    cause: 'The deployment has not ended.',
    remedy: 'Wait until it ends, or cancel it. Cancelling removes its resources.',
    retryable: false,
  },
} as const satisfies ErrorTable;
