import { z } from 'zod';
import { field } from '../field-meta.ts';
import { secretValue } from '../shapes/secret-value.ts';
import { text } from '../shapes/values.ts';
import { cloneTypeField } from './clone-type.ts';

const group = 'Workers';

export const source = z.strictObject({
  repository_name: field(text().optional(), {
    title: 'Repository',
    help: 'Repository in which temporary worker VMs are created.',
    group,
    example: 'repo-1',
    optionsFrom: 'repositories',
  }),
  export_template_name: field(text().optional(), {
    title: 'Worker template',
    help: 'Linux template for export VMs. Its NIC must be on a network with a DHCP server that is reachable from this computer.',
    group,
    example: 'linux-worker',
    optionsFrom: 'templates',
  }),
  export_template_username: field(text().optional(), {
    title: 'User name of the template',
    help: 'SSH user name on the export VM.',
    group,
    example: 'root',
  }),
  export_template_password: field(secretValue().optional(), {
    title: 'Password of the template',
    help: 'Password of that user. Use a reference to the vault: {"$secret": "name"}.',
    group,
    secret: true,
    example: { $secret: 'template-password' },
  }),
  virtual_disk_clone_type: cloneTypeField('How source disks are cloned.'),
});
