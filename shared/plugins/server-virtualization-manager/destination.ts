import { z } from 'zod';
import { field } from '../field-meta.ts';
import { perOs } from '../shapes/worker-images.ts';
import { secretValue } from '../shapes/secret-value.ts';
import { mappingOf, text } from '../shapes/values.ts';
import { storageMapping, storageMappingExample } from '../storage-mapping.ts';
import { cloneTypeField } from './clone-type.ts';

const repositories = ['repo-1', 'repo-fast'] as const;
const templates = { linux: 'linux-worker', windows: 'windows-worker' };
const usernames = { linux: 'root', windows: 'Administrator' };
const passwords = { linux: { $secret: 'linux-template' }, windows: { $secret: 'windows-template' } };
const group = 'Workers';

const secretPerOs = perOs(
  secretValue,
  {
    linux: 'Linux template password',
    windows: 'Windows template password',
    help: {
      linux: 'Password of the Linux template user. Use a reference to the vault.',
      windows: 'Password of the Windows template user. Use a reference to the vault.',
    },
    example: passwords,
  },
  { group, secret: true },
);

export const destination = z.strictObject({
  network_map: field(mappingOf(text()).optional(), {
    title: 'Network map',
    help: 'Maps source network names to existing destination networks.',
    group: 'Network',
    example: { 'VM Network': 'vlan-20' },
    optionsFrom: 'networks',
    keysFrom: 'vm.networks',
  }),
  storage_mappings: field(
    storageMapping({ target: 'repository', optionsFrom: 'repositories', examples: repositories }).optional(),
    {
      title: 'Storage mappings',
      help: 'Maps source disks or storage back ends to repositories.',
      group: 'Storage',
      example: storageMappingExample(repositories),
    },
  ),
  server_pool_name: field(text().optional(), {
    title: 'Server pool',
    help: 'Server pool for migrated VMs and temporary workers.',
    group: 'Placement',
    example: 'pool-1',
    optionsFrom: 'server_pools',
  }),
  repository_name: field(text().optional(), {
    title: 'Repository',
    help: 'Repository in which migrated VMs are stored.',
    group: 'Storage',
    example: 'repo-1',
    optionsFrom: 'repositories',
  }),
  migr_template_name_map: field(
    perOs(
      text,
      {
        linux: 'Linux worker template',
        windows: 'Windows worker template',
        help: {
          linux: 'Template for the disk copy worker and for preparing Linux guests.',
          windows: 'Template for preparing Windows guests.',
        },
        example: templates,
      },
      { group, optionsFrom: 'templates' },
    ).optional(),
    {
      title: 'Worker templates',
      help: 'Worker templates by OS type. Keys: linux, windows.',
      group,
      example: templates,
    },
  ),
  migr_template_username_map: field(
    perOs(
      text,
      {
        linux: 'Linux template user',
        windows: 'Windows template user',
        help: { linux: 'User of the Linux template.', windows: 'User of the Windows template.' },
        example: usernames,
      },
      { group },
    ).optional(),
    {
      title: 'Users of the templates',
      help: 'User names of the worker templates by OS type.',
      group,
      example: usernames,
    },
  ),
  migr_template_password_map: field(secretPerOs.optional(), {
    title: 'Passwords of the templates',
    help: 'Passwords of the template users by OS type. Use references to the vault: {"$secret": "name"}.',
    group,
    example: passwords,
  }),
  leave_migrated_vm_off: field(z.boolean().optional(), {
    title: 'Do not power on',
    help: 'Create the VM but do not power it on.',
    group: 'Server',
    example: false,
  }),
  os_label: field(text().optional(), {
    title: 'OS label',
    help: 'OS label of the new VM, as shown by the manager.',
    group: 'Server',
    example: 'Oracle Linux 8',
    optionsFrom: 'os_types',
  }),
  virtual_disk_clone_type: cloneTypeField('How migrated disks are cloned.'),
});
