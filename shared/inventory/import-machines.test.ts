import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { vmSchema } from '../model/vm.ts';
import { importMachines } from './import-machines.ts';
import { readTables } from './read-tables.ts';
import { guessPlans, planFor } from './table-plan.ts';
import { rounds } from '../testing/rounds.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);
const csv = async (text: string) => guessPlans(await readTables('machines.csv', utf8(text)));
const GiB = 1024 ** 3;

test('a workbook of RVTools gives machines with their disks, datastores, networks and addresses', async () => {
  const tables = await readTables('RVTools.xlsx', readFileSync(new URL('testing/rvtools.xlsx', import.meta.url)));
  const plans = guessPlans(tables);
  expect(plans.map(({ role, table }) => [table.name, role])).toEqual([
    ['vInfo', 'machines'],
    ['vDisk', 'disks'],
    ['vNetwork', 'nics'],
  ]);
  const { machines, problems } = importMachines(plans, { withTemplates: false });
  expect(machines.map(({ vm }) => vm.name)).toEqual(['web-01', 'dc-01']);
  expect(machines[0]).toEqual({
    power: 'running',
    vm: {
      id: '4210b3c0-0000-0000-0000-000000000001',
      name: 'web-01',
      os_type: 'linux',
      firmware: 'bios',
      secure_boot: false,
      vcpus: 2,
      memory_mb: 4096,
      disks: [
        { id: '2000', size_bytes: 20 * GiB, storage_backend: 'ssd-1', bus: 'SCSI controller 0' },
        { id: '2001', size_bytes: 40 * GiB, storage_backend: 'hdd.2', bus: 'SCSI controller 0' },
      ],
      nics: [
        {
          id: 'Network adapter 1',
          network: 'VM Network',
          mac_address: '00:50:56:aa:00:01',
          ip_addresses: ['10.0.0.5'],
        },
      ],
    },
  });
  expect(machines[1]!.vm).toMatchObject({
    os_type: 'windows',
    firmware: 'uefi',
    secure_boot: true,
    nics: [{ ip_addresses: ['10.0.1.6', 'fd00::6'] }],
  });
  expect(problems.map(({ severity, table, row }) => [severity, table, row])).toEqual([
    ['error', 'vInfo', 5],
    ['warning', 'vNetwork', 4],
  ]);
});

test('a machine whose guest is not told is taken as what somebody chooses', async () => {
  const tables = await readTables('RVTools.xlsx', readFileSync(new URL('testing/rvtools.xlsx', import.meta.url)));
  const { machines, problems } = importMachines(guessPlans(tables), { withTemplates: true, osWhenUnknown: 'linux' });
  expect(machines.map(({ vm }) => vm.name)).toEqual(['web-01', 'dc-01', 'golden', 'odd']);
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
});

test('a hand-made list with semicolons, units in headings and lists in cells', async () => {
  const plans = await csv(
    'Name;OS;RAM (GB);Disks GB;Networks;IP\r\n"db;1";Rocky Linux 9;16;"100|200";"lan.1|backup";10.1.1.1\r\n',
  );
  const { machines, problems } = importMachines(plans, { withTemplates: false });
  expect(problems).toEqual([]);
  expect(machines[0]!.vm).toEqual({
    id: 'db;1',
    name: 'db;1',
    os_type: 'linux',
    memory_mb: 16384,
    disks: [
      { id: 'disk-0', size_bytes: 100 * GiB },
      { id: 'disk-1', size_bytes: 200 * GiB },
    ],
    nics: [
      { id: 'nic-0', network: 'lan.1', ip_addresses: ['10.1.1.1'] },
      { id: 'nic-1', network: 'backup' },
    ],
  });
});

test("each row that can't be taken is told with its place, and the others are taken", async () => {
  const plans = await csv('name,os,cpus,disks\nok,linux,2,10\n,linux,2,10\nbad,linux,two,10\nok,linux,1,1\n');
  const { machines, problems } = importMachines(plans, { withTemplates: false });
  expect(machines.map(({ vm }) => vm.name)).toEqual(['ok']);
  expect(problems.map(({ row, column }) => [row, column])).toEqual([
    [3, 'name'],
    [4, 'cpus'],
    [5, undefined],
  ]);
});

