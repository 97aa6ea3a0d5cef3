import { expect, it } from 'vitest';
import { declarations, libraryModels } from './library-models.ts';
import { describedOperations, vendorDescription } from './vendor-description.ts';

const at = { pathTemplate: '/x', query: new URLSearchParams() };
const request = (operation: string, body?: unknown): readonly string[] =>
  vendorDescription().checkRequest({ ...at, operation, method: 'PUT', body }).problems;
const answer = (operation: string, body: unknown): readonly string[] =>
  vendorDescription().checkAnswer({ ...at, operation, method: 'GET', status: 200, body }).problems;

it('reads what the libraries declare, a member a line', () => {
  expect(
    declarations(
      [
        '/** A disk. */',
        'export interface Disk extends Tracked, Named {',
        '    /** Of it: number; */',
        '    readonly managedBy?: string;',
        '    sku: DiskSku;',
        '}',
        'export declare enum KnownState {',
        '    /** Free */',
        '    Unattached = "Unattached",',
        '    Attached = "Attached"',
        '}',
        'export type State = string;',
      ].join('\n'),
    ),
  ).toEqual({
    Disk: {
      kind: 'interface',
      extends: ['Tracked', 'Named'],
      fields: {
        managedBy: { type: 'string', optional: true, readonly: true },
        sku: { type: 'DiskSku', optional: false, readonly: false },
      },
    },
    KnownState: { kind: 'enum', values: ['Unattached', 'Attached'] },
    State: { kind: 'alias', type: 'string' },
  });
});

it('knows every model that it holds an operation against', () => {
  const models = { ...libraryModels('network').models, ...libraryModels('compute').models };
  for (const name of [
    'Disk',
    'Snapshot',
    'VirtualMachine',
    'NetworkInterface',
    'PublicIPAddress',
    'NetworkSecurityGroup',
    'VirtualNetwork',
    'Subnet',
    'SecurityRule',
  ]) {
    expect(Object.keys(models[name]?.fields ?? {}), name).toContain('properties');
  }
  expect(describedOperations.length).toBeGreaterThan(50);
});

it('takes resources in the form that they have on the wire, and names what the vendor does not know', () => {
  const rule = { name: 'ssh', properties: { protocol: 'Tcp', access: 'Allow', direction: 'Inbound', priority: 100 } };
  expect(
    request('NetworkSecurityGroups_CreateOrUpdate', { location: 'westeurope', properties: { securityRules: [rule] } }),
  ).toEqual([]);
  expect(request('NetworkSecurityGroups_CreateOrUpdate', { location: 'westeurope', securityRules: [] })).toEqual([
    'request/securityRules: is not a member',
  ]);
  expect(
    request('NetworkSecurityGroups_CreateOrUpdate', {
      location: 'westeurope',
      properties: {
        securityRules: [{ ...rule, properties: { ...rule.properties, priority: 'high', access: 'Maybe', zone: 1 } }],
      },
    }),
  ).toEqual([
    'request/properties/securityRules/0/properties/access: Maybe is not one of Allow, Deny',
    'request/properties/securityRules/0/properties/priority: must be a number',
    'request/properties/securityRules/0/properties/zone: is not a member',
  ]);
  expect(request('Disks_Delete', {})).toEqual(['has a request body, the operation takes none']);
  expect(answer('VirtualNetworks_CheckIPAddressAvailability', { available: 'yes' })).toEqual([
    'answer 200/available: must be a boolean',
  ]);
  expect(
    answer('Disks_List', {
      value: [{ location: 'westeurope', properties: { creationData: { createOption: 'Empty' }, diskState: 'Lost' } }],
    }),
  ).toEqual([expect.stringMatching(/^answer 200\/0\/properties\/diskState: Lost is not one of /)]);
});
