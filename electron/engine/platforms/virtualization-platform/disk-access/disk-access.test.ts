import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { systemClock } from '../../../time/clock.ts';
import { vm } from '../client/request.ts';
import type { VimSession } from '../client/session.ts';
import { parseXml } from '../client/xml.ts';
import { dataPort } from './data-port.ts';
import { inFirstWay, type DiskToOpen, type DiskWay } from './disk-access.ts';
import type { DiskContent } from './disk-content.ts';
import { datastoreFiles, exportOfFirstCopies } from './file-ways.ts';

const signal = new AbortController().signal;
const disk = (more: Partial<DiskToOpen> = {}): DiskToOpen => ({
  vm: vm('vm-1'),
  holder: { type: 'VirtualMachineSnapshot', id: 'snapshot-1' },
  deviceKey: 2000,
  label: 'Hard disk 1',
  sizeBytes: 1024,
  isEncrypted: false,
  attachment: { controllerType: 'ParaVirtualSCSIController', busNumber: 0, unitNumber: 0 },
  path: async () => '[ds] vm/vm.vmdk',
  environment: {},
  readsOnlyChanges: false,
  ...more,
});
const content: DiskContent = { sizeBytes: 1024, read: async () => undefined, close: async () => undefined };
const way = (name: string, more: Partial<DiskWay> = {}): DiskWay => ({
  name,
  open: async () => content,
  close: async () => undefined,
  ...more,
});
const unreachable = (): Promise<never> =>
  Promise.reject(new CausewayError('source.host-unreachable', 'data port h:902: no response'));

describe('the first way that works', () => {
  test('is opened, and people are told once why the others were not', async () => {
    const notes: string[] = [];
    const asked: string[] = [];
    const access = inFirstWay(
      [
        way('port', { open: unreachable }),
        way('files', {
          obstacle: async () => 'the VM writes to the file',
          open: async () => {
            asked.push('files');
            return content;
          },
        }),
        way('export'),
      ],
      (message) => void notes.push(message),
    );
    expect(await access.open(disk(), signal)).toBe(content);
    expect(await access.open(disk(), signal)).toBe(content);
    expect(asked).toEqual([]);
    expect(notes).toEqual([
      'VM vm-1: disks are read through export, because port cannot be used (data port h:902: no response); files cannot be used (Hard disk 1 of VM vm-1: the VM writes to the file).',
    ]);
  });

  test('when there is none, the error has the code of the best one and all reasons, and the next attempt starts over', async () => {
    let startedOver = 0;
    const access = inFirstWay(
      [
        way('port', { open: unreachable, startOver: () => (startedOver += 1) }),
        way('files', { obstacle: async () => 'the VM writes to the file' }),
      ],
      () => undefined,
    );
    await expect(access.open(disk(), signal)).rejects.toMatchObject({
      code: 'source.host-unreachable',
      message: expect.stringMatching(/no response.*the VM writes to the file/) as string,
      retryable: true,
    });
    expect(startedOver).toBe(1);
  });

  test('is never looked for after an error that another way would hide', async () => {
    const access = inFirstWay(
      [
        way('port', {
          open: () => Promise.reject(new CausewayError('source.host-certificate-mismatch', 'another certificate')),
        }),
        way('files'),
      ],
      () => undefined,
    );
    await expect(access.open(disk(), signal)).rejects.toMatchObject({ code: 'source.host-certificate-mismatch' });
  });
});

