import type { Endpoint } from '../model/endpoint.ts';
import type { JsonObject } from '../model/json.ts';
import type { LedgerItem } from '../model/ledger.ts';
import type { PluginId } from '../model/plugin-id.ts';

/*
 * Import blocks of Terraform 1.5 and OpenTofu 1.6 for what was created at a destination: the next `plan` takes the resources over
 * instead of creating them. Ids have the forms that the providers document.
 */

/** What a block says of one kind of resource: its type, and the id that the provider imports it by. */
interface Importable {
  readonly type: string;
  /** Undefined when the ledger does not know a part of it. */
  readonly id: (item: LedgerItem, connection: JsonObject) => string | undefined;
}

interface Provider {
  readonly source: string;
  readonly kinds: Readonly<Partial<Record<string, Importable>>>;
}

const own = ({ resourceId }: LedgerItem): string | undefined => resourceId;

/** `project,region,id`, as the provider of STACKIT takes it. */
const ofProject = (item: LedgerItem, connection: JsonObject): string | undefined =>
  joined(projectOf(item, connection), regionOf(connection), item.resourceId);
const projectOf = ({ details }: LedgerItem, connection: JsonObject): string | undefined =>
  textOf(details['project']) ?? textOf(connection['project_id']);
const regionOf = (connection: JsonObject): string => (textOf(connection['region_name']) ?? 'eu01').toLowerCase();

const providers: Readonly<Partial<Record<PluginId, Provider>>> = {
  'open-source-cloud': {
    source: 'terraform-provider-openstack/openstack',
    kinds: {
      volume: { type: 'openstack_blockstorage_volume_v3', id: own },
      nic: { type: 'openstack_networking_port_v2', id: own },
      server: { type: 'openstack_compute_instance_v2', id: own },
      'public-ip': { type: 'openstack_networking_floatingip_v2', id: own },
      'security-group': { type: 'openstack_networking_secgroup_v2', id: own },
    },
  },
  'european-cloud': {
    source: 'stackitcloud/stackit',
    kinds: {
      volume: { type: 'stackit_volume', id: ofProject },
      server: { type: 'stackit_server', id: ofProject },
      'public-ip': { type: 'stackit_public_ip', id: ofProject },
      'security-group': { type: 'stackit_security_group', id: ofProject },
      nic: {
        type: 'stackit_network_interface',
        id: (item, connection) =>
          joined(projectOf(item, connection), regionOf(connection), textOf(item.details['networkId']), item.resourceId),
      },
    },
  },
  'resource-group-cloud': {
    source: 'hashicorp/azurerm',
    kinds: {
      volume: { type: 'azurerm_managed_disk', id: (item) => resourceOf(item, 'Microsoft.Compute/disks') },
      nic: { type: 'azurerm_network_interface', id: (item) => resourceOf(item, 'Microsoft.Network/networkInterfaces') },
      'public-ip': { type: 'azurerm_public_ip', id: (item) => resourceOf(item, 'Microsoft.Network/publicIPAddresses') },
      'security-group': {
        type: 'azurerm_network_security_group',
        id: (item) => resourceOf(item, 'Microsoft.Network/networkSecurityGroups'),
      },
      // The resources for Linux and Windows VMs create their system disk from an image; this one attaches an existing disk.
      server: { type: 'azurerm_virtual_machine', id: (item) => resourceOf(item, 'Microsoft.Compute/virtualMachines') },
    },
  },
  'compartment-cloud': {
    source: 'oracle/oci',
    kinds: {
      volume: { type: 'oci_core_volume', id: (item) => ocid(item, 'volume') },
      'boot-volume': { type: 'oci_core_boot_volume', id: (item) => ocid(item, 'bootvolume') },
      server: { type: 'oci_core_instance', id: (item) => ocid(item, 'instance') },
      'public-ip': { type: 'oci_core_public_ip', id: (item) => ocid(item, 'publicip') },
      'security-group': { type: 'oci_core_network_security_group', id: (item) => ocid(item, 'networksecuritygroup') },
    },
  },
};

/** Plugins with resources that can be imported. */
export const importablePlugins = Object.keys(providers) as PluginId[];

/** A resource that has no import block, and why. */
export interface LeftOut {
  readonly kind: string;
  readonly name: string;
  readonly why: string;
}

export interface TerraformFile {
  readonly text: string;
  readonly blocks: number;
  readonly leftOut: readonly LeftOut[];
}

/** Import blocks for the resources of one endpoint that last: temporary ones are left out, and what the provider can't import is named. */
export function terraformImports(
  { name, plugin, connection }: Pick<Endpoint, 'name' | 'plugin' | 'connection'>,
  items: readonly LedgerItem[],
): TerraformFile {
  const provider = providers[plugin];
  const leftOut: LeftOut[] = [];
  const taken = new Set<string>();
  const blocks = items
    .filter(({ lifetime, state }) => lifetime !== 'temporary' && state === 'existing')
    .flatMap((item) => {
      const { kind } = item;
      const skip = (why: string): [] => {
        leftOut.push({ kind, name: item.name, why });
        return [];
      };
      if (provider === undefined) return skip(`there is no known provider for ${plugin}`);
      const importable =
        provider.kinds[kind === 'volume' && /\.bootvolume\./.test(item.resourceId ?? '') ? 'boot-volume' : kind];
      if (importable === undefined) return skip(`the provider ${provider.source} has no resource for a ${kind}`);
      const id = importable.id(item, connection);
      if (id === undefined) return skip('its id is not on record in the form that the provider needs');
      const address = addressOf(importable.type, item.name, taken);
      return [`import {\n  to = ${importable.type}.${address}\n  id = ${quoted(id)}\n}\n`];
    });
  if (provider === undefined || blocks.length === 0) return { text: '', blocks: 0, leftOut };
  const local = provider.source.split('/').at(-1)!;
  const head = [
    `# Resources that Causeway created at ${oneLine(name)}. Configuration for them: plan -generate-config-out=generated.tf`,
    'terraform {',
    '  required_version = ">= 1.5"',
    '  required_providers {',
    `    ${local} = {`,
    `      source = ${quoted(provider.source)}`,
    '    }',
    '  }',
    '}',
    '',
  ];
  return { text: `${head.join('\n')}\n${blocks.join('\n')}`, blocks: blocks.length, leftOut };
}

/** A name for a block, unique within its type: letters, digits and underscores, beginning with a letter. */
function addressOf(type: string, name: string, taken: Set<string>): string {
  const base = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');
  const valid = /^[a-z]/.test(base) ? base : `r_${base}`;
  for (let number = 1; ; number += 1) {
    const address = number === 1 ? valid : `${valid}_${number}`;
    if (taken.has(`${type}.${address}`)) continue;
    taken.add(`${type}.${address}`);
    return address;
  }
}

/** A text in HCL: quotes, backslashes and line ends escaped, and nothing of it is a template. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll(/([$%])\{/g, '$1$1{');
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}

function resourceOf({ resourceId }: LedgerItem, type: string): string | undefined {
  return resourceId !== undefined &&
    new RegExp(`^/subscriptions/[^/]+/resourceGroups/[^/]+/providers/${type}/[^/]+$`, 'i').test(resourceId)
    ? resourceId
    : undefined;
}

function ocid({ resourceId }: LedgerItem, type: string): string | undefined {
  return resourceId?.startsWith(`ocid1.${type}.`) === true ? resourceId : undefined;
}

function joined(...parts: readonly (string | undefined)[]): string | undefined {
  return parts.every((part) => part !== undefined && part !== '' && !part.includes(',')) ? parts.join(',') : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
