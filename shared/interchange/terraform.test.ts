import { describe, expect, it } from 'vitest';
import type { LedgerItem } from '../model/ledger.ts';
import { terraformImports } from './terraform.ts';

const item = (kind: string, name: string, resourceId: string, more: Partial<LedgerItem> = {}): LedgerItem => ({
  entryId: `led-${name}`,
  endpointId: 'end-1',
  kind,
  key: name,
  name,
  lifetime: 'deployment',
  state: 'existing',
  resourceId,
  details: {},
  createdAt: '2026-01-01T00:00:00Z',
  ...more,
});
const imports = (text: string): string[] =>
  [...text.matchAll(/import \{\n {2}to = (\S+)\n {2}id = (".*")\n\}/g)].map(
    ([, to, id]) => `${to} ${JSON.parse(id!) as string}`,
  );
const uuid = '5a0f0f6a-3f5b-4c3f-9d4f-0b6f3f7c1d22';

describe('import blocks', () => {
  it('have UUIDs for OpenStack', () => {
    const { text, blocks } = terraformImports({ name: 'cloud', plugin: 'open-source-cloud', connection: {} }, [
      item('volume', 'causeway-web-01-disk-0', uuid),
      item('nic', 'web-01 nic', uuid),
      item('server', '01-web', uuid),
    ]);
    expect(imports(text)).toEqual([
      `openstack_blockstorage_volume_v3.causeway_web_01_disk_0 ${uuid}`,
      `openstack_networking_port_v2.web_01_nic ${uuid}`,
      `openstack_compute_instance_v2.r_01_web ${uuid}`,
    ]);
    expect(blocks).toBe(3);
    expect(text).toContain('source = "terraform-provider-openstack/openstack"');
  });

  it('have project, region and id for STACKIT, and the network of an interface', () => {
    const { text, leftOut } = terraformImports(
      { name: 'cloud', plugin: 'european-cloud', connection: { project_id: 'p-1', region_name: 'EU02' } },
      [
        item('volume', 'disk', 'v-1'),
        item('server', 'web', 's-1', { details: { project: 'p-2' } }),
        item('nic', 'nic', 'n-1', { details: { networkId: 'net-1' } }),
        item('nic', 'lost', 'n-2'),
      ],
    );
    expect(imports(text)).toEqual([
      'stackit_volume.disk p-1,eu02,v-1',
      'stackit_server.web p-2,eu02,s-1',
      'stackit_network_interface.nic p-1,eu02,net-1,n-1',
    ]);
    expect(leftOut).toEqual([
      { kind: 'nic', name: 'lost', why: 'its id is not on record in the form that the provider needs' },
    ]);
  });

  it('have resource ids for Azure', () => {
    const id = (type: string) => `/subscriptions/${uuid}/resourceGroups/moved/providers/${type}/web-01`;
    const { text, leftOut } = terraformImports({ name: 'azure', plugin: 'resource-group-cloud', connection: {} }, [
      item('volume', 'web-01', id('Microsoft.Compute/disks')),
      item('server', 'web-01', id('Microsoft.Compute/virtualMachines')),
      item('nic', 'web-01', id('Microsoft.Network/networkInterfaces')),
      item('volume', 'page-blob', 'https://account.example/vhds/web-01.vhd'),
    ]);
    expect(imports(text)).toEqual([
      `azurerm_managed_disk.web_01 ${id('Microsoft.Compute/disks')}`,
      `azurerm_virtual_machine.web_01 ${id('Microsoft.Compute/virtualMachines')}`,
      `azurerm_network_interface.web_01 ${id('Microsoft.Network/networkInterfaces')}`,
    ]);
    expect(leftOut.map(({ name }) => name)).toEqual(['page-blob']);
  });

  it('have OCIDs for OCI, and tell boot volumes from others', () => {
    const { text } = terraformImports({ name: 'oci', plugin: 'compartment-cloud', connection: {} }, [
      item('volume', 'a', 'ocid1.volume.oc1.eu-frankfurt-1.aa'),
      item('volume', 'b', 'ocid1.bootvolume.oc1.eu-frankfurt-1.bb'),
      item('server', 'c', 'ocid1.instance.oc1.eu-frankfurt-1.cc'),
    ]);
    expect(imports(text)).toEqual([
      'oci_core_volume.a ocid1.volume.oc1.eu-frankfurt-1.aa',
      'oci_core_boot_volume.b ocid1.bootvolume.oc1.eu-frankfurt-1.bb',
      'oci_core_instance.c ocid1.instance.oc1.eu-frankfurt-1.cc',
    ]);
  });

  it('leave out what is temporary, gone or not made yet', () => {
    const { blocks } = terraformImports({ name: 'cloud', plugin: 'open-source-cloud', connection: {} }, [
      item('server', 'worker', uuid, { lifetime: 'temporary' }),
      item('volume', 'old', uuid, { state: 'removed' }),
      item('volume', 'new', uuid, { state: 'intended' }),
    ]);
    expect(blocks).toBe(0);
  });

  it('name each block once, and write no template', () => {
    const { text } = terraformImports({ name: 'two\nlines }', plugin: 'open-source-cloud', connection: {} }, [
      item('volume', 'a b', '${file("x")}"'),
      item('volume', 'a-b', uuid),
    ]);
    expect(text).toContain('id = "$${file(\\"x\\")}\\""');
    expect(text).toMatch(/\.a_b\n[^]*\.a_b_2\n/);
    expect(text.split('\n')[0]).toMatch(/^# .*two lines \}/);
  });
});
