import { randomBytes } from 'node:crypto';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { datastoreFiles, type FileFault } from './datastore-files.ts';
import { startHttpsHost, type HttpsHost } from '../https-host.ts';
import { memoryDisk } from '../memory-disk.ts';
import type { ServedDisk } from '../served-disk.ts';
import {
  openDatastoreDisk,
  type DatastoreDiskRequest,
} from '../../../../electron/engine/platforms/virtualization-platform/datastore-files/datastore-disk.ts';
import {
  folderUrl,
  parseDatastorePath,
  siblingOf,
} from '../../../../electron/engine/platforms/virtualization-platform/datastore-files/datastore-path.ts';
import type { VimSession } from '../../../../electron/engine/platforms/virtualization-platform/client/session.ts';
import type { DiskToOpen } from '../../../../electron/engine/platforms/virtualization-platform/disk-access/disk-access.ts';
import { datastoreFiles as datastoreWay } from '../../../../electron/engine/platforms/virtualization-platform/disk-access/file-ways.ts';
import { FileServer } from '../../../../electron/engine/platforms/virtualization-platform/disk-access/file-server.ts';
import { systemClock } from '../../../../electron/engine/time/clock.ts';

const MIB = 1024 * 1024;
const never = new AbortController().signal;
const bytes = Buffer.concat([randomBytes(2 * MIB), Buffer.alloc(MIB), randomBytes(MIB / 2 + 512)]);
const path = '[fast ds] web 01/web%01.vmdk';
const hosts: HttpsHost[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.stop();
});

interface Lab {
  readonly host: HttpsHost;
  readonly request: DatastoreDiskRequest;
  readonly ranges: [number, number][];
  cookie: string;
  readonly renewals: () => number;
}

async function lab(disk: ServedDisk, faults: (FileFault | undefined)[] = []): Promise<Lab> {
  const ranges: [number, number][] = [];
  const state = { cookie: 'session-1' };
  let renewals = 0;
  const host = await startHttpsHost(
    datastoreFiles({
      disks: { find: (name) => (name === disk.path ? disk : undefined) },
      isSession: (cookie) => cookie === state.cookie,
      fault: (_path, first, last) => {
        ranges.push([first, last]);
        return faults.shift();
      },
    }),
  );
  hosts.push(host);
  let known = state.cookie;
  return {
    host,
    ranges,
    renewals: () => renewals,
    get cookie() {
      return state.cookie;
    },
    set cookie(value: string) {
      state.cookie = value;
    },
    request: {
      server: { host: host.host, port: host.port, trust: { caCertificate: host.certificate } },
      cookie: (renew) => {
        if (renew) {
          renewals += 1;
          known = state.cookie;
        }
        return Promise.resolve(known);
      },
      datacenterPath: 'Site A/DC0',
      fileName: disk.path,
      sizeBytes: disk.sizeBytes,
      inactivityMs: 200,
      backOff: { attempts: 3, firstMs: 1, capMs: 1 },
    },
  };
}

async function readAll(request: DatastoreDiskRequest): Promise<Buffer> {
  const disk = await openDatastoreDisk(request, never);
  const all = Buffer.alloc(disk.sizeBytes, 0xee);
  try {
    await disk.read(0, all, never);
  } finally {
    await disk.close();
  }
  return all;
}

