import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '../../../../../../shared/model/json.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { idOf, startSmallCloud, type SmallCloud } from '../../testing/small-cloud.ts';
import { createOpenStackSource } from '../index.ts';
import { usableMechanism } from './usable-mechanism.ts';

const signal = new AbortController().signal;
const service_backups_options = {
  export_image: 'linux-worker',
  export_network: 'workers',
  export_flavor_name: 'small',
};
const working = {
  rbd: 'echo ceph version 16',
  rados: 'echo ceph version 16',
  'qemu-nbd': 'echo "qemu-nbd: Failed to blk_new_open: Parameter \'pool\' is missing" >&2; exit 1',
};

let folder: string;
let path: string | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-tools-'));
  path = process.env['PATH'];
  process.env['PATH'] = folder;
});
afterEach(() => {
  process.env['PATH'] = path;
  rmSync(folder, { recursive: true, force: true });
});

/** What this computer has: nothing else is on its path. */
function install(programs: Partial<Record<keyof typeof working, string>>): void {
  for (const [name, script] of Object.entries(programs))
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

describe('the mechanism that this computer can use', () => {
  it.each(['distributed_backups', 'distributed_snapshots'])(
    'is %s where it has the programs that read the storage',
    async (name) => {
      install(working);
      expect(await usableMechanism({ replica_export_mechanism: name, service_backups_options }, signal)).toEqual({
        name,
      });
    },
  );

  it.each([
    ['rbd', { ...working, rbd: undefined }, 'rbd is not installed (Debian package ceph-common)'],
    ['rados', { ...working, rados: undefined }, 'rados is not installed (Debian package ceph-common)'],
    ['qemu-nbd', { ...working, 'qemu-nbd': undefined }, 'qemu-nbd is not installed (Debian package qemu-utils)'],
    [
      "QEMU's module",
      { ...working, 'qemu-nbd': 'echo "Unknown driver \'rbd\'" >&2; exit 1' },
      'QEMU cannot read the distributed storage (Debian package qemu-block-extra)',
    ],
  ])('is the export worker where %s is missing', async (_what, { rbd, rados, 'qemu-nbd': qemu }, reason) => {
    install(JSON.parse(JSON.stringify({ rbd, rados, 'qemu-nbd': qemu })) as Partial<typeof working>);
    expect(
      await usableMechanism({ replica_export_mechanism: 'distributed_snapshots', service_backups_options }, signal),
    ).toEqual({
      name: 'service_backups',
      insteadOf: { name: 'distributed_snapshots', reason },
    });
  });

  it('is none where the worker is not described: the error names both ways out', async () => {
    await expect(
      usableMechanism(
        { replica_export_mechanism: 'distributed_backups', service_backups_options: { export_image: 'linux-worker' } },
        signal,
      ),
    ).rejects.toMatchObject({
      code: 'source.tool-missing',
      details: { parameter: 'service_backups_options.export_network' },
      message:
        'distributed_backups cannot be used on this computer: rbd is not installed (Debian package ceph-common); rados is not installed (Debian package ceph-common); ' +
        'qemu-nbd is not installed (Debian package qemu-utils). The export worker cannot be used instead: service_backups_options.export_network is not set',
    });
  });

  it.each(['objectstore_backups', 'service_backups'])('is %s without a program', async (name) => {
    expect(await usableMechanism({ replica_export_mechanism: name }, signal)).toEqual({ name });
  });

  it('is not guessed once the work is cancelled', async () => {
    const cancel = new AbortController();
    cancel.abort();
    await expect(
      usableMechanism({ replica_export_mechanism: 'distributed_snapshots', service_backups_options }, cancel.signal),
    ).rejects.toThrow();
  });
});

describe('a source on a computer without these programs', () => {
  let cloud: SmallCloud;
  beforeEach(async () => {
    const lists = {
      volumes: [{ id: idOf(50), name: 'data', status: 'in-use', size: 1 }],
      servers: [
        { id: idOf(51), name: 'web', status: 'ACTIVE', 'os-extended-volumes:volumes_attached': [{ id: idOf(50) }] },
      ],
    };
    cloud = await startSmallCloud(lists);
  });
  afterEach(() => cloud.script.close());
  const opened = () => createOpenStackSource(cloud.script.connection as JsonObject, { scratchFolder: folder });

  it('says so in its check, and which mechanism is used instead', async () => {
    const source = opened();
    const { steps } = await source.check(signal);
    expect(steps.find(({ name }) => name === 'Distributed storage')).toMatchObject({
      outcome: 'warning',
      evidence: expect.stringMatching(
        /rbd is not installed .*: instead of by distributed_snapshots and distributed_backups, servers are read through an export worker/,
      ) as unknown,
    });
    await source.close();
  });

  it('prepares for the export worker, and learns whether there is what it needs', async () => {
    const source = opened();
    const environment = { replica_export_mechanism: 'distributed_snapshots', service_backups_options };
    await source.prepare(idOf(51), environment, signal);
    await expect(
      source.prepare(
        idOf(51),
        { ...environment, service_backups_options: { ...service_backups_options, export_image: 'none' } },
        signal,
      ),
    ).rejects.toMatchObject({
      code: 'cloud.name-unknown',
      details: { parameter: 'service_backups_options.export_image' },
    });
    await source.close();
  });
});
