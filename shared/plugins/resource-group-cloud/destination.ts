import { z } from 'zod';
import { field } from '../field-meta.ts';
import { marketplaceImage } from '../shapes/worker-images.ts';
import { mappingOf, text } from '../shapes/values.ts';
import { storageMapping, storageMappingExample } from '../storage-mapping.ts';

const accountTypes = ['StandardSSD_LRS', 'Premium_LRS'] as const;
const linux = { publisher: 'Canonical', offer: 'ubuntu-24_04-lts', sku: 'server' };
const windows = { publisher: 'MicrosoftWindowsServer', offer: 'WindowsServer', sku: '2022-datacenter-g2' };

/** The built-in worker images; both are past their life, see the rule on retired images. */
export const builtInImages = {
  linux_migr_image: { publisher: 'Canonical', offer: 'UbuntuServer', sku: '16.04.0-LTS', version: 'latest' },
  windows_migr_image: {
    publisher: 'MicrosoftWindowsServer',
    offer: 'WindowsServer',
    sku: '2016-Datacenter-Server-Core',
    version: 'latest',
  },
} as const;

export const destination = z.strictObject({
  location: field(text().optional(), {
    title: 'Region',
    help: 'Destination region.',
    group: 'Placement',
    example: 'westeurope',
    optionsFrom: 'regions',
  }),
  resource_group: field(text().optional(), {
    title: 'Resource group',
    help: 'Existing resource group in that region, for all created resources.',
    group: 'Placement',
    example: 'migrations',
    optionsFrom: 'resource_groups',
  }),
  network_map: field(
    mappingOf(z.string().regex(/^\s*[^/\s][^/]*\/\s*[^/\s][^/]*$/, 'must have the form <network>/<subnet>')).optional(),
    {
      title: 'Network map',
      help: 'Maps source network names to <network>/<subnet> in the resource group.',
      group: 'Network',
      example: { 'VM Network': 'prod-net/default' },
      optionsFrom: 'networks',
      keysFrom: 'vm.networks',
    },
  ),
  storage_map: field(storageMapping({ target: 'storage account type', examples: accountTypes }).optional(), {
    title: 'Storage map',
    help: 'Maps source disks or storage back ends to storage account types.',
    group: 'Storage',
    example: storageMappingExample(accountTypes),
  }),
  storage_account_name: field(text().optional(), {
    title: 'Storage account',
    help: 'Storage account of the resource group. If set, disks are replicated to page blobs of it, without a worker, and managed disks are made of them when the VM is deployed.',
    group: 'Storage',
    example: 'migrationblobs',
    optionsFrom: 'storage_accounts',
  }),
  storage_container_name: field(text().optional(), {
    title: 'Storage container',
    help: 'Container of that account for the page blobs. It is created if it does not exist. If not set, the container vhds.',
    group: 'Storage',
    example: 'disks',
  }),
  vm_size: field(text().optional(), {
    title: 'Size',
    help: 'Size of the new VM. It must support at least as many disks as the source VM has.',
    group: 'Server',
    example: 'Standard_D2s_v5',
    optionsFrom: 'machine_types',
  }),
  worker_size: field(text().optional(), {
    title: 'Worker size',
    help: 'Size of temporary replication and OSMorphing workers.',
    group: 'Workers',
    example: 'Standard_D2s_v5',
    optionsFrom: 'machine_types',
  }),
  linux_migr_image: field(marketplaceImage('Workers', linux).optional(), {
    title: 'Linux worker image',
    help: 'Marketplace image for replication and for preparing Linux guests. The built-in image is end-of-life.',
    group: 'Workers',
    example: { ...linux, version: 'latest' },
    builtIn: builtInImages.linux_migr_image,
  }),
  windows_migr_image: field(marketplaceImage('Workers', windows).optional(), {
    title: 'Windows worker image',
    help: 'Marketplace image for preparing Windows guests. Must be the same version as the guest or newer.',
    group: 'Workers',
    example: { ...windows, version: 'latest' },
    builtIn: builtInImages.windows_migr_image,
  }),
  preserve_nic_ips: field(z.boolean().optional(), {
    title: 'Keep IPs',
    help: 'Assign the source IP address to each migrated NIC if it is in the range of the mapped subnet.',
    group: 'Network',
    example: false,
  }),
});