describe('a flat disk on a datastore', () => {
  it('gives the same bytes, whole and by any range, over connections that are kept', async () => {
    const { request, host } = await lab(memoryDisk(path, bytes));
    const disk = await openDatastoreDisk(request, never);
    expect(disk.sizeBytes).toBe(bytes.length);
    expect(disk.allocated).toBeUndefined();
    const parts = [
      [0, 512],
      [MIB - 512, 1024],
      [bytes.length - 512, 512],
      [3, 77],
      [0, bytes.length],
    ] as const;
    await Promise.all(
      parts.map(async ([offset, length]) => {
        const into = Buffer.alloc(length);
        await disk.read(offset, into, never);
        expect(into.equals(bytes.subarray(offset, offset + length))).toBe(true);
      }),
    );
    const before = host.connections();
    await disk.read(0, Buffer.alloc(512), never);
    expect(host.connections()).toBe(before);
    await disk.close();
  });

  it('goes on at the byte where the connection broke', async () => {
    const { request, ranges } = await lab(memoryDisk(path, bytes.subarray(0, MIB)), [
      { kind: 'cut', afterBytes: 300_000 },
      { kind: 'cut', afterBytes: 100_000 },
    ]);
    expect((await readAll(request)).equals(bytes.subarray(0, MIB))).toBe(true);
    expect(ranges[0]).toEqual([0, MIB - 1]);
    expect(ranges).toHaveLength(3);
    for (const [index, [first, last]] of ranges.entries()) {
      expect(last).toBe(MIB - 1);
      if (index > 0) expect(first).toBeGreaterThan(ranges[index - 1]?.[0] ?? Infinity);
    }
  });

  it('tries again after silence and passing statuses, and gives up after a bounded number of them', async () => {
    const some = await lab(memoryDisk(path, bytes.subarray(0, 4096)), [
      { kind: 'silent' },
      { kind: 'status', status: 503 },
    ]);
    expect((await readAll(some.request)).equals(bytes.subarray(0, 4096))).toBe(true);
    const all = await lab(
      memoryDisk(path, bytes.subarray(0, 4096)),
      Array.from({ length: 3 }, () => ({ kind: 'status', status: 503 }) as const),
    );
    await expect(readAll(all.request)).rejects.toMatchObject({ code: 'source.connection-lost' });
    expect(all.ranges).toHaveLength(3);
  });

  it('takes a new session when the server has forgotten the former one, once', async () => {
    const one = await lab(memoryDisk(path, bytes.subarray(0, 4096)));
    const disk = await openDatastoreDisk(one.request, never);
    one.cookie = 'session-2';
    const into = Buffer.alloc(4096);
    await disk.read(0, into, never);
    expect(into.equals(bytes.subarray(0, 4096))).toBe(true);
    expect(one.renewals()).toBe(1);
    await disk.close();
    const refused = { ...one.request, cookie: () => Promise.resolve('no session') };
    await expect(readAll(refused)).rejects.toMatchObject({ code: 'source.request-refused', details: { status: 401 } });
  });

  it.each([
    ['a whole file instead of a range', { kind: 'whole' }, 'source.unsupported'],
    ['another range', { kind: 'other-range' }, 'source.protocol'],
    ['another size of the file', { kind: 'other-size' }, 'source.changed-while-reading'],
    ['a later time of modification', { kind: 'modified' }, 'source.changed-while-reading'],
    ['a file that is gone', { kind: 'status', status: 404 }, 'source.disk-not-found'],
    ['a lock', { kind: 'status', status: 500 }, 'source.request-refused'],
    ['a missing privilege', { kind: 'status', status: 403 }, 'source.request-refused'],
  ] as const)('refuses %s', async (_what, fault, code) => {
    const disk = memoryDisk(path, bytes.subarray(0, 8192));
    const { request } = await lab(disk);
    const opened = await openDatastoreDisk(request, never);
    await opened.close();
    const faulty = await lab(disk, [fault, fault, fault]);
    const again = await openDatastoreDisk(faulty.request, never);
    await expect(again.read(4096, Buffer.alloc(4096), never)).rejects.toMatchObject({ code });
    await again.close();
  });

  it('ends a read that is cancelled, and every read when the disk is closed', async () => {
    const { request } = await lab(
      memoryDisk(path, bytes.subarray(0, 4096)),
      Array.from({ length: 10 }, () => ({ kind: 'silent' }) as const),
    );
    const disk = await openDatastoreDisk({ ...request, inactivityMs: 60_000 }, never);
    const stop = new AbortController();
    const cancelled = disk.read(0, Buffer.alloc(4096), stop.signal);
    const closed = disk.read(0, Buffer.alloc(4096), never);
    stop.abort();
    await expect(cancelled).rejects.toMatchObject({ code: 'general.cancelled' });
    const ends = expect(closed).rejects.toMatchObject({ code: 'general.cancelled' });
    await disk.close();
    await ends;
  });

  it('tells a server with another certificate nothing', async () => {
    const { request, ranges } = await lab(memoryDisk(path, bytes.subarray(0, 4096)));
    const asked: boolean[] = [];
    const cookie = (renew: boolean) => {
      asked.push(renew);
      return Promise.resolve('session-1');
    };
    await expect(
      openDatastoreDisk({ ...request, cookie, server: { ...request.server, trust: {} } }, never),
    ).rejects.toMatchObject({ code: 'source.tls-refused' });
    const pinned = { ...request.server, trust: { sslThumbprint: '00:'.repeat(19) + '00' } };
    await expect(openDatastoreDisk({ ...request, cookie, server: pinned }, never)).rejects.toMatchObject({
      code: 'source.tls-refused',
    });
    expect(asked).toHaveLength(2);
    expect(ranges).toEqual([]);
  });

  it('leaves a host that accepts connections and never shows a certificate', async () => {
    const sockets = new Set<Socket>();
    const silent = createServer((socket) => void sockets.add(socket.on('error', () => undefined)));
    await new Promise<void>((resolve) => {
      silent.listen(0, '127.0.0.1', resolve);
    });
    try {
      const { port } = silent.address() as AddressInfo;
      const address = { host: '127.0.0.1', port, trust: { sslThumbprint: '00:'.repeat(19) + '00' } };
      await expect(new FileServer(address, 50).send({ method: 'GET', path: '/' }, never)).rejects.toMatchObject({
        code: 'source.connection-lost',
        message: expect.stringContaining('no TLS handshake') as string,
      });
      const patient = new FileServer(address, 3600_000);
      const closed = expect(patient.send({ method: 'GET', path: '/' }, never)).rejects.toMatchObject({
        code: 'source.connection-lost',
      });
      await expect.poll(() => sockets.size).toBe(2);
      patient.close();
      await closed;
    } finally {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => {
        silent.close(resolve);
      });
    }
  });

  it('takes the host with the thumbprint that the platform gave', async () => {
    const { request, host } = await lab(memoryDisk(path, bytes.subarray(0, 4096)));
    expect(
      (
        await readAll({ ...request, server: { ...request.server, trust: { sslThumbprint: host.sslThumbprint } } })
      ).equals(bytes.subarray(0, 4096)),
    ).toBe(true);
  });
});

