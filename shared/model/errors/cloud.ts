import type { ErrorTable } from './error-text.ts';

/** What can go wrong between Causeway and a cloud's API, and with the resources it keeps there. */
export const cloudErrors = {
  'cloud.unreachable': {
    title: "The cloud's API can't be reached",
    cause:
      'Possible causes: no network, a wrong address, a name that does not resolve, or a proxy or firewall in between.',
    remedy: 'Check the network and the address in the details, then start again.',
    retryable: true,
  },
  'cloud.certificate-not-trusted': {
    title: 'The server certificate is not trusted',
    cause:
      'The certificate is self-signed, was issued by a CA that this computer does not know, has expired, or is for another name.',
    remedy: 'Compare the fingerprint with the one of the operator, then add the certificate or its CA to the endpoint.',
    retryable: false,
  },
  'cloud.tls-inspected': {
    title: 'A TLS-inspecting proxy replaces the server certificate',
    cause:
      'The certificate was issued by the security product in the details, which decrypts the traffic of this network, and its CA is not trusted here.',
    remedy:
      "Have the CA of the product installed in the operating system's certificate store, or the address exempt from inspection. If the endpoint has its own `ca_certificate`, add the CA of the product to it.",
    retryable: false,
  },
  'cloud.proxy-refused': {
    title: 'The proxy did not open the connection to the cloud',
    cause:
      'The proxy does not allow the address in the details, or asks for a sign-in. NTLM and Negotiate are not supported.',
    remedy:
      'Ask the operator of the proxy to allow the address. If the proxy asks for a sign-in, set user and password (see Company networks in the manual), or use a local proxy that signs in for you.',
    retryable: false,
  },
  'cloud.proxy-script-failed': {
    title: 'The proxy script names no proxy',
    cause:
      'The script (PAC) that chooses the proxy could not be loaded, has an error, took too long, or names only proxies of unknown kinds. The details say which.',
    remedy:
      'Check the address of the script, and tell the operator of the network the details. Until it works, set the proxy itself, or none (see Company networks in the manual).',
    retryable: true,
  },
  'cloud.no-answer': {
    title: "The cloud's API did not answer in time",
    cause: 'The connection was lost, or the response took longer than the request timeout.',
    remedy: 'Start again. Resources created in the meantime are found and reused, not created twice.',
    retryable: true,
  },
  'cloud.insecure-address': {
    title: "The cloud's API address is not secure",
    cause: 'An access token would be sent without encryption.',
    remedy: 'Use an https:// address. Plain http:// is accepted for loopback addresses only.',
    retryable: false,
  },
  'cloud.key-unreadable': {
    title: 'Invalid service account key',
    cause: 'The text is neither a JSON key nor its base64 form, or its private key is missing or damaged.',
    remedy: 'Download the key again and paste all of it. If you created the key pair yourself, add the private key.',
    retryable: false,
  },
  'cloud.authentication-failed': {
    title: 'Sign-in failed',
    cause: 'The key was deleted, has expired, or belongs to another cloud environment.',
    remedy: 'Create a new service account key, enter it in the endpoint, and check the endpoint again.',
    retryable: false,
  },
  'cloud.sign-in-needed': {
    title: 'Nobody is signed in',
    cause: 'The endpoint signs in as a person. Nobody has signed in yet on this computer, or the session has ended.',
    remedy: 'Sign in on the endpoints page or from the command line, then start again.',
    retryable: false,
  },
  'cloud.sign-in-incomplete': {
    title: 'The sign-in was not completed',
    cause: 'The code was not entered in time, or the sign-in was declined in the browser.',
    remedy: 'Start the sign-in again and enter the new code.',
    retryable: false,
  },
  'cloud.permission-denied': {
    title: 'Permission denied',
    cause: 'The account can sign in, but lacks the permission named in the details for this project.',
    remedy:
      'Grant the account the permission in the details, or the role that the endpoint check names, then start again.',
    retryable: false,
  },
  'cloud.not-found': {
    title: 'Resource not found in the cloud',
    cause: 'It was deleted, or it is in another project or region.',
    remedy: 'Compare the project, region and name with the cloud console.',
    retryable: false,
  },
  'cloud.conflict': {
    title: 'The resource is busy or in an unexpected state',
    cause: 'Another operation on the resource is in progress, or it is in use.',
    remedy: 'Wait until the operation completes or release the resource, then start again.',
    retryable: true,
  },
  'cloud.rate-limited': {
    title: 'The cloud limits the request rate',
    cause: 'This account sent too many requests. Retries with back-off did not help.',
    remedy: 'Start again in a few minutes, or run fewer executions in parallel.',
    retryable: true,
  },
  'cloud.unavailable': {
    title: "The cloud's API is unavailable",
    cause: 'The service returned a server error, also on retries.',
    remedy: "Check the cloud's status page, then start again. Existing resources are not created twice.",
    retryable: true,
  },
  'cloud.request-refused': {
    title: 'The cloud rejected the request',
    cause: "A value is not allowed. The details contain the cloud's message.",
    remedy: 'Correct the parameter named in the details.',
    retryable: false,
  },
  'cloud.unexpected-answer': {
    title: 'Unexpected response from the cloud',
    cause: 'The API changed, or a proxy or sign-in page answered instead of the cloud.',
    remedy: "Check the endpoint's addresses and proxies. If they are correct, report the problem with the details.",
    retryable: false,
  },
  'cloud.operation-failed': {
    title: 'A cloud operation failed',
    cause: 'The cloud accepted the request, but the operation ended with an error.',
    remedy: "Read the cloud's message in the details; often the zone has no capacity left. Then start again.",
    retryable: true,
  },
  'cloud.volume-failed': {
    title: 'A volume of the replica is in an error state',
    cause:
      'An operation on the volume, such as extending it, failed in the cloud, and the volume can no longer be used. Its data may be intact.',
    remedy:
      "Ask the cloud operator to reset the volume's state (see details), or delete the volume: the next execution creates a new one and copies the whole disk.",
    retryable: false,
  },
  'cloud.not-ready': {
    title: 'A resource did not become ready in time',
    cause: 'The cloud was slower than the deadline, or the operation is stuck.',
    remedy: 'Check the resource in the cloud, then start again. It is reused if it is ready by then.',
    retryable: true,
  },
  'cloud.parameter-missing': {
    title: 'A required parameter is missing',
    cause: 'Neither the destination environment nor the provider configuration sets it.',
    remedy: 'Set the parameter named in the details.',
    retryable: false,
  },
  'cloud.name-unknown': {
    title: 'Unknown name in the cloud',
    cause: 'The name is misspelled, or the resource was deleted or is in another project or region.',
    remedy: 'Choose one of the names in the details.',
    retryable: false,
  },
  'cloud.name-ambiguous': {
    title: 'The resource name is ambiguous',
    cause: 'More than one resource in the cloud has this name.',
    remedy: 'Use the ID from the details instead of the name.',
    retryable: false,
  },
  'cloud.quota-exceeded': {
    title: 'Quota exceeded',
    cause: 'The remaining quota of the project is too small for the required resources.',
    remedy: 'Request higher quotas (see details), or free resources. Nothing was created.',
    retryable: false,
  },
  'cloud.disk-too-large': {
    title: 'A disk exceeds the maximum volume size',
    cause: 'The cloud limits the size of a volume.',
    remedy: 'Split the disk inside the guest, or leave it out of the migration.',
    retryable: false,
  },
  'cloud.zone-mismatch': {
    title: 'A volume is in a different availability zone',
    cause: 'The zone was changed after the volumes were created. A server and its volumes must be in the same zone.',
    remedy: 'Set availability_zone back, or delete the replica and create it again in the other zone.',
    retryable: false,
  },
  'cloud.volume-in-use': {
    title: 'A replica volume is attached to another server',
    cause: 'The volume was attached manually, or a server was created from it.',
    remedy: 'Detach the volume from the server named in the details, then start again.',
    retryable: true,
  },
  'cloud.caller-address-unknown': {
    title: 'The caller address is unknown',
    cause:
      "Workers accept connections only from this computer's address, which cannot be detected behind a NAT router.",
    remedy: "Set the caller address in the endpoint's connection (an address, or a range in CIDR notation).",
    retryable: false,
  },
  'cloud.address-out-of-range': {
    title: 'A fixed IP address is outside the mapped network',
    cause:
      "preserve_fixed_ips is on, and the source address is outside the destination network's range or is reserved.",
    remedy:
      'Map the NIC to a network with a range that includes the address, or turn off preserve_fixed_ips. Nothing was created.',
    retryable: false,
  },
  'cloud.clean-up-incomplete': {
    title: 'Some temporary resources could not be deleted',
    cause: 'The cloud rejected or did not complete the deletion of the resources in the details.',
    remedy:
      'Delete the resources that the ledger lists as left behind. Resources that no longer exist are marked as removed.',
    retryable: true,
  },
} as const satisfies ErrorTable;
