import { z } from 'zod';
import { field } from '../field-meta.ts';
import { guestOsType } from '../shapes/guest.ts';
import { portField } from '../shapes/connection-fields.ts';
import { secretValue } from '../shapes/secret-value.ts';
import { sshHostKeys } from '../shapes/ssh-host-keys.ts';
import { sshRouteFields } from '../shapes/ssh-route.ts';
import { localPath, mappingOf, text } from '../shapes/values.ts';
import { isLocalLibvirtUri, libvirtUri } from './libvirt-uri.ts';

const overSsh = 'SSH';

/**
 * Running QEMU processes, reached through their QMP sockets or libvirt, on this machine or over SSH. One of `qmp_socket`,
 * `qmp_sockets` and `libvirt_uri` is needed.
 */
export const connection = z
  .strictObject({
    ssh_host: field(
      text()
        .regex(/^[A-Za-z0-9:][A-Za-z0-9.:%_-]*$/, 'must be a host name or an address')
        .optional(),
      {
        title: 'SSH host',
        help: 'Name or address of the host that QEMU runs on. All sockets and folders of this endpoint are then on that host, and everything goes through one SSH connection. If not set, QEMU runs on this computer.',
        group: overSsh,
        example: 'kvm01.example.com',
      },
    ),
    ssh_port: portField(22, 'SSH port', 'TCP port of the SSH server of the host.', overSsh),
    ssh_username: field(text().optional(), {
      title: 'SSH user',
      help: 'User that signs in. It needs read and write access to the sockets of QEMU, or to the socket of libvirt (group libvirt) and to those in the scratch folder.',
      group: overSsh,
      example: 'root',
    }),
    ssh_private_key: field(secretValue().optional(), {
      title: 'SSH private key',
      help: 'Private key of the user, in OpenSSH or PEM format. Stored in the vault.',
      group: overSsh,
      secret: true,
      multiline: true,
      example: { $secret: 'ssh-key' },
    }),
    ssh_passphrase: field(secretValue().optional(), {
      title: 'Passphrase of the private key',
      help: 'Passphrase, if the private key is encrypted. Stored in the vault.',
      group: overSsh,
      secret: true,
      example: { $secret: 'ssh-passphrase' },
    }),
    ssh_password: field(secretValue().optional(), {
      title: 'SSH password',
      help: 'Password of the user, if it does not sign in with a key. Stored in the vault.',
      group: overSsh,
      secret: true,
      example: { $secret: 'ssh-password' },
    }),
    ssh_host_keys: field(sshHostKeys().optional(), {
      title: 'SSH host keys',
      help: 'Host keys of the host, as <type> <base64>: what ssh-keyscan prints for it without the name, compared with the files /etc/ssh/ssh_host_*_key.pub on the host. To a host with other keys, nothing is sent.',
      group: overSsh,
      example: ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXA'],
    }),
    ...sshRouteFields(overSsh),
    qmp_socket: field(localPath().optional(), {
      title: 'QMP socket',
      help: 'Path of the QMP Unix socket of one VM. The VM is named after the QEMU name (-name) or the file.',
      group: 'Hypervisor',
      example: '/run/vms/web-01.qmp',
    }),
    qmp_sockets: field(mappingOf(localPath()).optional(), {
      title: 'QMP sockets by VM',
      help: 'Maps VM names to paths of their QMP Unix sockets, for several VMs on one host.',
      group: 'Hypervisor',
      example: { 'web-01': '/run/vms/web-01.qmp' },
    }),
    libvirt_uri: field(libvirtUri().optional(), {
      title: 'Libvirt URI',
      help: 'URI of a libvirt daemon: qemu:///system, qemu:///session or qemu+tls://host/system, without parameters. Its running domains are listed as VMs. Requires a scratch folder that QEMU can write to. With an SSH host, the daemon of that host is used. No libvirt is needed on this computer.',
      group: 'Hypervisor',
      example: 'qemu:///system',
    }),
    libvirt_tls_credentials: field(localPath().optional(), {
      title: 'TLS credentials for libvirt',
      help: 'Folder on this computer with cacert.pem, clientcert.pem and clientkey.pem, for a libvirt daemon that is reached over TLS. If not set, the files that the libvirt programs use: in ~/.pki/libvirt, or in /etc/pki.',
      group: 'Hypervisor',
      example: '/home/me/.pki/libvirt',
    }),
    scratch_folder: field(localPath().optional(), {
      title: 'Scratch folder',
      help: 'Folder on the QEMU host for snapshot overlays. Needs enough space for the data that the guest overwrites during an execution. If not set, the folder of the QMP socket is used.',
      group: 'Hypervisor',
      example: '/var/tmp/causeway',
    }),
    nbd_listen: field(text().optional(), {
      title: 'NBD address',
      help: 'Address (host:port) on which QEMU exports snapshots. If not set, a Unix socket in the scratch folder is used, and no data leaves the host.',
      group: 'Data path',
      example: '192.0.2.10:10809',
    }),
    nbd_tls_server_credentials: field(localPath().optional(), {
      title: 'TLS credentials of QEMU',
      help: 'Folder on the QEMU host with ca-cert.pem, server-cert.pem and server-key.pem. Needed for an export over TCP.',
      group: 'Data path',
      example: '/etc/pki/qemu-nbd',
    }),
    nbd_tls_client_credentials: field(localPath().optional(), {
      title: 'TLS credentials of the reader',
      help: 'Folder on this computer with ca-cert.pem, client-cert.pem and client-key.pem, for mutual TLS with QEMU.',
      group: 'Data path',
      example: '/home/me/pki/qemu-nbd',
    }),
    os_type: guestOsType(
      'Default for VMs without a responding guest agent. Can be overridden in the environment of a VM.',
      { builtIn: 'linux' },
    ),
  })
  .refine(({ ssh_host, ssh_username }) => ssh_host === undefined || ssh_username !== undefined, {
    error: 'needed with an SSH host',
    path: ['ssh_username'],
    params: { isForm: true },
  })
  .refine(
    ({ ssh_host, ssh_private_key, ssh_password }) =>
      ssh_host === undefined || ssh_private_key !== undefined || ssh_password !== undefined,
    {
      error: 'a private key or a password is needed with an SSH host',
      path: ['ssh_private_key'],
      params: { isForm: true },
    },
  )
  .refine(({ ssh_host, ssh_host_keys }) => ssh_host === undefined || (ssh_host_keys ?? []).length > 0, {
    error: 'needed with an SSH host',
    path: ['ssh_host_keys'],
    params: { isForm: true },
  })
  .refine(
    ({ ssh_host, libvirt_uri }) =>
      ssh_host === undefined || libvirt_uri === undefined || isLocalLibvirtUri(libvirt_uri),
    {
      error: 'must be qemu:///system or qemu:///session with an SSH host',
      path: ['libvirt_uri'],
      params: { isForm: true },
    },
  )
  .refine(
    ({ qmp_socket, qmp_sockets, libvirt_uri }) =>
      qmp_socket !== undefined || libvirt_uri !== undefined || Object.keys(qmp_sockets ?? {}).length > 0,
    {
      error: 'a QMP socket, QMP sockets by VM or a libvirt URI is needed',
      path: ['qmp_socket'],
      params: { isForm: true },
    },
  );

export type QemuHypervisorConnection = z.infer<typeof connection>;
