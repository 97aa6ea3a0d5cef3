import Papa from 'papaparse';
import type { KeptMachine } from '../../../shared/inventory/inventory.ts';

const GiB = 1024 ** 3;

/** A list as CSV with headings that an import knows, so that it can be edited in a spreadsheet and come back. */
export function inventoryCsv(machines: readonly KeptMachine[]): string {
  const rows = machines.map(({ vm, power, state }) => ({
    Name: vm.name,
    ID: vm.id,
    'Guest OS': vm.os_type,
    'Power state': power,
    CPUs: vm.vcpus ?? '',
    'Memory MiB': vm.memory_mb ?? '',
    Firmware: vm.firmware ?? '',
    'Disks GB': vm.disks.map((disk) => +(disk.size_bytes / GiB).toFixed(6)).join(';'),
    Datastore: [
      ...new Set(vm.disks.map((disk) => disk.storage_backend).filter((backend) => backend !== undefined)),
    ].join(';'),
    Networks: vm.nics.map(({ network }) => network).join(';'),
    'MAC addresses': vm.nics.map((nic) => nic.mac_address ?? '').join(';'),
    'IP addresses': vm.nics.flatMap((nic) => nic.ip_addresses ?? []).join(';'),
    'Last import': state,
  }));
  // A cell that begins like a formula is told to spreadsheets as text.
  return Papa.unparse(rows, { escapeFormulae: true, newline: '\r\n' });
}
