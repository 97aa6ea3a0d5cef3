import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../../../shared/model/json.ts';
import type { OwnVmOfSource } from '../../../../../ports/own-vm.ts';
import type { Snapshot } from '../../../../../ports/source-platform.ts';
import type { WorkerSession } from '../../../../../ports/write-target.ts';
import { ledgerScope } from '../../../../../store/ledger.ts';
import { openStore, type Store } from '../../../../../store/store.ts';
import { createHastyClock } from '../../../../../time/testing/hasty-clock.ts';
import { idOf, startSmallCloud, type SmallCloud } from '../../../testing/small-cloud.ts';
import { createOpenStackSource } from '../../index.ts';

const signal = new AbortController().signal;
const environment = {
  replica_export_mechanism: 'service_backups',
  service_backups_options: { export_image: 'linux-worker', export_network: 'workers', export_flavor_name: 'small' },
};
const [vmId, web, rootDisk, dataDisk] = [idOf(40), idOf(41), idOf(50), idOf(51)];
let folder: string;
let store: Store;
let cloud: SmallCloud;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-source-vm-'));
  store = openStore(folder, undefined, createHastyClock());
  const attached = [{ server_id: web }];
  cloud = await startSmallCloud({
    servers: [
      { id: vmId, name: 'mover', status: 'ACTIVE', metadata: {}, addresses: {}, flavor: {}, image: '' },
      {
        id: web,
        name: 'web',
        status: 'ACTIVE',
        metadata: {},
        addresses: {},
        flavor: {},
        image: '',
        'os-extended-volumes:volumes_attached': [{ id: rootDisk }, { id: dataDisk }],
      },
    ],
    volumes: [rootDisk, dataDisk].map((id) => ({
      id,
      name: id,
      status: 'in-use',
      size: 1,
      metadata: {},
      attachments: attached,
    })),
  });
});
afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true, force: true });
  cloud.script.close();
});

const attachedTo = (id: string): readonly string[] =>
  cloud
    .all('volumes')
    .filter((volume) => JSON.stringify(volume['attachments']).includes(id))
    .map((volume) => volume.id);
const session: WorkerSession = {
  mechanism: 'local',
  lost: new AbortController().signal,
  close: async () => undefined,
  devices: async () =>
    attachedTo(vmId).map((id) => ({ path: `/dev/${id}`, serial: id, byPath: [], sizeBytes: 2 ** 30, inUse: false })),
  open: async () =>
    ({ digests: async () => new Uint8Array(), close: async () => undefined }) as unknown as Awaited<
      ReturnType<WorkerSession['open']>
    >,
};

function open(ownVm?: OwnVmOfSource) {
  const notes: string[] = [];
  const binding = { replicaId: 'rep', executionId: 'exe' };
  const use = {
    ...binding,
    note: (message: string) => void notes.push(message),
    ...(ownVm === undefined ? {} : { ownVm }),
  };
  const source = createOpenStackSource(cloud.script.connection as JsonObject, {
    scratchFolder: folder,
    use,
    ledger: ledgerScope(store.ledger, { endpointId: 'end', ...binding, side: 'source' }),
  });
  return { source, notes };
}
function here(most: number, asked: number[] = []): OwnVmOfSource {
  return {
    vmId,
    vmName: 'mover',
    connect: async () => session,
    lease: (copies) => (asked.push(copies), copies <= most),
    giveBack: () => undefined,
  };
}
const opened = async (
  { source }: ReturnType<typeof open>,
  snapshot: Snapshot,
  ...disks: readonly string[]
): Promise<void> => {
  for (const disk of disks) await (await source.openDisk(snapshot, disk, undefined, signal)).close();
};

it('attaches the copies of all disks to the VM that the engine runs on, and leaves nothing attached', async () => {
  const asked: number[] = [];
  const made = open(here(2, asked));
  expect(await made.source.ownVm?.check({}, vmId, signal)).toEqual({ name: 'mover' });
  await made.source.prepare(web, environment, signal);
  const snapshot = await made.source.createSnapshot({ vmId: web, tag: 'tag', environment }, signal);
  await opened(made, snapshot, rootDisk, dataDisk);
  expect([attachedTo(vmId).length, asked, made.notes.at(-1)]).toEqual([
    2,
    [2],
    expect.stringContaining('attached to VM mover of the source'),
  ]);
  await made.source.promoteToBase(snapshot, undefined, signal);
  expect([attachedTo(vmId), attachedTo(web), cloud.all('servers').length]).toEqual([[], [rootDisk, dataDisk], 2]);
  expect(store.ledger.list()).toEqual([]);
  await made.source.close();
});

it('a process that is opened without that VM takes the copies from it before it deletes them', async () => {
  const made = open(here(2));
  const snapshot = await made.source.createSnapshot({ vmId: web, tag: 'tag', environment }, signal);
  await opened(made, snapshot, rootDisk);
  // As a process that was killed leaves it.
  expect(attachedTo(vmId)).toHaveLength(1);
  const next = open();
  const copy = store.ledger.list().find(({ kind }) => kind === 'volume')!;
  await next.source.removeResource?.(
    { ...copy, key: copy.key.slice(copy.key.indexOf('tag')) },
    ledgerScope(store.ledger, { endpointId: 'end', replicaId: 'rep', executionId: 'later', side: 'source' }),
    signal,
  );
  await next.source.discardSnapshot(snapshot, undefined, signal);
  expect([attachedTo(vmId), cloud.all('volumes').length, store.ledger.list()]).toEqual([[], 2, []]);
  await Promise.all([made.source.close(), next.source.close()]);
});

it('a VM that is gone is refused before anything is made', async () => {
  const { source } = open({ ...here(2), vmId: idOf(99) });
  await expect(source.prepare(web, environment, signal)).rejects.toMatchObject({ code: 'engine.own-vm-unusable' });
  expect(store.ledger.list()).toEqual([]);
  await source.close();
});
