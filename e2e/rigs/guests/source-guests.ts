import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureRpmGuest } from '../images/ensure.ts';
import { run } from '../machines/child-process.ts';
import type { SourceGuest } from '../source-vm.ts';
import { GuestFiles } from './guest-files.ts';
import { ensureLayout, guestLayouts, type LayoutName } from './layouts.ts';

/** A layout as a VM to move. */
export async function layoutSource(name: LayoutName): Promise<SourceGuest> {
  const folder = await ensureLayout(name);
  const { disksGb, uefi } = guestLayouts[name];
  return {
    disks: disksGb.map((_, index) => join(folder, `disk${index}.raw`)),
    key: join(folder, 'id_ed25519'),
    ...(uefi ? { variables: join(folder, 'uefi-variables') } : {}),
  };
}

/** As the guest with rpm has them in its network configuration. */
const card = { macAddress: '00:50:56:aa:bb:01', name: 'ens192', address: '192.0.2.5' };

/**
 * The guest with rpm on the hypervisor that its network configuration is for: a card with the MAC address that it knows, in
 * the network of its static address. Its name, which that hypervisor's slots would give, comes from an old rule.
 */
export async function rpmSource(folder: string): Promise<SourceGuest> {
  const image = await ensureRpmGuest((line) => process.stderr.write(`${line}\n`));
  await mkdir(folder, { recursive: true });
  const disk = join(folder, 'rpm.raw');
  await run('cp', ['--sparse=always', join(image, 'disk.raw'), disk]);
  const rules = join(folder, 'rules');
  await writeFile(
    rules,
    `SUBSYSTEM=="net", ACTION=="add", DRIVERS=="?*", ATTR{address}=="${card.macAddress}", NAME="${card.name}"\n`,
  );
  await new GuestFiles(disk).replace('/etc/udev/rules.d/70-persistent-net.rules', rules);
  return { disks: [disk], key: join(image, 'id_ed25519'), nic: { macAddress: card.macAddress, address: card.address } };
}
