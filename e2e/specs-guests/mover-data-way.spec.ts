// needs: native workers, port 22
// Where the bytes go with a mover beside the data: the laptop's own leg has 10 Mbit/s, and carries control only.
import { createServer, connect, type AddressInfo, type Server } from 'node:net';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hostKeyFingerprint } from '../../electron/engine/transport/host-keys.ts';
import { startMoverRig, type MoverRig } from '../rigs/mover-rig.ts';
import { firstDifference } from '../rigs/sparse-files.ts';
import { startWanLink, type WanLink } from '../rigs/wan-link.ts';

const MiB = 1024 * 1024;
const laptopMbit = 10;

describe('a mover beside the data, for a laptop on a slow link', () => {
  let rig: MoverRig;
  let link: WanLink;
  let meter: Server;
  let carried = 0;

  beforeAll(async () => {
    rig = await startMoverRig(async (jump) => {
      link = await startWanLink(jump.port, { roundTripMs: 40, megabitsPerSecond: laptopMbit });
      // Counts what the laptop sends and gets, SSH included.
      meter = createServer((from) => {
        const to = connect(link.port, '127.0.0.1');
        for (const [one, other] of [
          [from, to],
          [to, from],
        ] as const) {
          one.on('data', (piece: Buffer) => (carried += piece.length));
          one.on('error', () => other.destroy());
          one.pipe(other);
        }
      });
      await new Promise<void>((resolve) => meter.listen(0, '127.0.0.1', resolve));
      return (meter.address() as AddressInfo).port;
    });
  }, 600_000);
  afterAll(async () => {
    await rig.causeway('mover', 'uninstall', 'beside');
    await rig.close();
    await link.stop();
    meter.close();
  }, 240_000);

  async function done(...argv: string[]): Promise<string> {
    const { status, output } = await rig.causeway(...argv);
    expect(status, `${argv.join(' ')}: ${output}`).toBe(0);
    return output;
  }

  it('copies disks from the mover to the worker, and says which way the bytes went and how fast each leg was', async () => {
    const port = /Port (\d+)/.exec(readFileSync(rig.at('laptop', '.ssh', 'config'), 'utf8'))![1];
    const keys = [
      `127.0.0.1:${port}=${hostKeyFingerprint(rig.jump.hostKey)}`,
      `${rig.host.address}:${rig.host.port}=${hostKeyFingerprint(rig.host.hostKey)}`,
    ];
    await done('mover', 'add', 'beside', 'beside-the-data', '--host-key', ...keys);
    await done('vault', 'init');
    await done(
      'endpoint',
      'add',
      'images',
      '--plugin',
      'disk-images',
      '--set',
      `path=${rig.at('images')}`,
      '--set',
      'os_type=linux',
    );
    await done('endpoint', 'add', 'cloud', '--plugin', 'european-cloud', '--connection', rig.at('cloud.json'));
    await done('replica', 'create', 'images', 'web', 'cloud', '--environment', rig.at('web.yaml'));
    carried = 0;
    const output = await done('replica', 'execute', 'web', '--json');
    const lines = output
      .trim()
      .split('\n')
      .filter((line) => line.startsWith('{"type":"event"'))
      .map((line) => JSON.parse(line) as { event: { type: string; message: string; details: Record<string, number> } });
    const disk = lines.find(({ event }) => event.type === 'disk.done')!.event;
    console.log(`laptop's leg: ${carried} bytes at ${laptopMbit} Mbit/s; ${disk.message}`);
    expect(disk.details['bytesSent']).toBeGreaterThan(23 * MiB);
    expect(carried).toBeLessThan(MiB);
    // Both legs are on the mover's side of the laptop's link, and not held up by it.
    expect(disk.details['bytesRead']! / disk.details['sourceSeconds']!).toBeGreaterThan((laptopMbit * 1e6) / 8);
    expect(disk.details['bytesSent']! / disk.details['destinationSeconds']!).toBeGreaterThan((laptopMbit * 1e6) / 8);
    expect(disk.message).toMatch(/sent \(source at .*\/s, destination at .*\/s\)/);
    const [shown] = (JSON.parse(await done('replica', 'show', 'web', '--json')) as { disks: { volumeId: string }[] })
      .disks;
    expect(await firstDifference(rig.at('images', 'web.raw'), rig.cloud.volumePath(shown!.volumeId))).toBeUndefined();
  }, 900_000);
});
