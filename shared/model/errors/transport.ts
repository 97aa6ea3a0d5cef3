import type { ErrorTable } from './error-text.ts';

/** Codes of the way to a worker: SSH, TLS, the agent and its protocol. */
export const transportErrors = {
  'transport.unreachable': {
    title: 'The worker cannot be reached',
    cause: 'It is still starting, a firewall or security group blocks this address, or there is no route to it.',
    remedy: 'Check that the port in the details is open from this computer to the worker, then start again.',
    retryable: true,
  },
  'transport.worker-down': {
    title: 'The worker is not running',
    cause: 'It crashed, or it was stopped or deleted, before a connection could be made.',
    remedy: 'No action needed: a new worker replaces it, and the execution resumes from durable data.',
    retryable: true,
  },
  'transport.login-refused': {
    title: 'SSH login to the worker failed',
    cause: 'The key pair is not installed on the worker yet, or its image uses another user name.',
    remedy: 'Check the user name of the worker image. Start again to get a new worker.',
    retryable: true,
  },
  'transport.host-key-mismatch': {
    title: "The worker's SSH host key does not match",
    cause: 'Another machine answers at this address, or the connection is intercepted. Nothing was sent.',
    remedy:
      'Find out which machine answers at this address. If the worker was replaced intentionally, delete it so that a new one is created.',
    retryable: false,
  },
  'transport.certificate-mismatch': {
    title: "The worker's certificate does not match",
    cause: 'Another service answers on this port, or a proxy intercepts TLS. Nothing was sent.',
    remedy: 'Bypass the proxy, or choose SSH as the data transfer mechanism.',
    retryable: false,
  },
  'transport.python-missing': {
    title: 'The worker has no Python 3.6 or later',
    cause: 'The worker image does not include Python 3.',
    remedy: 'Choose a worker image with Python 3.6 or later (every image with cloud-init has it).',
    retryable: false,
  },
  'transport.not-privileged': {
    title: 'The worker user cannot run sudo without a password',
    cause: 'Block devices are written as root, and `sudo -n` was refused.',
    remedy: 'Choose a worker image with a default user that has passwordless sudo, as cloud images do.',
    retryable: false,
  },
  'transport.here-not-linux': {
    title: 'This computer does not run Linux',
    cause: 'Volumes can be attached only to a Linux VM on which Causeway runs.',
    remedy: 'Use a mover that runs Linux, or have workers started.',
    retryable: false,
  },
  'transport.here-not-privileged': {
    title: 'Causeway may not open block devices on this computer',
    cause: 'Causeway does not run as root here, and `sudo -n` was refused.',
    remedy: 'Allow the user that Causeway runs as to use sudo without a password on this VM, or have workers started.',
    retryable: false,
  },
  'transport.here-python-missing': {
    title: 'This computer has no Python 3',
    cause: 'What writes to the block devices is a Python program.',
    remedy: 'Install Python 3.6 or later on this VM, or have workers started.',
    retryable: false,
  },
  'transport.agent-start': {
    title: 'The agent did not start on the worker',
    cause: 'Its port is in use, the disk is full, or Python is broken. The details contain its last output.',
    remedy: 'Check the details. A new worker usually solves the problem.',
    retryable: true,
  },
  'transport.upload-damaged': {
    title: 'The agent was corrupted during upload to the worker',
    cause: 'The worker is out of disk space, or its login shell prints or changes data.',
    remedy: 'Choose another worker image or a larger worker size.',
    retryable: true,
  },
  'transport.protocol': {
    title: 'Protocol error from the worker agent',
    cause: 'A frame was damaged, or the agent runs another version.',
    remedy: 'Start again. The execution resumes from durable data.',
    retryable: true,
  },
  'transport.lost': {
    title: 'The connection to the worker was lost',
    cause: 'The network failed, this computer slept, or the worker or its agent stopped.',
    remedy: 'Start again. The execution resumes from durable data.',
    retryable: true,
  },
  'transport.closed': {
    title: 'The connection to the worker is already closed',
    cause: 'A request was made after the session was closed.',
    remedy: 'Start again.',
    retryable: true,
  },
  'transport.device-in-use': {
    title: 'The device is in use on the worker',
    cause:
      "It is mounted, used as swap, held by another device, opened by another program, or contains the worker's own system.",
    remedy: 'Check the device named in the details. A new worker usually solves the problem.',
    retryable: false,
  },
  'transport.device-refused': {
    title: 'The agent rejected a device path',
    cause: 'The path is not a block device, does not exist, or is not one the agent may write to.',
    remedy: 'Check that the volume is attached to the worker.',
    retryable: false,
  },
  'transport.login-failed': {
    title: 'The worker could not log in to an iSCSI volume',
    cause:
      "The worker's image has no iSCSI initiator, or the platform's iSCSI target did not answer or rejected the login.",
    remedy:
      'Use a worker image with open-iscsi installed and its service running, or map the disk to another attachment type.',
    retryable: true,
  },
  'transport.out-of-range': {
    title: 'Write beyond the end of the volume',
    cause: 'The volume is smaller than the disk being copied to it.',
    remedy: 'Check the sizes of the disk and of the volume.',
    retryable: false,
  },
  'transport.write-failed': {
    title: 'The worker could not read or write the volume',
    cause: 'The underlying storage reported an error or is full.',
    remedy: "Check the volume's state on the platform, then start again.",
    retryable: true,
  },
  'transport.request-refused': {
    title: 'The agent rejected a request',
    cause: 'The request is not valid in the current state of the session.',
    remedy: 'Report the problem with the details.',
    retryable: false,
  },
  'transport.command-failed': {
    title: 'A command on the worker failed',
    cause: 'It returned an error, timed out, or printed too much output.',
    remedy: "Check the command's output in the details.",
    retryable: true,
  },
  'transport.proxy-refused': {
    title: 'The proxy did not open the connection',
    cause:
      'The proxy does not allow connections to this port, or asks for a sign-in other than the one it was given. NTLM and Negotiate are not supported.',
    remedy:
      'Ask the operator of the proxy to allow CONNECT to the address in the details, check user and password of the proxy, or use a local proxy that signs in for you.',
    retryable: false,
  },
  'transport.proxy-not-trusted': {
    title: 'The certificate of the proxy is not trusted',
    cause:
      'The connection to the proxy itself uses TLS, and the certificate of the proxy is self-signed, expired, for another name, or of an unknown CA.',
    remedy:
      "Have the CA of the proxy installed in the operating system's certificate store, or set the address of the proxy that its certificate names.",
    retryable: false,
  },
  'transport.forward-refused': {
    title: 'The SSH server did not forward a connection',
    cause:
      "Nobody listens at the address in the details, the user may not open it, or forwarding is turned off in the server's settings.",
    remedy:
      "Check the address in the details. Allow forwarding in the SSH server's settings (AllowTcpForwarding, AllowStreamLocalForwarding).",
    retryable: true,
  },
  'transport.winrm-protocol': {
    title: 'Unexpected WinRM response',
    cause: 'The WinRM service rejected a request or violated the protocol. See the details.',
    remedy: 'Check that the server is a Windows Server with WinRM over HTTPS, then start again.',
    retryable: true,
  },
  'transport.kerberos-unavailable': {
    title: 'Kerberos sign-in is not possible',
    cause:
      'No domain controller could be reached, the domain does not know the host by this name, the clocks differ, or the account has no AES key. See the details.',
    remedy:
      'Give the host by its full name in the domain and the user as user@domain. If DNS does not name the domain controllers, set `kerberos_kdc` of the endpoint; TCP 88 must be open to them. Otherwise set `authentication` to ntlm, or manage the host by SSH.',
    retryable: false,
  },
} as const satisfies ErrorTable;
