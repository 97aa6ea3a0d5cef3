import { describe, expect, test } from 'vitest';
import { vm } from '../client/request.ts';
import { parseXml } from '../client/xml.ts';
import type { SourceContext } from './source-context.ts';
import { disksWithKnownAreas, trackingStarts, usedAreas } from './used-areas.ts';
import type { VirtualDisk } from './vm-devices.ts';

const signal = new AbortController().signal;
const MIB = 2 ** 20;

/** A server with a datastore of this type, and these areas in use. */
function context(type: string, areas: readonly (readonly [number, number])[] = []): SourceContext {
  const set = (name: string, val: string): string => `<propSet><name>${name}</name><val>${val}</val></propSet>`;
  const session = {
    content: async () => ({ object: (name: string) => ({ type: name, id: name }) }),
    async call(_method: string, _target: unknown, parts: readonly string[]) {
      const object = parts.join('').includes('type="Datastore"')
        ? `<obj type="Datastore">ds-1</obj>${set('name', 'ds')}${set('summary.type', type)}`
        : `<obj type="VirtualMachine">vm-1</obj>${set('datastore', '<ManagedObjectReference type="Datastore">ds-1</ManagedObjectReference>')}`;
      return [parseXml(`<returnval><objects>${object}</objects></returnval>`)];
    },
    async callFor(_method: string, _target: unknown, parts: readonly string[]) {
      expect(parts.join('')).toContain('<changeId>*</changeId>');
      return parseXml(
        `<returnval><startOffset>0</startOffset><length>${10 * MIB}</length>${areas.map(([from, bytes]) => `<changedArea><start>${from}</start><length>${bytes}</length></changedArea>`).join('')}</returnval>`,
      );
    },
  };
  return { session } as unknown as SourceContext;
}

const disk = (more: Partial<VirtualDisk> = {}): VirtualDisk => ({
  key: 2000,
  label: 'Hard disk 1',
  sizeBytes: 10 * MIB,
  fileName: '[ds] vm/vm.vmdk',
  hasParent: false,
  uuid: 'u',
  changeId: '52 aa/4',
  attachment: { controllerType: 'ParaVirtualSCSIController', busNumber: 0, unitNumber: 0 },
  bus: 'scsi',
  isEncrypted: false,
  obstacle: undefined,
  isIndependent: false,
  rank: [0, 0],
  ...more,
});

describe('the areas in use are known', () => {
  const known = async (type: string, now: VirtualDisk, start = disk({ changeId: '52 aa/1' })) => [
    ...(await disksWithKnownAreas(context(type), vm('vm-1'), [now], trackingStarts([start]), signal)),
  ];

  test('on VMFS, where tracking has been the same since Causeway enabled it', async () => {
    expect(await known('VMFS', disk())).toEqual([2000]);
  });

  test.each([
    ['the datastore is another kind', 'NFS41', disk(), disk({ changeId: '52 aa/1' })],
    ['tracking began anew', 'VMFS', disk({ changeId: '52 bb/1' }), disk({ changeId: '52 aa/1' })],
    ['tracking has no effect', 'VMFS', disk({ changeId: undefined }), disk({ changeId: '52 aa/1' })],
    ['tracking had no effect', 'VMFS', disk(), disk({ changeId: undefined })],
    ['there is another snapshot below', 'VMFS', disk({ hasParent: true }), disk({ changeId: '52 aa/1' })],
    ['it has moved', 'VMFS', disk(), disk({ changeId: '52 aa/1', fileName: '[other] vm/vm.vmdk' })],
    ['it is another disk than the tracked one', 'VMFS', disk({ key: 2001 }), disk({ changeId: '52 aa/1' })],
  ] as const)('but not when %s', async (_name, type, now, start) => {
    expect(await known(type, now, start)).toEqual([]);
  });

  test('and not of a VM whose tracking somebody else has enabled', async () => {
    expect([...(await disksWithKnownAreas(context('VMFS'), vm('vm-1'), [disk()], undefined, signal))]).toEqual([]);
  });
});

test('areas in use and what is between them make the whole disk', async () => {
  const request = { vm: vm('vm-1'), snapshotId: 's', deviceKey: 2000, sizeBytes: 10 * MIB };
  expect(
    await usedAreas(
      context('VMFS', [
        [MIB, MIB],
        [2 * MIB, MIB],
        [8 * MIB, 65_536],
      ]),
      request,
      signal,
    ),
  ).toEqual([
    { offset: 0, length: MIB, kind: 'zero' },
    { offset: MIB, length: 2 * MIB, kind: 'data' },
    { offset: 3 * MIB, length: 5 * MIB, kind: 'zero' },
    { offset: 8 * MIB, length: 65_536, kind: 'data' },
    { offset: 8 * MIB + 65_536, length: 2 * MIB - 65_536, kind: 'zero' },
  ]);
  expect(await usedAreas(context('VMFS'), request, signal)).toEqual([{ offset: 0, length: 10 * MIB, kind: 'zero' }]);
  expect(await usedAreas(context('VMFS', [[0, 10 * MIB]]), request, signal)).toEqual([
    { offset: 0, length: 10 * MIB, kind: 'data' },
  ]);
});
