import { z } from 'zod';
import { field } from '../field-meta.ts';
import { marketplaceImage } from '../shapes/worker-images.ts';
import { text } from '../shapes/values.ts';

const linux = { publisher: 'Canonical', offer: 'ubuntu-24_04-lts', sku: 'server' };

export const source = z.strictObject({
  location: field(text().optional(), {
    title: 'Region',
    help: 'Region of the VM.',
    group: 'Placement',
    example: 'westeurope',
    optionsFrom: 'regions',
  }),
  resource_group: field(text().optional(), {
    title: 'Resource group',
    help: 'Name of the resource group of the VMs.',
    group: 'Placement',
    example: 'production',
    optionsFrom: 'resource_groups',
  }),
  export_worker_size: field(text().optional(), {
    title: 'Worker size',
    help: 'Size of the temporary disk replication worker VM. It reads copies of disks that cannot be read directly from snapshots.',
    group: 'Workers',
    example: 'Standard_D2s_v5',
    optionsFrom: 'machine_types',
  }),
  export_worker_image: field(marketplaceImage('Workers', linux).optional(), {
    title: 'Worker image',
    help: 'Marketplace image of the temporary disk replication worker.',
    group: 'Workers',
    example: { ...linux, version: 'latest' },
  }),
  storage_account_name: field(text().optional(), {
    title: 'Storage account',
    help: 'Needed for migrating or replicating to blob storage. The account must be in the selected resource group. If set, Azure copies the snapshots of managed disks to page blobs of this account, and they are read from there; the copies are removed with the execution.',
    group: 'Storage',
    example: 'migrationblobs',
    optionsFrom: 'storage_accounts',
  }),
  storage_container_name: field(text().optional(), {
    title: 'Storage container',
    help: 'Needed for migrating or replicating to blob storage. The container belongs to that account and is created if it does not exist. If not set, the container vhds.',
    group: 'Storage',
    example: 'disks',
  }),
});
