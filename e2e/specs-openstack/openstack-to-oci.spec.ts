import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ExecutionDetail } from '../../shared/model/execution.ts';
import type { JsonObject } from '../../shared/model/json.ts';
import { compartmentCloudConnection, compartmentCloudEnvironment } from '../conformance/compartment-cloud-labs.ts';
import { startCompartmentCloud, type CompartmentCloud } from '../rigs/compartment-cloud/start.ts';
import { labMachines, usualWorkerKind } from '../rigs/machines/kinds.ts';
import { resolveAddress } from '../rigs/machines/reachable-port.ts';
import { startDebianServer, type DebianServer } from '../rigs/open-source-cloud/debian-server.ts';
import { leftInOrigin, volumeBytes } from '../rigs/open-source-cloud/origin-server.ts';
import { startOpenSourceCloud, type OpenSourceCloud } from '../rigs/open-source-cloud/start.ts';
import { startProjectLab, type ProjectLab } from '../rigs/project/lab-project.ts';
import { RigSsh } from '../rigs/rig-ssh.ts';
import { firstDifference } from '../rigs/sparse-files.ts';

const minute = 60_000;
const MiB = 2 ** 20;

function stage(text: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);
}

/** A real OpenStack, and the simulated OCI, whose instances are emulated machines. */
describe('a server of the open-source cloud, moved to the compartment cloud', () => {
  let cloud: OpenSourceCloud;
  let oci: CompartmentCloud;
  let lab: ProjectLab;
  let server: DebianServer;
  let folder: string;
  const closing: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'causeway-oci-'));
    closing.push(() => rm(folder, { recursive: true, force: true }));
    cloud = await startOpenSourceCloud();
    closing.push(() => cloud.close());
    oci = await startCompartmentCloud({
      transitionMs: 3,
      machines: labMachines({ worker: usualWorkerKind, outbound: true }),
    });
    closing.push(() => oci.close());
    const web = oci.idOf('group', 'web');
    oci.world.rules.set(web, [
      {
        id: 'ssh',
        direction: 'INGRESS',
        protocol: '6',
        source: '127.0.0.0/8',
        sourceType: 'CIDR_BLOCK',
        isStateless: false,
        isValid: true,
        timeCreated: oci.world.now(),
        tcpOptions: { destinationPortRange: { min: 22, max: 22 } },
      },
    ]);
    // Emulated systems on busy processors take their time.
    lab = await startProjectLab({ patience: { workerMs: 2 * minute, linkMs: 2 * minute } });
    closing.push(() => lab.close());
    server = await startDebianServer(cloud, 'debian', folder);
    closing.push(() => server.close());
    stage('the source answers SSH');
    await lab.use(async (core) => {
      await core.call('endpoint.add', {
        name: 'origin',
        plugin: 'open-source-cloud',
        connection: cloud.connection('origin') as JsonObject,
      });
      await core.call('endpoint.add', {
        name: 'oci',
        plugin: 'compartment-cloud',
        connection: compartmentCloudConnection(oci, { caller_address: '127.0.0.0/8' }) as JsonObject,
      });
    });
    const { nics } = await lab.use((core) => core.call('vm.show', { endpoint: 'origin', vm: server.id }));
    const production = { id: oci.idOf('subnet', 'production'), security_groups: [web] };
    await lab.use((core) =>
      core.call('replica.create', {
        name: 'debian',
        source: 'origin',
        destination: 'oci',
        vm: server.id,
        sourceEnvironment: { replica_export_mechanism: 'distributed_snapshots' },
        destinationEnvironment: {
          ...compartmentCloudEnvironment(oci),
          network_map: Object.fromEntries(nics.map(({ network }) => [network, production])),
          set_public_ip: true,
        },
      }),
    );
  }, 20 * minute);
  afterAll(async () => {
    for (const close of closing.toReversed()) await close();
  });

  async function copied(execution: ExecutionDetail): Promise<number> {
    expect(execution, JSON.stringify(execution.error)).toMatchObject({ state: 'completed', leftBehind: 0 });
    const events = await lab.use((core) => core.call('execution.events', { execution: execution.id }));
    return events
      .filter(({ type }) => type === 'disk.done')
      .reduce((sum, { details }) => sum + Number(details['bytesSent']), 0);
  }

  it(
    'is copied to a boot volume while it runs, and then brought up to date by what changed',
    async () => {
      const full = await copied(await lab.execute('debian'));
      stage(`copied in full, ${(full / MiB).toFixed(0)} MiB sent`);
      await server.ssh.text('head -c 24M /dev/urandom > /srv/data/changed && sync');
      const changed = await copied(await lab.execute('debian'));
      stage(`brought up to date, ${(changed / MiB).toFixed(1)} MiB sent`);
      expect(changed).toBeGreaterThanOrEqual(24 * MiB);
      expect(changed).toBeLessThan(96 * MiB);
      expect(oci.world.leftovers().map((line) => line.split(' ')[0])).toEqual(['volume']);
    },
    30 * minute,
  );

  it(
    'is prepared after a last pass, boots there and answers as what it was',
    async () => {
      const late = await server.ssh.text(
        'cd /srv/data && head -c 3000000 /dev/urandom > late && sync && sha256sum changed late',
      );
      const options = { bootCheck: { mode: 'network' as const, deadlineSeconds: 1_800 }, execute: { lastPass: true } };
      const { id } = await lab.use((core) => core.call('deployment.create', { replica: 'debian', options }));
      const deployment = await lab.use((core) => core.call('deployment.show', { deployment: id }));
      expect(
        deployment,
        `${deployment.error?.code}: ${deployment.error?.message}\n${deployment.boot?.console.slice(-3000)}`,
      ).toMatchObject({
        state: 'completed',
        leftBehind: 0,
        boot: { outcome: 'up' },
        guest: { dossier: { distribution: 'debian' } },
      });
      stage('deployed, and the network answers');
      // The source is off: what was copied last is what it has.
      const source = join(folder, 'source.raw');
      await volumeBytes(cloud, server.volumeId, source);
      const { disks } = await lab.use((core) => core.call('replica.show', { replica: 'debian' }));
      expect(await firstDifference(source, oci.volumePath(disks[0]?.volumeId ?? ''))).toBeUndefined();

      const keyPath = join(folder, 'deployed-key');
      await copyFile(server.ssh.access.keyPath, keyPath);
      const ssh = new RigSsh({ ...resolveAddress(deployment.server?.addresses[0] ?? '', 22), user: 'root', keyPath });
      await ssh.waitUntilUp(10 * minute);
      const shown = await ssh.text(
        'cd /srv/data; sha256sum changed late; sha256sum --quiet -c SHA256SUMS && echo data; ls /sys/bus/virtio/drivers/virtio_scsi | grep -c virtio; touch /root/written && echo written',
        { timeoutMs: 5 * minute },
      );
      expect(shown.split('\n')).toEqual([...late.split('\n'), 'data', '1', 'written']);

      await lab.use((core) => core.call('deployment.delete', { deployment: id, dryRun: false }));
      await lab.use((core) => core.call('replica.delete', { replica: 'debian' }));
      expect(oci.world.leftovers()).toEqual([]);
      expect(await leftInOrigin(cloud)).toEqual([]);
      expect([...new Set(oci.violations)]).toEqual([]);
    },
    60 * minute,
  );
});
