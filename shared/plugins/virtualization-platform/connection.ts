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
import { localPath } from '../shapes/values.ts';

export const connection = z
  .strictObject({
    host: hostField('Name or address of the management server or of a single hypervisor host.', 'vcenter.example.com'),
    port: portField(443),
    username: usernameField('User name with domain.', 'migration@vsphere.local'),
    password: passwordField(),
    disk_access: field(z.enum(['auto', 'data_port', 'vendor_library', 'datastore_files', 'export']).optional(), {
      title: 'Disk access',
      help: 'How disks are read. auto uses the first way that works: the data port of the host (TCP 902), the library of the vendor if its folder is given, files of the datastore, or an export of the snapshot. An export sends whole disks, so that auto uses it for first copies only.',
      group: 'Disk access',
      example: 'auto',
      builtIn: 'auto',
    }),
    disk_access_encryption: field(z.enum(['required', 'preferred']).optional(), {
      title: 'Encryption of disk data',
      help: 'Whether the data port of a host must offer TLS. required refuses hosts that do not. preferred reads from them without encryption: anyone on the network path can then read and change the data of the disks.',
      group: 'Disk access',
      example: 'required',
      builtIn: 'required',
    }),
    disk_library_folder: field(localPath().optional(), {
      title: 'Folder of the vendor’s disk library',
      help: 'Folder of this computer with the vendor’s virtual disk development kit, if you have it. Disks are then read through nbdkit when the data port of a host cannot be used.',
      group: 'Disk access',
      reach: 'program',
      example: '/opt/vmware-vix-disklib-distrib',
    }),
    ca_certificate: caCertificateField(),
    allow_untrusted: allowUntrustedField(),
  })
  .refine(
    ({ disk_access, disk_library_folder }) => disk_access !== 'vendor_library' || disk_library_folder !== undefined,
    {
      error: 'needed to read disks through the vendor’s library',
      path: ['disk_library_folder'],
      params: { isForm: true },
    },
  );