it('reads a disk whose descriptor only says that it has no filter', async () => {
  const { request } = await lab(
    memoryDisk(path, bytes.subarray(0, 4096), { descriptor: { iofilters: '', encoding: 'UTF-8' } }),
  );
  expect((await readAll(request)).equals(bytes.subarray(0, 4096))).toBe(true);
});

describe('what is not flat', () => {
  it('is left to the next way', async () => {
    const { host } = await lab(memoryDisk(path, bytes.subarray(0, 4096)));
    const session = {
      host: host.host,
      content: () => Promise.resolve({ apiType: 'HostAgent' }),
      cookie: () => Promise.resolve('session-1'),
    } as unknown as VimSession;
    const way = datastoreWay(session, {
      port: host.port,
      trust: { caCertificate: host.certificate },
      clock: systemClock,
      note: () => undefined,
    });
    const gone: DiskToOpen = {
      vm: { type: 'VirtualMachine', id: 'vm-1' },
      holder: { type: 'VirtualMachineSnapshot', id: 's-1' },
      deviceKey: 2000,
      label: 'Hard disk 1',
      sizeBytes: 4096,
      isEncrypted: false,
      path: () => Promise.resolve('[ds1] web/gone.vmdk'),
      attachment: { controllerType: 'ParaVirtualSCSIController', busNumber: 0, unitNumber: 0 },
      environment: {},
      readsOnlyChanges: false,
    };
    await expect(way.open(gone, never)).rejects.toMatchObject({ code: 'source.unsupported', details: { status: 404 } });
  });

  it('refuses a snapshot with the reason, and a live disk', async () => {
    const delta = await lab(memoryDisk('[ds1] web/web-000001.vmdk', bytes.subarray(0, 4096)));
    await expect(openDatastoreDisk(delta.request, never)).rejects.toMatchObject({
      code: 'source.unsupported',
      message: expect.stringContaining('snapshot') as string,
    });
    const live = await lab(memoryDisk(path, bytes.subarray(0, 4096), { isLive: true }));
    await expect(openDatastoreDisk(live.request, never)).rejects.toMatchObject({
      code: 'source.request-refused',
      message: expect.stringContaining('locked') as string,
    });
  });

  const head = 'version=1\nCID=55667788\nparentCID=ffffffff\n';
  it.each([
    [
      'another folder',
      `${head}createType="vmfs"\nRW 8 VMFS "../other/secret-flat.vmdk"\n`,
      'source.image-refers-outside',
    ],
    [
      'another place by backslashes',
      `${head}createType="vmfs"\nRW 8 VMFS "..\\secret.vmdk"\n`,
      'source.image-refers-outside',
    ],
    [
      'a parent',
      'version=1\nCID=55667788\nparentCID=11223344\nparentFileNameHint="a.vmdk"\ncreateType="vmfsSparse"\nRW 8 VMFSSPARSE "a-delta.vmdk"\n',
      'source.unsupported',
    ],
    [
      'a raw device',
      `${head}createType="vmfsPassthroughRawDeviceMap"\nRW 8 VMFS "a-rdmp.vmdk"\n`,
      'source.unsupported',
    ],
    ['a raw device mapping', `${head}createType="vmfsRawDeviceMap"\nRW 8 VMFSRDM "a-rdm.vmdk"\n`, 'source.unsupported'],
    [
      'an object of a vSAN datastore',
      `${head}createType="vmfs"\nRW 8 VMFS "vsan://0a1b2c3d-1111-2222-3333-444455556666"\n`,
      'source.unsupported',
    ],
    ['a sparse header', 'KDMV\u0001\u0000', 'source.unsupported'],
    ['no data', `${head}createType="vmfs"\n`, 'source.unsupported'],
    [
      'an I/O filter',
      `${head}createType="vmfs"\nRW 8 VMFS "web-flat.vmdk"\nddb.iofilters = "vmwarevmcrypt"\nddb.sidecars = "web-1.vmfd;"\n`,
      'source.unsupported',
    ],
    [
      'encryption keys',
      `${head}createType="vmfs"\nencryptionKeys = "vmware:key/list/(pair/(x))"\nRW 8 VMFS "web-flat.vmdk"\n`,
      'source.unsupported',
    ],
    ['another size', `${head}createType="vmfs"\nRW 7 VMFS "web-flat.vmdk"\n`, 'source.image-unreadable'],
    ['lines that mean nothing', 'x'.repeat(5000), 'source.image-unreadable'],
    ['more than a descriptor', ' '.repeat(3 * MIB), 'source.image-unreadable'],
  ])('refuses a descriptor with %s', async (_what, text, code) => {
    const disk = memoryDisk('[ds1] web/web.vmdk', bytes.subarray(0, 4096));
    const { request } = await lab(disk);
    const descriptor = Buffer.from(text);
    const host = await startHttpsHost((asked, response) => {
      if (!(asked.url ?? '').includes('/web.vmdk'))
        return datastoreFiles({
          disks: { find: (name) => (name === disk.path ? disk : undefined) },
          isSession: () => true,
        })(asked, response);
      const isHead = asked.method === 'HEAD';
      const headers = {
        'content-length': descriptor.length,
        ...(isHead ? {} : { 'content-range': `bytes 0-${descriptor.length - 1}/${descriptor.length}` }),
      };
      response.writeHead(isHead ? 200 : 206, headers).end(isHead ? undefined : descriptor);
      return true;
    });
    hosts.push(host);
    const server = { host: host.host, port: host.port, trust: { caCertificate: host.certificate } };
    await expect(openDatastoreDisk({ ...request, server }, never)).rejects.toMatchObject({ code });
  });
});

describe('names on a datastore', () => {
  it('keeps every character of folders and datacenters', () => {
    expect(folderUrl(parseDatastorePath('[fast ds] web 01/a&b#?.vmdk'), 'Site A/DC0')).toBe(
      '/folder/web%2001/a%26b%23%3F.vmdk?dcPath=Site%20A%2FDC0&dsName=fast%20ds',
    );
  });

  it.each([
    'web.vmdk',
    '[ds1]',
    '[ds1] ../etc/passwd',
    '[ds1] a//b.vmdk',
    '[ds1] /a.vmdk',
    '[ds1] a/./b',
    '[ds1] a\\b',
    '[ds1] a\u0000b',
    '[] a',
  ])('refuses %j', (name) => {
    expect(() => parseDatastorePath(name)).toThrow();
  });

  it('stays in the folder', () => {
    const disk = parseDatastorePath('[ds1] web/web.vmdk');
    expect(siblingOf(disk, 'web-flat.vmdk')).toEqual(parseDatastorePath('[ds1] web/web-flat.vmdk'));
    for (const name of ['..', 'a/b', '', 'a\\b']) expect(() => siblingOf(disk, name)).toThrow();
  });
});
