import { z } from 'zod';
import { field } from '../field-meta.ts';
import { guestOsType } from '../shapes/guest.ts';
import { localPath, mappingOf, text } from '../shapes/values.ts';
import { libvirtUri } from './libvirt-uri.ts';

/** Running QEMU processes, reached through their QMP sockets. One of `qmp_socket`, `qmp_sockets` and `libvirt_uri` is needed. */
export const connection = z.strictObject({
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
    help: 'URI of a libvirt daemon: qemu:///system, qemu:///session or qemu+tls://host/system, without parameters. Its running domains are listed as VMs. Requires virsh, and a scratch folder that QEMU can write to.',
    group: 'Hypervisor',
    example: 'qemu:///system',
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
  os_type: guestOsType('Default for VMs without a responding guest agent. Can be overridden in the environment of a VM.', { builtIn: 'linux' }),
}).refine(({ qmp_socket, qmp_sockets, libvirt_uri }) => qmp_socket !== undefined || libvirt_uri !== undefined || Object.keys(qmp_sockets ?? {}).length > 0, {
  error: 'a QMP socket, QMP sockets by VM or a libvirt URI is needed', path: ['qmp_socket'], params: { isForm: true },
});

export type QemuHypervisorConnection = z.infer<typeof connection>;
