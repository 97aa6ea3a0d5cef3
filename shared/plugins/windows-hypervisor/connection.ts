import { z } from 'zod';
import { field } from '../field-meta.ts';
import {
  allowUntrustedField,
  caCertificateField,
  hostField,
  passwordField,
  portField,
  usernameField,
} from '../shapes/connection-fields.ts';
import { secretValue } from '../shapes/secret-value.ts';
import { sshHostKeys } from '../shapes/ssh-host-keys.ts';
import { sshRouteFields } from '../shapes/ssh-route.ts';

export const connection = z
  .strictObject({
    host: hostField('Name or address of the hypervisor host.', 'hv01.example.com'),
    port: portField(5986, 'Management port', 'TCP port of remote management over HTTPS.'),
    username: usernameField('User with permission to manage VMs on the host.', 'EXAMPLE\\migration'),
    password: passwordField(),
    management: field(z.enum(['winrm', 'ssh']).optional(), {
      title: 'Management',
      help: 'How PowerShell is run on the hosts. winrm uses Windows Remote Management over HTTPS. ssh uses the OpenSSH server of Windows; disks can then be read over the same connection, so that no other port is needed.',
      group: 'Access',
      example: 'winrm',
      builtIn: 'winrm',
    }),
    ssh_port: portField(22, 'SSH port', 'TCP port of the OpenSSH server of the hosts, for management by ssh.'),
    ssh_host_keys: field(sshHostKeys().optional(), {
      title: 'SSH host keys',
      help: 'Host keys of the hosts, as <type> <base64>, one for each node of a cluster. Needed for management by ssh: to hosts with other keys, no password is sent.',
      group: 'Trust',
      example: ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXA'],
    }),
    ...sshRouteFields('SSH route'),
    authentication: field(z.enum(['auto', 'basic', 'ntlm', 'kerberos']).optional(), {
      title: 'Authentication',
      help: 'How to sign in by winrm. auto uses NTLM if the host offers Negotiate, otherwise Basic, but no Basic if the certificate is not verified. kerberos signs in to a controller of the domain with user name and password, and shows the host a ticket only: the host must be given by its name, not its address. It was tried with MIT Kerberos, not with Active Directory.',
      group: 'Access',
      example: 'auto',
      builtIn: 'auto',
    }),
    kerberos_kdc: field(
      z
        .string()
        .regex(/^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9][A-Za-z0-9._-]*)(?::\d{1,5})?$/, 'must be a host, or host:port')
        .optional(),
      {
        title: 'Domain controller',
        help: 'Domain controller that kerberos signs in to, as a host or host:port. If not set, DNS names the controllers of the domain. The domain is the part of the user name after the @, otherwise that of the host. TCP port 88 is used unless another is given.',
        group: 'Access',
        example: 'dc01.example.com',
      },
    ),
    rct_port: portField(6677, 'Port of the RCT service', 'TCP port of the RCT service, which provides changed blocks.'),
    rct_password: field(secretValue().optional(), {
      title: 'Password of the RCT service',
      help: 'Password of the RCT service. Stored in the vault.',
      group: 'Access',
      secret: true,
      example: { $secret: 'rct-password' },
    }),
    disk_access: field(z.enum(['auto', 'rct_service', 'reader']).optional(), {
      title: 'Disk access',
      help: 'How disks are read. rct_service uses the RCT service, which an administrator has installed on the hosts. reader sends a small program to the host for the time of an execution and removes it afterwards; it needs administrator rights. auto uses the RCT service if its password is set, otherwise the reader.',
      group: 'Disk access',
      example: 'auto',
      builtIn: 'auto',
    }),
    reader_port: field(z.int().min(0).max(65_535).optional(), {
      title: 'First port of the reader',
      help: 'First of 32 TCP ports, of which a reader takes the first free one to listen with TLS, if the hosts are managed by winrm; 0 for any free port. While the reader runs, the firewall of the host lets the computers in that are connected to WinRM.',
      group: 'Disk access',
      example: 5567,
      builtIn: 5567,
    }),
    certificate_sha256: field(
      z
        .array(
          z
            .string()
            .regex(/^(?:[0-9A-Fa-f]{2}:?){31}[0-9A-Fa-f]{2}$/, 'must be a SHA-256 fingerprint: 64 hexadecimal digits'),
        )
        .optional(),
      {
        title: 'Certificate fingerprints',
        help: 'SHA-256 fingerprints of the certificates that the hosts may have, one for each node of a cluster. Needed if they are self-signed, as WinRM certificates usually are. Only these certificates are then accepted.',
        group: 'Trust',
        example: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
      },
    ),
    ca_certificate: caCertificateField(),
    allow_untrusted: allowUntrustedField(),
  })
  .refine(({ management, ssh_host_keys }) => management !== 'ssh' || (ssh_host_keys ?? []).length > 0, {
    error: 'needed for management by ssh',
    path: ['ssh_host_keys'],
    params: { isForm: true },
  })
  .refine(({ disk_access, rct_password }) => disk_access !== 'rct_service' || rct_password !== undefined, {
    error: 'needed to read disks by the RCT service',
    path: ['rct_password'],
    params: { isForm: true },
  });
