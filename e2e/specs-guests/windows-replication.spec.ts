// needs: qemu-utils
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeAll } from '../rigs/closing.ts';
import { run } from '../rigs/machines/child-process.ts';
import { listenPort } from '../rigs/machines/reachable-port.ts';
import { startProjectLab, type ProjectLab } from '../rigs/project/lab-project.ts';
import { firstDifference } from '../rigs/sparse-files.ts';
import { windowsCommandLine, type WindowsCommandLine } from '../rigs/windows-node/windows-command-line.ts';
import { startWindowsNode, type WindowsNode } from '../rigs/windows-node/windows-node.ts';

const MiB = 2 ** 20;
const image = 'web-01.vmdk';

/** The product's main job on a Windows laptop, by the command line alone: disk images on its drive, a cloud on the network. */
describe("under Windows' Node, a VMDK", () => {
  let lab: ProjectLab;
  let windows: WindowsNode;
  let causeway: WindowsCommandLine;
  let images: string;
  beforeAll(async () => {
    [lab, windows] = await Promise.all([startProjectLab(), startWindowsNode()]);
    causeway = windowsCommandLine(windows, 'Überführung 1');
    images = join(windows.home, 'Virtual Machines');
    await Promise.all([mkdir(images), mkdir(causeway.project)]);
    await causeway.expect(['vault', 'init']);
    await causeway.expect(['vault', 'set', 'cloud-key'], { input: JSON.stringify(lab.cloud.serviceAccountKey) });
    await causeway.expect([
      'endpoint',
      'add',
      'images',
      '--plugin',
      'disk-images',
      '--set',
      `path=${windows.path(images)}`,
      '--set',
      'os_type=linux',
    ]);
    await writeFile(
      join(windows.home, 'cloud.yaml'),
      JSON.stringify({
        project_id: lab.cloud.projectId,
        region_name: lab.cloud.region,
        iaas_url: lab.cloud.urls.iaas,
        token_url: lab.cloud.urls.token,
        service_account_key: { $secret: 'cloud-key' },
        caller_address: '127.0.0.0/8',
        worker_ssh_port: listenPort(22),
        worker_https_port: listenPort(5566),
      }),
    );
    await causeway.expect(['endpoint', 'add', 'cloud', '--plugin', 'european-cloud', '--connection', 'cloud.yaml']);
  });
  afterAll(() =>
    closeAll(
      () => windows?.close(),
      () => lab?.close(),
    ),
  );

  it.each(['HTTPS', 'SSH'] as const)(
    'is replicated over %s, killed, resumed, then by its changes, byte for byte',
    { timeout: 1_200_000 },
    async (mechanism) => {
      const name = `web-${mechanism.toLowerCase()}`;
      const raw = join(lab.images, `${name}.raw`);
      const vmdk = join(images, image);
      await writeFile(
        raw,
        Buffer.concat([randomBytes(20 * MiB), Buffer.alloc(8 * MiB), randomBytes(12 * MiB), Buffer.alloc(24 * MiB)]),
      );
      const convert = () =>
        run('qemu-img', ['convert', '-f', 'raw', '-O', 'vmdk', '-o', 'subformat=twoGbMaxExtentSparse', raw, vmdk]);
      await convert();
      // As editors of Windows save it.
      await writeFile(join(windows.home, 'web.yaml'), environment(mechanism).replaceAll('\n', '\r\n'));
      expect(await causeway.expect(['vm', 'list', 'images'])).toContain(image);
      await causeway.expect([
        'replica',
        'create',
        'images',
        image,
        'cloud',
        '--name',
        name,
        '--environment',
        'web.yaml',
      ]);

      let killed: Promise<void> | undefined;
      const first = causeway.start(['replica', 'execute', name, '--limit', '6M', '--json'], {
        onLine(line) {
          const total = (JSON.parse(line) as { progress?: { total: { bytesSent: number; phase: string } } }).progress
            ?.total;
          if (total !== undefined && total.bytesSent >= 10 * MiB) killed ??= first.kill();
        },
      });
      expect(await first.ended).toMatchObject({
        status: null,
        stderr: expect.not.stringContaining('causeway:') as string,
      });
      expect(killed).toBeDefined();
      expect(await causeway.expect(['execution', 'list', '--replica', name])).toContain('interrupted');
      expect(await causeway.expect(['execution', 'resume'])).toContain(`Execution 1 of ${name} is completed.`);
      expect(await firstDifference(raw, volumePath())).toBeUndefined();
      expect(await sentBy(name)).toBeLessThan(28 * MiB);

      await run('qemu-io', ['-f', 'raw', '-c', 'write -P 7 30M 128k', raw]);
      await convert();
      await causeway.expect(['replica', 'execute', name]);
      expect(await firstDifference(raw, volumePath())).toBeUndefined();
      expect(await sentBy(name)).toBeLessThan(MiB);
      expect(lab.cloud.world.leftovers().filter((line) => !line.startsWith('volume '))).toEqual([]);
      await causeway.expect(['replica', 'delete', name, '--yes']);
      expect(lab.cloud.world.leftovers()).toEqual([]);
    },
  );

  /** The only one: each replica is deleted at its end. */
  function volumePath(): string {
    const volumes = [...lab.cloud.world.volumes.values()];
    expect(volumes).toHaveLength(1);
    return lab.cloud.volumePath(volumes[0]?.id ?? '');
  }

  async function sentBy(name: string): Promise<number> {
    const [latest = '{}'] = (await causeway.expect(['execution', 'list', '--replica', name, '--json']))
      .trim()
      .split('\n');
    return (
      (JSON.parse(latest) as { progress?: { total: { bytesSent: number } } }).progress?.total.bytesSent ?? Infinity
    );
  }
});

function environment(mechanism: string): string {
  return `source: { plugin: disk-images, environment: {} }
destination:
  plugin: european-cloud
  environment:
    network_map: { default: production }
    availability_zone: eu01-1
    machine_type: g1.1
    migr_network: migration
    migr_machine_type: g1.1
    migr_image_map: { linux: Debian 12 }
    data_transfer_mechanism: ${mechanism}
`;
}
