// needs: native workers, port 22
// Where the bytes go with a mover beside the data: the laptop's own leg has 10 Mbit/s, and carries control only.
import { createServer, connect, type AddressInfo } from 'node:net';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { hostKeyFingerprint } from '../../electron/engine/transport/host-keys.ts';
import { closing } from '../rigs/closing.ts';
import { startMoverRig, type MoverRig } from '../rigs/mover-rig.ts';
import { closedAfterAll } from '../rigs/opened.ts';
import { firstDifference } from '../rigs/sparse-files.ts';
import { startWanLink } from '../rigs/wan-link.ts';

const MiB = 1024 * 1024;
const laptopMbit = 10;

describe('a mover beside the data, for a laptop on a slow link', () => {
  let rig: MoverRig;
  let carried = 0;
  const opened = closedAfterAll();

  beforeAll(async () => {
    rig = await startMoverRig(async (jump) => {
      const shape = { roundTripMs: 40, megabitsPerSecond: laptopMbit };
      const link = opened.adopt(await startWanLink(jump.port, shape), (started) => started.stop());
      // Counts what the laptop sends and gets, SSH included.
      const meter = createServer((from) => {
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
      opened.defer(() => void meter.close());
      return (meter.address() as AddressInfo).port;
    });
    opened.adopt(rig, closing);
    opened.defer(async () => void (await rig.causeway('mover', 'uninstall', 'beside')));
  });

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
    expect(disk.message).toMatch(/sent \(source at .*\/s, destination at .*\/s\)/);
    const [shown] = (JSON.parse(await done('replica', 'show', 'web', '--json')) as { disks: { volumeId: string }[] })
      .disks;
    expect(await firstDifference(rig.at('images', 'web.raw'), rig.cloud.volumePath(shown!.volumeId))).toBeUndefined();
  });
});
