import { describe, expect, it } from 'vitest';
import { CausewayError } from '../model/causeway-error.ts';
import type { Endpoint } from '../model/endpoint.ts';
import { validateDocument } from '../validation/validate-document.ts';
import { commandText, exportProject, payloadText, type ExportedReplica } from './export-project.ts';
import { importProject } from './import-project.ts';
import { planImport } from './plan-import.ts';
import { readPayloads } from './read-payloads.ts';
import { splitWords } from './shell-words.ts';

const vsphere = {
  id: 'e1',
  name: 'dc1',
  type: 'vmware_vsphere',
  description: 'old site',
  connection_info: {
    host: 'vcenter.example.com',
    port: 443,
    username: 'migration@vsphere.local',
    password: 'hunter2',
    allow_untrusted: true,
  },
  mapped_regions: [],
};
const openstack = {
  id: 'e2',
  name: 'new site',
  type: 'openstack',
  connection_info: { secret_ref: 'https://barbican.example/v1/secrets/1' },
};
const transfer = {
  id: 't1',
  scenario: 'replica',
  origin_endpoint_id: 'e1',
  destination_endpoint_id: 'e2',
  instances: ['web-01', 'db-01'],
  network_map: { 'VM Network': 'production' },
  storage_mappings: {
    default: 'ssd',
    backend_mappings: [{ source: 'ds=1', destination: 'hdd' }],
    disk_mappings: [{ disk_id: 2001, destination: 'ssd' }],
  },
  source_environment: { automatically_enable_cbt: true, vixdisklib_compatibility_version: '7.0' },
  destination_environment: { flavor_name: 'm1.small', set_dhcp: null, unheard_of: 1 },
  notes: 'shop',
  user_scripts: { global: { linux: 'x' } },
  clone_disks: false,
  skip_os_morphing: true,
  origin_minion_pool_id: 'pool',
  executions: [],
};
const deployment = { transfer_id: 't1', clone_disks: true, skip_os_morphing: false, force: true };

describe('payloads of Coriolis', () => {
  it('become endpoints and a replica per instance, and what is not carried over is named', () => {
    const { endpoints, replicas, notCarried } = importProject(
      readPayloads(
        JSON.stringify({
          endpoints: [vsphere, { endpoint: openstack }].map((one) => ('endpoint' in one ? one.endpoint : one)),
          transfers: [transfer],
        }),
      ),
      new Map(),
    );
    expect(endpoints.map(({ name, plugin }) => [name, plugin])).toEqual([
      ['dc1', 'virtualization-platform'],
      ['new site', 'open-source-cloud'],
    ]);
    expect(endpoints[0]!.connection).toEqual(vsphere.connection_info);
    expect(replicas.map(({ vm }) => vm)).toEqual(['web-01', 'db-01']);
    expect(replicas[0]).toMatchObject({
      sourceEnvironment: { automatically_enable_cbt: true, disklib_compatibility_version: '7.0' },
      destinationEnvironment: {
        flavor_name: 'm1.small',
        network_map: { 'VM Network': 'production' },
        storage_mappings: {
          default: 'ssd',
          backend_mappings: [{ source: 'ds=1', destination: 'hdd' }],
          disk_mappings: [{ disk_id: '2001', destination: 'ssd' }],
        },
      },
      deployOptions: ['--in-place', '--skip-morphing'],
    });
    expect(notCarried.map(({ what }) => what).sort()).toEqual([
      'description',
      'notes',
      'origin_minion_pool_id',
      'secret_ref',
      'unheard_of',
      'user_scripts',
    ]);
  });

  it('give environments that pass the checks', () => {
    const [replica] = importProject(
      readPayloads(JSON.stringify([{ endpoint: vsphere }, { endpoint: openstack }, { transfer }])),
      new Map(),
    ).replicas;
    const findings = validateDocument({
      source: { plugin: replica!.sourcePlugin, environment: replica!.sourceEnvironment },
      destination: { plugin: replica!.destinationPlugin, environment: replica!.destinationEnvironment },
    });
    expect(findings.filter(({ severity, rule }) => severity === 'error' && !rule.endsWith('/missing-key'))).toEqual([]);
  });

  it('take the options of a deployment for those of its transfer', () => {
    const { replicas, notCarried } = importProject(
      readPayloads(JSON.stringify([{ endpoint: vsphere }, { endpoint: openstack }, { transfer }, { deployment }])),
      new Map(),
    );
    expect(replicas[0]!.deployOptions).toEqual([]);
    expect(notCarried.some(({ what }) => what === 'force')).toBe(true);
  });

  it('give a plan that uses what the project has, and creates nothing twice', () => {
    const named = { ...transfer, origin_endpoint_id: 'elsewhere', destination_endpoint_id: 'e2' };
    const imported = importProject(
      readPayloads(JSON.stringify({ endpoints: [openstack, { ...vsphere, name: 'kept' }], transfers: [named] })),
      new Map([['elsewhere', 'virtualization-platform' as const]]),
    );
    const project = {
      endpoints: [
        { id: 'ep-1', name: 'kept' },
        { id: 'ep-2', name: 'new site' },
      ],
      replicas: [
        { vmId: 'vm-7', vmName: 'web-01', sourceEndpointId: 'ep-1', destinationEndpointId: 'ep-2' },
        { vmId: 'vm-8', vmName: 'db-01', sourceEndpointId: 'ep-2', destinationEndpointId: 'ep-1' },
      ],
    };
    const plan = planImport(imported, project, new Map([['elsewhere', 'kept']]));
    expect(plan.endpoints.map(({ name, exists }) => [name, exists])).toEqual([
      ['new site', true],
      ['kept', true],
    ]);
    expect(plan.replicas.map(({ vm, source, destination, exists }) => [vm, source, destination, exists])).toEqual([
      ['web-01', 'kept', 'new site', true],
      ['db-01', 'kept', 'new site', false],
    ]);
  });

  it('name an endpoint that is not there', () => {
    const known = new Map([['e1', 'virtualization-platform' as const]]);
    const { replicas, notCarried, unknownEndpoints } = importProject(readPayloads(JSON.stringify({ transfer })), known);
    expect(replicas).toEqual([]);
    expect(notCarried[0]).toEqual({
      of: 'transfer of web-01, db-01',
      what: 'destination_endpoint_id',
      why: 'unknown endpoint e2',
    });
    expect(unknownEndpoints).toEqual(['e2']);
  });

  it.each([
    '{',
    '[]',
    '{"transfer": {"instances": []}}',
    '{"endpoint": {"name": 1}}',
    'ls -l',
    'coriolis transfer create --instance',
    "coriolis endpoint create --name a --provider aws --connection '{'",
  ])('refuse %j with a reason', (text) => {
    expect(() => readPayloads(text)).toThrow(CausewayError);
  });
});