test('what one machine may be called twice is told apart by IDs alone', async () => {
  const machines = await csv('vm,id,os\nweb,a,linux\nweb,b,linux\n');
  const [disks] = await readTables('vDisk.csv', utf8('vm,id,capacity mib\nweb,b,1024\nweb,,2048\n'));
  const result = importMachines([...machines, planFor(disks!, 'disks')], { withTemplates: false });
  expect(result.machines.map(({ vm }) => [vm.id, vm.disks.map((disk) => disk.size_bytes)])).toEqual([
    ['a', []],
    ['b', [GiB]],
  ]);
});

test.each([
  ['a picture', new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 1, 2])],
  ['an archive that is no workbook', new Uint8Array([0x50, 0x4b, 3, 4, 1, 2, 3])],
  ['an empty file', new Uint8Array()],
  ['a quote that never ends', utf8('name,os\n"web,linux\n')],
])('%s is refused with its reason', async (_what, bytes) => {
  await expect(readTables('some.file', bytes)).rejects.toMatchObject({
    code: 'inventory.unreadable',
    message: expect.stringContaining('some.file') as string,
  });
});

test('texts in the code page of Windows and in UTF-16 are read', async () => {
  const latin = new Uint8Array([...utf8('name,os\nm'), 0xfc, ...utf8('nchen,linux')]);
  const wide = new Uint8Array([
    0xff,
    0xfe,
    ...new Uint8Array(new Uint16Array([...'name\tos\nmünchen\tlinux'].map((one) => one.charCodeAt(0))).buffer),
  ]);
  for (const bytes of [latin, wide]) {
    const { machines } = importMachines(guessPlans(await readTables('list.csv', bytes)), { withTemplates: false });
    expect(machines.map(({ vm }) => vm.name)).toEqual(['münchen']);
  }
});

test('a delimiter within a quoted value is part of the value', async () => {
  const [table] = await readTables('any.csv', utf8('name,os,note\n"1",";",";"\n'));
  expect(table?.rows.map(({ cells }) => cells)).toEqual([['1', ';', ';']]);
});

test('whatever the cells hold, every machine that is taken is a machine, and nothing throws', async () => {
  const cell = fc.oneof(
    fc.string(),
    fc.constantFrom('1', '1,024', '40 GB', 'linux', 'Windows', 'poweredOn', '-1', '1e9', '__proto__'),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(cell, { maxLength: 12 }), { maxLength: 20 }), async (rows) => {
      const header = 'vm,uuid,os,powerstate,cpus,memory mb,firmware,secure boot,disks,datastore,networks,ip';
      const text = [
        header,
        ...rows.map((cells) => cells.map((one) => `"${one.replaceAll('"', '""')}"`).join(',')),
      ].join('\n');
      const { machines } = importMachines(guessPlans(await readTables('any.csv', utf8(text))), {
        withTemplates: true,
        osWhenUnknown: 'linux',
      });
      for (const { vm } of machines) vmSchema.parse(vm);
      expect(new Set(machines.map(({ vm }) => vm.id)).size).toBe(machines.length);
    }),
    { numRuns: rounds(200) },
  );
});

test('vInfo of RVTools as CSV: the size of disks is their capacity, and "Disks" only counts them', async () => {
  const header =
    'VM,Powerstate,Template,CPUs,Memory,NICs,Disks,Total disk capacity MiB,Network #1,Provisioned MiB,In Use MiB,Unshared MiB,Firmware,EFI Secure boot,OS according to the configuration file,OS according to the VMware Tools,VM ID,VM UUID,Primary IP Address';
  const row =
    'web-01,poweredOn,False,4,8192,1,2,102400,VM Network,108000,51200,50000,bios,False,Debian GNU/Linux 11 (64-bit),Debian GNU/Linux 12 (64-bit),vm-12,4210b3c0-0000-0000-0000-000000000009,10.0.0.9';
  const { machines, problems } = importMachines(
    guessPlans(await readTables('RVTools_tabvInfo.csv', utf8(`${header}\r\n${row}\r\n`))),
    { withTemplates: false },
  );
  expect(machines[0]?.vm).toMatchObject({
    vcpus: 4,
    memory_mb: 8192,
    disks: [{ size_bytes: 100 * GiB }],
    nics: [{ network: 'VM Network' }],
  });
  expect(problems.map(({ severity, column, message }) => [severity, column, message])).toEqual([
    [
      'warning',
      'Disks',
      'web-01 has 2 disks, but only their total size is known: it is imported with one disk. Also import the list of disks (vDisk)',
    ],
  ]);
});

