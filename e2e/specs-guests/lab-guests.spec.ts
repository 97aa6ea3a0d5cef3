// needs: installed guests
// lease: emulated guests
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { closeAll } from '../rigs/closing.ts';
import { RigClient } from '../rigs/european-cloud/rig-client.ts';
import { startEuropeanCloud } from '../rigs/european-cloud/start.ts';
import type { EuropeanCloud } from '../rigs/european-cloud/start.ts';
import { ensureDebianGuest } from '../rigs/images/ensure.ts';
import { run } from '../rigs/machines/child-process.ts';
import { labMachines } from '../rigs/machines/kinds.ts';

let cloud: EuropeanCloud;
let client: RigClient;

beforeEach(async () => {
  cloud = await startEuropeanCloud({ machines: labMachines({ worker: 'qemu' }) });
  client = new RigClient(cloud);
  await client.signIn();
});

afterEach(() =>
  closeAll(
    () => cloud.close(),
    () => expect(cloud.violations).toEqual([]),
  ),
);

/** Puts the Debian guest on a volume, boots a server from it, and waits for one of two words on its console. */
async function bootGuest(diskBus: string): Promise<string> {
  const image = await ensureDebianGuest((line) => process.stderr.write(`${line}\n`));
  const { body: volume } = await client.call('POST', 'volumes', { availabilityZone: 'eu01-1', size: 2 });
  const id = String(volume['id']);
  await client.waitFor(`volumes/${id}`, 'AVAILABLE');
  await run('dd', [
    `if=${join(image, 'disk.raw')}`,
    `of=${cloud.volumePath(id)}`,
    'bs=1M',
    'conv=notrunc,sparse',
    'status=none',
  ]);
  await client.call('PATCH', `volumes/${id}`, { bootable: true, imageConfig: { diskBus, operatingSystem: 'linux' } });
  const network = await client.idOf('networks', 'migration');
  const { body: nic } = await client.call('POST', `networks/${network}/nics`, {});
  const { body: server } = await client.call('POST', 'servers', {
    name: 'migrated',
    machineType: 'g1.1',
    availabilityZone: 'eu01-1',
    networking: { nicIds: [nic['id']] },
    bootVolume: { source: { type: 'volume', id } },
  });
  const path = `servers/${String(server['id'])}`;
  await client.waitFor(path, 'ACTIVE');
  const deadline = Date.now() + 300_000;
  for (;;) {
    const output = String((await client.call('GET', `${path}/log`)).body['output']);
    const word = /source-vm login:|Gave up waiting for root file system device/.exec(output)?.[0];
    if (word !== undefined) return word;
    if (Date.now() > deadline) throw new Error(`neither was seen on the console:\n${output.slice(-1000)}`);
    await delay(500);
  }
}

// Other specs boot this guest on SATA from a volume as well, and do more with it.
it.runIf(process.env['CAUSEWAY_EVERY_STEP'] === '1')(
  'boots a server from a volume that holds a guest, on a bus that the guest knows',
  async () => {
    expect(await bootGuest('ide')).toBe('source-vm login:');
  },
  600_000,
);

it('has teeth: the same guest does not boot on virtio before it was prepared for it', async () => {
  expect(await bootGuest('virtio')).toBe('Gave up waiting for root file system device');
}, 600_000);