describe('the way there and back', () => {
  const endpoints: Endpoint[] = [
    {
      id: 'end-1',
      name: "dc's 1",
      plugin: 'virtualization-platform',
      connection: { host: 'vcenter.example.com', username: 'm', password: { $secret: 'dc-password' } },
      createdAt: '',
      updatedAt: '',
    },
    {
      id: 'end-2',
      name: 'cloud',
      plugin: 'open-source-cloud',
      connection: { auth_url: 'https://identity.example.com/v3', username: 'm', password: 'typed in plain text' },
      createdAt: '',
      updatedAt: '',
    },
    { id: 'end-3', name: 'images', plugin: 'disk-images', connection: { path: '/srv' }, createdAt: '', updatedAt: '' },
  ];
  const replica: ExportedReplica = {
    name: 'web',
    vmName: 'web-01',
    sourceEndpointId: 'end-1',
    destinationEndpointId: 'end-2',
    wave: 'first',
    sourceEnvironment: { disklib_compatibility_version: '7.0' },
    destinationEnvironment: {
      network_map: { 'VM Network': 'production' },
      storage_mappings: { default: 'ssd', backend_mappings: [{ source: 'a=b', destination: 'c' }] },
      flavor_name: "m'1",
    },
  };
  const exported = exportProject(endpoints, [replica]);

  it.each([
    ['payloads', payloadText],
    ['commands', commandText],
  ] as const)('as %s gives the same environments', (_kind, write) => {
    const written = write(exported);
    expect(written).not.toMatch(/dc-password|typed in plain text|\$secret/);
    const back = importProject(readPayloads(written), new Map());
    expect(back.endpoints.map(({ name, plugin, connection }) => ({ name, plugin, connection }))).toEqual([
      { name: "dc's 1", plugin: 'virtualization-platform', connection: { host: 'vcenter.example.com', username: 'm' } },
      {
        name: 'cloud',
        plugin: 'open-source-cloud',
        connection: { auth_url: 'https://identity.example.com/v3', username: 'm' },
      },
    ]);
    expect(back.replicas).toMatchObject([
      {
        vm: 'web-01',
        sourceEnvironment: replica.sourceEnvironment,
        destinationEnvironment: replica.destinationEnvironment,
      },
    ]);
  });

  it('names secrets, waves and platforms that stay behind', () => {
    expect(exported.notCarried.map(({ of, what }) => `${of}: ${what}`)).toEqual([
      "dc's 1: connection.password",
      'cloud: connection.password',
      'images: plugin',
      'web: wave',
    ]);
  });
});

describe('words of a script', () => {
  it('are those of a shell', () => {
    expect(splitWords(`# comment\na 'b c' "d \\"e\\"" f\\ g \\\n  h; i --x='y'"z" ''\n`)).toEqual([
      { line: 2, words: ['a', 'b c', 'd "e"', 'f g', 'h'] },
      { line: 3, words: ['i', '--x=yz', ''] },
    ]);
  });
});