/** A server with one VM, its disk, and the tickets of its host. */
function serverWith({
  frozen = '[ds] vm/vm.vmdk',
  live = '[ds] vm/vm-000001.vmdk',
  parent = '',
  power = 'poweredOn',
  port = 902,
} = {}): VimSession {
  const device = (file: string, below: string): string =>
    file === ''
      ? ''
      : `<VirtualDevice xsi:type="VirtualDisk"><key>2000</key><backing xsi:type="VirtualDiskFlatVer2BackingInfo"><fileName>${file}</fileName>${below === '' ? '' : `<parent><fileName>${below}</fileName></parent>`}</backing></VirtualDevice>`;
  const set = (name: string, val: string): string => `<propSet><name>${name}</name><val>${val}</val></propSet>`;
  return {
    host: '127.0.0.1',
    content: async () => ({ object: (name: string) => ({ type: name, id: name }) }),
    async call(_method: string, _target: unknown, parts: readonly string[]) {
      const asked = parts.join('');
      const [, type = '', id = ''] = /<obj type="(\w+)">([\w-]+)</.exec(asked) ?? [];
      const devices = type === 'VirtualMachine' ? device(live, frozen) : device(frozen, parent);
      const given = asked.includes('runtime.powerState')
        ? set('runtime.powerState', power)
        : set('config.hardware.device', devices);
      return [
        parseXml(`<returnval xmlns:xsi="i"><objects><obj type="${type}">${id}</obj>${given}</objects></returnval>`),
      ];
    },
    async callFor(method: string) {
      return parseXml(
        method === 'RetrieveInternalContent'
          ? '<returnval><nfcService type="NfcService">nfc</nfcService></returnval>'
          : `<returnval><host>127.0.0.1</host><port>${port}</port><sslThumbprint>AA</sslThumbprint><sessionId>s</sessionId></returnval>`,
      );
    },
  } as unknown as VimSession;
}
const options = { port: 443, trust: {}, clock: systemClock, note: () => undefined };

describe('files of the datastore', () => {
  const obstacle = (server: Parameters<typeof serverWith>[0]) =>
    datastoreFiles(serverWith(server), options).obstacle?.(disk(), signal);

  test('are read where the snapshot has frozen a file of its own, or the VM is off', async () => {
    expect(await obstacle({})).toBeUndefined();
    expect(await obstacle({ live: '[ds] vm/vm.vmdk', power: 'poweredOff' })).toBeUndefined();
  });

  test.each([
    [{ live: '[ds] vm/vm.vmdk' }, /not off, and writes/],
    [{ live: '[ds] vm/vm.vmdk', power: 'suspended' }, /not off, and writes/],
    [{ frozen: '[ds] vm/vm-000001.vmdk', parent: '[ds] vm/vm.vmdk' }, /earlier snapshot/],
    [{ frozen: '[ds] vm/vm-000001.vmdk', parent: '[ds] vm/vm.vmdk', power: 'poweredOff' }, /earlier snapshot/],
    // Detached, it may be the disk of another VM by now.
    [{ live: '', power: 'poweredOff' }, /the VM no longer has it/],
  ])('are not read where somebody may write to them or a host has to merge them: %j', async (server, why) => {
    expect(await obstacle(server)).toMatch(why);
  });
});

test('an export that nobody has asked for is no way to what changed', async () => {
  const ways = exportOfFirstCopies(serverWith(), options);
  expect(await ways.obstacle?.(disk(), signal)).toBeUndefined();
  expect(await ways.obstacle?.(disk({ readsOnlyChanges: true }), signal)).toMatch(/whole disks.*disk_access/);
});

test('a data port that nothing can connect to is tried once, until no way has worked', async () => {
  const listening = createServer();
  let connections = 0;
  // Whoever connects is dropped before the greeting.
  listening.on('connection', (socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => {
    listening.listen(0, '127.0.0.1', resolve);
  });
  const { port } = listening.address() as AddressInfo;
  await new Promise((resolve) => {
    listening.close(resolve);
  });
  const notes: string[] = [];
  const ports = dataPort(serverWith({ port }), (message) => void notes.push(message), {
    timeouts: { firstPauseMs: 1, longestPauseMs: 1 },
  });
  await expect(ports.open(disk(), signal)).rejects.toMatchObject({ code: 'source.host-unreachable', retryable: true });
  await new Promise<void>((resolve) => {
    listening.listen(port, '127.0.0.1', resolve);
  });
  try {
    await expect(ports.open(disk(), signal)).rejects.toMatchObject({
      code: 'source.host-unreachable',
      retryable: false,
    });
    expect(connections).toBe(0);
    ports.startOver?.();
    await expect(ports.open(disk(), signal)).rejects.toMatchObject({ code: 'source.connection-lost' });
    // Whoever answers is tried patiently, and people are told once.
    expect(connections).toBe(8);
    expect(notes[0]).toMatch(/Hard disk 1 of VM vm-1 cannot be read from its host right now .*Trying again/);
    expect(new Set(notes).size).toBe(notes.length);
  } finally {
    await new Promise((resolve) => {
      listening.close(resolve);
    });
  }
});
