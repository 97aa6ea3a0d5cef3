import type { ErrorTable } from './error-text.ts';

/** Codes of the way to a worker: SSH, TLS, the agent and its protocol. */
export const transportErrors = {
  'transport.unreachable': {
    title: 'The worker cannot be reached',
    cause: 'It is still starting, a firewall or security group is closed for this address, or the address is not routed from here.',
    remedy: 'Check that the port in the evidence is open from this machine to the worker, then start the run again.',
    retryable: true,
  },
  'transport.worker-down': {
    title: 'The worker does not run',
    cause: 'It crashed, or somebody switched it off or deleted it, before it could be reached.',
    remedy: 'Nothing to do: a new worker takes its place, and the run goes on from what is durable.',
    retryable: true,
  },
  'transport.login-refused': {
    title: 'The worker does not accept the SSH login',
    cause: 'The key pair was not put into the worker yet, or the user name of its image is another one.',
    remedy: 'Check the user name of the worker image; start the run again to get a new worker.',
    retryable: true,
  },
  'transport.host-key-mismatch': {
    title: 'The worker showed another SSH host key than expected',
    cause: 'Something else answers on this address: another machine, or somebody in between. Nothing was sent.',
    remedy: 'Find out who answers on this address. If the worker was replaced on purpose, delete it so that a new one is made.',
    retryable: false,
  },
  'transport.certificate-mismatch': {
    title: 'The worker showed another certificate than the one made for it',
    cause: 'Something else answers on this port, or a proxy breaks up the encryption. Nothing was sent.',
    remedy: 'Take the proxy out of the way, or choose SSH as the data transfer mechanism.',
    retryable: false,
  },
  'transport.python-missing': {
    title: 'The worker has no Python 3.6 or later',
    cause: 'The disk copy worker image does not carry Python 3.',
    remedy: 'Choose a worker image with Python 3.6 or later (every image with cloud-init has it).',
    retryable: false,
  },
  'transport.not-privileged': {
    title: 'The worker user may not use sudo without a password',
    cause: 'Block devices are written as root, and `sudo -n` was refused.',
    remedy: 'Choose a worker image whose default user has password-less sudo, as cloud images have.',
    retryable: false,
  },
  'transport.agent-start': {
    title: 'The agent did not start on the worker',
    cause: 'Its port is taken, the disk is full, or its interpreter is broken; the evidence has its last words.',
    remedy: 'Read the evidence; a new worker usually helps.',
    retryable: true,
  },
  'transport.upload-damaged': {
    title: 'The agent arrived on the worker with other bytes than it was sent with',
    cause: 'The worker has no space left, or its login shell prints or alters things.',
    remedy: 'Choose another worker image or a larger worker flavour.',
    retryable: true,
  },
  'transport.protocol': {
    title: 'The other side does not speak the protocol of the agent',
    cause: 'A frame was damaged or is of another version.',
    remedy: 'Start the run again; it goes on from what is durable.',
    retryable: true,
  },
  'transport.lost': {
    title: 'The connection to the worker was lost',
    cause: 'The network broke, the machine slept, or the worker or its agent ended.',
    remedy: 'Start the run again; it goes on from what is durable.',
    retryable: true,
  },
  'transport.closed': {
    title: 'The connection to the worker was closed already',
    cause: 'A request came after the session was closed.',
    remedy: 'Start the run again.',
    retryable: true,
  },
  'transport.device-in-use': {
    title: 'The agent refuses to write to a device that is in use',
    cause: 'It is mounted, used as swap, held by another device, opened by somebody else, or carries the system of the worker.',
    remedy: 'Look at the device in the evidence on the worker; a new worker usually helps.',
    retryable: false,
  },
  'transport.device-refused': {
    title: 'The agent refuses to open this path',
    cause: 'It is not a block device, does not exist, or lies outside of what the agent may write to.',
    remedy: 'Check that the volume is attached to the worker.',
    retryable: false,
  },
  'transport.out-of-range': {
    title: 'A request reached beyond the end of the volume',
    cause: 'The volume is smaller than the disk that is written to it.',
    remedy: 'Check the sizes of the disk and of the volume.',
    retryable: false,
  },
  'transport.write-failed': {
    title: 'The worker could not read or write the volume',
    cause: 'The storage behind the volume reported an error or has no space left.',
    remedy: 'Check the state of the volume on the platform, then start the run again.',
    retryable: true,
  },
  'transport.request-refused': {
    title: 'The agent refused a request',
    cause: 'The request does not fit the state of the session.',
    remedy: 'Keep the evidence and report it.',
    retryable: false,
  },
  'transport.command-failed': {
    title: 'A command on the worker failed',
    cause: 'It ended with an error, took longer than its deadline, or printed more than it may.',
    remedy: 'Read the evidence for what the command said.',
    retryable: true,
  },
} as const satisfies ErrorTable;