test.each([
  [
    'a count of disks alone',
    'vm,os,disks\nweb,Windows Server 2022,2\n',
    'disks',
    'The disks of web have only 2 GiB: check the unit of the column, and that it contains sizes rather than a number of disks',
  ],
  [
    'capacity in bytes read as MiB',
    'vm,os,total disk capacity mib\nweb,linux,107374182400\n',
    'total disk capacity mib',
    'The disks of web have 105000000 GiB: check the unit of the column',
  ],
  [
    'memory in GB read as MiB',
    'vm,os,memory,disk gb\nweb,linux,16,40\n',
    'memory',
    'web has 0.0156 GiB of memory: check the unit of the column',
  ],
])('%s is imported with a warning', async (_what, text, column, message) => {
  const { machines, problems } = importMachines(await csv(text), { withTemplates: false });
  expect(machines).toHaveLength(1);
  expect(problems.map((problem) => [problem.severity, problem.column, problem.message])).toEqual([
    ['warning', column, message],
  ]);
});

test('a list that the vSphere client exports has its sizes, whose units stand in the cells', async () => {
  const plans = await csv(
    'Name,State,Status,Provisioned Space,Used Space,Host CPU,Host Mem,CPUs,Memory Size,Guest OS,IP Address,Host\nweb-01,Powered On,Normal,40 GB,12.5 GB,120 MHz,1.9 GB,2,4 GB,Ubuntu Linux (64-bit),10.0.0.5,esx-1\n',
  );
  const { machines, problems } = importMachines(plans, { withTemplates: false });
  expect([problems, machines]).toMatchObject([
    [],
    [
      {
        power: 'running',
        labels: { host: 'esx-1' },
        vm: { name: 'web-01', os_type: 'linux', vcpus: 2, memory_mb: 4096, disks: [{ size_bytes: 40 * GiB }] },
      },
    ],
  ]);
});

test('a heading that counts disks is not taken for their size beside one that says the capacity', async () => {
  const plans = await csv('Name,OS,Disks,Capacity GB\nweb,linux,3,120\n');
  expect(importMachines(plans, { withTemplates: false }).machines[0]?.vm.disks).toEqual([
    { id: 'disk-0', size_bytes: 120 * GiB },
  ]);
});

const problemsOf = async (...plans: Awaited<ReturnType<typeof csv>>[]) =>
  importMachines(plans.flat(), { withTemplates: false }).problems.map(({ severity, row, column, message }) => [
    severity,
    row,
    column,
    message,
  ]);

test('a list without disk sizes is imported with one warning, and a row without one with its own', async () => {
  expect(await problemsOf(await csv('VM,CPUs,OS\nweb,2,Debian\ndb,2,Debian\n'))).toEqual([
    [
      'warning',
      0,
      undefined,
      'The list has no column of disk sizes: its VMs are imported with 0 B, so that limits, estimates and quotas leave their disks out',
    ],
  ]);
  expect(await problemsOf(await csv('VM,OS,Disk GB\nweb,Debian,40\ndb,Debian,\nold,Debian,0\n'))).toEqual([
    ['warning', 3, 'Disk GB', 'db has no disk size: it is imported with 0 B'],
    ['warning', 4, 'Disk GB', 'old has no disk size: it is imported with 0 B'],
  ]);
});

test('beside a list of disks, only VMs that it does not name are warned of', async () => {
  const [disks] = await readTables('vDisk.csv', utf8('vm,capacity mib\nweb,2048\n'));
  expect(await problemsOf(await csv('VM,OS\nweb,Debian\ndb,Debian\n'), [planFor(disks!, 'disks')])).toEqual([
    ['warning', 3, undefined, 'db has no disk size, also in the list of disks: it is imported with 0 B'],
  ]);
});
